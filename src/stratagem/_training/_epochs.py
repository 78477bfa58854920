"""Reads the batches of a feed epoch by epoch, a few at a time, and can save and restore its position."""

from typing import Any, final

from stratagem._training._feed import BatchSource


@final
class Epochs:
    """The input of a runner. Each epoch begins after the previous one has ended."""

    def __init__(self, feed: BatchSource) -> None:
        self._feed = feed
        self._iterator: Any = None
        self._left: int | None = None
        self._within = self._resumes = False

    @property
    def steps(self) -> int | None:
        """The number of batches in an epoch, if known."""
        return self._feed.steps

    def peek(self) -> Any:
        """The first batch of the next epoch, without consuming it. Raises ValueError if there is none."""
        return self._feed.peek()

    def begin(self) -> None:
        """Begins an epoch: a new one, or the one that a restored state is in the middle of."""
        self._iterator = self._feed.epoch()
        if not self._resumes:
            self._left = self._feed.steps
        self._within, self._resumes = True, False

    def take(self, limit: int) -> list[Any]:
        """Returns the epoch's next batches, at most `limit`; an empty list when there are no more."""
        batches = []
        for _ in range(limit if self._left is None else min(limit, self._left)):
            try:
                batches.append(self._iterator.next_for_program())
            except StopIteration:
                break
        if self._left is not None:
            self._left -= len(batches)
        return batches

    def end(self) -> None:
        """Ends the epoch."""
        self._within = False
        self._feed.ended()

    def get_state(self) -> dict[str, Any]:
        """The position of the next batch, as a dict that JSON can hold."""
        if self._feed.iterator is None:
            self._feed.begin()
            self._left, self._within, self._resumes = self._feed.steps, True, True
        return {"position": self._feed.iterator.get_state(), "left": self._left, "within": self._within}

    def set_state(self, state: dict[str, Any]) -> None:
        """Makes the next epoch begin at a saved position, possibly one of another process."""
        self._left, self._resumes = state["left"], state["within"]
        self._feed.restore(state["position"], within=self._resumes)
