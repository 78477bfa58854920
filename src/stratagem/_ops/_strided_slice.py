"""`tf.strided_slice`: what stands between brackets after a tensor, as numbers and bits."""

from collections.abc import Sequence
from typing import Any

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, folds_constants, static_shape, tensor
from stratagem._ops._symbolic import accept_symbols


@exported("strided_slice")
@folds_constants
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """Returns the slice that brackets would give, of which entry i is `begin[i]:end[i]:strides[i]`, or by bit i of a mask:

    begin_mask and end_mask: without that end. ellipsis_mask: `...`. new_axis_mask: a new dimension of size 1.
    shrink_axis_mask: `begin[i]` alone, and the dimension is gone. Earlier ones of the last three win. The numbers are known.
    var: the variable that `input_` is, whose slice has `assign`. Raises InvalidArgumentError for lists of different lengths,
    more entries than dimensions, a stride of 0, two ellipses, and a single entry that is out of range or has a stride below 0.
    """
    masks = begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    array = tensor(input_)
    spec = list(zip(*_bounds(begin, end, strides), strict=True))
    index = tuple(_entry(i, bounds, masks) for i, bounds in enumerate(spec))
    _check(index, array, spec)
    return array[index] if var is None else var[index]


def _bounds(begin: Any, end: Any, strides: Any) -> list[tuple[int, ...]]:
    """The three lists of numbers, of one length; without strides they are 1."""
    first = static_shape(begin)
    found = [first, static_shape(end), (1,) * len(first) if strides is None else static_shape(strides)]
    scalar = isinstance(begin, int) or isinstance(end, int) or isinstance(strides, int)
    if len(set(map(len, found))) > 1 or scalar:
        raise InvalidArgumentError(f"tf.strided_slice takes lists of one length, got {begin}, {end} and {strides}.")
    return found


def _entry(i: int, bounds: tuple[int, ...], masks: Sequence[int]) -> Any:
    """Returns what stands at place i between the brackets."""
    from_start, to_end, ellipsis, new_axis, shrink = (bool(mask & 1 << i) for mask in masks)
    begin, end, stride = bounds
    if ellipsis:
        return ...
    if new_axis:
        return None
    if shrink:
        if stride <= 0:
            raise InvalidArgumentError(f"tf.strided_slice: the single entry {begin} has the stride {stride}, not 1.")
        return begin
    if not stride:
        raise InvalidArgumentError(f"tf.strided_slice: stride {i} is 0. Give the distance of the entries.")
    return slice(None if from_start else begin, None if to_end else end, stride)


def _check(index: tuple[Any, ...], array: Tensor, spec: Sequence[tuple[int, ...]]) -> None:
    """Raises InvalidArgumentError for what JAX would cut, or say in other words."""
    ellipses = [i for i, part in enumerate(index) if part is ...]
    taken = [part for part in index if part is not ... and part is not None]
    if len(ellipses) > 1 or len(taken) > array.ndim:
        raise InvalidArgumentError(
            f"tf.strided_slice: {spec} has {len(ellipses)} ellipses and {len(taken)} other entries, for shape {array.shape}."
        )
    before = len([part for part in index[: ellipses[0]] if part is not None]) if ellipses else len(taken)
    axes = [*range(before), *range(array.ndim - len(taken) + before, array.ndim)]
    for axis, part in zip(axes, taken, strict=True):
        size = array.shape[axis]
        if isinstance(part, int) and not -size <= part < size:
            raise InvalidArgumentError(
                f"tf.strided_slice: entry {part} of dimension {axis} is not in [{-size}, {size})."
            )


accept_symbols(globals())
