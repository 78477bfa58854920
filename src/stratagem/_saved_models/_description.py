"""The description of a SavedModel, in its file saved_model.json: objects, functions and signatures."""

import inspect
import json
from dataclasses import asdict, dataclass, field
from typing import Any, final

from stratagem._base.errors import CheckpointError, DataLossError

NAME = "saved_model.json"
SERVING = "serve"  # the tag of a model that is the only one

_FORMAT = "stratagem saved model"
_VERSION = 3  # 2: with work of the host; 3: several models, each with tags
_ABOUT = (
    "A model with its functions, as StableHLO programs of JAX. Read it with stratagem.saved_model.load(directory), which needs "
    "none of the model's Python code. TensorFlow and TensorFlow Serving cannot read it."
)


@final
@dataclass(frozen=True, kw_only=True)
class ProgramFact:
    """A function's program for one kind of arguments.

    file: its code. args, kwargs, result: structures with specs. variables: the numbers of the objects that it takes the values
    of. written: the positions among these of those that it assigns. platforms: on which it runs. host: what the host computes
    with strings before and after it, None if nothing.
    """

    file: str
    args: Any
    kwargs: Any
    result: Any
    variables: list[int]
    written: list[int]
    platforms: list[str]
    differentiable: bool
    host: Any = None


@final
@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter of a function. kind: its name in `inspect`. default: a structure; None if there is none."""

    name: str
    kind: str
    default: Any = None


@final
@dataclass(frozen=True, kw_only=True)
class ObjectFact:
    """One object.

    kind: `object`, `list`, `tuple`, `dict`, `variable`, `function` or `asset`.
    children: by attribute, position or key, the numbers of the objects in it.
    facts: what else is known, by kind: of a variable its array and properties, of a function its name, parameters, programs.
    """

    kind: str
    children: dict[str, int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, kw_only=True)
class ModelFact:
    """One of the models of a SavedModel, as a MetaGraph of TensorFlow's.

    tags: by which `load` finds it. root: the number of its object. signatures: functions by key.
    """

    tags: list[str]
    root: int
    signatures: dict[str, int]


@final
@dataclass(frozen=True, kw_only=True)
class Description:
    """All of a SavedModel but its values and code."""

    objects: list[ObjectFact]
    models: list[ModelFact]


def encode(description: Description) -> bytes:
    """Returns the bytes of the file."""
    return json.dumps(
        {"format": _FORMAT, "version": _VERSION, "about": _ABOUT} | asdict(description), indent=1
    ).encode()


def read(content: bytes, path: str) -> Description:
    """Reads the file of the SavedModel at `path` from its bytes, which have been compared with their checksum.

    Raises: CheckpointError for a later version, DataLossError for content that this library never writes.
    """
    try:
        found = json.loads(content)
        version = found["version"]
        if found["format"] != _FORMAT or not isinstance(version, int):
            raise ValueError(f"its format is {found['format']!r:.50}")
        if version > _VERSION:
            raise CheckpointError(
                f"The SavedModel {path!r} has format version {version}, and this library reads up to {_VERSION}. Read it with "
                "the version of stratagem that wrote it."
            )
        objects = [ObjectFact(**each) for each in found["objects"]]
        alone = {"tags": [SERVING], "root": 0, "signatures": found.get("signatures")}  # before version 3
        models = [ModelFact(**each) for each in (found["models"] if version > 2 else [alone])]
        description = Description(objects=objects, models=models)
        _check(description)
        return description
    except CheckpointError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataLossError(
            f"The SavedModel {path!r} is damaged: {NAME} has the right checksum, but not what this library writes: {error!r}."
        ) from error


_KINDS = ("object", "list", "tuple", "dict", "variable", "function", "asset")


def _check(description: Description) -> None:
    numbers = range(len(description.objects))
    if not description.models:
        raise ValueError("there are no models")
    for each in description.objects:
        if each.kind not in _KINDS:
            raise ValueError(f"an object of the kind {each.kind!r:.50}")
        programs = each.facts["programs"] if each.kind == "function" else []
        named = [*each.children.values(), *(v for program in programs for v in program["variables"])]
        if not all(isinstance(n, int) and n in numbers for n in named):
            raise ValueError("an object that is not there")
        if not all(isinstance(program["file"], str) for program in programs):
            raise TypeError("a program without a file")
    for model in description.models:
        if model.root not in numbers or not all(isinstance(tag, str) for tag in model.tags):
            raise ValueError(f"the model {model.tags!r:.50}")
        for key, number in model.signatures.items():
            if number not in numbers or description.objects[number].kind != "function":
                raise ValueError(f"the signature {key!r:.50}")


def parameters_fact(parameters: inspect.Signature, encode_default: Any) -> list[Parameter]:
    """Returns the parameters of a function as they are written. A default that cannot be is left out."""
    found = []
    for each in parameters.parameters.values():
        default = None
        if each.default is not inspect.Parameter.empty:
            try:
                default = encode_default(each.default)
            except ValueError:
                default = None
        found.append(Parameter(name=each.name, kind=each.kind.name, default=default))
    return found
