"""Hugging Face datasets: formats, columns, files, shuffling by epoch, and what is no batch."""

import json
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
from PIL import Image

from stratagem._core.values import TensorSpec
from stratagem._data import as_dataset
from tests.data.foreign_sources import BATCHES, X, Y, streamed_table, table


def numbers(dataset: Any) -> list[list[int]]:
    return [x["y"].tolist() for x in dataset.as_numpy_iterator()]


IN_ORDER = [Y[start:stop].tolist() for start, stop in BATCHES]


@pytest.mark.parametrize("kind", [None, "numpy", "torch", "jax"])
@pytest.mark.parametrize("streamed", [False, True], ids=["table", "streamed"])
def test_rows_are_read_in_the_format_of_the_user(kind: str | None, streamed: bool) -> None:
    source = table().add_column("name", [f"n{i}" for i in Y])  # type: ignore[call-arg]
    source = (source.to_iterable_dataset() if streamed else source).with_format(kind)
    found = list(as_dataset(source, 4).as_numpy_iterator())
    assert np.array_equal(np.concatenate([x["x"] for x in found]), X)
    assert [x["name"].tolist() for x in found][2] == [b"n8", b"n9"]
    assert found[0]["x"].dtype == np.float32
    assert found[0]["y"].dtype == (np.int32 if kind == "jax" else np.int64)


