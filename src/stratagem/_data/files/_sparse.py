"""`tf.sparse`: the tensors that `VarLenFeature` gives, and their conversion to dense ones."""

from typing import Any, NamedTuple, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import TensorLike
from stratagem._core.values import TensorShape
from stratagem._data.elements._nest import Array, CompositeTensor
from stratagem._data.files._host_tensor import numbers, on_host


class _SparseTensorFields(NamedTuple):
    indices: Any
    values: Any
    dense_shape: Any


@final
class SparseTensor(_SparseTensorFields, CompositeTensor):
    """Entries of a tensor by their indices; all others are zero or empty. Convert it by `tf.sparse.to_dense` before operations.

    indices: (n, rank), int64, in row-major order. values: (n,). dense_shape: (rank,), int64. Datasets treat it as a
    nest of these three, which they cannot batch, and as one argument of the functions that they call.
    """

    __slots__ = ()

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        dtype: np.dtype[Any] = on_host(self.values, "SparseTensor.dtype").dtype
        return dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the dense tensor."""
        return TensorShape(on_host(self.dense_shape, "SparseTensor.shape").tolist())


def to_dense(
    sp_input: SparseTensor, default_value: TensorLike = None, validate_indices: bool = True, name: str | None = None
) -> Array:
    """A tensor of `dense_shape` with `default_value`, zero or the empty string where there is no entry.

    Raises:
        TypeError: `sp_input` is not a SparseTensor.
        InvalidArgumentError: an index is out of bounds or, with `validate_indices`, repeated or out of order.
    """
    if not isinstance(sp_input, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, got {type(sp_input).__name__}.")
    parts = (sp_input.indices, sp_input.values, sp_input.dense_shape)
    indices, values, shape = (on_host(part, "tf.sparse.to_dense") for part in parts)
    _check(indices, shape, ordered=validate_indices)
    if default_value is None:
        default_value = b"" if values.dtype == object else 0
    default = on_host(default_value, "tf.sparse.to_dense").astype(values.dtype)
    dense = np.full(tuple(shape), default, values.dtype)
    dense[tuple(indices.T)] = values
    return numbers(dense)


def _check(indices: Array, shape: Array, *, ordered: bool) -> None:
    outside = ((indices < 0) | (indices >= shape)).any(axis=1)
    if outside.any():
        bad = int(outside.argmax())
        raise InvalidArgumentError(
            f"indices[{bad}] = {indices[bad].tolist()} is out of bounds: need 0 <= index < {shape.tolist()}."
        )
    if not ordered or len(indices) < 2:
        return
    flat = np.ravel_multi_index(tuple(indices.T), tuple(shape))
    wrong = np.diff(flat) <= 0
    if wrong.any():
        bad = int(wrong.argmax()) + 1
        what = "repeated" if flat[bad] == flat[bad - 1] else "out of order"
        raise InvalidArgumentError(f"indices[{bad}] = {indices[bad].tolist()} is {what}.")
