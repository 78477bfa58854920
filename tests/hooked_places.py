"""Prints, as JSON, which places of JAX and Keras importing private modules has changed, and which installing the hooks."""

import functools
import importlib
import json
import os
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import jax
from jax._src import effects, xla_bridge
from jax.extend.core import Primitive

import stratagem

LIBRARIES = ("jax", "jaxlib", "keras")
OURS = str(Path(stratagem.__file__).parent)
PUBLIC = [name for _, name, _ in pkgutil.iter_modules(stratagem.__path__) if not name.startswith("_") and name != "cli"]
LIGHT = {"errors", "version"}  # has no name of JAX or Keras, and loads neither


def ours(value: Any) -> bool:
    """True for code of the package, whatever wraps it or has given it another name."""
    if isinstance(value, property):
        return any(map(ours, filter(None, (value.fget, value.fset))))
    if isinstance(value, classmethod | staticmethod):
        return ours(value.__func__)
    if isinstance(value, functools.partial):
        return ours(value.func)
    if isinstance(value, FunctionType):
        return value.__code__.co_filename.startswith(OURS)
    return type(value).__module__.startswith("stratagem.")


def libraries() -> Iterator[tuple[str, Any]]:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in LIBRARIES and module is not None:
            yield name, module


def classes() -> Iterator[type]:
    found = {value for _, module in libraries() for value in vars(module).values() if isinstance(value, type)}
    for cls in found:
        if cls.__module__.partition(".")[0] in LIBRARIES:
            yield cls


def state() -> dict[str, Any]:
    """By place: code by whether it is ours, settings by their value, and of classes which attributes there are."""
    found: dict[str, Any] = {}
    for name, module in libraries():
        for key, value in list(vars(module).items()):
            if not isinstance(value, type):
                found[f"{name}.{key}"] = ours(value)
            if isinstance(value, Primitive):
                found[f"{name}.{key}.impl"] = ours(value.impl)
    for cls in classes():
        for key, value in vars(cls).items():
            if not key.startswith("_abc_") and key not in ("__abstractmethods__", "__annotations__", "__doc__"):
                found[f"{cls.__module__}.{cls.__qualname__}.{key}"] = ours(value) or "there"
    found |= {f"jax.config.{name}": value for name, value in jax.config.values.items()}
    found |= {f"os.environ.{name}": value for name, value in os.environ.items()}
    promoted = sys.modules["keras.src.backend.common.dtypes"].BIT64_TO_BIT32_DTYPE
    found |= {f"keras.src.backend.common.dtypes.BIT64_TO_BIT32_DTYPE.{name}": value for name, value in promoted.items()}
    registered = sys.modules["keras.src.api_export"].REGISTERED_NAMES_TO_OBJS
    found |= {
        f"keras.src.api_export.REGISTERED_NAMES_TO_OBJS.{name}": getattr(value, "__module__", "").startswith(
            "stratagem."
        )
        for name, value in registered.items()
    }
    found["jax._src.xla_bridge.logger.filters"] = len(xla_bridge.logger.filters)
    found["jax._src.effects.partial_eval_kept_effects"] = len(effects.partial_eval_kept_effects._effect_types)
    return found


def changed(before: dict[str, Any]) -> list[str]:
    """The places that are otherwise than before: ours now, or of another value, or new in a class that was there."""
    after = state()
    classes_before = {name.rpartition(".")[0] for name, value in before.items() if value == "there"}

    def news(name: str, value: Any) -> bool:
        in_class = value == "there" and name.rpartition(".")[0] in classes_before
        return in_class or value is True or name.startswith("os.environ.")

    new = [name for name, value in after.items() if name not in before and news(name, value)]
    return sorted({*new, *(name for name, value in before.items() if name in after and after[name] != value)})


def lacks(namespace: str) -> bool:
    """Whether importing this public namespace leaves the hooks of a process that has none unattached."""
    child = os.fork()
    if child == 0:
        importlib.import_module(f"stratagem.{namespace}")
        from stratagem._private import attached_by

        try:
            attached_by()
        except RuntimeError:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status != 0


def main() -> None:
    for module in (
        "keras",
        "keras.src.legacy.saving.legacy_h5_format",
        "jax._src.checkify",
        "jax.extend.core",
        "jax._src.distributed",
    ):
        importlib.import_module(module)
    # What others than we load lazily belongs to the state before.
    before = state()
    for building in (name for _, name, _ in pkgutil.iter_modules(stratagem.__path__) if name.startswith("_")):
        package = importlib.import_module(f"stratagem.{building}")
        for _, name, _ in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{package.__name__}."):
            importlib.import_module(name)
    imported = changed(before)
    without = [name for name in PUBLIC if name not in LIGHT and lacks(name)]
    importlib.import_module("stratagem._hooks").install()
    print(json.dumps({"imported": imported, "installed": changed(before), "without": without}))


if __name__ == "__main__":
    main()
