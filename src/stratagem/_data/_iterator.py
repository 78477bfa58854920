"""The iterators of datasets, which support peeking, saving, and drawing inside a step that is being traced."""

import abc
import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any, Generic, Self, TypeVar, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError, OutOfRangeError
from stratagem._base.exports import exported
from stratagem._base.job import Phase, observed, observer
from stratagem._core.context import current, entered
from stratagem._core.values import Tensor, TypeSpec
from stratagem._data.elements._nest import convert, map_leaves, spec_of, to_jax, to_own_numpy, to_tensors
from stratagem._data.elements._spec import DatasetSpec, compatible
from stratagem._data.stages._batching import Batching
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import StageIterator
from stratagem._ops import tensor
from stratagem._private import OutsideOfTraces

T = TypeVar("T")
# What becomes a tensor; datasets, PerReplica and tensors are handed on.
_CONVERTED = (bool, int, float, complex, str, bytes, list, np.ndarray, np.generic)


class ElementIterator(abc.ABC, Generic[T]):
    """The elements of a dataset, one after another.

    While a step is traced, `next` hands the iterator to the trace's recorder; the step then draws before every call.
    """

    def __init__(
        self, source: StageIterator, element_spec: Callable[[], Any], batching: Callable[[], Batching]
    ) -> None:
        """batching: tells the batches of the plan that `source` iterates over."""
        self._source = source
        self._observer = observer() if observed() else None  # a small element is made in the time of a few calls
        self._spec, self._batching = element_spec, batching
        self._begun = False
        self._peeked: list[tuple[T, State | None]] = []  # the next one is the last

    @abc.abstractmethod
    def _converted(self, element: Any) -> T:
        """Converts an element of the source to what the user gets."""

    @property
    def element_spec(self) -> Any:
        """The specs of the elements."""
        return self._spec()

    @property
    def _type_spec(self) -> "IteratorSpec":
        return IteratorSpec(self.element_spec)

    def peek(self) -> T:
        """The next element, without consuming it. Raises StopIteration at the end."""
        return self._peek(self._converted)

    def peek_for_program(self) -> Any:
        """The same for a program that takes NumPy arrays, as `next_for_program` then returns it."""
        return self._peek(self._for_program)

    def _peek(self, converted: Callable[[Any], Any]) -> Any:
        if not self._peeked:
            state = self._source.get_state()
            with _outside_trace():
                self._peeked.append((self._drawn(converted), state))
        return self._peeked[-1][0]

    def __iter__(self) -> Self:
        recorder = current().recorder
        if recorder is not None:  # a trace would never end, as drawing has no end in it
            recorder.need_host("it iterates over an iterator")
        return self

    def __next__(self) -> T:
        recorder = current().recorder
        if recorder is not None:
            drawn: T = recorder.draw(self)
            return drawn
        self._begun = True
        if self._peeked:
            return self._peeked.pop()[0]
        return self._converted(next(self._source)) if self._observer is None else self._drawn(self._converted)

    def next_for_program(self) -> Any:
        """The next element for a program that transfers NumPy arrays to its device itself. Raises StopIteration at the end."""
        self._begun = True
        if self._peeked:
            return self._peeked.pop()[0]
        return self._for_program(next(self._source)) if self._observer is None else self._drawn(self._for_program)

    def _drawn(self, converted: Callable[[Any], Any]) -> Any:
        """The next element of the source, converted, which the observer is told of."""
        with contextlib.nullcontext() if self._observer is None else self._observer.phase(Phase.INPUT):
            return converted(next(self._source))

    def _for_program(self, element: Any) -> Any:
        return self._converted(element)

    def put_back(self, element: T) -> None:
        """Makes this the next element again: it was drawn for a program that could not be made of its use."""
        self._peeked.append((element, None))

    def get_next(self) -> T:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
        """
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError("End of sequence: the dataset has no more elements.") from None

    def get_next_as_optional(self) -> "Optional[T]":
        """The next element, or an `Optional` without a value at the end."""
        recorder = current().recorder
        if recorder is not None:
            recorder.need_host("it asks an iterator for an optional element")
        try:
            return Optional(next(self), element_spec=self._spec)
        except StopIteration:
            return Optional(element_spec=self._spec)

    def get_state(self) -> State:
        """The position, as a dict that JSON can hold."""
        facts = {"sizes": list(self._batching().sizes), "begun": self._begun, **self._own_facts()}
        return {**self._position(), "batching": facts}

    def _own_facts(self) -> State:
        """Returns further facts by which other batches are told, beside their sizes."""
        return {}

    def _position(self) -> State:
        if not self._peeked:
            return self._source.get_state()
        state = self._peeked[-1][1]
        if state is None:
            raise RuntimeError(
                "This iterator's position is unknown: a function has put an element back. Draw it first."
            )
        return state

    def set_state(self, state: State) -> None:
        """Continues with exactly the element that was next when `state` was taken.

        Raises:
            InvalidArgumentError: `state` is behind some element, and counts batches of another size than those of this dataset.
        """
        facts = state.get("batching")  # None: of an earlier version
        if facts is not None and facts["begun"]:
            self._batching().check(
                tuple(facts["sizes"]),
                batches=(facts.get("cardinality"), self._own_facts().get("cardinality")),
                remedy="begin the epoch anew: restore everything but the iterator.",
            )
        self.move_to(state)

    def move_to(self, state: State) -> None:
        """The same where the batches of `state` have been checked, or do not matter: it is between two epochs."""
        self._peeked.clear()
        self._begun = state.get("batching", {}).get("begun", True)
        self._source.set_state({key: value for key, value in state.items() if key != "batching"})

    def close(self) -> None:
        """Stops the threads behind this iterator now; otherwise they end when it is deleted."""
        self._source.close()


@exported("data.Iterator", v1=())
@final
class DatasetIterator(ElementIterator[Any]):
    """Elements of a plain dataset, as jax.Arrays."""

    def _converted(self, element: Any) -> Any:
        return to_jax(element)

    def _for_program(self, element: Any) -> Any:
        return to_tensors(element)


@exported("data.NumpyIterator")
@final
class NumpyIterator(ElementIterator[Any]):
    """Elements of a plain dataset, as NumPy arrays and scalars that belong to the caller."""

    def _converted(self, element: Any) -> Any:
        return to_own_numpy(element)

    def next(self) -> Any:
        """The next element. Raises StopIteration at the end."""
        return next(self)

    def save(self) -> bytes:
        """The position, for `restore`."""
        return json.dumps(self.get_state()).encode()

    def restore(self, state: bytes) -> None:
        """Continues with exactly the element that was next when `save` returned `state`."""
        self.set_state(json.loads(state))


@exported("data.IteratorSpec", v1=())
@final
class IteratorSpec(TypeSpec):
    """The spec of a dataset's iterator."""

    def __init__(self, element_spec: Any) -> None:
        self.element_spec = element_spec

    @property
    def value_type(self) -> type[DatasetIterator]:
        """The type of the iterators."""
        return DatasetIterator

    def _parts(self) -> tuple[Any, ...]:
        return (self.element_spec,)

    @staticmethod
    def from_value(value: ElementIterator[Any]) -> "IteratorSpec":
        """The spec of an iterator."""
        return IteratorSpec(value.element_spec)

    def is_compatible_with(self, spec_or_value: "IteratorSpec | ElementIterator[Any]") -> bool:
        """Returns whether an iterator, or one with another spec, has such elements."""
        if not isinstance(spec_or_value, IteratorSpec | ElementIterator):
            return False
        return compatible(self.element_spec, spec_or_value.element_spec)

    def __eq__(self, other: object) -> bool:
        return self.element_spec == other.element_spec if isinstance(other, IteratorSpec) else NotImplemented

    def __hash__(self) -> int:
        return hash((IteratorSpec, DatasetSpec(self.element_spec)))

    def __repr__(self) -> str:
        return f"IteratorSpec({self.element_spec!r},)"


