"""torch: its order, its dtypes, its collated structures, its workers."""

import gc
import json
import logging
import multiprocessing
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.utils.data

from stratagem._core.values import TensorSpec
from stratagem._data import as_dataset

# Private: that nothing is copied shows in no result.
from stratagem._data.foreign._torch_tensors import from_torch
from tests.data.foreign_sources import MapStyle, Streamed, loader, stateful_loader, torch_seed


def orders(data: Any, epochs: int = 2) -> list[list[list[int]]]:
    return [[batch["y"].tolist() for batch in data] for _ in range(epochs)]


@pytest.mark.parametrize("make", [lambda: loader(MapStyle(), shuffle=True), lambda: stateful_loader(shuffle=True)])
def test_every_epoch_is_shuffled_as_torch_shuffles_it(make: Callable[[], Any]) -> None:
    with torch_seed(5):
        expected = orders(make())
    with torch_seed(5):
        dataset = as_dataset(make())
        found = [[x["y"].tolist() for x in dataset.as_numpy_iterator()] for _ in range(2)]
    assert found == expected
    assert found[0] != found[1]


SHUFFLING: dict[str, Callable[[], Any]] = {
    "torch's generator": lambda: loader(MapStyle(), shuffle=True),
    "own generator": lambda: loader(MapStyle(), shuffle=True, seed=3),
    "torchdata": lambda: stateful_loader(shuffle=True),
}


@pytest.mark.parametrize("make", SHUFFLING.values(), ids=SHUFFLING.keys())
@pytest.mark.parametrize("cut", [2, 4], ids=["within", "at the end"])
def test_a_later_epoch_is_restored_in_its_order(make: Callable[[], Any], cut: int) -> None:
    def numbers(iterator: Any) -> list[list[int]]:
        return [x["y"].tolist() for x in iterator]

    with torch_seed(5):
        dataset = as_dataset(make())
        numbers(dataset.as_numpy_iterator())
        iterator = dataset.as_numpy_iterator()
        for _ in range(cut):
            next(iterator, None)
        state = json.dumps(iterator.get_state())
        expected = [numbers(iterator), numbers(dataset.as_numpy_iterator())]
    with torch_seed(6):
        other = as_dataset(make())
        restored = other.as_numpy_iterator()
        restored.set_state(json.loads(state))
        assert [numbers(restored), numbers(other.as_numpy_iterator())] == expected


def test_a_loader_tells_its_sizes() -> None:
    dataset = as_dataset(loader(MapStyle()))
    assert [int(dataset.cardinality()), dataset.stage.batch_size] == [3, 4]
    assert int(as_dataset(loader(Streamed())).cardinality()) == -2
    assert int(as_dataset(MapStyle(), 4).cardinality()) == 3


DTYPES = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64", "int8", "uint8", "bool"]


@pytest.mark.parametrize("name", [*DTYPES, "uint16", "complex64"])
def test_dtypes_are_kept_and_memory_is_shared(name: str) -> None:
    tensor = torch.ones(3, 2).to(getattr(torch, name))
    array = from_torch(tensor)
    assert array.dtype.name == name
    assert array.shape == (3, 2)
    tensor[1, 0] = 0
    assert array.astype(np.float64 if name != "complex64" else np.complex64).tolist() == [[1, 1], [0, 1], [1, 1]]
    (batch,) = as_dataset(loader(torch.utils.data.TensorDataset(tensor))).as_numpy_iterator()
    assert batch[0].dtype.name == name


def test_tensors_of_any_layout_become_arrays() -> None:
    tensor = torch.arange(6.0, requires_grad=True).reshape(2, 3)
    given = [tensor.t(), tensor.to(torch.bfloat16).t(), torch.tensor([1 + 2j]).conj()]
    found = [array.tolist() for each in given for array in as_dataset([each]).as_numpy_iterator()]
    assert found == [[[0, 3], [1, 4], [2, 5]]] * 2 + [[1 - 2j]]
    with pytest.raises(TypeError, match=r"\['x'\] in element 0 of the list cannot become a tensor"):
        list(as_dataset([{"x": torch.eye(2).to_sparse()}]))


