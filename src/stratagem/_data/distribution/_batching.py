"""Tells the batch sizes of an input, and whether a position that was saved with others fits it."""

from dataclasses import dataclass
from typing import final

from stratagem._data._dataset import Dataset
from stratagem._data.distribution._distributed import DistributedInput
from stratagem._data.stages._stage import Stage


@final
@dataclass(frozen=True)
class Batching:
    """The batches of an input.

    sizes: of the batches of its plan, the outermost first; empty if the plan does not determine them.
    counts_rows: whether a position counts rows, so that it also fits with another outermost size.
    """

    sizes: tuple[int, ...]
    counts_rows: bool

    def takes_up(self, sizes: tuple[int, ...]) -> bool:
        """Returns whether a position within an epoch of an input with such sizes is one of this input."""
        return sizes == self.sizes or (
            self.counts_rows and len(sizes) == len(self.sizes) and sizes[1:] == self.sizes[1:]
        )


def batching(source: Dataset | DistributedInput) -> Batching:
    """The batching of a dataset, distributed or not."""
    return Batching(
        tuple(_sizes(source.stage)), source.stage.counts_rows if isinstance(source, Dataset) else source.counts_rows
    )


def _sizes(stage: Stage) -> list[int]:
    inner = [size for parent in stage.parents for size in _sizes(parent)]
    own = stage.batch_size
    return inner if own is None or inner[:1] == [own] else [own, *inner]
