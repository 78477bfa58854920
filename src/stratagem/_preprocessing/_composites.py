"""Composite inputs of layers, ragged and sparse ones: what is made of their values, and of their rows."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from stratagem._base.types import DTypeLike
from stratagem._ops import Tensor, as_dtype, is_traced, need_value, tensor
from stratagem._ops.ragged import RaggedTensor
from stratagem._ops.sparse import SparseTensor
from stratagem._preprocessing._encoding import as_output, counted_entries
from stratagem._preprocessing._inputs import as_input

Composite: TypeAlias = RaggedTensor | SparseTensor
Encoded: TypeAlias = Tensor | RaggedTensor | SparseTensor


def is_composite(value: Any) -> bool:
    """Returns whether a value is a ragged or sparse tensor."""
    return isinstance(value, RaggedTensor | SparseTensor)


def documents_of(inputs: Composite, dtype: DTypeLike) -> list[list[Any]]:
    """Returns the values of each row, converted to `dtype`, as lists."""
    values, rows, count = _entries(inputs)
    found: list[list[Any]] = [[] for _ in range(count)]
    for row, value in zip(rows.tolist(), as_input(values, dtype).tolist(), strict=True):
        found[row].append(value)
    return found


def encoded_composite(
    inputs: Composite,
    numbers_of: Callable[[Tensor], Any],
    output_mode: str,
    depth: int,
    dtype: DTypeLike,
    *,
    weights: np.ndarray | None = None,
    factors: np.ndarray | None = None,
    sparse: bool = False,
) -> Encoded:
    """Encodes the numbers that `numbers_of` gives for the values: as in `encoded`, with each row's own number of values.

    In the mode int the result has the form of `inputs`; otherwise it is (rows, depth). weights: what each value counts.
    factors: (depth,), by which counts are multiplied. Raises ValueError for one_hot, whose result would have three dimensions.
    """
    if output_mode == "int":
        found = tensor(numbers_of(inputs.flat_values if isinstance(inputs, RaggedTensor) else inputs.values))
        return inputs.with_flat_values(found) if isinstance(inputs, RaggedTensor) else inputs.with_values(found)
    if output_mode == "one_hot":
        raise ValueError("With output_mode 'one_hot' ragged and sparse inputs would have outputs of more than rank 2.")
    values, rows, count = _entries(inputs)
    numbers, kind = np.asarray(numbers_of(values)), as_dtype(dtype).dtype
    counts = counted_entries(rows, numbers, count, depth, kind, output_mode == "multi_hot", weights)
    return as_output(counts if factors is None else counts * factors.astype(kind), sparse)


def _entries(inputs: Composite) -> tuple[Tensor, np.ndarray, int]:
    """The values, the row of each, and the number of rows, all of which have to be known."""
    if isinstance(inputs, RaggedTensor):
        if is_traced(inputs.row_splits) or is_traced(inputs.flat_values):
            need_value("the rows of a ragged tensor are counted")
        splits = inputs.row_splits
        for inner in inputs.nested_row_splits[1:]:  # all that is in a row belongs to it
            splits = np.asarray(inner)[np.asarray(splits)]
        lengths = np.diff(np.asarray(splits))
        return inputs.flat_values, np.repeat(np.arange(len(lengths)), lengths), len(lengths)
    if is_traced([inputs.indices, inputs.values, inputs.dense_shape]):
        need_value("the rows of a sparse tensor are counted")
    indices, shape = np.asarray(inputs.indices), np.asarray(inputs.dense_shape)
    if len(shape) < 2:
        return inputs.values, np.zeros(len(indices), int), 1
    return inputs.values, indices[:, 0], int(shape[0])
