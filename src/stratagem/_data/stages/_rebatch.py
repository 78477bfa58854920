"""Changes the sizes of batches: `Dataset.rebatch`, and the pieces of policy OFF."""

from collections.abc import Sequence
from typing import Any, final

import jax
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._data.elements._nest import rows_in, slice_rows
from stratagem._data.elements._spec import Spec, with_other_rows
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import ParentIterator, Stage, StageIterator, UnaryStage


@final
class RebatchStage(UnaryStage):
    """The rows of all batches, as one stream, in batches whose sizes cycle through `sizes`. The last one may be short."""

    def __init__(self, parent: Stage, sizes: Sequence[int], *, drop_remainder: bool = False) -> None:
        super().__init__(parent)
        self._sizes = tuple(sizes)
        self._drop_remainder = drop_remainder

    @property
    def spec(self) -> Any:
        def resized(batch: Spec) -> Spec:
            return with_other_rows(batch, self._rows(batch)) if batch.shape.rank else batch

        return jax.tree.map(resized, self._parent.spec)

    def _rows(self, batch: Spec) -> int | None:
        """The rows of every new batch, if all have the same number: none is left over, or the remainder is dropped."""
        if len(set(self._sizes)) > 1:
            return None
        # The spec of user code's batches is known from a single one of them.
        rows = batch.shape[0] if self._parent.pure else None
        return self._sizes[0] if self._drop_remainder or (rows is not None and rows % self._sizes[0] == 0) else None

    @property
    def cardinality(self) -> int:
        return self._parent.cardinality if self._parent.cardinality < 0 else UNKNOWN

    @property
    def batch_size(self) -> int | None:
        return self._sizes[0] if len(set(self._sizes)) == 1 else None

    def walk(self) -> StageIterator:
        return _RebatchIterator(self._parent.walk(), self._sizes, drop_remainder=self._drop_remainder)

    def example(self) -> Any:
        return jax.tree.map(lambda leaf: leaf[: self._sizes[0]], self._parent.example())


@final
class _RebatchIterator(ParentIterator):
    """Tracks the state before the current batch, how many of its rows have been used, and the next of the sizes."""

    def __init__(self, parent: StageIterator, sizes: tuple[int, ...], *, drop_remainder: bool) -> None:
        super().__init__(parent)
        self._sizes = sizes
        self._drop_remainder = drop_remainder
        self._turn = 0
        self._forget()

    def _forget(self) -> None:
        self._origin = self._source.get_state()
        self._batch: Any | None = None
        self._used = 0

    def __next__(self) -> Any:
        wanted = self._sizes[self._turn]
        parts: list[Any] = []
        while wanted > 0 or not parts:
            if self._batch is None:
                try:
                    self._batch = next(self._source)
                except StopIteration:
                    break
            part = slice_rows(self._batch, self._used, self._used + wanted)
            parts.append(part)
            wanted -= rows_in(part)
            self._used += rows_in(part)
            if self._used == rows_in(self._batch):
                self._forget()
        if not parts or (wanted and self._drop_remainder):
            raise StopIteration
        self._turn = (self._turn + 1) % len(self._sizes)
        return parts[0] if len(parts) == 1 else jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)

    def get_state(self) -> State:
        return {"parent": self._origin, **self._own_state()}

    def set_state(self, state: State) -> None:
        self._source.set_state(state["parent"])
        self._set_own_state(state)

    def _own_state(self) -> State:
        return {"used": self._used, "turn": self._turn}

    def _set_own_state(self, state: State) -> None:
        self._forget()
        self._turn = state["turn"] % len(self._sizes)
        if state["used"]:
            batch, used = next(self._source), state["used"]
            if used >= rows_in(batch):
                raise InvalidArgumentError(
                    f"The saved position of the input is behind {used} rows of a batch that is divided, which has "
                    f"{rows_in(batch)} now: the next example is not known. Go on with batches of the same size, or begin the "
                    "epoch anew: restore everything but the iterator."
                )
            self._batch, self._used = batch, used
