"""Tells the batch sizes of a plan, and whether a position that was saved with others fits it."""

import logging
from dataclasses import dataclass
from typing import final

from stratagem._base.errors import InvalidArgumentError
from stratagem._data.stages._stage import Stage

_log = logging.getLogger("stratagem.data")


@final
@dataclass(frozen=True)
class Batching:
    """The batches of an input.

    sizes: of the batches of its plan, the outermost first; empty if the plan does not determine them.
    counts_rows: whether a position counts rows, so that it also fits with another outermost size.
    """

    sizes: tuple[int, ...]
    counts_rows: bool

    @staticmethod
    def of(stage: Stage, *, counts_rows: bool) -> "Batching":
        """The batching of a plan whose positions count rows, or batches."""
        return Batching(tuple(_sizes(stage)), counts_rows)

    def check(
        self, saved: tuple[int, ...], *, batches: tuple[int | None, int | None] = (None, None), remedy: str
    ) -> None:
        """Checks that a position within an epoch, saved with batches of these sizes, is one of this input.

        batches: the number of batches of an epoch then and now, if known, which tell a difference where no size is known.
        remedy: what else a user can do, for the message.
        Raises InvalidArgumentError if it is none: the next example is not known.
        """
        then, now = batches
        if self._takes_up(saved) and (saved or then == now):
            if saved != self.sizes:
                _log.info(
                    "The input was saved with batches of %d examples, and has batches of %d: it goes on with the first example "
                    "that was not read yet.", saved[0], self.sizes[0],
                )  # fmt: skip
            return
        raise InvalidArgumentError(
            f"The saved position of the input is within an epoch and counts batches: it had {_told(saved, then)}, and has "
            f"{_told(self.sizes, now)}, so the next example is not known. Go on with batches as before (the same number of "
            f"examples in all replicas together), or {remedy}"
        )

    def _takes_up(self, sizes: tuple[int, ...]) -> bool:
        return sizes == self.sizes or (
            self.counts_rows and len(sizes) == len(self.sizes) and sizes[1:] == self.sizes[1:]
        )


def _sizes(stage: Stage) -> list[int]:
    inner = [size for parent in stage.parents for size in _sizes(parent)]
    own = stage.batch_size
    return inner if own is None or inner[:1] == [own] else [own, *inner]


def _told(sizes: tuple[int, ...], batches: int | None) -> str:
    if sizes:
        return f"batches of {' of '.join(map(str, sizes))}"
    return "batches of unknown size" if batches is None else f"{batches} batches in an epoch"
