"""Blocks of pixels as channels, and back: `tf.nn.space_to_depth` and `tf.nn.depth_to_space`."""

from typing import Any

import jax.numpy as jnp

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, tensor
from stratagem._ops._symbolic import accept_symbols


@exported("nn.space_to_depth", v1=())
def space_to_depth(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Makes the pixels of each block of (n, h, w, c) channels: (n, h / size, w / size, size * size * c).

    Raises InvalidArgumentError for another rank, and for sizes that blocks do not divide.
    """
    array = _last("space_to_depth", input, block_size, data_format)
    count, height, width, channels = array.shape
    if height % block_size or width % block_size:
        raise InvalidArgumentError(f"Blocks of {block_size} do not divide an image of {height} times {width} pixels.")
    parts = array.reshape(count, height // block_size, block_size, width // block_size, block_size, channels)
    moved = parts.transpose(0, 1, 3, 2, 4, 5)
    return _as_format(moved.reshape(*moved.shape[:3], block_size**2 * channels), data_format)


@exported("nn.depth_to_space", v1=())
def depth_to_space(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Makes the channels of each pixel a block: (n, h, w, size * size * c) becomes (n, h * size, w * size, c).

    Raises InvalidArgumentError for another rank, and for channels that do not make blocks.
    """
    array = _last("depth_to_space", input, block_size, data_format)
    count, height, width, channels = array.shape
    if channels % block_size**2:
        raise InvalidArgumentError(f"{channels} channels do not make blocks of {block_size} times {block_size} pixels.")
    parts = array.reshape(count, height, width, block_size, block_size, channels // block_size**2)
    moved = parts.transpose(0, 1, 3, 2, 4, 5)
    return _as_format(moved.reshape(count, height * block_size, width * block_size, parts.shape[5]), data_format)


def _last(name: str, value: Any, block_size: int, data_format: str) -> Tensor:
    """The tensor with its channels last."""
    array = tensor(value)
    if array.ndim != 4 or block_size < 2 or data_format not in ("NHWC", "NCHW"):
        raise InvalidArgumentError(
            f"tf.nn.{name} takes a tensor of four dimensions, blocks of at least 2 pixels, and 'NHWC' or 'NCHW', got the "
            f"shape {array.shape}, {block_size} and {data_format!r}."
        )
    return jnp.moveaxis(array, 1, 3) if data_format == "NCHW" else array


def _as_format(array: Tensor, data_format: str) -> Tensor:
    return jnp.moveaxis(array, 3, 1) if data_format == "NCHW" else array


accept_symbols(globals())
