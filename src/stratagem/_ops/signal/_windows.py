"""Windows that frames of a signal are multiplied by, and weights of the mel scale: constants, computed in float64."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._convert import Tensor, on_device, static_int, tensor
from stratagem._ops._dtypes import DType, as_dtype, float32
from stratagem._ops._symbolic import name_results

# Takes the length of a window and, as a keyword, its dtype. None: no window.
WindowFunction: TypeAlias = Callable[..., Tensor] | None


def windowed(frames: Tensor, window_fn: WindowFunction, length: int) -> Tensor:
    """Frames multiplied by a window of their length and dtype."""
    return frames if window_fn is None else frames * tensor(window_fn(length, dtype=as_dtype(frames.dtype)))


def _floating(name: str, dtype: DTypeLike) -> DType:
    wanted = as_dtype(dtype)
    if not wanted.is_floating:
        raise ValueError(f"tf.signal.{name} makes floating-point numbers, {wanted!r} was asked for.")
    return wanted


def _length(name: str, value: Any) -> int:
    length = static_int(value, f"a tensor is the length of tf.signal.{name}")
    if length < 0:
        raise InvalidArgumentError(f"tf.signal.{name}: a window has no {length} entries.")
    return length


@exported("signal.hann_window")
def hann_window(
    window_length: Any, periodic: bool = True, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """A raised cosine from 0 to 1 and back: shape (window_length,).

    periodic: for an even length, the first numbers of the window that is one longer, as TensorFlow does; an odd one is
    symmetric in both cases. Raises ValueError for a dtype that is not floating point.
    """
    kind, length = _floating("hann_window", dtype), _length("hann_window", window_length)
    longer = bool(periodic) and length % 2 == 0
    return on_device(np.hanning(length + longer)[:length].astype(kind.dtype))


@exported("signal.hamming_window")
def hamming_window(
    window_length: Any, periodic: bool = True, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """A raised cosine from 0.08 to 1 and back: shape (window_length,). periodic: see `hann_window`."""
    kind, length = _floating("hamming_window", dtype), _length("hamming_window", window_length)
    longer = bool(periodic) and length % 2 == 0
    return on_device(np.hamming(length + longer)[:length].astype(kind.dtype))


@exported("signal.kaiser_window")
def kaiser_window(
    window_length: Any, beta: float = 12.0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """The Kaiser window, a ratio of Bessel functions that is narrower for a larger `beta`: shape (window_length,)."""
    kind, length = _floating("kaiser_window", dtype), _length("kaiser_window", window_length)
    return on_device(np.kaiser(length, float(beta)).astype(kind.dtype))


@exported("signal.kaiser_bessel_derived_window")
def kaiser_bessel_derived_window(
    window_length: Any, beta: float = 12.0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """The roots of the running sums of a Kaiser window, and their mirror image, whose squares overlap to 1 (Princen, Bradley).

    An odd length gives one entry less, as in TensorFlow.
    """
    kind = _floating("kaiser_bessel_derived_window", dtype)
    half = _length("kaiser_bessel_derived_window", window_length) // 2
    sums = np.cumsum(np.kaiser(half + 1, float(beta)))
    rising = np.sqrt(sums[:-1] / sums[-1])
    return on_device(np.concatenate([rising, rising[::-1]]).astype(kind.dtype))


@exported("signal.vorbis_window")
def vorbis_window(window_length: Any, dtype: DTypeLike = float32, name: str | None = None) -> Tensor:
    """sin(π/2 sin²(π (n + 1/2) / window_length)), the window of the Vorbis codec: shape (window_length,)."""
    kind, length = _floating("vorbis_window", dtype), _length("vorbis_window", window_length)
    inner = np.sin(np.pi * (np.arange(length) + 0.5) / max(length, 1))
    return on_device(np.sin(np.pi / 2 * inner**2).astype(kind.dtype))


# --- The mel scale ----------------------------------------------------------------------------------------------------


def _mel(hertz: np.ndarray) -> np.ndarray:
    """Frequencies on the mel scale, by the formula of the Hidden Markov Model Toolkit."""
    return 1127.0 * np.log1p(hertz / 700.0)


@exported("signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: float = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """Weights that take a spectrogram (..., num_spectrogram_bins) to the mel scale by a product of matrices.

    Each column is a triangle with its peak, 1, in the middle of a band; bands are evenly spaced on the mel scale from
    `lower_edge_hertz` to `upper_edge_hertz`, and overlap by half. The first row, of frequency 0, is zero. Shape
    (num_spectrogram_bins, num_mel_bins). Raises ValueError for bands that are none or not within half the `sample_rate`.
    """
    kind, rate = _floating("linear_to_mel_weight_matrix", dtype), float(sample_rate)
    if num_mel_bins <= 0 or rate <= 0 or not 0 <= lower_edge_hertz < upper_edge_hertz <= rate / 2:
        raise ValueError(
            "tf.signal.linear_to_mel_weight_matrix takes 0 <= lower_edge_hertz < upper_edge_hertz <= sample_rate / 2 and "
            f"num_mel_bins > 0, got {lower_edge_hertz}, {upper_edge_hertz}, sample_rate {rate}, num_mel_bins {num_mel_bins}."
        )
    bins = static_int(num_spectrogram_bins, "a tensor is the number of bins of a spectrogram")
    mels = _mel(np.linspace(0.0, rate / 2, bins))[:, np.newaxis]
    edges = np.linspace(_mel(np.array(lower_edge_hertz)), _mel(np.array(upper_edge_hertz)), num_mel_bins + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    weights = np.maximum(0.0, np.minimum((mels - lower) / (center - lower), (upper - mels) / (upper - center)))
    weights[:1] = 0.0
    return on_device(weights.astype(kind.dtype))


name_results(globals())
