"""Overlapping frames of a signal, and the short-time Fourier transform, which is made of them."""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._convert import Tensor, allow_x64, static_int, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.signal._fourier import irfft, resized, rfft
from stratagem._ops.signal._windows import WindowFunction, hann_window, windowed


def _count(value: Any, what: str, least: int = 1) -> int:
    number = static_int(value, f"a tensor is the {what}")
    if number < least:
        raise InvalidArgumentError(f"A {what} is {least} or more, got {number}.")
    return number


@exported("signal.frame")
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """Cuts the dimension `axis` into frames of one length, whose starts are `frame_step` apart.

    Of shape (..., frames, frame_length, ...). pad_end: also the frames that begin inside and end outside, where they have
    `pad_value`. Raises InvalidArgumentError for a step below 1 and for scalars.
    """
    array = tensor(signal)
    if not array.ndim:
        raise InvalidArgumentError("tf.signal.frame takes a tensor with at least one dimension, got a scalar.")
    length, step = _count(frame_length, "frame length", 0), _count(frame_step, "frame step")
    where = static_int(axis, "a tensor is an axis") % array.ndim
    samples = array.shape[where]
    frames = -(-samples // step) if pad_end else max(0, 1 + (samples - length) // step)
    missing = max(0, length + step * (frames - 1) - samples) if pad_end else 0
    if missing:
        widths = [(0, missing if i == where else 0) for i in range(array.ndim)]
        array = jnp.pad(array, widths, constant_values=tensor(pad_value, array.dtype))
    if not frames or not length:
        empty = (*array.shape[:where], frames, length, *array.shape[where + 1 :])
        return jax.lax.slice_in_dim(array, 0, 0, axis=where).reshape(empty)
    positions = step * np.arange(frames)[:, np.newaxis] + np.arange(length)
    return jnp.take(array, positions, axis=where, mode="clip")  # all are inside


@exported("signal.overlap_and_add")
def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Adds frames (..., frames, frame_length) up to one signal, each `frame_step` after the one before.

    Of shape (..., (frames - 1) * frame_step + frame_length). Raises InvalidArgumentError for fewer than two dimensions.
    """
    array, step = tensor(signal), _count(frame_step, "frame step")
    if array.ndim < 2:
        raise InvalidArgumentError(
            f"tf.signal.overlap_and_add takes frames of two dimensions or more, got shape {list(array.shape)}."
        )
    with allow_x64(array.dtype):
        return _overlapped(array, step)


@functools.partial(jax.jit, static_argnums=1)
def _overlapped(array: Tensor, step: int) -> Tensor:
    *outer, frames, length = array.shape
    # A frame is parts of `step` entries: part p of frame f is added to place f + p. A row of zeros more per part, and a
    # row less in all, moves each part one place on when the rows are counted anew.
    parts = -(-length // step)
    padding = [(0, 0)] * len(outer) + [(0, parts), (0, parts * step - length)]
    rows = jnp.pad(array, padding).reshape(*outer, frames + parts, parts, step)
    rows = jnp.moveaxis(rows, -2, -3).reshape(*outer, parts * (frames + parts), step)[..., : -parts or None, :]
    places = rows.reshape(*outer, parts, frames + parts - 1 if parts else 0, step).sum(-3, dtype=array.dtype)
    return resized(places.reshape(*outer, math.prod(places.shape[-2:])), max(0, (frames - 1) * step + length))


@exported("signal.stft")
def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: WindowFunction = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform: `rfft` of overlapping frames (`frame`), multiplied by a window.

    signals: (..., samples) of float32 or float64. fft_length: a number to which frames are cut or padded, without one the
    power of two that holds them. Of shape (..., frames, fft_length // 2 + 1), complex64 or complex128.
    """
    length = _count(frame_length, "frame length")
    size = 1 << (length - 1).bit_length() if fft_length is None else _count(fft_length, "transform's length")
    frames = frame(signals, length, frame_step, pad_end=pad_end)
    return rfft(windowed(frames, window_fn, length), [size])


@exported("signal.inverse_stft")
def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: WindowFunction = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signal of a short-time Fourier transform (..., frames, fft_length // 2 + 1): `irfft`, window, `overlap_and_add`.

    The exact inverse of `stft` needs the window of `inverse_stft_window_fn`. Of shape
    (..., (frames - 1) * frame_step + frame_length), float32 or float64.
    """
    length = _count(frame_length, "frame length")
    size = 1 << (length - 1).bit_length() if fft_length is None else _count(fft_length, "transform's length")
    frames = resized(irfft(stfts, [size]), length)
    return overlap_and_add(windowed(frames, window_fn, length), frame_step)


@exported("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: WindowFunction = hann_window, name: str | None = None
) -> Callable[[Any, DTypeLike], Tensor]:
    """A window function for `inverse_stft` with which it inverts a `stft` with `forward_window_fn`.

    It divides the window by the sum of squares of all windows that overlap there (Griffin and Lim 1984, equation 7).
    """
    if forward_window_fn is None:
        raise ValueError(
            "tf.signal.inverse_stft_window_fn needs the window function of the forward transform, got None."
        )
    forward = forward_window_fn

    def inverse_window(frame_length: Any, dtype: DTypeLike) -> Tensor:
        length, step = _count(frame_length, "frame length"), _count(frame_step, "frame step")
        window = tensor(forward(length, dtype=dtype))
        overlaps = -(-length // step)
        squares = jnp.pad(jnp.square(window), (0, overlaps * step - length)).reshape(overlaps, step)
        return window / jnp.tile(squares.sum(0, dtype=squares.dtype), overlaps)[:length]

    return inverse_window


accept_symbols(globals())
