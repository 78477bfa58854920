"""CarriedPrefix: a host prefix as it goes to another process, without code: names of functions, facts of objects."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

import keras
import numpy as np

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
from stratagem._host_calls import ArgumentReader, ArgumentWriter, function_at, place_of


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
class CarriedPrefix:
    """A prefix whose calls all replicas share.

    calls: as plain values, see `carried_call`. inputs, sizes: as in `HostPrefix`.
    """

    calls: tuple[Mapping[str, Any], ...]
    inputs: tuple[HostValue, ...]
    sizes: tuple[HostValue, ...]

    def prefix(self, objects: Mapping[int, UserFunction]) -> HostPrefix:
        """Returns a prefix that can be run.

        objects: functions by their numbers. Raises KeyError for one that is not there, ValueError for a function that is not in
        the library.
        """
        reader = ArgumentReader(np.asarray)
        calls = (
            reader.call(objects[call["number"]] if "number" in call else function_at(call["function"]), call)
            for call in self.calls
        )
        return HostPrefix(tuple(calls), self.inputs, (), self.sizes, strings=True)


def carried_call(call: HostCall, number: int | None) -> dict[str, Any]:
    """Returns a call as it goes to a worker, with longer arrays as they are. number: of the object that has the function.

    Raises ValueError for an argument that cannot go there.
    """
    arguments = ArgumentWriter(lambda array: array).arguments(call)
    return {**({"function": place_of(call.function)} if number is None else {"number": number}), **arguments}


def can_be_carried(prefix: HostPrefix) -> bool:
    """Returns whether a worker can run a prefix as the coordinator does.

    Its functions are those of the library, or of objects that can be described; what the user's code does, and what a table
    holds that changes, only this process knows.
    """
    if not prefix.plain or any(call.own for call in prefix.calls):
        return False
    return all(_is_known(call.function) and _is_sent(call) for call in prefix.calls)


def _is_known(function: UserFunction) -> bool:
    bound = BoundFunction.of(function)
    if bound is None:
        return place_of(function) is not None
    try:
        bound.described()
    except UnimplementedError:  # a layer that calls a function of the user's
        return False
    return True


def _is_sent(call: HostCall) -> bool:
    """Returns whether the arguments of a call can go to a worker: a user's own object cannot."""
    try:
        carried_call(call, None)
    except ValueError:
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
