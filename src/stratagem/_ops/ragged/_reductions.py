"""Reductions of ragged tensors over rows, columns, or all values."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from stratagem._base.types import UserFunction
from stratagem._ops import _arrays, _creation, _elementwise, _reductions, _segments
from stratagem._ops._composite import rule
from stratagem._ops._convert import static_axes
from stratagem._ops.ragged import _row_splits as row_splits_
from stratagem._ops.ragged._layout import axis_of
from stratagem._ops.ragged._ragged_tensor import RaggedTensor
from stratagem._ops.ragged._row_splits import known

_HINT = "the shape of a reduction over the first dimension"


def _of_bools(segments: UserFunction, data: Any, ids: Any, count: int) -> Any:
    found = segments(_arrays.cast(data, np.int32), ids, count)
    return _elementwise.greater(found, 0)


# A reduction of tensors, and of segments.
Reduction = tuple[UserFunction, UserFunction]
FUNCTIONS: dict[str, Reduction] = {
    "reduce_sum": (_reductions.reduce_sum, _segments.unsorted_segment_sum),
    "reduce_prod": (_reductions.reduce_prod, _segments.unsorted_segment_prod),
    "reduce_max": (_reductions.reduce_max, _segments.unsorted_segment_max),
    "reduce_min": (_reductions.reduce_min, _segments.unsorted_segment_min),
    "reduce_any": (_reductions.reduce_any, functools.partial(_of_bools, _segments.unsorted_segment_max)),
    "reduce_all": (_reductions.reduce_all, functools.partial(_of_bools, _segments.unsorted_segment_min)),
}


def _axes(axis: Any, rank: int) -> list[int] | None:
    given = static_axes(axis)
    return None if given is None else sorted({axis_of(a, rank) for a in np.atleast_1d(given).tolist()})


def reduced(functions: Reduction, values: Any, axis: Any, keepdims: bool) -> Any:
    """Returns the reduction of a ragged tensor, or of a tensor, over these dimensions; by default over all."""
    axes = _axes(axis, len(values.shape))
    if axes is None:
        found = functions[0](values.flat_values if isinstance(values, RaggedTensor) else values)
        return found.reshape((1,) * len(values.shape)) if keepdims else found
    for where in reversed(axes):
        values = _over(functions, values, where)
        values = _arrays.expand_dims(values, where) if keepdims else values
    return values


def _over(functions: Reduction, values: Any, where: int) -> Any:
    of_tensors, of_segments = functions
    if not isinstance(values, RaggedTensor):
        return of_tensors(values, where)
    if where > 1:
        return values.with_values(_over(functions, values.values, where - 1))
    if where == 1:
        return _segmented(of_segments, values._stored_values(), values._stored_rowids(), values._nrows())
    splits = known(values._splits, _HINT)
    count = int(row_splits_.lengths(splits).max(initial=0))
    return _segmented(of_segments, values.values, row_splits_.columns(splits), count)


def _segmented(function: UserFunction, data: Any, ids: Any, count: int) -> Any:
    """The rows of each segment as one; rows of ragged tensors are aligned at their beginnings."""
    if not isinstance(data, RaggedTensor):
        return function(data, ids, count)
    splits = known(data._splits, "the shape of a reduction over ragged rows")
    lengths, segments = row_splits_.lengths(splits), known(ids, "the shape of a reduction over ragged rows")
    longest = np.zeros(count, splits.dtype)
    np.maximum.at(longest, segments, lengths)
    new = row_splits_.from_lengths(longest)
    places = np.repeat(new[:-1][segments], lengths) + row_splits_.columns(splits)
    return RaggedTensor(_segmented(function, data.values, places, int(new[-1])), new)


def _rule_for(reduction: str) -> Callable[..., Any]:
    def reduce(input_tensor: RaggedTensor, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Any:
        return reduced(FUNCTIONS[reduction], input_tensor, axis, bool(keepdims))

    return reduce


def give_rules() -> None:
    """Lets reductions take ragged tensors."""
    for name in FUNCTIONS:
        rule(RaggedTensor, name)(_rule_for(name))


@rule(RaggedTensor, "reduce_mean")
def reduce_mean(input_tensor: RaggedTensor, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Returns the means, NaN of no values."""
    ones = _creation.ones_like(input_tensor)
    total, count = (reduced(FUNCTIONS["reduce_sum"], values, axis, bool(keepdims)) for values in (input_tensor, ones))
    return _elementwise.truediv(total, count)


@rule(RaggedTensor, "reduce_variance")
def reduce_variance(
    input_tensor: RaggedTensor, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns the means of squares without the squares of means."""
    squares: Any = _elementwise.square(input_tensor)
    of_squares = reduce_mean(squares, axis, keepdims)
    return _elementwise.subtract(of_squares, _elementwise.square(reduce_mean(input_tensor, axis, keepdims)))


@rule(RaggedTensor, "reduce_std")
def reduce_std(input_tensor: RaggedTensor, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Returns the square roots of the variances."""
    return _elementwise.sqrt(reduce_variance(input_tensor, axis, keepdims))
