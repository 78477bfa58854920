"""`tf.ragged.cross` and `tf.ragged.cross_hashed`."""

from collections.abc import Sequence
from typing import Any

from stratagem._base.exports import exported
from stratagem._core.step import host_function
from stratagem._ops.ragged import RaggedTensor
from stratagem._ops.text import SEPARATOR, CrossedRows, ragged_result


@exported("ragged.cross")
@host_function
def cross(inputs: Sequence[Any], name: str | None = None) -> RaggedTensor:
    """Returns all combinations of values in the rows of tensors of rank 2, joined by "_X_"; the last input changes fastest.

    inputs: integers or strings in ragged, sparse or dense tensors, all of one number of rows. Raises TypeError for what is no
    list, ValueError for other dtypes and ranks, and InvalidArgumentError for different numbers of rows.
    """
    crossed = CrossedRows("ragged.cross", inputs)
    return ragged_result(inputs, crossed, crossed.joined(SEPARATOR))


@exported("ragged.cross_hashed")
@host_function
def cross_hashed(
    inputs: Sequence[Any], num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Returns the buckets of the combinations that `cross` makes, int64, with TensorFlow's numbers.

    num_buckets: 0 gives the hashes. hash_key: another number to begin with. Raises as `cross` does.
    """
    crossed = CrossedRows("ragged.cross_hashed", inputs)
    return ragged_result(inputs, crossed, crossed.hashed(num_buckets, hash_key))
