"""Fourier transforms of the last dimensions, of real and of complex tensors."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, allow_x64, static_axes, static_shape, tensor
from stratagem._ops._creation import convert_to_tensor
from stratagem._ops._dtypes import DType, complex64, float32
from stratagem._ops._symbolic import accept_symbols

_REAL = (np.dtype(np.float32), np.dtype(np.float64))
_COMPLEX = (np.dtype(np.complex64), np.dtype(np.complex128))


def _numbers(name: str, value: Any, rank: int, hint: DType) -> Tensor:
    """Converts what `tf.signal.<name>` transforms: tensors are taken as they are, numbers and NumPy arrays get the hint."""
    array = convert_to_tensor(value, dtype_hint=hint)
    allowed = _REAL if hint == float32 else _COMPLEX
    if array.dtype not in allowed:
        kinds = " or ".join(map(str, allowed))
        raise InvalidArgumentError(f"tf.signal.{name} takes a tensor of {kinds}, got {array.dtype}. Use tf.cast.")
    if array.ndim < rank:
        raise InvalidArgumentError(f"tf.signal.{name} takes at least {rank} dimensions, got shape {list(array.shape)}.")
    return array


def _transformed(function: Callable[..., Tensor], array: Tensor, sizes: Sequence[int], axes: Sequence[int]) -> Tensor:
    with allow_x64(array.dtype):
        return function(array, s=tuple(sizes), axes=tuple(axes))


def _last(rank: int) -> tuple[int, ...]:
    return tuple(range(-rank, 0))


def _sizes(name: str, fft_length: Any, rank: int) -> tuple[int, ...]:
    found = static_shape(fft_length)
    if len(found) != rank or min(found) < 1:
        raise InvalidArgumentError(
            f"tf.signal.{name}: fft_length is a list of {rank} positive numbers, got {list(found)}."
        )
    return found


def _whole(name: str, function: Callable[..., Tensor], input: Any, rank: int) -> Tensor:
    array = _numbers(name, input, rank, complex64)
    if not array.size:
        return array
    return _transformed(function, array, array.shape[-rank:], _last(rank))


@exported("signal.fft")
def fft(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform of the last dimension; of complex64 or complex128, which the result has too.

    Raises InvalidArgumentError for other dtypes and for scalars.
    """
    return _whole("fft", jnp.fft.fftn, input, 1)


