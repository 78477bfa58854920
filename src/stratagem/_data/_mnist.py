"""MNIST and Fashion-MNIST: found in one of several places on this machine, else downloaded.

They are searched for in this order; files are only ever read, except that a download is added to the second place:
1. Keras' cache: `$KERAS_HOME/datasets`, by default `~/.keras/datasets`
2. our data folder: `$STRATAGEM_DATA`, by default `$XDG_CACHE_HOME/stratagem/datasets` or `~/.cache/stratagem/datasets`;
   `scripts/fetch_data.py` writes there too
3. for Fashion-MNIST, the folder of Debian's package `dataset-fashion-mnist`
4. Keras' download server
"""

import gzip
import http.client
import logging
import os
import tempfile
import time
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stratagem._base.errors import DatasetMissingError, InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.files import commit
from stratagem._base.paths import local_path

logger = logging.getLogger("stratagem.data")

Bytes = NDArray[np.uint8]
Parts = tuple[tuple[Bytes, Bytes], tuple[Bytes, Bytes]]

_SERVER = "https://storage.googleapis.com/tensorflow/tf-keras-datasets"
_DEBIAN = Path("/usr/share/datasets/fashion-mnist")
_IDX_FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)
_STALL = 10.0  # seconds without an answer or a byte after which a download is given up
_LONGEST = 300.0  # seconds that the download of one file may take
_UNREADABLE = (OSError, EOFError, ValueError, KeyError, zlib.error, zipfile.BadZipFile)


@dataclass(frozen=True)
class _DatasetLocation:
    """A folder that may hold all files of a dataset, and a function to read them."""

    folder: Path
    names: tuple[str, ...]
    read: Callable[[Path], Parts]

    def missing(self) -> list[str]:
        """The files that do not exist."""
        return [name for name in self.names if not (self.folder / name).exists()]


@exported("keras.datasets.mnist.load_data")
def load_mnist() -> Parts:
    """MNIST as `((x_train, y_train), (x_test, y_test))`, the same uint8 arrays as in Keras."""
    own = _data_folder()
    places = [
        _DatasetLocation(_keras_cache(), ("mnist.npz",), _read_npz),
        _DatasetLocation(own, ("mnist.npz",), _read_npz),
        _DatasetLocation(own / "mnist", _IDX_FILES, _read_idx_files),
    ]
    return _load("MNIST", "mnist", places, places[1])


@exported("keras.datasets.fashion_mnist.load_data")
def load_fashion_mnist() -> Parts:
    """Fashion-MNIST as `((x_train, y_train), (x_test, y_test))`, the same uint8 arrays as in Keras."""
    folders = (_keras_cache() / "fashion-mnist", _data_folder() / "fashion-mnist", _DEBIAN)
    places = [_DatasetLocation(folder, _IDX_FILES, _read_idx_files) for folder in folders]
    return _load("Fashion-MNIST", "fashion-mnist", places, places[1])


def _keras_cache() -> Path:
    return Path(os.environ.get("KERAS_HOME") or Path.home() / ".keras") / "datasets"


def _data_folder() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(local_path(os.environ.get("STRATAGEM_DATA") or cache / "stratagem" / "datasets"))


def _load(title: str, argument: str, places: Sequence[_DatasetLocation], target: _DatasetLocation) -> Parts:
    """The dataset from the first place that has all its files, else downloaded into `target`."""
    for place in places:
        if not place.missing():
            return place.read(place.folder)
    try:
        _download(target)
    except (OSError, http.client.HTTPException, InvalidArgumentError) as error:
        raise DatasetMissingError(_advice(title, argument, places, target, error)) from error
    return target.read(target.folder)


def _advice(
    title: str, argument: str, places: Sequence[_DatasetLocation], target: _DatasetLocation, error: Exception
) -> str:
    searched = "\n".join(f"  {place.folder}: no {', '.join(place.missing())}" for place in places)
    names = target.names[0] if len(target.names) == 1 else f"{{{','.join(target.names)}}}"
    return (
        f"{title} is not on this machine. Looked for in:\n{searched}\n  {_SERVER}: {error}\n"
        "Get it in one of two ways:\n"
        f"  download {_SERVER}/{names} into {target.folder}\n"
        f"  or, from the packages of Debian and npm: python scripts/fetch_data.py {argument}   (in the source tree)"
    )


def _download(target: _DatasetLocation) -> None:
    """Downloads the files of `target`; they get their final names only when all are complete and readable."""
    target.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.folder, suffix=".part") as scratch:
        for name in target.names:
            _fetch(f"{_SERVER}/{name}", Path(scratch) / name)
        target.read(Path(scratch))
        for name in target.missing():  # only these: an existing file is the user's, or another process was faster
            commit(Path(scratch) / name, target.folder / name)


def _fetch(url: str, path: Path) -> None:
    logger.info("downloading %s", url)
    end = time.monotonic() + _LONGEST
    with urllib.request.urlopen(url, timeout=_STALL) as answer, path.open("wb") as file:
        while chunk := answer.read(1 << 16):
            file.write(chunk)
            if time.monotonic() > end:
                raise TimeoutError(f"{url} took longer than {_LONGEST:.0f} s")


def _read_npz(folder: Path) -> Parts:
    path = folder / "mnist.npz"
    try:
        if not zipfile.is_zipfile(path):
            raise ValueError("it is no zip archive")
        with np.load(path, allow_pickle=False) as arrays:
            x_train, y_train, x_test, y_test = (arrays[key] for key in ("x_train", "y_train", "x_test", "y_test"))
    except _UNREADABLE as error:
        raise _corrupt(path, error) from error
    return (x_train, y_train), (x_test, y_test)


def _read_idx_files(folder: Path) -> Parts:
    x_train, y_train, x_test, y_test = (_read_idx(folder / name) for name in _IDX_FILES)
    for part, images, labels in (("train", x_train, y_train), ("t10k", x_test, y_test)):
        if len(images) != len(labels):
            raise InvalidArgumentError(
                f"{folder} has {len(images)} images but {len(labels)} labels in its {part} files. "
                "Delete or replace the wrong one."
            )
    return (x_train, y_train), (x_test, y_test)


def _read_idx(path: Path) -> Bytes:
    """The array in a gzipped IDX file of bytes: two zeros, the type 8, the rank, the dimensions, the values."""
    try:
        content = gzip.decompress(path.read_bytes())
        if content[:3] != b"\x00\x00\x08":
            raise ValueError("it does not begin like an IDX file of bytes")
        rank = content[3]
        shape = np.frombuffer(content, ">u4", count=rank, offset=4).astype(int)
        return np.frombuffer(content, np.uint8, offset=4 + 4 * rank).reshape(shape).copy()
    except (*_UNREADABLE, IndexError) as error:
        raise _corrupt(path, error) from error


def _corrupt(path: Path, error: Exception) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{path} is damaged or is no data file ({type(error).__name__}: {error}). "
        "Delete or replace it; it is never overwritten."
    )
