"""What `iter` of a data set returns: it can be peeked at, saved, and drawn from inside a step that is being traced."""

import abc
import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Generic, Self, TypeVar, final

import jax
import jax.numpy as jnp

from stratagem._base.errors import InvalidArgumentError, OutOfRangeError
from stratagem._core.context import current, entered
from stratagem._data.elements._nest import Nest, to_jax, to_own_numpy, to_tensors
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import StageIterator
from stratagem._private import OutsideOfTraces

T = TypeVar("T")


class ElementIterator(abc.ABC, Generic[T]):
    """Elements of a data set, one after another.

    While a step is traced, `next` gives the trace's recorder the iterator; the step then draws before every call.
    """

    def __init__(self, source: StageIterator, element_spec: Callable[[], Nest]) -> None:
        self._source = source
        self._spec = element_spec
        self._peeked: list[tuple[T, State]] = []

    @abc.abstractmethod
    def _finish(self, element: Nest) -> T:
        """An element of the source, as the user gets it."""

    @property
    def element_spec(self) -> Nest:
        """The specs of the elements."""
        return self._spec()

    def peek(self) -> T:
        """The next element, which stays the next one. StopIteration at the end."""
        if not self._peeked:
            state = self._source.get_state()
            with _for_real():
                self._peeked.append((self._finish(next(self._source)), state))
        return self._peeked[0][0]

    def __iter__(self) -> Self:
        recorder = current().recorder
        if recorder is not None:  # a trace would go on for ever: what it draws has no end
            recorder.need_host("it iterates over an iterator")
        return self

    def __next__(self) -> T:
        recorder = current().recorder
        if recorder is not None:
            drawn: T = recorder.draw(self)
            return drawn
        return self._peeked.pop()[0] if self._peeked else self._finish(next(self._source))

    def next_for_program(self) -> Any:
        """The next element for a program that takes NumPy's arrays to its device itself. StopIteration at the end."""
        return self._peeked.pop()[0] if self._peeked else self._for_program(next(self._source))

    def _for_program(self, element: Nest) -> Any:
        return self._finish(element)

    def get_next(self) -> T:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
        """
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError("End of sequence: the data set has no more elements.") from None

    def get_next_as_optional(self) -> "Optional[T]":
        """The next element, or an `Optional` without a value at the end."""
        recorder = current().recorder
        if recorder is not None:
            recorder.need_host("it asks an iterator for an optional element")
        try:
            return Optional.from_value(next(self))
        except StopIteration:
            return Optional.empty()

    def get_state(self) -> State:
        """Where the iterator is, as a dict that JSON can hold."""
        return self._peeked[0][1] if self._peeked else self._source.get_state()

    def set_state(self, state: State) -> None:
        """Go on with the very element that would have been next where `state` was taken."""
        self._peeked.clear()
        self._source.set_state(state)

    def close(self) -> None:
        """End the threads behind this iterator now; otherwise they end with it."""
        self._source.close()


@final
class DatasetIterator(ElementIterator[Nest]):
    """Elements of a plain data set, as jax.Arrays."""

    def _finish(self, element: Nest) -> Nest:
        return to_jax(element)

    def _for_program(self, element: Nest) -> Nest:
        return to_tensors(element)


@final
class NumpyIterator(ElementIterator[Nest]):
    """Elements of a plain data set, as NumPy arrays and scalars of the caller's own."""

    def _finish(self, element: Nest) -> Nest:
        return to_own_numpy(element)


@final
class Optional(Generic[T]):
    """A value, or none."""

    def __init__(self, *values: T) -> None:
        self._values = values

    @classmethod
    def from_value(cls, value: T) -> "Optional[T]":
        """One that has this value."""
        return cls(value)

    @classmethod
    def empty(cls, element_spec: Nest = None) -> "Optional[T]":
        """One without a value."""
        return cls()

    def has_value(self) -> jax.Array:
        """A bool scalar."""
        return jnp.asarray(bool(self._values))

    def get_value(self) -> T:
        """The value.

        Raises:
            InvalidArgumentError: there is none.
        """
        if not self._values:
            raise InvalidArgumentError("The given optional does not have a value. Ask `has_value()` first.")
        return self._values[0]


@contextlib.contextmanager
def _for_real() -> Iterator[None]:
    """Run the pipeline's own and the user's functions on values, also when a step is being traced around it."""
    if current().recorder is None:
        yield
    else:
        with entered(recorder=None), OutsideOfTraces():
            yield
