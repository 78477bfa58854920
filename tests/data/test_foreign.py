"""What holds for every source of another library: its rows, each once, two epochs, and an exact resume."""

import json
import logging
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stratagem import train
from stratagem._data import Dataset
from stratagem._strategies import MirroredStrategy
from tests.data.foreign_sources import BATCHES, CASES, Case, X, Y, torch_seed
from tests.thorough import thorough_if

REPLICAS = 3
SEED = 11

every_source = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


@pytest.fixture(autouse=True)
def _same_torch_seed() -> Iterator[None]:
    with torch_seed(SEED):
        yield


def distributed(dataset: Dataset, replicas: int = REPLICAS) -> Any:
    strategy = MirroredStrategy([f"CPU:{i}" for i in range(replicas)])
    return strategy.experimental_distribute_dataset(dataset)


def numbers(steps: Any) -> list[list[list[int]]]:
    """The examples of every step and replica, by their number, which must be that of their row of `X`."""
    found = []
    for step in steps:
        xs, ys = (getattr(step[key], "values", (step[key],)) for key in "xy")  # of one replica: the tensor itself
        for x, y in zip(xs, ys, strict=True):
            assert (x.dtype, y.dtype) == (np.float32, np.int64)
            assert np.array_equal(x, X[np.asarray(y)])
        found.append([y.tolist() for y in ys])
    return found


def pieces(order: Any, replicas: int) -> list[list[list[int]]]:
    """What the replicas get of examples in this order."""
    steps = [order[start:stop] for start, stop in BATCHES]
    cuts = [-(-len(step) // replicas) for step in steps]
    return [[step[i * n : (i + 1) * n] for i in range(replicas)] for step, n in zip(steps, cuts, strict=True)]


def flat(steps: list[list[list[int]]]) -> list[int]:
    return [number for step in steps for piece in step for number in piece]


# Grain reads ahead in threads, which are slow to begin and to end; where it gives batches it shows the rest.
SLOW = ("Grain MapDataset", "Grain IterDataset", "Grain DataLoader")


def every_source_with(numbers: Iterable[int], slow: Collection[int]) -> list[Any]:
    """Every source with every number; not all of these in `make test` where a source is slow."""
    return [
        pytest.param(case, number, id=f"{number}-{name}", marks=thorough_if(name in SLOW and number in slow))
        for name, case in CASES.items()
        for number in numbers
    ]


@pytest.mark.sampled
@pytest.mark.parametrize(("case", "replicas"), every_source_with([1, 2, REPLICAS], slow=[1, 2, REPLICAS]))
def test_every_example_is_on_one_replica_in_every_epoch(case: Case, replicas: int) -> None:
    data = distributed(case.dataset(), replicas)
    first = numbers(data)
    assert first == pieces(flat(first), replicas)
    assert case.shuffled == (flat(first) != Y.tolist())
    assert sorted(flat(first)) == Y.tolist()
    if case.once:
        with pytest.raises(ValueError, match="goes forward once"):
            numbers(data)
        return
    second = numbers(data)
    assert second == pieces(flat(second), replicas)
    assert sorted(flat(second)) == Y.tolist()
    assert case.shuffled == (second != first)


@pytest.mark.sampled
@pytest.mark.parametrize(("case", "cut"), every_source_with(range(len(BATCHES) + 1), slow=[1, 3]))
def test_a_restored_iterator_goes_on_with_the_very_next_batch(
    case: Case, cut: int, caplog: pytest.LogCaptureFixture
) -> None:
    data = distributed(case.dataset())
    iterator = iter(data)
    for _ in range(cut):
        next(iterator)
    state = json.dumps(iterator.get_state())
    rest = numbers(iterator)
    following = [] if case.once else numbers(data)
    other = distributed(case.dataset())
    restored = iter(other)
    with caplog.at_level(logging.WARNING, "stratagem"):
        restored.set_state(json.loads(state))
        assert numbers(restored) == rest
    replays = [record.getMessage() for record in caplog.records if "replaying" in record.getMessage()]
    assert len(replays) == (0 if case.exact or cut == 0 else 1)
    drawn = cut if case.batch_size is None else min(cut * case.batch_size, len(Y))
    assert all(f"replaying {drawn} of its elements" in message for message in replays)
    assert ([] if case.once else numbers(other)) == following


@every_source
def test_a_source_goes_straight_to_the_strategy(case: Case) -> None:
    strategy = MirroredStrategy(["CPU:0", "CPU:1"])
    data = strategy.experimental_distribute_dataset(case.make(), batch_size=case.batch_size)
    assert sorted(flat(numbers(data))) == Y.tolist()


@pytest.mark.sampled
@every_source
def test_a_checkpoint_holds_the_position(case: Case, tmp_path: Path) -> None:
    iterator = iter(distributed(case.dataset()))
    next(iterator)
    path = train.Checkpoint(iterator=iterator).save(str(tmp_path / "ckpt"))
    rest = numbers(iterator)
    restored = iter(distributed(case.dataset()))
    train.Checkpoint(iterator=restored).restore(path).assert_consumed()
    assert numbers(restored) == rest


@every_source
def test_looking_at_the_spec_loses_no_element(case: Case) -> None:
    dataset = case.dataset()
    rows = {"x": (2,), "y": ()}
    found = dataset.element_spec
    assert {key: tuple(spec.shape) for key, spec in found.items()} == {k: (None, *v) for k, v in rows.items()}
    assert {key: spec.dtype for key, spec in found.items()} == {"x": np.float32, "y": np.int64}
    assert sorted(flat(numbers(distributed(dataset)))) == Y.tolist()
