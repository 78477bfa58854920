"""A stage that skips elements whose computation failed, and counts them."""

import logging
from typing import Any, final

from stratagem._data.stages._cardinality import INFINITE, UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import ParentIterator, Stage, StageIterator, UnaryStage

logger = logging.getLogger("stratagem.data")


@final
class IgnoreErrorsStage(UnaryStage):
    """The elements that were computed without an error."""

    def __init__(self, parent: Stage, *, log_each: bool) -> None:
        super().__init__(parent)
        self._log_each = log_each

    @property
    def cardinality(self) -> int:
        return INFINITE if self._parent.cardinality == INFINITE else UNKNOWN

    @property
    def batch_size(self) -> int | None:
        return self._parent.batch_size

    def walk(self) -> StageIterator:
        return _IgnoreErrorsIterator(self._parent.walk(), log_each=self._log_each)

    def example(self) -> Any:
        # The parent's example may be one that fails.
        walk = self._parent.walk()
        try:
            return next(_IgnoreErrorsIterator(walk, log_each=False))
        finally:
            walk.close()


@final
class _IgnoreErrorsIterator(ParentIterator):
    _MAX_STUCK = 1000

    def __init__(self, parent: StageIterator, *, log_each: bool) -> None:
        super().__init__(parent)
        self._log_each = log_each
        self._skipped = 0
        self._last = ""

    def __next__(self) -> Any:
        stuck, place = 0, None
        while True:
            try:
                return next(self._source)
            except StopIteration:
                self._report()
                raise
            except Exception as error:
                # A source that fails repeatedly at the same position would never end.
                here = self._source.get_state()
                stuck, place = (stuck + 1 if here == place else 0), here
                if stuck == self._MAX_STUCK:
                    raise
                self._skip(error)

    def _skip(self, error: Exception) -> None:
        self._skipped += 1
        self._last = f"{type(error).__name__}: {error}"
        if self._log_each:
            logger.warning("Element skipped. %s", self._last)

    def _report(self) -> None:
        """Logs the summary once per iteration, although an ended iterator may be asked again."""
        if self._last:
            logger.warning("%d failed elements were skipped; the last one: %s", self._skipped, self._last)
            self._last = ""

    def _own_state(self) -> State:
        return {"skipped": self._skipped, "last": self._last}

    def _set_own_state(self, state: State) -> None:
        self._skipped, self._last = state["skipped"], state["last"]
