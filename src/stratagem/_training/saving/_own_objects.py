"""A program's own classes and functions in a saved model: found again without `custom_objects`, as in a SavedModel.

Keras' file has their names only. Beside them, a folder's file has the modules in which they are. When it is read, modules
that the program has imported are looked up, none is imported, and only classes derived from those that Keras' files are made
of are taken from them. Functions are taken without safe mode alone: a file gives the arguments with which they are called.
"""

import contextlib
import inspect
import json
import os
import sys
import types
import weakref
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, final

import keras

from stratagem._base.errors import DataLossError
from stratagem._base.paths import absolute, is_remote
from stratagem._base.storage import file_system
from stratagem._private import RefusedInSafeModeError, sublayers

_RECORD = "stratagem.json"  # in the model's file
_ADDED = ("name", "trainable", "dtype")
_LIBRARIES = ("keras", "stratagem", "builtins")
_KINDS = (
    *(keras.layers.Layer, keras.losses.Loss, keras.metrics.Metric, keras.optimizers.Optimizer),
    *(keras.initializers.Initializer, keras.regularizers.Regularizer, keras.constraints.Constraint),
    keras.optimizers.schedules.LearningRateSchedule,
)

# What this process has saved: classes and functions that no module's attribute names, and files by their identity.
_known: "weakref.WeakValueDictionary[tuple[str, str], Any]" = weakref.WeakValueDictionary()
_written: dict[str, str] = {}


def record(model: keras.Model, path: Path) -> None:
    """Adds the modules of a model's own classes and functions to its file."""
    found = {}
    for each in _own(model):
        _known[each.__module__, each.__qualname__] = each
        found[keras.saving.get_registered_name(each)] = [each.__module__, each.__qualname__]
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(_RECORD, json.dumps(found))


def remember(path: str) -> None:
    """Notes that this process has written a model's file."""
    _written[_place(path)] = _identity(path)


def is_ours(path: str) -> bool:
    """Returns whether this process has written the file that is there now: its lambdas are its own."""
    return _written.get(_place(path)) == _identity(path)


@contextlib.contextmanager
def own_objects(path: str, custom_objects: Mapping[str, Any] | None, *, safe_mode: bool) -> Iterator[dict[str, Any]]:
    """Gives the classes and functions that the file at this path needs, by name, as far as this process has them.

    custom_objects: what the program has handed over, which comes first. safe_mode: there are no functions but those.

    Raises DataLossError for a record that `record` does not write, and RefusedInSafeModeError for an error of the body that
    names a function which safe mode has left out.
    """
    objects = _recorded_objects(path)
    functions = {name: each for name, each in objects.items() if safe_mode and isinstance(each, types.FunctionType)}
    given = {name: each for name, each in objects.items() if name not in functions} | {**(custom_objects or {})}
    try:
        yield given
    except (TypeError, ValueError) as error:
        refused = [each for name, each in functions.items() if name not in given and f"'{name}'" in str(error)]
        if not refused:
            raise
        named = ", ".join(f"{each.__qualname__} of {each.__module__}" for each in refused)
        raise RefusedInSafeModeError(
            f"{path!r} names a function of this program, {named}, which safe mode does not call: whoever wrote the file would "
            "decide about its arguments. Hand it over in `custom_objects`, register it with "
            "keras.saving.register_keras_serializable, or, if you trust the file, load it with safe_mode=False."
        ) from error


def _recorded_objects(path: str) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(path) as file:
            places = json.loads(file.read(_RECORD)) if _RECORD in file.namelist() else {}
        found = {name: _at(str(module), str(qualname)) for name, (module, qualname) in places.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataLossError(f"{path!r} is damaged: its {_RECORD} is none of this library's: {error!r:.100}") from error
    return {name: _Maker(each) if isinstance(each, type) else each for name, each in found.items() if each is not None}


@final
class _Maker:
    """A class for Keras' `from_config`, which leaves out what Keras adds to a configuration and `__init__` does not take."""

    def __init__(self, cls: Any) -> None:
        self._class = cls

    def from_config(self, config: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Returns an object of the class."""
        accepted = inspect.signature(self._class.__init__).parameters
        if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in accepted.values()):
            config = {key: value for key, value in config.items() if key in accepted or key not in _ADDED}
        return self._class.from_config(config, *args, **kwargs)


def _own(model: Any) -> Iterator[Any]:
    layers = sublayers(model)
    losses = keras.tree.flatten(getattr(model, "loss", None))
    objects = [*layers, *losses, *model.metrics, getattr(model, "optimizer", None)]
    inner = [value for each in (*layers, *model.metrics) for value in vars(each).values()]
    for each in (*objects, *inner):
        kind: Any = each if isinstance(each, types.FunctionType) else type(each)
        is_own = kind.__module__.partition(".")[0] not in _LIBRARIES and kind.__name__ != "<lambda>"
        if is_own and (kind is each or issubclass(kind, _KINDS)):
            yield kind


def _at(module: str, qualname: str) -> Any:
    found = _known.get((module, qualname), sys.modules.get(module))
    if isinstance(found, types.ModuleType):
        for part in qualname.split("."):
            # Not getattr: that may import what a module imports on demand, or run its code.
            found = vars(found).get(part) if isinstance(found, types.ModuleType | type) else None
    if isinstance(found, type):
        return found if issubclass(found, _KINDS) else None
    if isinstance(found, types.FunctionType) and found.__module__ == module:
        return found
    return None


def _place(path: str) -> str:
    return absolute(path) if is_remote(path) else os.path.realpath(path)


def _identity(path: str) -> str:
    found = file_system(path).status(path)
    return "" if found is None else found.mark
