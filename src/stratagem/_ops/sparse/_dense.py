"""Sparse tensors from dense ones and back."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import host_function_if_needed
from stratagem._ops._convert import StringTensor, Tensor, is_traced, need_value, tensor
from stratagem._ops._indexing import gather_nd, tensor_scatter_nd_update
from stratagem._ops.sparse._sparse_tensor import SparseTensor


def checked(name: str, sp_input: Any) -> SparseTensor:
    """Returns a SparseTensor. Raises TypeError for what is none."""
    if not isinstance(sp_input, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor: tf.sparse.{name} got {type(sp_input).__name__}.")
    return sp_input


@exported("sparse.to_dense", v1=["sparse_tensor_to_dense", "sparse.to_dense"])
@host_function_if_needed
def to_dense(
    sp_input: SparseTensor,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Returns a tensor of `dense_shape` with `default_value`, zero or the empty string where there is no entry.

    Raises:
        TypeError: `sp_input` is not a SparseTensor.
        InvalidArgumentError: an index is out of bounds or, with `validate_indices`, repeated or out of order; as far as
            indices are known.
    """
    sparse = checked("to_dense", sp_input)
    shape = sparse.known_shape("the shape of tf.sparse.to_dense")
    if not is_traced(sparse._indices):
        check(sparse.known_indices("to_dense"), shape, ordered=validate_indices)
    if sparse.dtype == object:
        found = np.full(shape, b"" if default_value is None else np.asarray(tensor(default_value))[()], object)
        found[tuple(sparse.known_indices("tf.sparse.to_dense of strings").T)] = np.asarray(sparse._values)
        return found.view(StringTensor)  # type: ignore[return-value]
    fill = tensor(0 if default_value is None else default_value, sparse.dtype)
    return tensor_scatter_nd_update(jnp.broadcast_to(fill, shape), sparse.indices, sparse.values)


def check(indices: np.ndarray, shape: tuple[int, ...], *, ordered: bool) -> None:
    """Raises InvalidArgumentError for an index out of bounds and, if they are to be `ordered`, repeated or out of order."""
    outside = ((indices < 0) | (indices >= np.array(shape, np.int64))).any(axis=1)
    if outside.any():
        bad = int(outside.argmax())
        raise InvalidArgumentError(
            f"indices[{bad}] = {indices[bad].tolist()} is out of bounds: need 0 <= index < {list(shape)}."
        )
    if not ordered or len(indices) < 2:
        return
    flat = np.ravel_multi_index(tuple(indices.T), shape)
    wrong = np.diff(flat) <= 0
    if wrong.any():
        bad = int(wrong.argmax()) + 1
        what = "repeated" if flat[bad] == flat[bad - 1] else "out of order"
        raise InvalidArgumentError(f"indices[{bad}] = {indices[bad].tolist()} is {what}.")


@exported("sparse.from_dense")
@host_function_if_needed
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Returns the entries of a tensor that are not zero, False or empty. They are known: the shape depends on their number."""
    array = _tensor(tensor)
    if is_traced(array):
        need_value("the number of entries that tf.sparse.from_dense finds depends on it")
    known = np.asarray(array)
    indices = np.argwhere(known != (b"" if known.dtype == object else 0)).astype(np.int64)
    return SparseTensor(indices, gather_nd(array, indices), np.array(known.shape, np.int64))


# The parameter `tensor` of `from_dense`, TensorFlow's name, hides the function.
_tensor = tensor
