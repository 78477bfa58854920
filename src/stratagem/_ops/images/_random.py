"""Random changes of images: `tf.image.random_*` and `stateless_random_*`, TensorFlow's numbers as `tf.random`'s are."""

import functools
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike
from stratagem._core.step import has_unknown_sizes, sized_call
from stratagem._ops._convert import Tensor, allow_x64, static_shape, tensor
from stratagem._ops._dtypes import int32
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.images._colors import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from stratagem._ops.images._on_host import check_fit, cut
from stratagem._ops.images._shapes import image_or_batch
from stratagem._ops.sampling import stateless_uniform, uniform

_LARGEST: Final = 2**31 - 1
Draw = Callable[..., Tensor]  # a shape and two bounds to uniform numbers


def _drawing(seed: int | None) -> Draw:
    return lambda shape, low, high, **kind: uniform(shape, low, high, seed=seed, **kind)


def _stateless(seed: Any) -> Draw:
    return lambda shape, low, high, **kind: stateless_uniform(shape, seed, low, high, **kind)


def _up_to(name: str, draw: Draw, max_delta: float, most: float = np.inf) -> Tensor:
    """A number of [-max_delta, max_delta). Raises ValueError for bounds that are none."""
    if not 0 <= max_delta <= most:
        limit = "" if most == np.inf else f" and at most {most}"
        raise ValueError(f"tf.image.{name}: max_delta is not negative{limit}, got {max_delta}.")
    return draw([], -max_delta, max_delta)


def _between(name: str, draw: Draw, lower: float, upper: float) -> Tensor:
    """A number of [lower, upper). Raises ValueError for bounds that are none."""
    if upper <= lower or lower < 0:
        raise ValueError(f"tf.image.{name}: lower is not negative and below upper, got {lower} and {upper}.")
    return draw([], lower, upper)


@exported("image.random_brightness")
def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """Adds one number of [-max_delta, max_delta) to all pixels, as `adjust_brightness` does. ValueError: it is negative."""
    return adjust_brightness(image, _up_to("random_brightness", _drawing(seed), max_delta))


@exported("image.stateless_random_brightness", v1=())
def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Tensor:
    """Does what `random_brightness` does, with TensorFlow's number for a seed of two integers."""
    return adjust_brightness(image, _up_to("stateless_random_brightness", _stateless(seed), max_delta))


@exported("image.random_contrast")
def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """Changes the contrast by one factor of [lower, upper). Raises ValueError unless 0 <= lower < upper."""
    return adjust_contrast(image, _between("random_contrast", _drawing(seed), lower, upper))


@exported("image.stateless_random_contrast", v1=())
def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """Does what `random_contrast` does, with TensorFlow's number for a seed of two integers."""
    return adjust_contrast(image, _between("stateless_random_contrast", _stateless(seed), lower, upper))


@exported("image.random_hue")
def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """Turns the hue of RGB images by one number of [-max_delta, max_delta). Raises ValueError unless 0 <= max_delta <= 0.5."""
    return adjust_hue(image, _up_to("random_hue", _drawing(seed), max_delta, 0.5))


@exported("image.stateless_random_hue", v1=())
def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Tensor:
    """Does what `random_hue` does, with TensorFlow's number for a seed of two integers."""
    return adjust_hue(image, _up_to("stateless_random_hue", _stateless(seed), max_delta, 0.5))


@exported("image.random_saturation")
def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """Changes the saturation of RGB images by one factor of [lower, upper). Raises ValueError unless 0 <= lower < upper."""
    return adjust_saturation(image, _between("random_saturation", _drawing(seed), lower, upper))


@exported("image.stateless_random_saturation", v1=())
def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Does what `random_saturation` does, with TensorFlow's number for a seed of two integers."""
    return adjust_saturation(image, _between("stateless_random_saturation", _stateless(seed), lower, upper))


def _flipped(name: str, image: Any, draw: Draw, axis: int) -> Tensor:
    """Every image mirrored or not. TensorFlow flips an image below a half, and those of a batch above."""
    array = image_or_batch(name, image)
    mirrored = jnp.flip(array, axis)
    if array.ndim == 3:
        return jnp.where(draw([], 0.0, 1.0) < 0.5, mirrored, array)
    return jnp.where((draw([array.shape[0]], 0.0, 1.0) > 0.5)[:, None, None, None], mirrored, array)


@exported("image.random_flip_left_right")
def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """Mirrors an image horizontally in half of all calls, or about half of the images of a batch. ValueError: another rank."""
    return _flipped("random_flip_left_right", image, _drawing(seed), -2)


@exported("image.stateless_random_flip_left_right", v1=())
def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """Does what `random_flip_left_right` does, with TensorFlow's numbers for a seed of two integers."""
    return _flipped("stateless_random_flip_left_right", image, _stateless(seed), -2)


@exported("image.random_flip_up_down")
def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """Mirrors an image vertically in half of all calls, or about half of the images of a batch. ValueError: another rank."""
    return _flipped("random_flip_up_down", image, _drawing(seed), -3)


@exported("image.stateless_random_flip_up_down", v1=())
def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """Does what `random_flip_up_down` does, with TensorFlow's numbers for a seed of two integers."""
    return _flipped("stateless_random_flip_up_down", image, _stateless(seed), -3)


def _cropped(name: str, value: Any, size: ShapeLike, draw: Draw) -> Tensor:
    """A part of this size, at a place where it fits."""
    array, wanted = tensor(value), static_shape(size)
    if has_unknown_sizes(array.shape) and len(wanted) == array.ndim:
        numbers = draw([array.ndim], 0, _LARGEST, dtype=int32)
        part = functools.partial(cut, size=wanted, name=name)
        again = functools.partial(_part_at, name=name, wanted=wanted)
        return sized_call(part, array, numbers, shape=wanted, dtype=array.dtype, selects=True, compiled=again)
    return _part_at(array, draw([array.ndim], 0, _LARGEST, dtype=int32), name, wanted)


def _part_at(array: Tensor, numbers: Tensor, name: str, wanted: tuple[int, ...]) -> Tensor:
    """The part of a tensor of known sizes that numbers choose, one for each dimension."""
    check_fit(name, array.shape, wanted)
    room = np.array(array.shape, np.int32) - np.array(wanted, np.int32) + 1
    offsets = numbers % room
    with allow_x64(array.dtype):
        return jax.lax.dynamic_slice(array, [offsets[axis] for axis in range(array.ndim)], wanted)


@exported("image.random_crop", v1=["random_crop", "image.random_crop"])
def random_crop(value: Any, size: ShapeLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """Cuts a part of this size out of a tensor of any rank, at a random place.

    Raises InvalidArgumentError if it does not fit.
    """
    return _cropped("random_crop", value, size, _drawing(seed))


@exported("image.stateless_random_crop", v1=())
def stateless_random_crop(value: Any, size: ShapeLike, seed: Any, name: str | None = None) -> Tensor:
    """Does what `random_crop` does, at TensorFlow's place for a seed of two integers."""
    return _cropped("stateless_random_crop", value, size, _stateless(seed))


accept_symbols(globals())
