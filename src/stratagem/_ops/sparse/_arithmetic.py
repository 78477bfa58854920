"""Arithmetic of sparse tensors: sums, products, extremes and other functions of their entries."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.step import host_function_if_needed
from stratagem._ops import _arrays, _elementwise
from stratagem._ops._composite import rule
from stratagem._ops._convert import Tensor, is_traced, on_device, static_axes, static_int, tensor
from stratagem._ops._indexing import concrete, gather, gather_nd, tensor_scatter_nd_add
from stratagem._ops._segments import unsorted_segment_max, unsorted_segment_sum
from stratagem._ops.linalg import adjoint
from stratagem._ops.sparse._dense import checked
from stratagem._ops.sparse._layout import axis_in, chosen, flat_places, sparse_of
from stratagem._ops.sparse._sparse_tensor import SparseTensor


@exported("sparse.map_values", v1=())
@host_function_if_needed
def map_values(op: UserFunction, *args: Any, **kwargs: Any) -> Any:
    """Returns what `op` makes of the values of all sparse tensors among its arguments, with their indices.

    Without sparse tensors it is `op(*args, **kwargs)`. Raises ValueError for sparse tensors of different indices.
    """
    given = [v for v in (*args, *kwargs.values()) if isinstance(v, SparseTensor)]

    def values(v: Any) -> Any:
        return v.values if isinstance(v, SparseTensor) else v

    result = op(*map(values, args), **{key: values(v) for key, v in kwargs.items()})
    if not given:
        return result
    first = given[0]
    if not all(is_traced([v.indices, first.indices]) or np.array_equal(v.indices, first.indices) for v in given):
        raise ValueError("tf.sparse.map_values takes sparse tensors with the same indices.")
    return first.with_values(result)


@exported("sparse.add", v1=())
@host_function_if_needed
def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Returns the sum: of two sparse tensors a sparse one, of a sparse and a dense one a dense one.

    threshold: sparse sums of a smaller magnitude are left out. Raises TypeError without sparse tensors, InvalidArgumentError
    for different shapes.
    """
    if not isinstance(a, SparseTensor) or not isinstance(b, SparseTensor):
        sparse, dense = (a, b) if isinstance(a, SparseTensor) else (checked("add", b), a)
        return tensor_scatter_nd_add(tensor(dense, None), sparse.indices, sparse.values)
    union = _Union("add", a, b)
    values = unsorted_segment_sum(_arrays.concat([a.values, b.values], 0), union.places, union.count)
    found = sparse_of(union.indices, values, union.shape)
    least = concrete("tf.sparse.add", threshold)
    if not least > 0:
        return found
    return chosen(found, np.abs(concrete("tf.sparse.add", values)) >= least, union.indices, found.dense_shape)


class _Union:
    """The indices that two sparse tensors of one shape have together, in row-major order."""

    def __init__(self, name: str, a: SparseTensor, b: SparseTensor) -> None:
        self.shape = a.known_shape(f"tf.sparse.{name}")
        if b.known_shape(f"tf.sparse.{name}") != self.shape:
            raise InvalidArgumentError(f"tf.sparse.{name} takes one shape, got {a.shape} and {b.shape}.")
        own = [each.known_indices(f"tf.sparse.{name}") for each in (a, b)]
        flat = np.concatenate([flat_places(each, self.shape) for each in own])
        _, first, self.places = np.unique(flat, return_index=True, return_inverse=True)
        self.indices, self.count, self.first_count = np.concatenate(own)[first], len(first), len(own[0])

    def zeros_and(self, sparse: SparseTensor, places: np.ndarray) -> Tensor:
        """The values at all indices, 0 where the tensor has none."""
        return unsorted_segment_sum(sparse.values, places, self.count)


def _extreme(name: str, function: UserFunction, a: SparseTensor, b: SparseTensor) -> SparseTensor:
    union = _Union(name, checked(name, a), checked(name, b))
    first, second = union.places[: union.first_count], union.places[union.first_count :]
    values = function(union.zeros_and(a, first), union.zeros_and(b, second))
    return sparse_of(union.indices, values, union.shape)


