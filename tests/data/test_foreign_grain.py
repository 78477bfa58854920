"""Grain: its order, its filters, its lengths."""

from typing import Any

import grain
import pytest

from stratagem._data import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, as_dataset
from tests.data.foreign_sources import grain_examples, grain_loader


def numbers(dataset: Any) -> list[int]:
    return [n for x in dataset.as_numpy_iterator() for n in x["y"].tolist()]


def test_elements_that_were_filtered_out_are_left_out() -> None:
    even = grain_examples().filter(lambda e: e["y"] % 2 == 0)
    assert numbers(as_dataset(even, 3)) == [0, 2, 4, 6, 8]
    assert numbers(as_dataset(even.to_iter_dataset(), 3)) == [0, 2, 4, 6, 8]


def test_epochs_are_shuffled_as_grain_shuffles_them() -> None:
    source = grain_examples().shuffle(seed=4).repeat(2)
    expected = [int(e["y"]) for e in source]
    assert expected[:10] != expected[10:]
    dataset = as_dataset(source, 4)
    assert numbers(dataset) == expected == numbers(dataset)
    loader = grain_loader(seed=7)
    assert numbers(as_dataset(loader)) == [n for batch in loader for n in batch["y"].tolist()]


def test_the_number_of_elements_is_known_where_it_is_infinite() -> None:
    assert as_dataset(grain_examples().repeat(), 4).stage.cardinality == INFINITE_CARDINALITY
    assert as_dataset(grain_examples(), 4).stage.cardinality == UNKNOWN_CARDINALITY


def test_an_error_in_a_map_names_the_element() -> None:
    def fail(i: int) -> int:
        if i == 2:
            raise OSError("gone")
        return i

    iterator = as_dataset(grain.MapDataset.range(4).map(fail).to_iter_dataset(grain.ReadOptions(num_threads=0)), 1)
    with pytest.raises(OSError, match="gone") as caught:
        list(iterator)
    assert "… while drawing element 2 of the Grain PrefetchIterDataset (counted from 0)." in caught.value.__notes__
