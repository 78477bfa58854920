"""Loads a SavedModel: its objects with their variables and functions, without the Python code that made them."""

import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, final

import jax

from stratagem._base.errors import DataLossError, UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.storage import checked_path, file_system
from stratagem._base.types import PathLike
from stratagem._checkpoints import has_attached
from stratagem._core.step import RestoredProgram
from stratagem._core.values import TensorSpec, Variable
from stratagem._saved_models._description import NAME, Description, ModelFact, ObjectFact, read
from stratagem._saved_models._host_calls import HostReader
from stratagem._saved_models._keras_folder import is_keras_folder, read_keras_folder
from stratagem._saved_models._loaded_function import LoadedFunction, LoadedProgram
from stratagem._saved_models._loaded_object import LoadedObject
from stratagem._saved_models._options import LoadOptions
from stratagem._saved_models._source import SavedModelSource
from stratagem._saved_models._structure import decoded

_PARAMETER_KINDS = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD")
_OF_TENSORFLOW = ("saved_model.pb", "saved_model.pbtxt")


@exported("saved_model.contains_saved_model")
def contains_saved_model(export_dir: PathLike) -> bool:
    """Returns whether a directory has what `load` reads: a SavedModel of this library, or a model that `model.save` wrote.

    (A SavedModel of TensorFlow's cannot be read here.)
    """
    path = checked_path(export_dir)
    return file_system(path).is_directory(path) and (has_attached(path, NAME) or is_keras_folder(path))


@exported("saved_model.load", v1=())
def load(export_dir: PathLike, tags: str | Sequence[str] | None = None, options: LoadOptions | None = None) -> Any:
    """Returns the object that `save` wrote, with variables of the strategy in whose scope this is called.

    It has the attributes of the object that was saved: variables, functions for the kinds of arguments that they were saved
    with (they compute, assign and have gradients as before, also in `strategy.run`), and `signatures`. Every byte is compared
    with its checksum. Of a folder that `model.save` wrote, the model is made of its Keras file, which needs its classes, and
    its functions are traced then.

    tags: those of the model to load, if there are several, such as `["eval"]`; that of `save` is "serve".

    Raises:
        ValueError: there is no model with these tags, or there are several and none are given.
        OSError: there is no SavedModel at this path.
        UnimplementedError: TensorFlow wrote it.
        DataLossError: it is damaged.
        CheckpointError: a later version of this library wrote it.
        Exception: of a folder of `model.save`, what `tf.keras.models.load_model` raises.
    """
    path = checked_path(export_dir)
    if file_system(path).is_directory(path) and has_attached(path, NAME):
        source = SavedModelSource.of_files(path)
    elif is_keras_folder(path):
        source = read_keras_folder(path)
    else:
        if any(file_system(path).is_file(os.path.join(path, name)) for name in _OF_TENSORFLOW):
            raise UnimplementedError(
                f"{path!r} is a SavedModel that TensorFlow wrote: its functions are graphs of TensorFlow's, which nothing here "
                "can run. Build the model here, and load its weights, which TensorFlow writes with model.save_weights."
            )
        raise OSError(f"SavedModel file does not exist at: {path}: there is no directory with a {NAME}.")
    description = read(source.content(NAME), path)
    return _Loading(source, description, _with_tags(description, tags, path)).root()


def _with_tags(description: Description, tags: str | Sequence[str] | None, path: str) -> ModelFact:
    """Returns the model with these tags, or the only one. Raises ValueError if there is none."""
    known = [model.tags for model in description.models]
    wanted = None if tags is None else {tags} if isinstance(tags, str) else {*tags}
    if wanted is None and len(known) > 1:
        raise ValueError(
            f"Loading the SavedModel {path!r} requires a `tags=` argument, since it has {len(known)} models, with the tags "
            f"{known}: tf.saved_model.load(path, tags={known[-1]})."
        )
    found = [model for model in description.models if wanted is None or wanted == {*model.tags}]
    if not found:
        raise ValueError(
            f"Got an incompatible argument to `tags`: {tags!r}. The SavedModel at {path!r} has models with the tags {known}. "
            "Pass those of one of them, or, if it is the only one, None."
        )
    return found[0]


