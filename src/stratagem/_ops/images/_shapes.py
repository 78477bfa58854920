"""Checks of shapes: an image is (height, width, channels), a batch (n, height, width, channels)."""

from typing import Any

from stratagem._base.errors import InvalidArgumentError
from stratagem._ops._convert import Tensor, tensor

_IMAGE, _BATCH = 3, 4
_COLORS = 3


def image_or_batch(name: str, image: Any) -> Tensor:
    """Converts an image or a batch. Raises ValueError for another rank; name: of the function, without `tf.image`."""
    array = tensor(image)
    if array.ndim not in (_IMAGE, _BATCH):
        raise ValueError(
            f"tf.image.{name} takes an image (height, width, channels) or a batch of them, got the shape {array.shape}. "
            "tf.expand_dims adds a dimension, tf.reshape joins several to one batch."
        )
    return array


def batch_of(name: str, images: Any) -> Tensor:
    """Converts a batch of images. Raises InvalidArgumentError for another rank."""
    array = tensor(images)
    if array.ndim != _BATCH:
        raise InvalidArgumentError(
            f"tf.image.{name} takes a batch (n, height, width, channels), got the shape {array.shape}. "
            "tf.expand_dims makes an image a batch of one."
        )
    return array


def colored(name: str, images: Any, channels: int = _COLORS) -> Tensor:
    """Converts images with so many channels. Raises InvalidArgumentError for another number."""
    array = tensor(images)
    if array.ndim < 1 or array.shape[-1] != channels:
        raise InvalidArgumentError(
            f"tf.image.{name} takes images with {channels} channel(s), their last dimension, got the shape {array.shape}."
        )
    return array


def at_least_an_image(name: str, images: Any) -> Tensor:
    """Converts images with any number of dimensions before them. Raises ValueError for fewer than three dimensions."""
    array = tensor(images)
    if array.ndim < _IMAGE:
        raise ValueError(
            f"tf.image.{name} takes images (..., height, width, channels), got the shape {array.shape}. "
            "tf.expand_dims adds the dimension that is missing."
        )
    return array
