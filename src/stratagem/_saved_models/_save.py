"""Saves an object with its functions: walks what it holds, exports its functions, and writes both into one directory."""

import dataclasses
import logging
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, final

import keras

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.paths import file_errors
from stratagem._base.slow_blocks import while_slow
from stratagem._base.storage import checked_path
from stratagem._base.types import PathLike, UserFunction
from stratagem._checkpoints import ArrayKeys, is_plain_object, write_attached
from stratagem._core.step import ConcreteFunction, Function, export_function
from stratagem._core.values import Module
from stratagem._host_calls import EXAMPLES
from stratagem._private import KerasVariable, is_view
from stratagem._saved_models._asset import Asset
from stratagem._saved_models._description import (
    NAME,
    SERVING,
    Description,
    ModelFact,
    ObjectFact,
    ProgramFact,
    encode,
    parameters_fact,
)
from stratagem._saved_models._functions import FunctionToSave, signatures_to_save
from stratagem._saved_models._host_calls import HostWriter
from stratagem._saved_models._keras_model import functions_of_model, signature_of_model
from stratagem._saved_models._loaded_function import LoadedFunction
from stratagem._saved_models._loaded_object import LoadedObject
from stratagem._saved_models._options import SaveOptions
from stratagem._saved_models._structure import encoded

_log = logging.getLogger("stratagem")

_SAY_SECONDS = 5.0

_FUNCTIONS = (Function, ConcreteFunction, LoadedFunction, FunctionToSave)


@exported("saved_model.save")
def save(
    obj: Any,
    export_dir: PathLike,
    signatures: UserFunction | Mapping[str, UserFunction] | None = None,
    options: SaveOptions | None = None,
) -> None:
    """Writes an object with its variables and compiled functions to a directory, as `tf.saved_model.save`.

    `load` makes an object with the same attributes of it, and needs none of the Python code. The format is this library's: a
    checkpoint of the variables, which `tf.train.Checkpoint.restore` reads, and beside it StableHLO programs of the functions
    for CPUs, NVIDIA GPUs and TPUs. TensorFlow and TensorFlow Serving cannot read it. All workers of a job have to call it.

    obj: a `tf.Module`, a Keras model that has been built or called, an object that `load` returned, or another with such in
        its attributes. A function is saved for its input signature, else for the kinds of arguments of its calls so far.
    export_dir: the directory. What was saved there before is whole until all of this is written, and then gone.
    signatures: a `tf.function` with an input signature or a concrete function, which becomes "serving_default", or a dict of
        such. By default that of a Keras model, or the only function with an input signature in an attribute.
    Raises: ValueError for signatures that are none, and for arguments of functions that have no place in a file;
        UnimplementedError for a function that has no program; OSError when a file cannot be written.
    """
    if not isinstance(obj, _HOLDERS) and not is_plain_object(obj):
        raise ValueError(
            f"tf.saved_model.save takes an object with variables and functions in its attributes (a tf.Module, a Keras model), "
            f"got {obj!r:.100}."
        )
    save_models([ModelToSave(obj, signatures)], export_dir)


@final
@dataclasses.dataclass(frozen=True)
class ModelToSave:
    """One of the models of a SavedModel. obj, signatures: as `save` takes them. tags: by which `load` finds it."""

    obj: Any
    signatures: UserFunction | Mapping[str, UserFunction] | None = None
    tags: tuple[str, ...] = (SERVING,)


def save_models(
    models: Sequence[ModelToSave], export_dir: PathLike, same: Sequence[tuple[KerasVariable, KerasVariable]] = ()
) -> None:
    """Writes one SavedModel of several models, each of which `load` finds by its tags. Raises the same errors as `save`.

    same: pairs of variables of two models that have one value; the second is saved as the first.
    """
    path = checked_path(export_dir)
    whole = models[0].obj if len(models) == 1 else _together(models, same)

    def say(seconds: float) -> None:
        _log.info(
            "Saving to %s has taken %.0f s so far: each function becomes a program for CPUs, GPUs and TPUs, and its gradient "
            "another. Saving the same functions again takes less.", path, seconds
        )  # fmt: skip

    with file_errors(path), while_slow(say, after=_SAY_SECONDS, every=math.inf):
        write_attached(whole, path, lambda keys: _Writing(keys, same).files(models))
    _log.info("Saved to %s: programs of JAX, which tf.saved_model.load reads, and TensorFlow does not.", path)


def _together(models: Sequence[ModelToSave], same: Sequence[tuple[KerasVariable, KerasVariable]]) -> LoadedObject:
    """Returns an object with the variables of all models, which is what the checkpoint of a SavedModel of several is of."""
    repeated = {id(second) for _, second in same}
    variables = {id(v): v for model in models for v in model.obj.variables if id(v) not in repeated}
    whole = LoadedObject()
    whole.take({"variables": list(variables.values())})
    return whole


_HOLDERS = (Module, keras.Layer, keras.Optimizer, keras.Metric)


def files_of(obj: Any, keys: ArrayKeys) -> dict[str, bytes | Path]:
    """Returns the files that a SavedModel of an object has beside its checkpoint. Raises the same errors as `save`."""
    return _Writing(keys).files([ModelToSave(obj)])


