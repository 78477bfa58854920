"""Records the public names of TensorFlow 2.15.1, which an error for a missing name asks: run it where TensorFlow is.

    /tmp/tensorflow/bin/python scripts/record_tensorflow_names.py > src/stratagem/_ops/tensorflow_names.txt

A line has a namespace below `tf` (`-` is `tf` itself) and its names. Without Keras, whose names are its own.
"""

import contextlib
import types

import tensorflow as tf  # the real one

LEFT_OUT = {"keras", "raw_ops", "v2", "lite", "tpu", "dtensor", "tools", "tsl", "security", "mlir"}
LEFT_OUT |= {"python", "core", "compiler", "tf_decorator"}  # not public


def names(module: types.ModuleType) -> dict[str, object]:
    """The public names of a module. Some are loaded when they are asked for."""
    found: dict[str, object] = {}
    for name in dir(module):
        if not name.startswith("_"):
            if name in LEFT_OUT:
                continue
            with contextlib.suppress(ImportError, AttributeError):
                found[name] = getattr(module, name)
    return found


def tell(namespace: str, module: types.ModuleType) -> None:
    """Print a namespace and those in it."""
    found = names(module)
    print(namespace or "-", *found)
    for name, member in found.items():
        again = namespace.startswith("compat.v1") and name == "compat"
        own = isinstance(member, types.ModuleType) and ("tensorflow" in member.__name__ or name == "layers")
        if own and not again:
            tell(f"{namespace}.{name}".lstrip("."), member)


if __name__ == "__main__":
    tell("", tf)