def test_nested_columns_are_nests() -> None:
    source = datasets.Dataset.from_dict({"a": [{"b": i, "c": [i, i]} for i in range(3)]})
    for data in (source, source.to_iterable_dataset()):
        (batch,) = as_dataset(data, 4).as_numpy_iterator()
        assert batch["a"]["b"].tolist() == [0, 1, 2]
        assert batch["a"]["c"].tolist() == [[0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize(("kind", "shape"), [(None, (2, 4, 5, 3)), ("numpy", (2, 4, 5, 3)), ("torch", (2, 3, 4, 5))])
@pytest.mark.parametrize("streamed", [False, True], ids=["table", "streamed"])
def test_images_are_decoded(kind: str | None, shape: tuple[int, ...], streamed: bool) -> None:
    images = [Image.fromarray(np.full((4, 5, 3), i, np.uint8)) for i in range(2)]
    features = datasets.Features({"image": datasets.Image(), "label": datasets.ClassLabel(num_classes=2)})
    source = datasets.Dataset.from_dict({"image": images, "label": [0, 1]}, features=features)
    (batch,) = as_dataset(
        (source.to_iterable_dataset() if streamed else source).with_format(kind), 2
    ).as_numpy_iterator()
    assert (batch["image"].shape, batch["image"].dtype, batch["label"].tolist()) == (shape, np.uint8, [0, 1])
    assert [int(image.max()) for image in batch["image"]] == [0, 1]


def test_files_are_read(tmp_path: Path) -> None:
    path = str(tmp_path / "rows.parquet")
    table().to_parquet(path)
    cache = str(tmp_path / "cache")
    for streamed in (False, True):
        source = datasets.load_dataset("parquet", data_files=path, split="train", streaming=streamed, cache_dir=cache)
        assert numbers(as_dataset(source, 4)) == IN_ORDER
    splits = datasets.load_dataset("parquet", data_files=path, cache_dir=cache)
    with pytest.raises(ValueError, match=r"Pass one split of \['train'\]"):
        as_dataset(splits, 4)


def test_a_transform_runs_once_a_batch_and_keeps_its_arrays() -> None:
    seen = []
    kept = np.zeros(10, np.int64)

    def transform(batch: dict[str, Any]) -> dict[str, Any]:
        seen.append(batch["y"])
        kept[: len(batch["y"])] = batch["y"]
        return {"y": kept[: len(batch["y"])]}

    source = table()
    source.set_transform(transform)
    walk = as_dataset(source, 4).stage.walk()
    assert [x["y"].tolist() for x in list(walk)] == IN_ORDER
    assert seen == IN_ORDER


def test_rows_can_be_batches() -> None:
    source = datasets.Dataset.from_dict({"y": [[1, 2, 3], [4, 5]]})
    assert numbers(as_dataset(source)) == [[1, 2, 3], [4, 5]]
    assert as_dataset(source).element_spec == {"y": TensorSpec((None,), np.int64)}


def test_a_streamed_shuffle_is_replayed(caplog: pytest.LogCaptureFixture) -> None:
    def build() -> Any:
        return as_dataset(streamed_table().shuffle(seed=3, buffer_size=4), 4)

    full = numbers(build())
    assert full != IN_ORDER
    for cut in range(4):
        iterator = build().as_numpy_iterator()
        for _ in range(cut):
            next(iterator)
        caplog.clear()
        restored = build().as_numpy_iterator()
        restored.set_state(json.loads(json.dumps(iterator.get_state())))
        assert [x["y"].tolist() for x in restored] == full[cut:]
        assert len(caplog.records) == (cut > 0)


@pytest.mark.parametrize("buffer", [False, True], ids=["shards", "buffer"])
def test_epochs_are_shuffled_as_the_library_shuffles_them(buffer: bool) -> None:
    def build() -> Any:
        source = table().to_iterable_dataset(num_shards=5)
        return source.shuffle(seed=3, buffer_size=4 if buffer else 1)

    library, source = build(), build()
    dataset = as_dataset(source, 4)
    found = []
    for epoch in (0, 1, 1):
        library.set_epoch(epoch)
        source.set_epoch(epoch)
        found.append([n for batch in numbers(dataset) for n in batch])
        assert found[-1] == [x["y"] for x in library]
    assert found[0] != found[1] == found[2]
    iterator = dataset.as_numpy_iterator()
    next(iterator)
    restored = as_dataset(build(), 4).as_numpy_iterator()  # nobody sets its epoch
    restored.set_state(json.loads(json.dumps(iterator.get_state())))
    assert [n for x in restored for n in x["y"].tolist()] == found[1][4:]


def test_two_iterations_of_one_streamed_data_set_do_not_mix() -> None:
    def build() -> Any:
        rows = datasets.Dataset.from_dict({"y": IN_ORDER}).to_iterable_dataset()
        return as_dataset(rows.map(lambda row: row))

    dataset = build()
    first, second = dataset.as_numpy_iterator(), dataset.as_numpy_iterator()
    next(first)
    next(second)
    next(first)
    states = [json.dumps(iterator.get_state()) for iterator in (first, second)]
    for state, rest in zip(states, (IN_ORDER[2:], IN_ORDER[1:]), strict=True):
        restored = build().as_numpy_iterator()
        restored.set_state(json.loads(state))
        assert [x["y"].tolist() for x in restored] == rest
    assert numbers(dataset) == IN_ORDER


@pytest.mark.parametrize("streamed", [False, True], ids=["table", "streamed"])
@pytest.mark.parametrize("kind", [None, "torch"])
@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([[1], [1, 2]], r"\['x'\] in element 0 of the Hugging Face .* has rows of different (lengths|shapes)\. Pad"),
        (["a", None], r"\['x'\] in element 0 of the Hugging Face .* cannot become a tensor"),
    ],
    ids=["ragged", "None"],
)
def test_rows_that_are_no_tensor_are_named(column: list[Any], message: str, kind: str | None, streamed: bool) -> None:
    source = datasets.Dataset.from_dict({"x": column}).with_format(kind)
    with pytest.raises((TypeError, ValueError), match=message):
        list(as_dataset(source.to_iterable_dataset() if streamed else source, 2))


def test_wrong_uses_are_named() -> None:
    with pytest.raises(ValueError, match=r"of format 'pandas' has no arrays\. Pass it with_format\('numpy'\)"):
        as_dataset(table("pandas"), 4)
    with pytest.raises(ValueError, match=r"scalar of dtype int64 at \['y'\].*pass batch_size="):
        list(as_dataset(table().select_columns("y")))
