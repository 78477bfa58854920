"""Windows of convolution and pooling: layouts, strides, window sizes and paddings in the forms that TensorFlow takes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import jax
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._ops._convert import Tensor, static_int

T = TypeVar("T")

# SAME, VALID, or (before, after) for each spatial dimension.
Padding = str | list[tuple[int, int]]


@dataclass(frozen=True)
class DimensionOrder:
    """The order of a tensor's dimensions: batch, `rank` spatial ones, channels, or the channels before the spatial ones."""

    rank: int
    channels_first: bool

    @property
    def spatial_letters(self) -> str:
        """The names of the spatial dimensions: W, HW or DHW."""
        return "DHW"[3 - self.rank :]

    @property
    def letters(self) -> str:
        """The names of all dimensions, as `lax` wants them: NHWC or NCHW."""
        return f"NC{self.spatial_letters}" if self.channels_first else f"N{self.spatial_letters}C"

    @property
    def channels(self) -> int:
        """The place of the channels."""
        return 1 if self.channels_first else self.rank + 1

    def spatial(self, values: Sequence[T]) -> tuple[T, ...]:
        """Returns what belongs to the spatial dimensions, of a value for each dimension."""
        return tuple(values[2:] if self.channels_first else values[1:-1])

    def others(self, values: Sequence[T]) -> tuple[T, T]:
        """Returns what belongs to batch and channels, of a value for each dimension."""
        return values[0], values[self.channels]

    def whole(self, spatial: Sequence[T], batch: T, channels: T) -> tuple[T, ...]:
        """Returns a value for each dimension."""
        return (batch, channels, *spatial) if self.channels_first else (batch, *spatial, channels)


def layout_of(name: str, data_format: str | None, rank: int) -> DimensionOrder:
    """Returns the layout with TensorFlow's name for it; None is channels last.

    Raises InvalidArgumentError for a name that is none for this number of spatial dimensions.
    """
    last, first = DimensionOrder(rank, False), DimensionOrder(rank, True)
    known = {None: last, last.letters: last, first.letters: first}
    if rank == 1:
        known |= {"NHWC": last, "NCHW": first}  # TensorFlow computes it with a height of 1
    if data_format not in known:
        raise InvalidArgumentError(
            f"tf.{name}: data_format is {last.letters!r} or {first.letters!r} for {rank} spatial dimensions, "
            f"got {data_format!r}."
        )
    return known[data_format]


def numbers(value: Any, layout: DimensionOrder, what: str) -> tuple[int, ...]:
    """Returns a number for each dimension, from TensorFlow's forms: one, one for each spatial dimension, or one for each.

    Raises ValueError for another count, InvalidArgumentError for numbers below 1.
    """
    given = [value] if np.ndim(value) == 0 else list(value)
    found = [static_int(v, f"a tensor is one of the {what}") for v in given]
    if len(found) == 1:
        found = found * layout.rank
    if len(found) == layout.rank:
        found = list(layout.whole(found, 1, 1))
    if len(found) != layout.rank + 2:
        raise ValueError(f"{what} are one number, {layout.rank} or {layout.rank + 2} numbers, got {value!r}.")
    if min(found) < 1:
        raise InvalidArgumentError(f"{what} are positive, got {value!r}.")
    return tuple(found)


def spatial_numbers(value: Any, layout: DimensionOrder, what: str) -> tuple[int, ...]:
    """Returns a number for each spatial dimension. Raises InvalidArgumentError if those of batch or channels are not 1."""
    found = numbers(value, layout, what)
    if layout.others(found) != (1, 1):
        raise InvalidArgumentError(f"{what} over batch or channels are not supported, got {value!r}.")
    return layout.spatial(found)


def padding_of(padding: Any, layout: DimensionOrder) -> Padding:
    """Returns SAME, VALID, or the pairs of the spatial dimensions, from TensorFlow's list with a pair for each dimension.

    Raises ValueError for other words and shapes, InvalidArgumentError for a padding of batch or channels.
    """
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise InvalidArgumentError(f"padding is 'SAME', 'VALID' or a list of pairs, got {padding!r}.")
        return padding.upper()
    shape = np.shape(padding)
    if shape != (layout.rank + 2, 2):
        raise ValueError(f"padding is a list with {layout.rank + 2} pairs (before, after), got {padding!r}.")
    pairs = [(int(before), int(after)) for before, after in padding]
    if layout.others(pairs) != ((0, 0), (0, 0)):
        raise InvalidArgumentError(f"Batch and channels are not padded, got {padding!r}.")
    if min(map(min, pairs)) < 0:
        raise InvalidArgumentError(f"padding is not negative, got {padding!r}.")
    return list(layout.spatial(pairs))


def padded(
    padding: Padding, sizes: Sequence[int], windows: Sequence[int], strides: Sequence[int]
) -> list[tuple[int, int]]:
    """Returns the padding of each spatial dimension in numbers.

    sizes: of the tensor. windows: with the gaps that a dilation makes. SAME gives ceil(size / stride) windows, and pads the odd
    number at the end.
    """
    if not isinstance(padding, str):
        return padding
    if padding == "VALID":
        return [(0, 0)] * len(sizes)
    whole = [
        max((-(-size // stride) - 1) * stride + window - size, 0)
        for size, window, stride in zip(sizes, windows, strides, strict=True)
    ]
    return [(pad // 2, pad - pad // 2) for pad in whole]


def check_fit(name: str, sizes: Sequence[int], windows: Sequence[int], pads: Sequence[tuple[int, int]]) -> None:
    """Raises InvalidArgumentError if an input, with its padding, is smaller than windows by more than one.

    name: of the function, for the message. sizes: of the input; unknown ones fit. windows: with the gaps that a dilation makes.
    """
    for size, window, (before, after) in zip(sizes, windows, pads, strict=True):
        if isinstance(size, int) and size + before + after < window - 1:
            raise InvalidArgumentError(
                f"{name}: windows of the sizes {list(windows)} do not fit an input of the sizes {list(sizes)}; "
                "'SAME' pads it."
            )


def dilated(windows: Sequence[int], dilations: Sequence[int]) -> tuple[int, ...]:
    """Returns the sizes of windows with `dilation - 1` gaps between their entries."""
    return tuple((window - 1) * dilation + 1 for window, dilation in zip(windows, dilations, strict=True))


def entries(array: Tensor, sizes: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> Iterator[Tensor]:
    """Yields the first entry of all windows, then their second ones and so on: tensors with a place for each window.

    array: with its padding. sizes, strides, dilations: a number for each dimension.
    """
    counts = [
        max((size - window) // stride + 1, 0)
        for size, window, stride in zip(array.shape, dilated(sizes, dilations), strides, strict=True)
    ]
    for entry in np.ndindex(*sizes):
        begin = [place * gap for place, gap in zip(entry, dilations, strict=True)]
        ends = [b + max(n - 1, 0) * s + (n > 0) for b, n, s in zip(begin, counts, strides, strict=True)]
        yield jax.lax.slice(array, begin, ends, strides)
