"""Discrete cosine transforms of the last dimension, and what is made of them."""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
from jax.scipy import fft as transforms

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, allow_x64, static_int, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.signal._fourier import resized
from stratagem._ops.signal._frames import frame, overlap_and_add
from stratagem._ops.signal._windows import WindowFunction, vorbis_window, windowed

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _checked(name: str, value: Any, kind: int, n: Any, axis: int, norm: str | None) -> Tensor:
    """Converts the signal of a transform, cut or padded to `n` entries."""
    array = tensor(value)
    if axis != -1:
        raise NotImplementedError(f"tf.signal.{name} transforms the last dimension, axis={axis} was asked for.")
    if kind not in _INVERSE or norm not in (None, "ortho") or (n is not None and n < 1):
        raise ValueError(
            f"tf.signal.{name} takes type 1, 2, 3 or 4, norm None or 'ortho' and a positive n, got {kind}, {norm!r}, {n}."
        )
    if not jnp.issubdtype(array.dtype, jnp.floating) or not array.ndim:
        raise TypeError(
            f"tf.signal.{name} takes floating-point signals (..., samples), got {array.dtype}{array.shape}."
        )
    if kind == 1 and (norm == "ortho" or array.shape[-1] < 2):
        raise ValueError(f"tf.signal.{name} of type 1 takes two samples or more, and no norm.")
    return array if n is None else resized(array, static_int(n, "a tensor is the length of a transform"))


def _cosine_transform(array: Tensor, kind: int, norm: str | None) -> Tensor:
    if not array.size:
        return array
    with allow_x64(array.dtype):
        return _transformed(array, kind, norm)


@functools.partial(jax.jit, static_argnums=(1, 2))
def _transformed(array: Tensor, kind: int, norm: str | None) -> Tensor:
    """The transforms of types 1 to 4, as SciPy defines them; those that JAX lacks are parts of longer ones."""
    size = array.shape[-1]
    if kind == 1:
        return jnp.fft.rfft(jnp.concatenate([array, array[..., -2:0:-1]], -1)).real
    if kind == 2:
        return transforms.dct(array, norm=norm)
    if kind == 3:
        return transforms.idct(array, norm=norm) * (1 if norm else 2 * size)
    longer = transforms.dct(resized(array, 2 * size))[..., 1::2]
    return longer * math.sqrt(0.5 / size) if norm else longer


@exported("signal.dct")
def dct(
    input: Any,
    type: int = 2,
    n: Any = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform of the last dimension, of type 1, 2, 3 or 4, as in SciPy.

    n: the number of entries to which the signal is cut or padded with zeros. norm: "ortho" makes the transform orthogonal
    (not of type 1). Raises ValueError for other arguments, NotImplementedError for another axis, TypeError for integers.
    """
    return _cosine_transform(_checked("dct", input, type, n, axis, norm), type, norm)


@exported("signal.idct")
def idct(
    input: Any,
    type: int = 2,
    n: Any = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `dct` of this type with norm="ortho"; without a norm, `2 * n` times the inverse, as in TensorFlow."""
    return _cosine_transform(_checked("idct", input, type, n, axis, norm), _INVERSE[type], norm)


@exported("signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients: `dct` of logarithmic mel spectrograms (..., bins), divided by sqrt(2 * bins).

    The scale is that of the Hidden Markov Model Toolkit. Raises ValueError if there are no bins.
    """
    array = tensor(log_mel_spectrograms)
    if not array.ndim or not array.shape[-1]:
        raise ValueError(f"There are no mel bins in a tensor of shape {list(array.shape)}.")
    return dct(array) * (0.5 / array.shape[-1]) ** 0.5


# --- The modified transform -------------------------------------------------------------------------------------------


def _windowed(frames: Tensor, window_fn: WindowFunction) -> Tensor:
    if window_fn is None:
        return frames * math.sqrt(0.5)
    return windowed(frames, window_fn, frames.shape[-1])


@exported("signal.mdct")
def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: WindowFunction = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform: frames that overlap by half, a window, a folding to half, `dct` of type 4.

    signals: (..., samples). frame_length: a multiple of 4, else ValueError is raised. window_fn: None multiplies by
    sqrt(1/2). Of shape (..., frames, frame_length // 2).
    """
    length = static_int(frame_length, "a tensor is the frame length")
    if length % 4:
        raise ValueError(f"tf.signal.mdct takes a frame length that is a multiple of 4, got {length}.")
    frames = _windowed(frame(signals, length, length // 2, pad_end=pad_end), window_fn)
    return dct(_folded(frames), type=4, norm=norm)


@jax.jit
def _folded(frames: Tensor) -> Tensor:
    """Frames folded to half their length: what is mirrored at a quarter is subtracted, at three quarters added."""
    first, second, third, fourth = jnp.split(frames, 4, -1)
    return jnp.concatenate([-jnp.flip(third, -1) - fourth, first - jnp.flip(second, -1)], -1)


@jax.jit
def _unfolded(halves: Tensor) -> Tensor:
    first, second = jnp.split(halves, 2, -1)
    return jnp.concatenate([second, -jnp.flip(second, -1), -jnp.flip(first, -1), -first], -1)


@exported("signal.inverse_mdct")
def inverse_mdct(
    mdcts: Any,
    window_fn: WindowFunction = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `mdct` with the same window and norm, exact where two frames overlap.

    mdcts: (..., frames, frame_length // 2). Of shape (..., (frames + 1) * frame_length // 2).
    Raises InvalidArgumentError for fewer than two dimensions.
    """
    array = tensor(mdcts)
    if array.ndim < 2:
        raise InvalidArgumentError(f"tf.signal.inverse_mdct takes (..., frames, bins), got shape {list(array.shape)}.")
    half = array.shape[-1]
    halves = dct(array, type=4, norm=norm) * (1 if norm else 0.5 / half)
    return overlap_and_add(_windowed(_unfolded(halves), window_fn), half)


accept_symbols(globals())
