"""Iterators: the end, peeking, saving and restoring, and drawing from inside a trace."""

import contextlib
import json
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagem._base.errors import InvalidArgumentError, OutOfRangeError
from stratagem._core.context import entered
from stratagem._core.values import TensorSpec
from stratagem._data import Dataset
from tests.data.recording import HostNeeded, StepRecorder


def test_the_end_is_stopiteration_or_out_of_range_or_no_value() -> None:
    iterator = iter(Dataset.range(1))
    assert iterator.get_next_as_optional().get_value() == 0
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(iterator)
        with pytest.raises(StopIteration):
            iterator.peek()
        with pytest.raises(OutOfRangeError, match="End of sequence"):
            iterator.get_next()
        empty = iterator.get_next_as_optional()
        assert not empty.has_value()
        with pytest.raises(InvalidArgumentError, match="does not have a value"):
            empty.get_value()


def test_peeking_consumes_nothing() -> None:
    iterator = iter(Dataset.range(3))
    assert [iterator.peek(), iterator.peek(), next(iterator), iterator.get_next(), iterator.peek()] == [0, 0, 0, 1, 2]
    assert [int(x) for x in iterator] == [2]


@pytest.mark.parametrize(
    "dataset",
    [Dataset.range(4), Dataset.range(4).map(lambda x: x * 2), Dataset.range(4).map(lambda x: x * 2).prefetch(2)],
    ids=["rows", "map", "prefetch"],
)
def test_a_trace_draws_through_its_recorder(dataset: Dataset) -> None:
    iterator = iter(dataset)
    recorder = StepRecorder()

    def step(offset: Any) -> Any:
        with entered(recorder=recorder):
            seen = next(iterator)
        assert isinstance(seen, jax.Array)
        assert not isinstance(seen, jax.core.Tracer)
        return offset + seen.astype(np.float32)

    jax.jit(step)(1.0)
    assert recorder.drawn == [iterator]
    assert [int(x) for x in iterator] == [int(x) for x in dataset]


def test_iterating_inside_a_trace_needs_the_host() -> None:
    dataset = Dataset.range(3)
    iterator = iter(dataset)
    with entered(recorder=StepRecorder()):
        with pytest.raises(HostNeeded, match="iterates over a dataset"):
            iter(dataset)
        with pytest.raises(HostNeeded, match="optional"):
            iterator.get_next_as_optional()
    assert next(iterator) == 0


def generated(n: int) -> Dataset:
    return Dataset.from_generator(lambda: range(n), output_signature=TensorSpec((), np.int64))


CHANGES: dict[str, Callable[[Dataset], Dataset]] = {
    "shuffle": lambda d: d.shuffle(4, seed=1),
    "repeat": lambda d: d.repeat(2),
    "take": lambda d: d.take(7),
    "skip": lambda d: d.skip(2),
    "shard": lambda d: d.shard(2, 1),
    "batch and unbatch": lambda d: d.batch(3).unbatch(),
    "map": lambda d: d.map(lambda x: x + 1),
    "filter": lambda d: d.filter(lambda x: x % 3 != 0),
    "prefetch": lambda d: d.prefetch(2),
    "cache": lambda d: d.cache(),
    "concatenate": lambda d: d.concatenate(Dataset.range(3)),
    "enumerate": lambda d: d.enumerate().map(lambda i, x: i + x),
    "zip": lambda d: Dataset.zip((d, Dataset.range(100))).map(lambda x, y: x + y),
}


@pytest.mark.thorough
@given(
    source=st.sampled_from([Dataset.range, generated]),
    changes=st.lists(st.sampled_from(sorted(CHANGES)), max_size=3),
    before=st.integers(0, 9),
    peek=st.booleans(),
    batched=st.booleans(),
)
def test_a_restored_iterator_goes_on_with_the_very_next_element(
    source: Callable[[int], Dataset], changes: list[str], before: int, peek: bool, batched: bool
) -> None:
    def build() -> Dataset:
        dataset = source(8)
        for change in changes:
            dataset = CHANGES[change](dataset)
        return dataset.batch(2) if batched else dataset

    iterator = build().as_numpy_iterator()
    for _ in range(before):
        next(iterator, None)
    if peek:
        with contextlib.suppress(StopIteration):
            iterator.peek()
    state = json.loads(json.dumps(iterator.get_state()))
    rest = [x.tolist() for x in iterator]
    other = build().as_numpy_iterator()  # as in another process
    next(other, None)
    other.set_state(state)
    assert [x.tolist() for x in other] == rest


def test_a_restored_run_shuffles_its_next_epochs_as_the_first_would_have() -> None:
    def build() -> Dataset:
        return Dataset.range(20).shuffle(20)  # seeded from the machine's entropy

    dataset = build()
    iterator = iter(dataset)
    next(iterator)
    state = iterator.get_state()
    expected = [[int(x) for x in iterator], [int(x) for x in dataset]]
    other = build()
    restored = iter(other)
    restored.set_state(state)
    assert [[int(x) for x in restored], [int(x) for x in other]] == expected
