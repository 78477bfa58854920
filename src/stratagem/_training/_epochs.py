"""Epochs: the batches of a feed, epoch after epoch, a few at a time, and where the next one begins."""

from collections.abc import Iterator
from typing import Any, final

from stratagem._training._feed import Feed


@final
class Epochs:
    """What a runner reads. One epoch begins after the other has ended."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._iterator: Iterator[Any] = iter(())
        self._left: int | None = None
        self._within = self._resumes = False

    @property
    def steps(self) -> int | None:
        """How many batches an epoch has, where that is known."""
        return self._feed.steps

    def peek(self) -> Any:
        """The first batch of the epoch that begins next, which stays the first. Raises ValueError if there is none."""
        return self._feed.peek()

    def begin(self) -> None:
        """An epoch begins: a new one, or the one that a restored state is in the middle of."""
        self._iterator = self._feed.epoch()
        if not self._resumes:
            self._left = self._feed.steps
        self._within, self._resumes = True, False

    def take(self, most: int) -> list[Any]:
        """The epoch's next batches, at most so many; none when it has no more."""
        batches = []
        for _ in range(most if self._left is None else min(most, self._left)):
            batch = next(self._iterator, None)
            if batch is None:
                break
            batches.append(batch)
        if self._left is not None:
            self._left -= len(batches)
        return batches

    def end(self) -> None:
        """The epoch is over."""
        self._within = False
        self._feed.ended()

    def get_state(self) -> dict[str, Any]:
        """Where the next batch is, as a dict that JSON can hold."""
        if self._feed.iterator is None:
            self._feed.begin()
            self._left, self._within, self._resumes = self._feed.steps, True, True
        return {"position": self._feed.iterator.get_state(), "left": self._left, "within": self._within}

    def set_state(self, state: dict[str, Any]) -> None:
        """Let the next epoch begin there, also in another process."""
        self._left, self._resumes = state["left"], state["within"]
        self._feed.restore(state["position"], within=self._resumes)
