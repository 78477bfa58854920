"""torch's datasets and DataLoaders, iterated unchanged, with the random state in which an epoch began."""

import logging
import multiprocessing
import sys
from typing import Any, final

from stratagem._data.foreign._elements import ElementConventions
from stratagem._data.foreign._python_iterables import Randomness, ReplayedStream
from stratagem._data.foreign._stage import Source, Stream
from stratagem._data.foreign._state_json import from_json, to_json
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._order import State

logger = logging.getLogger("stratagem.data")


def is_loader(value: Any) -> bool:
    """Returns whether `value` is a `torch.utils.data.DataLoader`."""
    return _is(value, "DataLoader")


def is_iterable(value: Any) -> bool:
    """Returns whether `value` is a `torch.utils.data.IterableDataset`."""
    return _is(value, "IterableDataset")


def is_map_style(value: Any) -> bool:
    """Returns whether `value` is a `torch.utils.data.Dataset` whose items are accessed by index."""
    return _is(value, "Dataset") and not is_iterable(value)


def _is(value: Any, name: str) -> bool:
    torch_data = sys.modules.get("torch.utils.data")
    return torch_data is not None and isinstance(value, getattr(torch_data, name))


def loader_cardinality(loader: Any) -> int:
    """The number of elements of a DataLoader; unknown for an IterableDataset."""
    try:
        return UNKNOWN if is_iterable(loader.dataset) else len(loader)
    except TypeError:  # a sampler without a length
        return UNKNOWN


def gives_fresh_tensors(loader: Any) -> bool:
    """Returns whether nobody else holds the tensors: stacked by torch's own function, or received from another process."""
    collate = sys.modules["torch.utils.data"].default_collate
    return loader.num_workers > 0 or (loader.batch_sampler is not None and loader.collate_fn is collate)


def warn_of_fork(loader: Any) -> None:
    """Warns about workers that would be forked from this process, which has JAX's threads."""
    context = loader.multiprocessing_context or multiprocessing.get_context()
    if loader.num_workers > 0 and context.get_start_method() == "fork":
        logger.warning(
            "The workers of the torch DataLoader are forked from a process in which JAX runs threads: whatever lock one of "
            "those holds at that moment stays locked in the worker. They must not use JAX, and may hang even so. "
            'DataLoader(…, multiprocessing_context="forkserver") or "spawn" avoids it.'
        )


@final
class TorchIterable(Source):
    """A DataLoader or an IterableDataset."""

    def __init__(
        self,
        iterable: Any,
        conventions: ElementConventions,
        *,
        cardinality: int = UNKNOWN,
        batch_size: int | None = None,
    ) -> None:
        super().__init__(conventions)
        self._iterable = iterable
        self._cardinality = cardinality
        self._batch_size = batch_size

    @property
    def cardinality(self) -> int:
        return self._cardinality

    @property
    def batch_size(self) -> int | None:
        return self._batch_size

    def stream(self) -> Stream:
        return ReplayedStream(lambda: iter(self._iterable), self.conventions.what, _TorchRandomness(self._iterable))


@final
class _TorchRandomness(Randomness):
    """torch's own generator, and those of a DataLoader and its samplers. Shuffling draws from them when an epoch begins."""

    def __init__(self, iterable: Any) -> None:
        batches = getattr(iterable, "batch_sampler", None)
        owners = [iterable, getattr(iterable, "sampler", None), batches, getattr(batches, "sampler", None)]
        found = [getattr(owner, "generator", None) for owner in owners]
        self._generators = list({id(g): g for g in found if isinstance(g, sys.modules["torch"].Generator)}.values())

    def save(self) -> State:
        states = [sys.modules["torch"].get_rng_state(), *(g.get_state() for g in self._generators)]
        return {"torch": to_json(states)}

    def restore(self, state: State) -> None:
        first, *others = from_json(state["torch"])
        sys.modules["torch"].set_rng_state(first)
        for generator, saved in zip(self._generators, others, strict=True):
            generator.set_state(saved)
