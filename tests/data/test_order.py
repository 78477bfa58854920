"""Orders of in-memory rows: laws of shuffling, repeating and cutting, however the cursor is read."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagem._data import Dataset

Order = Any  # of a dataset in memory: indices, of which a cursor reads as many as it is asked for


def order_of(dataset: Dataset) -> Order:
    """Reading it does not touch the rows."""
    return dataset.stage.order  # type: ignore[attr-defined]


def shuffled(rows: int, buffer_size: int, seed: int = 7, *, reshuffle: bool = True) -> Dataset:
    return Dataset.range(rows).shuffle(buffer_size, seed, reshuffle_each_iteration=reshuffle)


def read_all(cursor: Any, step: int = 1000) -> list[int]:
    return [int(i) for part in iter(lambda: cursor.read(step).tolist(), []) for i in part]


@st.composite
def orders(draw: st.DrawFn) -> Order:
    """A finite order, a few operations deep."""
    dataset = Dataset.range(draw(st.integers(0, 30)))
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["shuffle", "repeat", "take", "skip", "shard", "cache"]))
        number = draw(st.integers(0, 12))
        if kind == "shuffle":
            dataset = dataset.shuffle(number + 1, seed=7)
        elif kind == "repeat":
            dataset = dataset.repeat(number % 4)
        elif kind == "shard":
            dataset = dataset.shard(3, number % 3)
        elif kind == "cache":
            dataset = dataset.cache()
        else:
            dataset = getattr(dataset, kind)(number)
    return order_of(dataset)


@given(order=orders())
def test_the_length_is_the_number_of_indices(order: Order) -> None:
    assert len(read_all(order.cursor())) == order.length


@given(order=orders(), steps=st.lists(st.integers(1, 9), min_size=1, max_size=8), data=st.data())
def test_a_restored_cursor_goes_on_with_the_very_next_index(
    order: Order, steps: list[int], data: st.DataObject
) -> None:
    cursor = order.cursor()
    for step in steps:
        cursor.read(step)
    state = json.loads(json.dumps(cursor.get_state()))
    rest = read_all(cursor, data.draw(st.integers(1, 9)))
    other = order.cursor()
    other.read(data.draw(st.integers(0, 5)))
    other.set_state(state)
    assert read_all(other, data.draw(st.integers(1, 9))) == rest


@given(n=st.integers(0, 60), buffer_size=st.integers(1, 80))
def test_a_shuffle_is_a_permutation(n: int, buffer_size: int) -> None:
    assert sorted(read_all(order_of(shuffled(n, buffer_size)).cursor())) == list(range(n))


@given(n=st.integers(0, 60), buffer_size=st.integers(1, 80))
def test_an_index_comes_out_once_it_is_in_the_buffer(n: int, buffer_size: int) -> None:
    for position, index in enumerate(read_all(order_of(shuffled(n, buffer_size)).cursor())):
        assert index < position + buffer_size


@pytest.mark.parametrize("step", [1, 7, 5000, 20_000])
@pytest.mark.parametrize("buffer_size", [1, 10, 5000, 20_000])
def test_the_order_does_not_depend_on_how_it_is_read(buffer_size: int, step: int) -> None:
    expected = order_of(shuffled(10_000, buffer_size)).cursor().read(10_000).tolist()
    assert read_all(order_of(shuffled(10_000, buffer_size)).cursor(), step) == expected


def one_by_one(n: int, buffer_size: int, slots: Iterator[int], drain: list[int]) -> list[int]:
    """The buffer of the definition: every draw gives out a slot and fills it with the next index."""
    buffer, out = list(range(buffer_size)), []
    for arriving in range(buffer_size, n):
        slot = next(slots)
        out.append(buffer[slot])
        buffer[slot] = arriving
    return out + [buffer[i] for i in drain]


def test_drawing_in_blocks_equals_drawing_one_by_one() -> None:
    class Recording:
        """Keeps what the cursor drew."""

        def __init__(self) -> None:
            self.generator = np.random.default_rng(3)
            self.slots: list[int] = []

        def integers(self, low: int, high: int, size: int) -> np.ndarray:
            drawn = self.generator.integers(low, high, size)
            self.slots += drawn.tolist()
            return drawn

        def permutation(self, buffer: np.ndarray) -> np.ndarray:
            return buffer[::-1]

    cursor = order_of(shuffled(4096 + 5, 5)).cursor()
    recording = Recording()
    cursor._generator = recording
    found = read_all(cursor)
    assert found == one_by_one(4096 + 5, 5, iter(recording.slots), [4, 3, 2, 1, 0])


def test_a_full_shuffle_is_uniform() -> None:
    order = order_of(shuffled(3, 3))
    counts = Counter(tuple(order.cursor().read(3).tolist()) for _ in range(6000))
    assert len(counts) == 6
    assert all(abs(count - 1000) < 150 for count in counts.values())  # five standard deviations


def test_every_epoch_has_another_order_unless_told_otherwise() -> None:
    for reshuffle in (True, False):
        dataset = shuffled(50, 50, reshuffle=reshuffle).repeat(2)
        first, second = np.split(order_of(dataset).cursor().read(100), 2)
        assert (first.tolist() != second.tolist()) is reshuffle


def test_the_order_of_a_seed_is_the_same_on_every_machine() -> None:
    order = order_of(shuffled(8, 8, seed=42))
    orders_of_epochs = [order.cursor().read(8).tolist() for _ in range(2)]
    assert orders_of_epochs == [[1, 3, 5, 7, 4, 6, 0, 2], [6, 7, 2, 1, 0, 3, 4, 5]]


def test_repeating_nothing_for_ever_ends() -> None:
    assert len(order_of(Dataset.range(0).repeat()).cursor().read(5)) == 0


def test_a_kept_order_is_walked_once() -> None:
    order = order_of(shuffled(50, 50).cache())
    assert read_all(order.cursor()) == read_all(order.cursor())