@final
class _Loading:
    """One load: makes each object when it is first asked for."""

    def __init__(self, source: SavedModelSource, description: Description, model: ModelFact) -> None:
        self._source, self._description, self._model = source, description, model
        self._made: dict[int, Any] = {}
        self._host = HostReader(source.content)
        self._programs: Mapping[str, RestoredProgram] = {}

    def root(self) -> LoadedObject:
        """Returns the object that was saved."""
        numbers = _reachable(self._description, self._model)
        objects = {number: self._description.objects[number] for number in numbers}
        with RestoredProgram.reading(self._codes(objects.values())) as restored:
            for number, fact in objects.items():
                if fact.kind == "variable":
                    self._object(number)
            self._programs = restored()
        found = self._object(self._model.root)
        if not isinstance(found, LoadedObject):
            raise DataLossError(f"The SavedModel {self._source.path!r} is damaged: its root is no object.")
        signatures = {key: self._object(number) for key, number in self._model.signatures.items()}
        found.signatures = MappingProxyType(signatures)
        return found

    def _codes(self, objects: Iterable[ObjectFact]) -> dict[str, bytes]:
        """Returns the bytes of all programs."""
        functions = [fact for fact in objects if fact.kind == "function"]
        files = [program["file"] for fact in functions for program in fact.facts["programs"]]
        return {self._named(file): self._source.content(file) for file in files}

    def _named(self, file: str) -> str:
        return f"{self._source.path}: {file}"

    def _object(self, number: int) -> Any:
        if number not in self._made:
            fact = self._description.objects[number]
            try:
                self._make(number, fact)
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
                raise DataLossError(
                    f"The SavedModel {self._source.path!r} is damaged: its object {number} is not what this library "
                    f"writes: {error!r:.200}"
                ) from error
        return self._made[number]

    def _make(self, number: int, fact: ObjectFact) -> None:
        match fact.kind:
            case "object":
                made = self._made[number] = LoadedObject()
                made.take({name: self._object(child) for name, child in fact.children.items()})
            case "list" | "tuple":
                items = [self._object(child) for child in fact.children.values()]
                self._made[number] = items if fact.kind == "list" else tuple(items)
            case "dict":
                self._made[number] = {name: self._object(child) for name, child in fact.children.items()}
            case "variable":
                self._made[number] = self._variable(**fact.facts)
            case "asset":
                self._made[number] = self._source.asset(fact.facts["file"])
            case _:
                self._made[number] = self._function(**fact.facts)

    def _variable(
        self,
        array: str,
        name: str,
        shape: list[int],
        dtype: str,
        trainable: bool,
        aggregation: str,
        synchronization: str,
    ) -> Variable:
        value = self._source.arrays[array]
        if list(value.shape) != shape or str(value.dtype) != dtype:
            raise ValueError(f"the array {array!r} is {value.dtype} {value.shape}, expected {dtype} {shape}")
        return Variable(value, trainable=trainable, name=name, aggregation=aggregation, synchronization=synchronization)

    def _function(self, name: str, parameters: list[Any], programs: list[Any]) -> LoadedFunction:
        return LoadedFunction(
            name,
            inspect.Signature([_parameter(**each) for each in parameters]),
            [self._program(name, **each) for each in programs],
        )

    def _program(
        self,
        name: str,
        file: str,
        args: Any,
        kwargs: Any,
        result: Any,
        variables: list[int],
        written: list[int],
        platforms: list[str],
        differentiable: bool,
        host: Any = None,
    ) -> LoadedProgram:
        program = self._programs[self._named(file)]
        found = [self._object(number) for number in variables]
        if not all(isinstance(v, Variable) for v in found):
            raise ValueError(f"the program {file!r} takes what is no variable")
        call = decoded(args), decoded(kwargs)
        tensors = sum(isinstance(leaf, TensorSpec) for leaf in jax.tree.leaves(call))
        work = self._host.host(host, tensors)
        return LoadedProgram.of(name, program, call, decoded(result), found, written, work)


def _reachable(description: Description, model: ModelFact) -> dict[int, None]:
    """Returns the numbers of a model's objects, in the order in which they are made: those in an object before the next."""
    left, seen = [*reversed([model.root, *model.signatures.values()])], dict[int, None]()
    while left:
        number = left.pop()
        if number not in seen:
            seen[number] = None
            fact = description.objects[number]
            programs = fact.facts["programs"] if fact.kind == "function" else []
            inner = [*fact.children.values(), *(v for program in programs for v in program["variables"])]
            left += reversed(inner)
    return seen


def _parameter(name: str, kind: str, default: Any) -> inspect.Parameter:
    if not isinstance(name, str) or not name.isidentifier() or kind not in _PARAMETER_KINDS:
        raise ValueError(f"{name!r:.100}, {kind!r:.100} is no parameter of a function")
    value = inspect.Parameter.empty if default is None else decoded(default)
    return inspect.Parameter(name, getattr(inspect.Parameter, kind), default=value)