@final
class _Writing:
    """One save: numbers the objects that it meets, and collects the files to attach."""

    def __init__(self, keys: ArrayKeys, same: Sequence[tuple[KerasVariable, KerasVariable]] = ()) -> None:
        self._keys = keys
        self._first = {id(second): first for first, second in same}
        self._numbers: dict[int, int] = {}
        self._objects: list[ObjectFact | None] = []
        self._kept: list[Any] = []  # what was numbered, so that no identity is used twice
        self._files: dict[str, bytes | Path] = {}
        self._host = HostWriter()

    def files(self, models: Sequence[ModelToSave]) -> dict[str, bytes | Path]:
        """Returns the files to attach, by name."""
        facts = [self._model(each) for each in models]
        description = Description(objects=[each for each in self._objects if each is not None], models=facts)
        return {NAME: encode(description), **self._files, **self._host.files}

    def _model(self, model: ModelToSave) -> ModelFact:
        root = model.obj
        children = dict(_members(root))
        number = self._number(root)
        default = signature_of_model(root) if isinstance(root, keras.Model) else _only_signature(children)
        chosen = {}
        for key, found in signatures_to_save(model.signatures, default).items():
            described = self._described_function(found)
            if described.facts["programs"]:  # else it is one that nobody asked for
                chosen[key] = len(self._objects)
                self._objects.append(described)
        return ModelFact(tags=list(model.tags), root=number, signatures=chosen)

    def _number(self, value: Any) -> int:
        """Returns the number of an object, and describes it when it is met first."""
        value = self._first.get(id(value), value)
        if id(value) in self._numbers:
            return self._numbers[id(value)]
        number = self._numbers[id(value)] = len(self._objects)
        self._objects.append(None)
        self._kept.append(value)
        self._objects[number] = self._described(value)
        return number

    def _described(self, value: Any) -> ObjectFact:
        if isinstance(value, KerasVariable) or is_view(value):
            return ObjectFact(kind="variable", facts=_variable(value, self._keys[value]))
        if isinstance(value, _FUNCTIONS):
            found = FunctionToSave.of(value)
            assert found is not None, "each of these classes has a case there"
            return self._described_function(found)
        if isinstance(value, Asset):
            name = f"assets/{len(self._files)}/{os.path.basename(os.fspath(value))}"
            self._files[name] = Path(value)
            return ObjectFact(kind="asset", facts={"file": name})
        kind = next((k for k, classes in _CONTAINERS.items() if isinstance(value, classes)), "object")
        members = {name: self._number(each) for name, each in _members(value)}
        return ObjectFact(kind=kind, children=members)

    def _described_function(self, found: FunctionToSave) -> ObjectFact:
        programs = []
        for call in found.calls:
            try:
                made = export_function(call.function, *call.given, EXAMPLES)
                host = self._host.host(made.host, found.name)
            except (UnimplementedError, TypeError, ValueError) as error:
                if not call.optional:
                    raise
                _log.warning("%s: saved without this kind of call, %s: %s", found.name, call.described, error)
                continue
            file = f"functions/{len(self._files)}.stablehlo"
            self._files[file] = made.code
            args, kwargs = call.described
            fact = ProgramFact(
                file=file,
                args=encoded(tuple(args), f"An argument of {found.name}"),
                kwargs=encoded(kwargs, f"An argument of {found.name}"),
                result=encoded(made.result, f"The result of {found.name}"),
                variables=[self._number(v) for v in made.variables],
                written=list(made.written),
                platforms=list(made.platforms),
                differentiable=made.differentiable,
                host=host,
            )
            programs.append(dataclasses.asdict(fact))
        parameters = parameters_fact(found.parameters, lambda value: encoded(value, "a default"))
        facts = {
            "name": found.name,
            "parameters": [dataclasses.asdict(each) for each in parameters],
            "programs": programs,
        }
        return ObjectFact(kind="function", facts=facts)


_CONTAINERS: dict[str, Any] = {"list": list, "tuple": tuple, "dict": Mapping}


def _variable(variable: Any, key: str) -> dict[str, Any]:
    shape = list(variable.shape)
    return {
        "array": key,
        "name": variable.name.removesuffix(":0"),
        "shape": shape,
        "dtype": str(variable.dtype),
        "trainable": bool(variable.trainable),
        "aggregation": str(getattr(variable, "aggregation", "none")),
        "synchronization": str(getattr(variable, "synchronization", "auto")),
    }


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """Yields what is saved of an object's attributes, or of what a container holds, with names."""
    if isinstance(value, Mapping):
        yield from ((str(key), each) for key, each in value.items() if _is_saved(each))
    elif isinstance(value, list | tuple):
        yield from ((str(i), each) for i, each in enumerate(value) if _is_saved(each))
    elif isinstance(value, LoadedObject):
        yield from value.children().items()
    elif isinstance(value, keras.Layer):
        yield from functions_of_model(value).items() if isinstance(value, keras.Model) else ()
        for name in ("variables", "trainable_variables", "non_trainable_variables"):
            yield name, list(getattr(value, name))
    elif isinstance(value, keras.Optimizer | keras.Metric):
        yield "variables", list(value.variables)
    else:
        found = {name: each for name, each in vars(value).items() if _is_saved(each)}
        methods = {name: getattr(value, name) for name in _methods(type(value))}
        yield from (found | methods).items()


def _methods(owner: type) -> Iterator[str]:
    """Yields the names of a class' methods that are compiled functions."""
    for name in dir(owner):
        if any(isinstance(vars(each).get(name), Function) for each in owner.__mro__):
            yield name


def _is_saved(value: Any) -> bool:
    if isinstance(value, list | tuple | Mapping):
        members = value.values() if isinstance(value, Mapping) else value
        return any(map(_is_saved, members))
    known = isinstance(value, (KerasVariable, Asset, *_FUNCTIONS, *_HOLDERS))
    return known or is_view(value) or is_plain_object(value)


def _only_signature(children: Mapping[str, Any]) -> Any:
    """Returns the function that is an object's default signature: the only one with an input signature, if it is that."""
    found = [f for f in children.values() if isinstance(f, Function) and f.input_signature is not None]
    return found[0] if len(found) == 1 else None