@exported("sparse.maximum", v1=["sparse_maximum", "sparse.maximum"])
@host_function_if_needed
def maximum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """Returns the larger of two tensors where either has an entry; a missing one is 0. Raises as `add` does."""
    return _extreme("maximum", _elementwise.maximum, sp_a, sp_b)


@exported("sparse.minimum", v1=["sparse_minimum", "sparse.minimum"])
@host_function_if_needed
def minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """Returns the smaller of two tensors where either has an entry; a missing one is 0. Raises as `add` does."""
    return _extreme("minimum", _elementwise.minimum, sp_a, sp_b)


@exported(
    "sparse.sparse_dense_matmul", v1=["sparse_tensor_dense_matmul", "sparse.matmul", "sparse.sparse_dense_matmul"]
)
@host_function_if_needed
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """Returns the product of a sparse and a dense matrix, in either order, or of their adjoints.

    It has gradients by the values and by the dense matrix, also in compiled steps where the sparse shape is known. Raises
    InvalidArgumentError for matrices that do not fit.
    """
    if isinstance(b, SparseTensor):  # A B = (B^H A^H)^H
        return adjoint(sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a))
    sparse = checked("sparse_dense_matmul", sp_a)
    dense = adjoint(tensor(b)) if adjoint_b else tensor(b)
    shape, (rows, columns) = sparse.known_shape("tf.sparse.sparse_dense_matmul"), (0, 1)
    values = sparse.values
    if adjoint_a:
        shape, (rows, columns), values = shape[::-1], (1, 0), _elementwise.conj(values)
    if len(shape) != 2 or dense.ndim != 2 or shape[1] != dense.shape[0]:
        raise InvalidArgumentError(
            f"tf.sparse.sparse_dense_matmul: matrices of shapes {list(shape)} and {list(dense.shape)} have no product."
        )
    factors = gather(dense, sparse.indices[:, columns])
    return unsorted_segment_sum(values[:, None] * factors, sparse.indices[:, rows], shape[0])


def _groups(sparse: SparseTensor, kept: list[int], shape: tuple[int, ...]) -> Any:
    """For each entry the place of its indices in these dimensions, in row-major order."""
    sizes = [shape[i] for i in kept]
    if not is_traced(sparse.indices):
        return flat_places(np.asarray(sparse.indices)[:, kept], sizes)
    places = jnp.zeros(sparse.indices.shape[0], sparse.indices.dtype)
    for i, size in zip(kept, sizes, strict=True):
        places = places * size + sparse.indices[:, i]
    return places


def _reduced(
    name: str, function: UserFunction, sp_input: SparseTensor, axis: Any, keepdims: bool, output_is_sparse: bool
) -> Any:
    sparse = checked(name, sp_input)
    shape = sparse.known_shape(f"the shape of tf.sparse.{name}")
    given = static_axes(axis)
    axes = (
        range(len(shape))
        if given is None
        else {axis_in(name, a, len(shape)) for a in np.ravel(np.array(given)).tolist()}
    )
    kept = [i for i in range(len(shape)) if i not in axes]
    groups, sizes = _groups(sparse, kept, shape), [shape[i] for i in kept]
    new = [1 if i in axes else n for i, n in enumerate(shape)] if keepdims else sizes
    if not output_is_sparse:
        return function(sparse.values, groups, int(np.prod(sizes, dtype=int))).reshape(tuple(new))
    found, places = np.unique(concrete(f"tf.sparse.{name}", groups), return_inverse=True)
    indices = np.stack(np.unravel_index(found, new), axis=1) if new else np.zeros((len(found), 0), np.int64)
    return sparse_of(indices, function(sparse.values, places, len(found)), new)


