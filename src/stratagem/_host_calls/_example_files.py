"""Results of functions that read files and images, for an example of their strings: of the types that real ones have.

No file may name these functions, so that they are for programs that stay in this process, as parts of a graph do.
"""

import inspect
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from stratagem._base.types import DTypeLike
from stratagem._core.step import example_counts
from stratagem._data import files
from stratagem._ops import as_dtype, image_files, on_device, uint8
from stratagem._ops.files import read_file

# The channels of an image whose file tells them, by run.
_CHANNELS: Final = (3, 1, 4)


def _image(
    run: int, contents: Any, channels: int | None = 0, *_: object, dtype: DTypeLike = uint8, **__: object
) -> Any:
    height, width = (next(iter(example_counts(1, number, run))) for number in range(2))
    return on_device(np.zeros((height, width, channels or _CHANNELS[run]), as_dtype(dtype).dtype))


def _png(run: int, contents: Any, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None) -> Any:
    return _image(run, contents, channels, dtype=dtype)


def _any_image(
    run: int, contents: Any, channels: int | None = 0, dtype: DTypeLike = uint8, *_: object, **__: object
) -> Any:
    return _image(run, contents, channels, dtype=dtype)


def _animation(run: int, contents: Any, name: str | None = None) -> Any:
    frames, height, width = (next(iter(example_counts(1, number, run))) for number in range(3))
    return on_device(np.zeros((frames, height, width, 3), np.uint8))


def _crop(run: int, contents: Any, crop_window: Any, channels: int = 0, *_: object, **__: object) -> Any:
    height, width = map(int, np.asarray(crop_window)[2:])
    return on_device(np.zeros((height, width, channels or _CHANNELS[run]), np.uint8))


def _shape(run: int, contents: Any, output_type: DTypeLike = np.int32, name: str | None = None) -> Any:
    return on_device(np.array(np.shape(_image(run, contents)), as_dtype(output_type).dtype))


def _contents(run: int, strings: Any, *_: object, **__: object) -> Any:
    return strings


_FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    read_file: _contents,
    files.decode_compressed: _contents,
    image_files.decode_jpeg: _image,
    image_files.decode_png: _png,
    image_files.decode_bmp: _image,
    image_files.decode_image: _any_image,
    image_files.decode_gif: _animation,
    image_files.decode_and_crop_jpeg: _crop,
    image_files.extract_jpeg_shape: _shape,
}
# By the function as a step records it, without what leads calls to the host; the first argument is the number of the run.
FILE_STAND_INS: Final = {inspect.unwrap(function): made for function, made in _FUNCTIONS.items()}
