"""Stages whose elements are inspected, without a function of the user's: unique and assert_cardinality."""

from typing import Any, final

import numpy as np

from stratagem._base.errors import FailedPreconditionError, InvalidArgumentError
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import leaves, spec_of
from stratagem._data.stages._cardinality import INFINITE, UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import ParentIterator, Stage, StageIterator, UnaryStage


@final
class UniqueStage(UnaryStage):
    """Each distinct element at its first occurrence."""

    def __init__(self, parent: Stage) -> None:
        super().__init__(parent)
        if parent.pure:
            _check_unique(parent.spec)

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    def walk(self) -> StageIterator:
        return _UniqueIterator(self._parent.walk())


@final
class _UniqueIterator(ParentIterator):
    """Remembers the elements so far. A restore reads everything again, because they may be large and are not saved."""

    def __init__(self, parent: StageIterator) -> None:
        super().__init__(parent)
        self._begin()

    def _begin(self) -> None:
        self._origin = self._source.get_state()
        self._seen: set[Any] = set()
        self._read = 0

    def __next__(self) -> Any:
        while True:
            element = self._next()
            if element is not None:
                return element

    def _next(self) -> Any | None:
        """The source's next element, or None if it has occurred before."""
        element = next(self._source)
        self._read += 1
        if self._read == 1:
            _check_unique(spec_of(element))
        (array,) = leaves(element)
        key = (array.shape, array.tobytes() if array.dtype != object else tuple(array.ravel().tolist()))
        if key in self._seen:
            return None
        self._seen.add(key)
        return element

    def get_state(self) -> State:
        return {"origin": self._origin, "read": self._read}

    def set_state(self, state: State) -> None:
        self._source.set_state(state["origin"])
        self._begin()
        while self._read < state["read"]:
            self._next()

    def _own_state(self) -> State:
        return {}

    def _set_own_state(self, state: State) -> None:
        pass


@final
class AssertCardinalityStage(UnaryStage):
    """The same elements, with an error if their number is not the expected one."""

    def __init__(self, parent: Stage, expected: int) -> None:
        super().__init__(parent)
        self._expected = expected

    @property
    def cardinality(self) -> int:
        return self._expected

    def walk(self) -> StageIterator:
        return _AssertCardinalityIterator(self._parent.walk(), self._expected)


@final
class _AssertCardinalityIterator(ParentIterator):
    def __init__(self, parent: StageIterator, expected: int) -> None:
        super().__init__(parent)
        self._expected = expected
        self._count = 0

    def __next__(self) -> Any:
        expected = "an infinite number of" if self._expected == INFINITE else str(self._expected)
        what = f"Input dataset was expected to contain {expected} elements but contained"
        try:
            element = next(self._source)
        except StopIteration:
            if self._expected not in (self._count, UNKNOWN):
                raise FailedPreconditionError(f"{what} only {self._count} elements.") from None
            raise
        self._count += 1
        if 0 <= self._expected < self._count:
            raise FailedPreconditionError(f"{what} at least {self._count} elements.")
        return element

    def _own_state(self) -> State:
        return {"count": self._count}

    def _set_own_state(self, state: State) -> None:
        self._count = state["count"]


def _check_unique(specs: Any) -> None:
    components = leaves(specs)
    if len(components) != 1:
        raise InvalidArgumentError("UniqueDataset only supports inputs with a single component.")
    (spec,) = components
    if not isinstance(spec, TensorSpec) or spec.dtype not in (np.int32, np.int64, object):
        raise TypeError(
            f"`tf.data.Dataset.unique` does not support type {spec.dtype} -- only `tf.int32`, `tf.int64`, and `tf.string` "
            "are supported."
        )
