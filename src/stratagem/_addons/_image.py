"""Geometric transformations of images, as in TensorFlow Addons."""

from typing import Any

from keras import ops

from stratagem._base.exports import exported
from stratagem._ops import tensor
from stratagem._ops.images import project


@exported("addons.image.transform")
def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "nearest",
    fill_mode: str = "constant",
    output_shape: list[int] | None = None,
    name: str | None = None,
    fill_value: Any = 0.0,
) -> Any:
    """Returns images whose pixel (x, y) is that at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1.

    images: (n, h, w, c), (h, w, c) or (h, w). transforms: [a0, a1, a2, b0, b1, b2, c0, c1] for all, or (n, 8). interpolation:
    "nearest" or "bilinear". fill_mode: "constant", "nearest", "reflect" or "wrap". output_shape: (height, width) of the result,
    by default those of the images. Raises InvalidArgumentError for other modes, and for shapes that do not fit.
    """
    given = tensor(images)
    result = project(
        _as_batch(given),
        ops.reshape(ops.cast(transforms, "float32"), (-1, 8)),
        output_shape=None if output_shape is None else (int(output_shape[0]), int(output_shape[1])),
        interpolation=interpolation,
        fill_mode=fill_mode,
        fill_value=fill_value,
    )
    shapes = {2: result.shape[1:3], 3: result.shape[1:], 4: result.shape}
    return result.reshape(shapes[given.ndim])


@exported("addons.image.rotate")
def rotate(
    images: Any,
    angles: Any,
    interpolation: str = "nearest",
    fill_mode: str = "constant",
    name: str | None = None,
    fill_value: Any = 0.0,
) -> Any:
    """Returns images rotated counter-clockwise about their centres by angles in radians, one for all or one for each."""
    batch = _as_batch(tensor(images))
    rows = angles_to_projective_transforms(angles, batch.shape[1], batch.shape[2])
    return transform(images, rows, interpolation, fill_mode, None, name, fill_value)


@exported("addons.image.angles_to_projective_transforms")
def angles_to_projective_transforms(angles: Any, image_height: Any, image_width: Any, name: str | None = None) -> Any:
    """Returns the rows (n, 8) for `transform` that rotate images of this size about their centres."""
    angle = ops.reshape(ops.cast(angles, "float32"), (-1,))
    x, y = ((ops.cast(size, "float32") - 1) / 2 for size in (image_width, image_height))
    cos, sin, zero = ops.cos(angle), ops.sin(angle), ops.zeros_like(angle)
    right, down = x - (cos * x - sin * y), y - (sin * x + cos * y)
    return ops.stack([cos, -sin, right, sin, cos, down, zero, zero], axis=1)


@exported("addons.image.translate")
def translate(
    images: Any,
    translations: Any,
    interpolation: str = "nearest",
    fill_mode: str = "constant",
    name: str | None = None,
    fill_value: Any = 0.0,
) -> Any:
    """Returns images moved by [dx, dy] pixels to the right and down, one pair for all or one for each."""
    rows = translations_to_projective_transforms(translations)
    return transform(images, rows, interpolation, fill_mode, None, name, fill_value)


@exported("addons.image.translations_to_projective_transforms")
def translations_to_projective_transforms(translations: Any, name: str | None = None) -> Any:
    """Returns the rows (n, 8) for `transform` that move images by [dx, dy]."""
    pairs = ops.reshape(ops.cast(translations, "float32"), (-1, 2))
    one, zero = ops.ones_like(pairs[:, 0]), ops.zeros_like(pairs[:, 0])
    return ops.stack([one, zero, -pairs[:, 0], zero, one, -pairs[:, 1], zero, zero], axis=1)


def _as_batch(images: Any) -> Any:
    """The images as (n, h, w, c)."""
    rank = len(images.shape)
    if rank not in (2, 3, 4):
        raise ValueError(f"images have shape {tuple(images.shape)}: expected (n, h, w, c), (h, w, c) or (h, w).")
    shape = {2: (1, *images.shape, 1), 3: (1, *images.shape), 4: tuple(images.shape)}[rank]
    return images.reshape(shape)
