"""Crossed features: all combinations of the values in the rows of several tensors, as strings or as hashes."""

import math
from collections.abc import Sequence
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._ops._convert import StringTensor, Tensor, on_host, tensor
from stratagem._ops.ragged import RaggedTensor, from_lengths
from stratagem._ops.sparse import SparseTensor
from stratagem._ops.text._host_strings import row_of_strings
from stratagem._ops.text._integers import crossed_buckets

SEPARATOR = "_X_"


@final
class CrossedRows:
    """The rows of several features of rank 2: integers or strings, of ragged, sparse or dense tensors.

    Raises TypeError for what is no list, ValueError for other dtypes and ranks, InvalidArgumentError for different numbers of
    rows.
    """

    def __init__(self, name: str, inputs: Sequence[Any]) -> None:
        if not isinstance(inputs, list | tuple):
            raise TypeError(f"tf.{name} takes a list of tensors, got {type(inputs).__name__}.")
        rows = [_rows(name, i, each) for i, each in enumerate(inputs)]
        counts = {len(lengths) for _, lengths in rows}
        if len(counts) != 1:
            raise InvalidArgumentError(f"tf.{name} takes tensors of one number of rows, got {sorted(counts)}.")
        sizes = np.stack([lengths for _, lengths in rows]).astype(np.int64)
        self.lengths = np.prod(sizes, axis=0)
        row = np.repeat(np.arange(len(self.lengths)), self.lengths)
        within = np.arange(len(row)) - (np.cumsum(self.lengths) - self.lengths)[row]
        self._columns: list[np.ndarray] = []
        for (values, lengths), own in reversed(list(zip(rows, sizes, strict=True))):  # the last changes the fastest
            begins = np.cumsum(lengths) - lengths
            self._columns.insert(0, values[begins[row] + within % own[row]])
            within = within // own[row]

    def joined(self, separator: str) -> StringTensor:
        """Returns each combination as its values with the separator between them."""
        columns = [[_text(v) for v in column.tolist()] for column in self._columns]
        return row_of_strings([separator.encode().join(each) for each in zip(*columns, strict=True)])

    def hashed(self, num_buckets: int, hash_key: int | None) -> Tensor:
        """Returns the bucket of each combination, int64; with 0 buckets its hash below the largest int64."""
        return crossed_buckets(self._columns, num_buckets, hash_key)


def _text(value: Any) -> bytes:
    return value if isinstance(value, bytes) else b"%d" % value


def _rows(name: str, number: int, given: Any) -> tuple[np.ndarray, np.ndarray]:
    """The values of a feature, in their order, and how many there are in each row."""
    if isinstance(given, RaggedTensor):
        values, rank = np.asarray(given.flat_values), len(given.shape)
        lengths = np.diff(given._known_splits(f"tf.{name}")[0])
    elif isinstance(given, SparseTensor):
        values, rank = np.asarray(given.values), len(given.shape)
        shape = given.known_shape(f"tf.{name}")
        rows = given.known_indices(f"tf.{name}")[:, 0]
        lengths = np.bincount(rows, minlength=shape[0])
    else:
        values = np.asarray(tensor(given) if not isinstance(given, np.ndarray) else on_host(given))
        rank = values.ndim
        lengths = np.full(values.shape[0] if rank else 0, math.prod(values.shape[1:]))
    if values.dtype != object and values.dtype.kind not in "iu":
        raise ValueError(f"tf.{name} crosses integers and strings; inputs[{number}] has the dtype {values.dtype}.")
    if rank != 2:
        raise ValueError(f"tf.{name} only supports inputs with rank 2; inputs[{number}] has rank {rank}.")
    return values.ravel(), lengths


def ragged_result(inputs: Sequence[Any], crossed: CrossedRows, values: Any) -> RaggedTensor:
    """Returns the combinations of each row; row splits are int32 if those of all ragged inputs are."""
    kinds = {each.row_splits.dtype for each in inputs if isinstance(each, RaggedTensor)}
    kind = np.int32 if kinds == {np.dtype(np.int32)} else np.int64
    return RaggedTensor(values, from_lengths(crossed.lengths.astype(kind)))


def sparse_inputs(name: str, inputs: Sequence[Any]) -> Sequence[Any]:
    """Returns the inputs in TensorFlow's order: sparse ones, then dense ones. Raises TypeError for ragged ones."""
    if not isinstance(inputs, list | tuple):
        raise TypeError(f"tf.{name} takes a list of tensors, got {type(inputs).__name__}.")
    if any(isinstance(each, RaggedTensor) for each in inputs):
        raise TypeError(f"tf.{name} takes tensors and SparseTensors. Give ragged ones to tf.ragged.cross.")
    return sorted(inputs, key=lambda each: not isinstance(each, SparseTensor))


def sparse_result(crossed: CrossedRows, values: Any) -> SparseTensor:
    """Returns the combinations of each row, from its first column on."""
    row = np.repeat(np.arange(len(crossed.lengths)), crossed.lengths)
    column = np.arange(len(row)) - (np.cumsum(crossed.lengths) - crossed.lengths)[row]
    shape = [len(crossed.lengths), int(crossed.lengths.max(initial=0))]
    return SparseTensor(np.stack([row, column], axis=1).astype(np.int64), values, np.array(shape, np.int64))