@exported("experimental.Optional", "data.experimental.Optional")
@final
class Optional(Generic[T]):
    """A value, or none. element_spec: gives its specs, else they are those of the value."""

    def __init__(self, *values: T, element_spec: Callable[[], Any] | None = None) -> None:
        self._values = values
        self._spec = element_spec

    @classmethod
    def from_value(cls, value: T) -> "Optional[T]":
        """An Optional with this value, whose numbers and arrays become tensors."""
        return cls(map_leaves(lambda leaf: tensor(leaf) if isinstance(leaf, _CONVERTED) else leaf, value))

    @classmethod
    def empty(cls, element_spec: Any) -> "Optional[T]":
        """An Optional without a value."""
        return cls(element_spec=lambda: element_spec)

    @property
    def element_spec(self) -> Any:
        """The specs of the value, also of one that is not there."""
        return spec_of(convert(self._values[0])) if self._spec is None else self._spec()

    @property
    def _type_spec(self) -> "OptionalSpec":
        return OptionalSpec(self.element_spec)

    def has_value(self, name: str | None = None) -> Tensor:
        """A bool scalar: whether there is a value."""
        return jnp.asarray(bool(self._values))

    def get_value(self, name: str | None = None) -> T:
        """The value.

        Raises:
            InvalidArgumentError: there is none.
        """
        if not self._values:
            raise InvalidArgumentError("The given optional does not have a value. Ask `has_value()` first.")
        return self._values[0]


@exported("OptionalSpec")
@final
class OptionalSpec(TypeSpec):
    """The spec of a `tf.experimental.Optional`, which may have a value: that of the value."""

    def __init__(self, element_spec: Any) -> None:
        self.element_spec = element_spec

    @property
    def value_type(self) -> type[Optional[Any]]:
        """Optional."""
        return Optional

    def _parts(self) -> tuple[Any, ...]:
        return (self.element_spec,)

    @staticmethod
    def from_value(value: Optional[Any]) -> "OptionalSpec":
        """The spec of an Optional."""
        return OptionalSpec(value.element_spec)

    def __repr__(self) -> str:
        return f"OptionalSpec({self.element_spec!r},)"


@contextlib.contextmanager
def _outside_trace() -> Iterator[None]:
    """Runs the functions of the pipeline and the user on values, even while a step is being traced."""
    if current().recorder is None:
        yield
    else:
        with entered(recorder=None), OutsideOfTraces():
            yield
