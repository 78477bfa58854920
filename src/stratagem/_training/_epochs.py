"""Reads the batches of a feed epoch by epoch, a few at a time, and can save and restore its position."""

from typing import Any, final

from stratagem._training._feed import BatchSource


@final
class Epochs:
    """The input of a runner. Each epoch begins after the previous one has ended."""

    def __init__(self, feed: BatchSource) -> None:
        self._feed = feed
        self._iterator: Any = None
        self._total: int | None = None
        self._taken = 0
        self._within = self._resumes = False

    @property
    def steps(self) -> int | None:
        """The number of batches in an epoch, if known."""
        return self._feed.steps

    @property
    def steps_now(self) -> int | None:
        """The number of batches in the epoch that has begun, if known: one that began with other batches has another."""
        return self._total

    @property
    def continues(self) -> bool:
        """True if the next epoch goes on where this one ends; else it reads the data from their start."""
        return self._feed.continues

    def peek(self) -> Any:
        """The first batch of the next epoch, without consuming it. Raises ValueError if there is none."""
        return self._feed.peek()

    def begin(self) -> None:
        """Begins an epoch: a new one, or the one that a restored state is in the middle of."""
        self._iterator = self._feed.epoch()
        if not self._resumes:
            self._total, self._taken = self._feed.steps, 0
        self._within, self._resumes = True, False

    def take(self, limit: int) -> list[Any]:
        """Returns the epoch's next batches, at most `limit`; an empty list when there are no more."""
        batches = []
        for _ in range(limit if self._total is None else min(limit, self._total - self._taken)):
            try:
                batches.append(self._iterator.next_for_program())
            except StopIteration:
                break
        self._taken += len(batches)
        return batches

    def end(self) -> None:
        """Ends the epoch."""
        self._within = False
        self._feed.ended()

    def get_state(self) -> dict[str, Any]:
        """The position of the next batch, as a dict that JSON can hold."""
        if self._feed.iterator is None:
            self._feed.begin()
            self._total, self._taken = self._feed.steps, 0
            self._within = self._resumes = True
        return {
            "position": self._feed.iterator.get_state(),
            "total": self._total,
            "taken": self._taken,
            "within": self._within,
            "sizes": list(self._feed.batching.sizes),
            "batches": self._feed.batches,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Makes the next epoch begin at a saved position, possibly one of another process.

        Raises:
            InvalidArgumentError: it is within an epoch, and counts batches of another size than those of the feed.
        """
        feed = self._feed
        same = state.get("sizes") == list(feed.batching.sizes) and state["batches"] == feed.batches
        taken = (
            state["taken"] if "taken" in state else (feed.steps or 0) - (state["left"] or 0)
        )  # of an earlier version
        if not same and "sizes" in state and (feed.continues or (state["within"] and taken)):
            self._check(tuple(state["sizes"]), state["batches"])
        self._resumes, self._taken = state["within"], max(0, taken)
        # An epoch that is one pass over the data ends with them: other batches than before may be more, or fewer.
        self._total = feed.steps if feed.steps_are_given or (same and state["total"] == feed.steps) else None
        feed.restore(state["position"], within=self._resumes)

    def _check(self, sizes: tuple[int, ...], batches: int | None) -> None:
        """Raises InvalidArgumentError if a position among other batches cannot be one among these."""
        self._feed.batching.check(
            sizes,
            batches=(batches, self._feed.batches),
            remedy="delete the backup to start anew. Positions between epochs, as of BackupAndRestore(save_freq='epoch') "
            "without `steps_per_epoch`, fit batches of any size.",
        )