@exported("sparse.reduce_sum", v1=())
@host_function_if_needed
def reduce_sum(
    sp_input: SparseTensor,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the sums of the entries over these dimensions, by default over all: a tensor, or a sparse one if asked for."""
    return _reduced("reduce_sum", unsorted_segment_sum, sp_input, axis, bool(keepdims), output_is_sparse)


@exported("sparse.reduce_max", v1=())
@host_function_if_needed
def reduce_max(
    sp_input: SparseTensor,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the largest entries over these dimensions, by default over all; 0 where there is none."""
    return _reduced("reduce_max", _largest, sp_input, axis, bool(keepdims), output_is_sparse)


def _largest(values: Tensor, groups: Any, count: int) -> Tensor:
    found = unsorted_segment_max(values, groups, count)
    entries = unsorted_segment_sum(jnp.ones(values.shape, np.int32), groups, count)
    return jnp.where(entries == 0, jnp.zeros_like(found), found)


@exported("sparse.softmax", v1=["sparse_softmax", "sparse.softmax"])
@host_function_if_needed
def softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """Returns the softmax over the entries of each row of the last dimension. Raises ValueError for one dimension."""
    sparse = checked("softmax", sp_input)
    shape = sparse.known_shape("tf.sparse.softmax")
    if len(shape) < 2:
        raise ValueError(f"tf.sparse.softmax takes a tensor of rank 2 or more, got {len(shape)}.")
    groups, count = _groups(sparse, list(range(len(shape) - 1)), shape), int(np.prod(shape[:-1], dtype=int))
    largest = unsorted_segment_max(sparse.values, groups, count)
    powers = _elementwise.exp(sparse.values - gather(largest, groups))
    return sparse.with_values(powers / gather(unsorted_segment_sum(powers, groups, count), groups))


@exported("sparse.to_indicator", v1=["sparse_to_indicator", "sparse.to_indicator"])
@host_function_if_needed
def to_indicator(sp_input: SparseTensor, vocab_size: Any, name: str | None = None) -> Tensor:
    """Returns where the values of each row of the last dimension are: bool, (*shape[:-1], vocab_size).

    Raises InvalidArgumentError for a value that is not from 0 to vocab_size - 1.
    """
    sparse = checked("to_indicator", sp_input)
    size = static_int(vocab_size, "a tensor is the size of tf.sparse.to_indicator")
    indices, values = sparse.known_indices("tf.sparse.to_indicator"), concrete("tf.sparse.to_indicator", sparse.values)
    if ((values < 0) | (values >= size)).any():
        raise InvalidArgumentError(
            f"tf.sparse.to_indicator: values are from 0 to {size - 1}, got {values.tolist()!s:.200}."
        )
    found = np.zeros((*sparse.known_shape("tf.sparse.to_indicator")[:-1], size), bool)
    found[(*indices[:, :-1].T, values)] = True
    return on_device(found)


# --- Operators and functions of each entry ----------------------------------------------------------------------------


def _with_dense(function: UserFunction, sparse: SparseTensor, other: Any) -> SparseTensor:
    """The result of a function of the entries and of those of a dense tensor, broadcast to the sparse shape."""
    dense = tensor(other) if np.ndim(other) else other
    if np.ndim(other):
        dense = gather_nd(
            jnp.broadcast_to(dense, sparse.known_shape("a sparse tensor times a dense one")), sparse.indices
        )
    return sparse.with_values(function(sparse.values, dense))


def give_rules() -> None:
    """Lets sparse tensors have operators, and functions of each entry take them."""
    of_each: tuple[Callable[..., Any], ...] = (
        _elementwise.abs, _elementwise.negative, _elementwise.sign, _elementwise.square, _arrays.cast,
    )  # fmt: skip
    for each in of_each:
        rule(SparseTensor, each.__name__)(_of_values(each))
    for symbol, function in {"mul": _elementwise.multiply, "truediv": _elementwise.truediv}.items():
        setattr(SparseTensor, f"__{symbol}__", _operator(function))


def _operator(function: UserFunction) -> UserFunction:
    return lambda self, other: _with_dense(function, self, other)


def _of_values(function: UserFunction) -> UserFunction:
    return lambda x, *args, **kwargs: x.with_values(function(x.values, *args, **kwargs))
