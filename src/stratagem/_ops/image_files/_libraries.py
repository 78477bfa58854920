"""The libraries that read and write files of images, and what they say of damaged ones, as errors of TensorFlow's classes.

simplejpeg decodes JPEG by libjpeg-turbo with TensorFlow's settings; Pillow has all other formats, and encodes JPEG.
"""

import contextlib
import importlib.util
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, ParamSpec

import numpy as np

from stratagem._base.errors import InvalidArgumentError, StratagemError, UnimplementedError
from stratagem._base.installation import install_command
from stratagem._core.step import SizedByContents
from stratagem._ops._convert import Tensor, is_traced, need_value, on_device, on_host, tensor

_FIRST_BYTES = {"jpeg": (b"\xff\xd8\xff",), "png": (b"\x89PNG\r\n\x1a\n",), "gif": (b"GIF8",), "bmp": (b"BM",)}

_MOST_PIXELS = 2**29
P = ParamSpec("P")


def sized_by_file(function: Callable[P, np.ndarray]) -> SizedByContents[P, Tensor]:
    """Makes a function that decodes to NumPy one that returns a tensor, whose height and width the file tells."""
    return SizedByContents(function, on_device)


def contents_of(contents: Any, what: str) -> bytes:
    """Returns the bytes of a scalar string tensor, of `bytes` or text.

    Raises:
        TypeError: no string. InvalidArgumentError: strings of another shape, or none of it.
    """
    if is_traced(contents):
        need_value(f"{what} reads a file, whose bytes are a string")
    array = np.asarray(on_host(contents))
    if array.dtype != object:
        raise TypeError(f"{what} takes the bytes of a file, got {contents!r:.100}. `tf.io.read_file` reads one.")
    if array.shape != ():
        raise InvalidArgumentError(
            f"{what}: `contents` must be scalar but got shape {list(array.shape)}. `Dataset.map` and `tf.map_fn` go over "
            "several."
        )
    data = array.item()
    if not data:
        raise InvalidArgumentError(f"{what}: Input is empty.")
    return data


def format_of(data: bytes, what: str) -> str:
    """Returns "jpeg", "png", "gif" or "bmp", by the first bytes. Raises InvalidArgumentError for anything else."""
    for name, starts in _FIRST_BYTES.items():
        if data.startswith(starts):
            return name
    raise InvalidArgumentError(
        f"{what}: Unknown image file format. One of JPEG, PNG, GIF, BMP required; these {len(data)} bytes begin with "
        f"{data[:8]!r}."
    )


def pixels_of(image: Any, dtypes: tuple[str, ...], what: str) -> np.ndarray:
    """Returns an image as a NumPy array of the first of these dtypes that it has; Python's numbers get the first one.

    Raises:
        InvalidArgumentError: another dtype.
    """
    if is_traced(image):
        need_value(f"{what} makes a file of the image, whose bytes are a string")
    array = np.asarray(tensor(image))
    if array.dtype.name in dtypes:
        return array
    if array.dtype.kind in "iu" and not hasattr(image, "dtype"):
        return array.astype(dtypes[0])
    raise InvalidArgumentError(
        f"{what} takes an image of {' or '.join(dtypes)}, got {array.dtype}. `tf.image.convert_image_dtype` converts one."
    )


def library(name: str, what: str) -> ModuleType:
    """Returns the module `simplejpeg` or `PIL.Image`. Raises UnimplementedError where it is not installed."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        raise UnimplementedError(
            f"{what} needs Pillow and simplejpeg, which read and write files of images: {install_command('images')}."
        )
    return importlib.import_module(name)


@contextlib.contextmanager
def damage_is_an_error(what: str, kind: str, data: bytes) -> Iterator[None]:
    """Turns what a library raises for a damaged file into an InvalidArgumentError."""
    try:
        yield
    except (StratagemError, MemoryError):
        raise
    except Exception as error:  # the libraries have no class of their own for it
        raise InvalidArgumentError(f"{what}: Invalid {kind} data, size {len(data)}: {error}") from error


def check_size(what: str, kind: str, height: int, width: int, images: int = 1) -> None:
    """Raises InvalidArgumentError for more pixels than TensorFlow decodes, before memory is taken for them."""
    if height * width * images >= _MOST_PIXELS:
        raise InvalidArgumentError(
            f"{what}: {kind} size too large for int: {width} by {height} pixels{f', {images} times' if images > 1 else ''}; "
            f"an image has less than {_MOST_PIXELS} of them."
        )
