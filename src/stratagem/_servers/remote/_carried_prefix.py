"""CarriedPrefix: a host prefix as it goes to another process, without code: names of functions, facts of objects."""

import functools
import importlib
import inspect
import pickle
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

import keras
import numpy as np
from jax.tree_util import PyTreeDef

from stratagem._base.errors import UnimplementedError
from stratagem._base.types import UserFunction
from stratagem._core.step import (
    CallResult,
    HostCall,
    HostKind,
    HostPrefix,
    HostValue,
    is_array,
    kind_named,
    kind_of_method,
)

# Modules whose functions a worker has, too.
_LIBRARY = ("stratagem.", "_operator")


@final
@dataclass(frozen=True)
class LibraryFunction:
    """A function of the library, by the module that has it and its name there."""

    module: str
    name: str

    @classmethod
    def of(cls, function: UserFunction) -> Self | None:
        """Returns the names of a function; None for one that is not in the library, or not at the top of a module."""
        module, name = getattr(function, "__module__", None) or "", getattr(function, "__qualname__", "")
        if not module.startswith(_LIBRARY) or inspect.ismethod(function):
            return None
        found = cls(module, name)
        return found if inspect.unwrap(found.function() or function) is inspect.unwrap(function) else None

    def function(self) -> UserFunction | None:
        """Returns the function; None if there is none of this name."""
        owner: Any = importlib.import_module(self.module)
        return functools.reduce(lambda found, part: getattr(found, part, None), self.name.split("."), owner)


@final
@dataclass(frozen=True)
class LibraryObject:
    """An object whose method is a function of the host: its kind, and what makes an equal one (`HostKind`).

    name: of a layer, for its messages; None of other objects.
    """

    kind: str
    facts: Mapping[str, Any]
    name: str | None

    def function(self) -> UserFunction:
        """Returns the method of an equal object."""
        made: Any = kind_named(self.kind).make(self.facts)
        if self.name is not None:
            made.__self__.name = self.name
        return made


@final
@dataclass(frozen=True)
class BoundFunction:
    """A function of the host that is a method: of which kind of object, and of which object."""

    kind: HostKind
    owner: Any

    @classmethod
    def of(cls, function: UserFunction) -> Self | None:
        """Returns the kind and the object of a method; None for any other function."""
        kind = kind_of_method(function)
        return None if kind is None else cls(kind, function.__self__)  # type: ignore[attr-defined]

    @property
    def learned(self) -> tuple[Any, ...]:
        """The objects that the object has learned."""
        return self.kind.learned(self.owner)

    def described(self) -> LibraryObject:
        """Returns the object as it is now. Raises UnimplementedError if it calls code of the user's."""
        name = self.owner.name if isinstance(self.owner, keras.Layer) else None
        return LibraryObject(self.kind.name, self.kind.facts(self.owner), name)


@final
@dataclass(frozen=True)
class CarriedCall:
    """A call of a prefix. function: of the library, or the number of an object that the worker has."""

    function: LibraryFunction | int
    leaves: tuple[Any, ...]
    structure: PyTreeDef


@final
@dataclass(frozen=True)
class CarriedPrefix:
    """A prefix whose calls all replicas share. inputs, sizes: as in `HostPrefix`."""

    calls: tuple[CarriedCall, ...]
    inputs: tuple[HostValue, ...]
    sizes: tuple[HostValue, ...]

    def prefix(self, objects: Mapping[int, UserFunction]) -> HostPrefix:
        """Returns a prefix that can be run. objects: functions by their numbers; raises KeyError for one that is not there."""
        calls = []
        for call in self.calls:
            function = objects[call.function] if isinstance(call.function, int) else call.function.function()
            assert function is not None, "the coordinator has found it by this name"
            calls.append(HostCall(function, call.leaves, call.structure, own=False))
        return HostPrefix(tuple(calls), self.inputs, (), self.sizes, strings=True)


def can_be_carried(prefix: HostPrefix) -> bool:
    """Returns whether a worker can run a prefix as the coordinator does.

    Its functions are those of the library, or of objects that can be described; what the user's code does, and what a table
    holds that changes, only this process knows.
    """
    if not prefix.plain or any(call.own for call in prefix.calls):
        return False
    return all(_is_known(call.function) and _is_sent(call.leaves) for call in prefix.calls)


def _is_known(function: UserFunction) -> bool:
    bound = BoundFunction.of(function)
    if bound is None:
        return LibraryFunction.of(function) is not None
    try:
        bound.described()
    except UnimplementedError:  # a layer that calls a function of the user's
        return False
    return True


def _is_sent(leaves: Sequence[Any]) -> bool:
    """Returns whether arguments can travel: a user's own object perhaps cannot."""
    try:
        pickle.dumps(leaves)
    except (TypeError, AttributeError, pickle.PicklingError):
        return False
    return True


@final
@dataclass(frozen=True)
class PrefixInputRef:
    """Takes the place of an input of a program: leaf `leaf` of the result of call `call` of the prefix, at the worker."""

    call: int
    leaf: int


@final
@dataclass(frozen=True)
class TensorFacts:
    """The facts of a tensor on which a program depends. sizes: its numbers, if they are sizes of the program's tensors."""

    shape: tuple[int, ...]
    dtype: np.dtype
    sizes: bytes | None = None

    @classmethod
    def of(cls, tensor: Any, *, size: bool) -> Self:
        """Returns the facts of a tensor. size: whether its numbers are sizes."""
        return cls(tuple(tensor.shape), np.dtype(tensor.dtype), np.asarray(tensor).tobytes() if size else None)

    def example(self) -> np.ndarray:
        """Returns a tensor with such facts: of its sizes, else of zeros."""
        if self.sizes is not None:
            return np.frombuffer(self.sizes, self.dtype).reshape(self.shape)
        return np.broadcast_to(np.zeros((), self.dtype), self.shape)


@final
@dataclass(frozen=True)
class ResultFacts:
    """The facts of the result of a call: all but the values of its tensors. tensors: None for other leaves."""

    kind: Hashable
    tensors: tuple[TensorFacts | None, ...]


def facts_of(prefix: HostPrefix | CarriedPrefix, results: Sequence[CallResult]) -> tuple[ResultFacts, ...]:
    """Returns the facts of the results of a prefix, by call."""
    sizes = set(prefix.sizes)
    return tuple(
        ResultFacts(
            result.kind,
            tuple(
                TensorFacts.of(leaf, size=HostValue(number, i) in sizes) if is_array(leaf) else None
                for i, leaf in enumerate(result.leaves)
            ),
        )
        for number, result in enumerate(results)
    )


@final
@dataclass(frozen=True)
class PrefixRequest:
    """Asks a worker to run a prefix before each step of a call.

    number: of the prefix. leaves: those that it names, by position, arrays or `IteratorElementRef`s. expected: the facts of
    its results; a step of others is not taken. returned: strings that the step returns.
    """

    number: int
    leaves: Mapping[int, Any]
    expected: tuple[ResultFacts, ...]
    returned: tuple[HostValue, ...]
