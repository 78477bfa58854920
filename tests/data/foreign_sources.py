"""Datasets of other libraries for the tests of foreign sources: each ten examples, in batches of four, four and two."""

import contextlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import datasets
import grain
import keras
import numpy as np
import torch
import torch.utils.data
import tqdm
from torchdata.stateful_dataloader import StatefulDataLoader

from stratagem._data import Dataset, as_dataset

tqdm.tqdm.monitor_interval = 0  # else the first progress bar of `datasets`, shown or not, starts a thread that stays

X = np.arange(20, dtype=np.float32).reshape(10, 2)
Y = np.arange(10, dtype=np.int64)
BATCHES = ((0, 4), (4, 8), (8, 10))


@dataclass(frozen=True)
class Case:
    """A source.

    make: an equal source, as another process makes it.
    batch_size: None where the source gives batches.
    exact: it is resumed without replaying.
    shuffled: the order is the library's own, and another one in every epoch.
    once: a second epoch is refused.
    """

    make: Callable[[], Any]
    batch_size: int | None = None
    exact: bool = True
    shuffled: bool = False
    once: bool = False

    def dataset(self) -> Dataset:
        """The source as a dataset."""
        return as_dataset(self.make(), self.batch_size)


def examples() -> Iterator[dict[str, Any]]:
    for x, y in zip(X, Y, strict=True):
        yield {"x": x, "y": y}


def batches() -> Iterator[dict[str, Any]]:
    for start, stop in BATCHES:
        yield {"x": X[start:stop], "y": Y[start:stop]}


class Again:
    """An object that can be iterated again and again."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return batches()


class Counting:
    """An iterable that saves its place."""

    def __init__(self) -> None:
        self._next = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while self._next < len(BATCHES):
            start, stop = BATCHES[self._next]
            self._next += 1
            yield {"x": X[start:stop], "y": Y[start:stop]}
        self._next = 0

    def state_dict(self) -> dict[str, int]:
        return {"next": self._next}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self._next = state["next"]


class MapStyle(torch.utils.data.Dataset[dict[str, Any]]):
    """Examples by number."""

    def __len__(self) -> int:
        return len(Y)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {"x": torch.from_numpy(X[index]), "y": torch.tensor(int(Y[index]))}


class Streamed(torch.utils.data.IterableDataset[dict[str, Any]]):
    """Examples one after another."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return examples()


class KerasBatches(keras.utils.PyDataset):  # type: ignore[misc]
    """Batches by number."""

    def __len__(self) -> int:
        return len(BATCHES)

    def __getitem__(self, index: int) -> dict[str, Any]:
        start, stop = BATCHES[index]
        return {"x": X[start:stop], "y": Y[start:stop]}


def tensors() -> torch.utils.data.Dataset[Any]:
    return MapStyle()


def loader(dataset: Any, *, seed: int | None = None, batch_size: int | None = 4, **options: Any) -> Any:
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    return torch.utils.data.DataLoader(dataset, batch_size=batch_size, generator=generator, **options)


def stateful_loader(**options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "'set_vital' is deprecated", UserWarning)  # torchdata calls it
        return StatefulDataLoader(MapStyle(), batch_size=4, **options)


def grain_examples() -> grain.MapDataset:
    return grain.MapDataset.range(10).map(lambda i: {"x": X[i], "y": Y[i]})


class Load(grain.transforms.Map):
    """The example of a number."""

    def map(self, element: int) -> dict[str, Any]:
        return {"x": X[element], "y": Y[element]}


def grain_loader(seed: int | None = None) -> grain.DataLoader:
    return grain.DataLoader(
        data_source=range(10),  # Grain compares the representations of sources, so it must have one
        sampler=grain.samplers.IndexSampler(
            10, shard_options=grain.sharding.NoSharding(), shuffle=seed is not None, num_epochs=1, seed=seed
        ),
        operations=[Load(), grain.transforms.Batch(4)],
    )


def table(kind: str | None = None) -> datasets.Dataset:
    features = datasets.Features({"x": datasets.List(datasets.Value("float32")), "y": datasets.Value("int64")})
    return datasets.Dataset.from_dict({"x": X.tolist(), "y": Y.tolist()}, features=features).with_format(kind)


def streamed_table() -> datasets.IterableDataset:
    return table().to_iterable_dataset(num_shards=2)


CASES: dict[str, Case] = {
    "NumPy": Case(lambda: {"x": X, "y": Y}, 4),
    "torch tensors": Case(lambda: {"x": torch.from_numpy(X), "y": torch.from_numpy(Y)}, 4),
    "list of examples": Case(lambda: list(examples()), 4),
    "list of batches": Case(lambda: list(batches())),
    "iterable": Case(Again, exact=False),
    "Keras PyDataset": Case(KerasBatches),
    "stateful iterable": Case(Counting),
    "function": Case(lambda: examples, 4, exact=False),
    "generator": Case(batches, exact=False, once=True),
    "Grain MapDataset": Case(grain_examples, 4),
    "Grain MapDataset of batches": Case(lambda: grain_examples().batch(4)),
    "Grain IterDataset": Case(lambda: grain_examples().to_iter_dataset().batch(4)),
    "Grain DataLoader": Case(grain_loader),
    "torch Dataset": Case(MapStyle, 4),
    "torch IterableDataset": Case(Streamed, 4, exact=False),
    "torch DataLoader": Case(lambda: loader(MapStyle()), exact=False),
    "torch DataLoader of examples": Case(lambda: loader(Streamed(), batch_size=None), 4, exact=False),
    "torch DataLoader, shuffling": Case(lambda: loader(MapStyle(), shuffle=True), exact=False, shuffled=True),
    "torch DataLoader, own generator": Case(
        lambda: loader(MapStyle(), shuffle=True, seed=3), exact=False, shuffled=True
    ),
    "torchdata StatefulDataLoader": Case(lambda: stateful_loader(shuffle=True), shuffled=True),
    "Hugging Face Dataset": Case(table, 4),
    "Hugging Face Dataset, NumPy format": Case(lambda: table("numpy"), 4),
    "Hugging Face Dataset, torch format": Case(lambda: table("torch"), 4),
    "Hugging Face IterableDataset": Case(streamed_table, 4),
    "Hugging Face IterableDataset of batches": Case(lambda: table("numpy").to_iterable_dataset().batch(4)),
}


@contextlib.contextmanager
def torch_seed(seed: int) -> Iterator[None]:
    """torch's generator set, and put back afterwards."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield
