"""`tf.sparse.cross` and `tf.sparse.cross_hashed`."""

from collections.abc import Sequence
from typing import Any

from stratagem._base.exports import exported
from stratagem._core.step import host_function
from stratagem._ops.sparse import SparseTensor
from stratagem._ops.text import SEPARATOR, CrossedRows, sparse_inputs, sparse_result


@exported("sparse.cross")
@host_function
def cross(inputs: Sequence[Any], name: str | None = None, separator: str | None = None) -> SparseTensor:
    """Returns all combinations of values in the rows of tensors of rank 2, joined by the separator, "_X_" by default.

    inputs: integers or strings in sparse or dense tensors, all of one number of rows; sparse ones come first, and the last
    changes fastest. Raises TypeError for ragged tensors and for what is no list, ValueError for other dtypes and ranks, and
    InvalidArgumentError for different numbers of rows.
    """
    crossed = CrossedRows("sparse.cross", sparse_inputs("sparse.cross", inputs))
    return sparse_result(crossed, crossed.joined(SEPARATOR if separator is None else separator))


@exported("sparse.cross_hashed")
@host_function
def cross_hashed(
    inputs: Sequence[Any], num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Returns the buckets of the combinations that `cross` makes, int64, with TensorFlow's numbers.

    num_buckets: 0 gives the hashes. hash_key: another number to begin with. Raises as `cross` does.
    """
    crossed = CrossedRows("sparse.cross_hashed", sparse_inputs("sparse.cross_hashed", inputs))
    return sparse_result(crossed, crossed.hashed(num_buckets, hash_key))
