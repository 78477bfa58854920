"""The built-in datasets: where they are looked for, and what happens to files that are missing or damaged."""

import gzip
import re
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stratagem._base.errors import DatasetMissingError, InvalidArgumentError
from stratagem._data import load_fashion_mnist, load_mnist

Write = Callable[[Path], None]
IDX_FILES = [f"{part}-{what}-ubyte.gz" for part in ("train", "t10k") for what in ("images-idx3", "labels-idx1")]


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty places of every kind, below the folder that is returned; the server is one of them."""
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "keras"))
    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path / "own"))
    # Private: a folder of the system and a server of others, which no option moves.
    monkeypatch.setattr("stratagem._data._mnist._DEBIAN", tmp_path / "debian")
    monkeypatch.setattr("stratagem._data._mnist._SERVER", (tmp_path / "server").as_uri())
    return tmp_path


def arrays(seed: int) -> dict[str, np.ndarray]:
    """A dataset in small: 6 and 3 images, different for every seed."""
    generator = np.random.default_rng(seed)
    return {
        "x_train": generator.integers(0, 256, (6, 28, 28), np.uint8),
        "y_train": generator.integers(0, 10, 6, np.uint8),
        "x_test": generator.integers(0, 256, (3, 28, 28), np.uint8),
        "y_test": generator.integers(0, 10, 3, np.uint8),
    }


def write_idx(folder: Path, seed: int) -> None:
    """The four gzipped IDX files."""
    folder.mkdir(parents=True, exist_ok=True)
    data = arrays(seed)
    for name, array in zip(IDX_FILES, data.values(), strict=True):
        header = struct.pack(f">4B{array.ndim}I", 0, 0, 8, array.ndim, *array.shape)
        (folder / name).write_bytes(gzip.compress(header + array.tobytes()))


def write_npz(folder: Path, seed: int) -> None:
    """Keras' one file."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / "mnist.npz", **arrays(seed))


def assert_is(parts: Any, seed: int) -> None:
    """The parts are those of `arrays(seed)`, as uint8 that may be written to."""
    flat = [array for part in parts for array in part]
    for array, expected in zip(flat, arrays(seed).values(), strict=True):
        np.testing.assert_array_equal(array, expected)
        assert array.dtype == np.uint8
        assert array.flags.writeable


def test_fashion_mnist_is_looked_up_in_order(places: Path) -> None:
    write_idx(places / "server", 0)
    assert_is(load_fashion_mnist(), 0)
    shutil.rmtree(places / "own")
    for seed, folder in enumerate(["debian", "own/fashion-mnist", "keras/datasets/fashion-mnist"], start=1):
        write_idx(places / folder, seed)
        assert_is(load_fashion_mnist(), seed)


def test_mnist_is_looked_up_in_order(places: Path) -> None:
    write_npz(places / "server", 0)
    assert_is(load_mnist(), 0)
    (places / "own" / "mnist.npz").unlink()
    for seed, (folder, write) in enumerate(
        [("own/mnist", write_idx), ("own", write_npz), ("keras/datasets", write_npz)], start=1
    ):
        write(places / folder, seed)
        assert_is(load_mnist(), seed)


def test_a_download_is_kept(places: Path) -> None:
    write_npz(places / "server", 0)
    load_mnist()
    (places / "server" / "mnist.npz").unlink()
    assert_is(load_mnist(), 0)
    assert [path.name for path in (places / "own").iterdir()] == ["mnist.npz"]


def test_a_download_overwrites_nothing(places: Path) -> None:
    write_idx(places / "server", 0)
    write_idx(places / "own" / "fashion-mnist", 0)
    own = places / "own" / "fashion-mnist"
    (own / "t10k-labels-idx1-ubyte.gz").unlink()
    (own / "t10k-images-idx3-ubyte.gz").write_bytes(b"the user's")
    with pytest.raises(InvalidArgumentError, match=r"t10k-images-idx3-ubyte\.gz is damaged"):
        load_fashion_mnist()
    assert (own / "t10k-images-idx3-ubyte.gz").read_bytes() == b"the user's"


@pytest.mark.parametrize(
    ("load", "file", "argument"),
    [(load_mnist, "mnist.npz", "mnist"), (load_fashion_mnist, "train-images-idx3-ubyte.gz", "fashion-mnist")],
)
def test_nothing_anywhere_names_file_places_and_ways(
    load: Callable[[], object], file: str, argument: str, places: Path
) -> None:
    with pytest.raises(DatasetMissingError) as caught:
        load()
    text = str(caught.value)
    assert f"no {file}" in text
    assert str(places / "keras" / "datasets") in text
    assert str(places / "own") in text
    assert f"{(places / 'server').as_uri()}/" in text
    assert f"scripts/fetch_data.py {argument}" in text


def test_a_damaged_download_leaves_nothing_behind(places: Path) -> None:
    (places / "server").mkdir()
    (places / "server" / "mnist.npz").write_text("<html>Please log in to this network.</html>")
    with pytest.raises(DatasetMissingError, match="it is no zip archive"):
        load_mnist()
    assert list((places / "own").iterdir()) == []


def flip(path: Path) -> None:
    """Change one bit in the middle."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def cut(path: Path) -> None:
    """Lose the second half."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    """Lose everything."""
    path.write_bytes(b"")


def other(path: Path) -> None:
    """Be some other gzip file."""
    path.write_bytes(gzip.compress(b"not an IDX file"))


@pytest.mark.parametrize("damage", [flip, cut, empty, other])
def test_a_damaged_file_is_named_and_kept(damage: Write, places: Path) -> None:
    write_npz(places / "keras" / "datasets", 0)
    write_idx(places / "debian", 0)
    for load, path in (
        (load_mnist, places / "keras" / "datasets" / "mnist.npz"),
        (load_fashion_mnist, places / "debian" / "train-images-idx3-ubyte.gz"),
    ):
        damage(path)
        before = path.read_bytes()
        with pytest.raises(InvalidArgumentError, match=f"{re.escape(str(path))} is damaged") as caught:
            load()
        assert "never overwritten" in str(caught.value)
        assert path.read_bytes() == before


def test_images_and_labels_of_different_length_are_refused(places: Path) -> None:
    write_idx(places / "debian", 0)
    shutil.copy(places / "debian" / "t10k-labels-idx1-ubyte.gz", places / "debian" / "train-labels-idx1-ubyte.gz")
    with pytest.raises(InvalidArgumentError, match="6 images but 3 labels in its train files"):
        load_fashion_mnist()


def test_the_default_folder_is_in_the_cache_of_the_user(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STRATAGEM_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(places / "cache"))
    write_idx(places / "cache" / "stratagem" / "datasets" / "mnist", 4)
    assert_is(load_mnist(), 4)
