"""What elements of foreign sources become, and what is said about those that are no batches, or not alike."""

import ast
import json
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import stratagem._data as pipeline
from stratagem._core.values import TensorSpec
from stratagem._data import Dataset, as_dataset
from stratagem._strategies import MirroredStrategy
from tests.data.foreign_sources import MapStyle, examples, table

Pair = namedtuple("Pair", "left right")


def elements(source: Any, batch_size: int | None = None) -> list[Any]:
    return list(as_dataset(source, batch_size).as_numpy_iterator())


def test_a_dataset_is_returned_as_it_is() -> None:
    dataset = Dataset.range(4)
    assert as_dataset(dataset) is dataset
    assert [x.tolist() for x in as_dataset(dataset, 3).as_numpy_iterator()] == [[0, 1, 2], [3]]


@pytest.mark.parametrize("kind", [np.asarray, jnp.asarray, torch.tensor])
def test_the_rows_of_arrays_are_examples_with_a_batch_size_and_batches_without(kind: Callable[[Any], Any]) -> None:
    array = kind([[1, 2], [3, 4], [5, 6]])
    assert [x.tolist() for x in elements(array, 2)] == [[[1, 2], [3, 4]], [[5, 6]]]
    assert [x.tolist() for x in elements(array)] == [[1, 2], [3, 4], [5, 6]]
    both = elements(MappingProxyType({"a": array, "b": (array,)}), 3)
    assert [x["b"][0].tolist() for x in both] == [[[1, 2], [3, 4], [5, 6]]]


def test_structures_and_dtypes_stay() -> None:
    element = {
        "pair": Pair(np.float16(1), jnp.zeros(2, jnp.bfloat16)),
        "numbers": (1, 2.0, True),
        "list": [1, 2],
        "arrays": [np.zeros(1, np.uint8), {"deep": b"bytes"}],
        "text": "ü",
    }
    (batch,) = elements([element], 1)
    assert isinstance(batch["pair"], Pair)
    assert [batch["pair"].left.dtype.name, batch["pair"].right.dtype.name] == ["float16", "bfloat16"]
    assert [x.dtype.name for x in batch["numbers"]] == ["int32", "float32", "bool"]
    assert batch["list"].tolist() == [[1, 2]]
    assert isinstance(batch["arrays"], tuple)
    assert batch["arrays"][0].dtype == np.uint8
    assert batch["arrays"][1]["deep"].tolist() == [b"bytes"]
    assert batch["text"].tolist() == ["ü".encode()]


def test_a_source_may_use_its_buffer_again() -> None:
    buffer = np.zeros(2, np.int32)

    def numbers() -> Iterator[Any]:
        for i in range(3):
            buffer[:] = i
            yield buffer

    walk = as_dataset(numbers).stage.walk()
    assert [x.tolist() for x in list(walk)] == [[0, 0], [1, 1], [2, 2]]


def changing(*values: Any) -> Callable[[], Iterator[Any]]:
    return lambda: iter([{"x": value, "y": np.zeros(2)} for value in values])


class MappingTable:
    """What pandas' data frames look like."""

    def __len__(self) -> int:
        return 2

    def keys(self) -> list[str]:
        return ["a"]

    def __getitem__(self, key: str) -> Any:
        return {"a": [1, 2]}[key]


TWO = np.zeros((2, 3), np.float32)
BAD: dict[str, tuple[Any, int | None, type[Exception], str]] = {
    "scalars": ([1, 2, 3], None, ValueError, r"scalar of dtype int32 .* pass batch_size="),
    "one dimension": ({"a": np.zeros((3, 2)), "b": np.zeros(3)}, None, ValueError, r"'b'\].*Pass batch_size="),
    "unequal rows": (changing(TWO[:1]), None, ValueError, r"different numbers of rows: 1 at \['x'\], 2 at \['y'\]"),
    "another dtype": (changing(TWO, np.zeros((2, 3))), None, TypeError, r"Element 1 .*\['x'\] the dtype float64"),
    "another shape": (changing(TWO, TWO[:, :2]), None, ValueError, r"Element 1 .* Pad them .* padded_batch"),
    "another structure": (changing(TWO, (TWO, TWO)), None, TypeError, r"Element 1 .* another structure"),
    "another length": ([[1, 2], [3]], 2, ValueError, r"Element 1 of the list .* Pad them"),
    "ragged rows": (
        [{"t": [[1], [2, 3]]}],
        None,
        ValueError,
        r"\['t'\] in element 0 .* different lengths.*padded_batch",
    ),
    "None": ([{"a": 1, "b": {"c": None}}], 1, TypeError, r"\['b'\]\['c'\] in element 0 of the list is None"),
    "None among arrays": ((np.zeros(2), None), 1, TypeError, r"None at \[1\]"),
    "no tensor": ([{}], None, TypeError, "no tensor in it"),
    "an object": ([{"a": object()}], 1, TypeError, r"\['a'\] in element 0 of the list cannot become a tensor"),
    "a mixed list": ([np.zeros((2, 2)), object()], None, TypeError, r"Element 1 of the list cannot become a tensor"),
    "a number": (3, None, TypeError, "int cannot be distributed: 3"),
    "a text": ("train.csv", None, TypeError, "str cannot be distributed: 'train.csv'"),
    "nothing": (None, 4, TypeError, "NoneType cannot be distributed"),
    "a function of something": (lambda x: [x], 4, TypeError, "function cannot be distributed.*without arguments"),
    "a table": (MappingTable(), 4, TypeError, r"MappingTable cannot be distributed.*Pass dict\(…\) of it"),
    "a class": (list, 4, TypeError, "type cannot be distributed"),
    "a function of nothing": (lambda: 3, 4, TypeError, "returned int: 3. It must return an iterable"),
    "no batch": ([1], 0, ValueError, "batch_size must be a positive number of examples or None, got 0"),
    "a true batch": ([1], True, ValueError, "batch_size must be a positive number"),
}