@exported("signal.ifft")
def ifft(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft`, divided by the number of entries."""
    return _whole("ifft", jnp.fft.ifftn, input, 1)


@exported("signal.fft2d")
def fft2d(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform of the last two dimensions, of complex numbers."""
    return _whole("fft2d", jnp.fft.fftn, input, 2)


@exported("signal.ifft2d")
def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft2d`, divided by the number of entries."""
    return _whole("ifft2d", jnp.fft.ifftn, input, 2)


@exported("signal.fft3d")
def fft3d(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform of the last three dimensions, of complex numbers."""
    return _whole("fft3d", jnp.fft.fftn, input, 3)


@exported("signal.ifft3d")
def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft3d`, divided by the number of entries."""
    return _whole("ifft3d", jnp.fft.ifftn, input, 3)


# --- Real tensors -----------------------------------------------------------------------------------------------------


def _nothing(array: Tensor, shape: Sequence[int], dtype: np.dtype) -> Tensor:
    """The transform of a tensor without entries, which has a gradient if it has no entries either."""
    return jnp.zeros(shape, dtype) if math.prod(shape) else array.reshape(shape).astype(dtype)


def _forward(name: str, value: Any, fft_length: Any, rank: int) -> Tensor:
    array = _numbers(name, value, rank, float32)
    sizes = array.shape[-rank:] if fft_length is None else _sizes(name, fft_length, rank)
    if not array.size:
        half = (*array.shape[:-rank], *sizes[:-1], sizes[-1] // 2 + 1 if sizes[-1] else 0)
        return _nothing(array, half, np.result_type(array.dtype, np.complex64))
    return _transformed(jnp.fft.rfftn, array, sizes, _last(rank))


def _backward(name: str, value: Any, fft_length: Any, rank: int) -> Tensor:
    array = _numbers(name, value, rank, complex64)
    whole = (*array.shape[-rank:-1], max(0, 2 * (array.shape[-1] - 1)))
    sizes = whole if fft_length is None else _sizes(name, fft_length, rank)
    if not array.size:
        return _nothing(array.real, (*array.shape[:-rank], *sizes), array.real.dtype)
    if 0 in sizes:
        raise InvalidArgumentError(
            f"tf.signal.{name}: one entry alone does not tell how long the result is. Give fft_length."
        )
    return _transformed(jnp.fft.irfftn, array, sizes, _last(rank))


@exported("signal.rfft")
def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The first half (and one) of the Fourier transform of real numbers, the rest of which is its mirror image.

    fft_length: a list of one number, to which the last dimension is cut or padded with zeros. float32 gives complex64,
    float64 complex128, of shape (..., fft_length // 2 + 1). Raises InvalidArgumentError for other dtypes and for scalars.
    """
    return _forward("rfft", input_tensor, fft_length, 1)


@exported("signal.irfft")
def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft`: real numbers, of shape (..., fft_length), without one 2 * (size - 1)."""
    return _backward("irfft", input_tensor, fft_length, 1)


@exported("signal.rfft2d")
def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of the last two dimensions of real numbers: half of the last, all of the other."""
    return _forward("rfft2d", input_tensor, fft_length, 2)


@exported("signal.irfft2d")
def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft2d`."""
    return _backward("irfft2d", input_tensor, fft_length, 2)


@exported("signal.rfft3d")
def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of the last three dimensions of real numbers: half of the last, all of the others."""
    return _forward("rfft3d", input_tensor, fft_length, 3)


@exported("signal.irfft3d")
def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft3d`."""
    return _backward("irfft3d", input_tensor, fft_length, 3)


# --- Any dimensions ---------------------------------------------------------------------------------------------------


def _along(name: str, function: Callable[..., Tensor], array: Tensor, fft_length: Any, axes: Any, norm: Any) -> Tensor:
    where = tuple(range(array.ndim)) if axes is None else static_shape(axes)
    sizes = None if fft_length is None else _sizes(name, fft_length, len(where))
    with allow_x64(array.dtype):
        return function(array, s=sizes, axes=where, norm=norm)


@exported("signal.fftnd")
def fftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform along `axes` (all without them), of complex numbers, cut or padded to `fft_length`.

    norm: "backward" (also None) divides the inverse by the number of entries, "forward" this one, "ortho" both by the root.
    """
    array = _numbers("fftnd", input_tensor, 0, complex64)
    return _along("fftnd", jnp.fft.fftn, array, fft_length, axes, norm)


@exported("signal.ifftnd")
def ifftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `fftnd`."""
    array = _numbers("ifftnd", input_tensor, 0, complex64)
    return _along("ifftnd", jnp.fft.ifftn, array, fft_length, axes, norm)


@exported("signal.rfftnd")
def rfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform along `axes` of real numbers: half of the last of them, all of the others."""
    array = _numbers("rfftnd", input_tensor, 1, float32)
    return _along("rfftnd", jnp.fft.rfftn, array, fft_length, axes, norm)


@exported("signal.irfftnd")
def irfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `rfftnd`."""
    array = _numbers("irfftnd", input_tensor, 1, complex64)
    return _along("irfftnd", jnp.fft.irfftn, array, fft_length, axes, norm)


@exported("signal.fftshift")
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Moves the zero frequency of a Fourier transform to the middle, along `axes` (all without them)."""
    return jnp.fft.fftshift(tensor(x), static_axes(axes))


@exported("signal.ifftshift")
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `fftshift`; they differ for odd sizes."""
    return jnp.fft.ifftshift(tensor(x), static_axes(axes))


def resized(array: Tensor, size: int) -> Tensor:
    """The last dimension cut, or padded with zeros, to this size."""
    missing = max(0, size - array.shape[-1])
    return jnp.pad(array[..., :size], [(0, 0)] * (array.ndim - 1) + [(0, missing)])


accept_symbols(globals())
