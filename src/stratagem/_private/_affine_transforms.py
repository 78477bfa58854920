"""Affine transformations of images by Keras' backend."""

import functools
from collections.abc import Callable
from typing import Any

from keras.src.backend.jax import image as keras_image

# transform(images, transform, interpolation, fill_mode, fill_value, data_format)
KerasTransform = Callable[..., Any]


def replace_affine_transforms(replacement: Callable[[KerasTransform], KerasTransform]) -> None:
    """Let Keras transform images by a function that is made of its own one."""
    of_keras = keras_image.affine_transform
    new = replacement(of_keras)

    @functools.wraps(of_keras)
    def affine_transform(
        images: Any,
        transform: Any,
        interpolation: str = "bilinear",
        fill_mode: str = "constant",
        fill_value: Any = 0,
        data_format: str | None = None,
    ) -> Any:
        return new(images, transform, interpolation, fill_mode, fill_value, data_format)

    keras_image.affine_transform = affine_transform