@pytest.mark.parametrize(("source", "batch_size", "kind", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_named(source: Any, batch_size: int | None, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        elements(source, batch_size)


def test_an_empty_source_has_no_step_and_no_spec() -> None:
    for dataset in (as_dataset([]), as_dataset([], 2), as_dataset(lambda: iter(()))):
        assert list(dataset) == []
        with pytest.raises(ValueError, match="that of its first element, and it has none"):
            dataset.element_spec  # noqa: B018


def test_the_spec_leaves_the_rows_of_batches_open() -> None:
    assert as_dataset([TWO]).element_spec == TensorSpec((None, 3), np.float32)
    assert as_dataset([TWO], 4).element_spec == TensorSpec((None, 2, 3), np.float32)


@pytest.mark.parametrize("source", [list(examples()), MapStyle(), table()], ids=["list", "torch", "Hugging Face"])
def test_no_rows_have_the_spec_of_rows(source: Any) -> None:
    columns = as_dataset(source, 4).stage.columns  # type: ignore[attr-defined]
    none = columns.gather(np.zeros(0, np.int64))
    assert {key: (array.shape, array.dtype) for key, array in none.items()} == {
        "x": ((0, 2), np.float32),
        "y": ((0,), np.int64),
    }


def test_states_of_other_libraries_survive_json() -> None:
    state = {
        "plain": [None, True, 1 << 100, 0.1, "ü"],
        "tuple": (1, (2, [3])),
        5: b"\x00\xff",
        "arrays": [np.arange(6, dtype=np.int16).reshape(2, 3), np.float32(0.1), np.zeros((0, 2), bool)],
        "torch": torch.arange(4, dtype=torch.uint8).reshape(2, 2),
    }

    class Stateful:
        def __init__(self) -> None:
            self.state: Any = state

        def __iter__(self) -> Iterator[int]:
            return iter(range(3))

        def state_dict(self) -> Any:
            return self.state

        def load_state_dict(self, state: Any) -> None:
            self.state = state

    source = Stateful()
    iterator = as_dataset(source, 1).as_numpy_iterator()
    next(iterator)
    saved = json.loads(json.dumps(iterator.get_state()))
    source.state = None
    other = as_dataset(source, 1).as_numpy_iterator()
    other.set_state(saved)
    next(other)
    found: Any = source.state
    assert [found[key] for key in ("plain", "tuple", 5)] == [state[key] for key in ("plain", "tuple", 5)]
    for array, expected in zip(found["arrays"], state["arrays"], strict=True):
        assert array.dtype == expected.dtype
        assert np.array_equal(array, expected)
        assert array.shape == expected.shape
    assert found["torch"].equal(state["torch"])
    assert found["torch"].dtype == torch.uint8


def test_no_other_library_is_imported() -> None:
    for path in Path(pipeline.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & {"torch", "torchdata", "datasets", "pyarrow"}, path


def test_what_is_distributed_already_is_named() -> None:
    strategy = MirroredStrategy(["CPU:0", "CPU:1"])
    once = strategy.experimental_distribute_dataset(Dataset.range(4).batch(2))
    with pytest.raises(TypeError, match=r"divided among the replicas already\. Pass the dataset"):
        list(strategy.experimental_distribute_dataset(once))


def test_keys_keep_their_order() -> None:
    source = [{"b": np.zeros(2), "a": np.zeros(2)}] * 2
    for batch_size in (None, 2):
        dataset = as_dataset(source, batch_size)
        assert list(dataset.element_spec) == ["b", "a"]
        assert all(list(element) == ["b", "a"] for element in dataset.as_numpy_iterator())


USES_NONE = """
import sys
import numpy as np
import stratagem as tf

strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
for source in (np.zeros((4, 2)), [np.zeros(2)] * 4, lambda: iter([np.zeros(2)] * 4), zip([np.zeros(2)] * 4)):
    list(strategy.experimental_distribute_dataset(source, batch_size=2))
print(sorted({"torch", "torchdata", "datasets", "tensorflow"} & set(sys.modules)))
"""


@pytest.mark.thorough
def test_no_other_library_is_imported_when_python_sources_are_used() -> None:
    done = subprocess.run([sys.executable, "-c", USES_NONE], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "[]\n"