def test_collated_lists_are_tuples_and_texts_are_columns() -> None:
    examples = [(torch.tensor([i, i]), (i, f"n{i}"), {"name": f"m{i}", "z": np.float32(i)}) for i in range(3)]
    first, second = as_dataset(loader(examples, batch_size=2)).as_numpy_iterator()
    assert first[0].tolist() == [[0, 0], [1, 1]]
    assert (first[1][0].tolist(), first[1][1].tolist()) == ([0, 1], [b"n0", b"n1"])
    assert (first[2]["name"].tolist(), first[2]["z"].dtype) == ([b"m0", b"m1"], np.float32)
    assert second[1][1].tolist() == [b"n2"]
    by_item = next(as_dataset(examples, 2).as_numpy_iterator())
    assert by_item[1][1].tolist() == [b"n0", b"n1"]


def test_a_last_small_batch_may_be_left_out_and_samplers_may_make_batches() -> None:
    sampler = torch.utils.data.BatchSampler([3, 1, 2], batch_size=2, drop_last=False)
    options: list[dict[str, Any]] = [{"drop_last": True}, {"batch_size": 1, "batch_sampler": sampler}]
    found = [[x["y"].tolist() for x in as_dataset(loader(MapStyle(), **o)).as_numpy_iterator()] for o in options]
    assert found == [[[0, 1, 2, 3], [4, 5, 6, 7]], [[3, 1], [2]]]


def test_a_collate_function_may_use_its_buffer_again() -> None:
    buffer = torch.zeros(4, dtype=torch.int64)

    def collate(examples: Any) -> torch.Tensor:
        buffer[: len(examples)] = torch.stack([e["y"] for e in examples])
        return buffer[: len(examples)]

    walk = as_dataset(loader(MapStyle(), collate_fn=collate)).stage.walk()
    assert [x.tolist() for x in list(walk)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_many_items_are_fetched_at_once_where_the_data_set_can() -> None:
    class Many(MapStyle):
        def __getitems__(self, indices: list[int]) -> list[Any]:
            asked.append(indices)
            return [super(Many, self).__getitem__(i) for i in indices]

    asked: list[list[int]] = []
    assert [x["y"].tolist() for x in as_dataset(Many(), 6).as_numpy_iterator()] == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9]]
    assert asked == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9]]


def test_items_can_be_batches() -> None:
    class Batches(torch.utils.data.Dataset[torch.Tensor]):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> torch.Tensor:
            return torch.full((3 - index,), index)

    assert [x.tolist() for x in as_dataset(Batches()).as_numpy_iterator()] == [[0, 0, 0], [1, 1]]
    assert as_dataset(Batches()).element_spec == TensorSpec((None,), np.int64)


def test_wrong_uses_are_named() -> None:
    with pytest.raises(ValueError, match=r"This torch DataLoader gives batches already\. Leave batch_size out"):
        as_dataset(loader(MapStyle()), 4)
    with pytest.raises(ValueError, match="pass batch_size="):
        list(as_dataset(MapStyle()))
    with pytest.raises(TypeError, match="torch Dataset without __len__"):
        as_dataset(torch.utils.data.Dataset(), 4)


@pytest.mark.parametrize("end", ["close", pytest.param("forgotten", marks=pytest.mark.thorough)])
def test_workers_give_the_same_rows_and_end(end: str, caplog: pytest.LogCaptureFixture) -> None:
    data = torch.utils.data.TensorDataset(torch.arange(10))
    count = 2 if end == "forgotten" else 1
    dataset = as_dataset(loader(data, num_workers=count, multiprocessing_context="spawn"))
    assert caplog.records == []
    iterator = dataset.as_numpy_iterator()
    assert [next(iterator)[0].tolist() for _ in range(2)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert len(multiprocessing.active_children()) == count
    if end == "close":
        iterator.close()
    else:  # as after an error in a loop
        del iterator
        gc.collect()
    assert multiprocessing.active_children() == []


def test_forked_workers_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "stratagem"):
        as_dataset(loader(MapStyle(), num_workers=2, multiprocessing_context="fork"))
    assert "forked from a process in which JAX runs threads" in caplog.text
