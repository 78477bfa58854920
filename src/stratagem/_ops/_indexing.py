"""Reads and writes entries by index: gather, scatter, slice, masks, sorting, unique values."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np

from stratagem import _private
from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._core.step import host_function, is_symbolic, mark_touched
from stratagem._ops._convert import (
    Tensor,
    folds_constants,
    is_tensor,
    is_traced,
    need_value,
    on_device,
    operands,
    sized_by_contents,
    static_int,
    static_shape,
    tensor,
)
from stratagem._ops._dtypes import as_dtype, int32
from stratagem._ops._moved_strings import moves_strings
from stratagem._ops._symbolic import accept_symbols


@runtime_checkable
class ShardedTable(Protocol):
    """A sharded variable, whose rows can be read without the rest of it."""

    is_sharded_variable: bool
    variables: list[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole variable."""

    def sparse_read(self, indices: Any) -> Tensor:
        """The rows with these indices."""


class TopK(NamedTuple):
    """The result of `top_k`."""

    values: Tensor
    indices: Tensor


class Unique(NamedTuple):
    """The result of `unique`."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """The result of `unique_with_counts`."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]  # TF's name, which hides tuple's method


_IN_ONE_SHAPE: Final = (
    "Keep all entries, and let those that the mask hides count for nothing: a sum is tf.reduce_sum(tf.where(mask, x, 0)), a "
    "mean this sum / tf.reduce_sum(tf.cast(mask, x.dtype)), a maximum tf.reduce_max(tf.where(mask, x, tf.float32.min))."
)


def concrete(name: str, value: Any, advice: str | None = None) -> np.ndarray:
    """The value as a NumPy array, for a function `name` whose result's shape depends on it. advice: what to do without one."""
    array = tensor(value)
    if is_traced(array):
        what = f"the shape of what {name} returns depends on it"
        need_value(what) if advice is None else need_value(what, advice)
    return np.asarray(array)


# --- Gather and scatter -----------------------------------------------------------------------------------------------


@exported("gather", "keras.backend.gather", v1=())
@moves_strings("params")
@folds_constants
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """The slices of `params` at these positions along `axis` (the first after `batch_dims`).

    An index out of range raises InvalidArgumentError when it is known; inside a trace it gives zeros, as in TF on a GPU.
    """
    index = tensor(indices)
    of_rows = not batch_dims and axis in (None, 0) and not isinstance(params, jax.Array | np.ndarray | list | tuple)
    if of_rows:
        rows = _private.looked_up(params, index)
        if rows is not None:
            return mark_touched(params, rows)
    array = params if isinstance(params, ShardedTable) else tensor(params)
    where = batch_dims if axis is None else static_int(axis, "a tensor is an axis") % len(array.shape)
    _check_range(index, array.shape[where])
    if isinstance(array, ShardedTable):
        if where == 0:
            return mark_touched(array, _rows(array, index))
        array = tensor(array)

    def take(array: Tensor, index: Tensor) -> Tensor:
        return _of(array, jnp.take(array, index, axis=where - batch_dims, mode="fill", fill_value=0))

    taken = _batched(take, batch_dims)(array, index)
    return mark_touched(params, taken) if of_rows else taken


def _of(array: Tensor, taken: Tensor) -> Tensor:
    """Returns entries of an array. Without any, JAX makes a constant of them; as in TF, a gradient flows from there, too."""
    return taken if taken.size else array.ravel()[:0].reshape(taken.shape)


def _rows(table: ShardedTable, index: Tensor) -> Tensor:
    inside = (index >= 0) & (index < table.shape[0])
    rows = table.sparse_read(jnp.where(inside, index, 0))
    return jnp.where(inside.reshape(*index.shape, *[1] * (rows.ndim - index.ndim)), rows, jnp.zeros_like(rows))


def _batched(function: Callable[..., Tensor], dimensions: int) -> Callable[..., Tensor]:
    for _ in range(dimensions):
        function = jax.vmap(function)
    return function


def _check_range(index: Tensor | np.ndarray, size: int) -> None:
    if is_traced(index) or is_symbolic(size):
        return
    numbers = np.asarray(index)
    wrong = numbers[(numbers < 0) | (numbers >= size)]
    if wrong.size:
        raise InvalidArgumentError(f"Index {wrong.flat[0]} is not in [0, {size}).")


@exported("gather_nd", v1=())
@moves_strings("params")
@folds_constants
def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None) -> Tensor:
    """The slices of `params` at positions given by the last dimension of `indices`.

    A position out of range raises InvalidArgumentError when it is known; inside a trace it gives zeros, as in TF on a GPU.
    """
    array, positions = tensor(params), tensor(indices)
    if not is_traced(positions):
        for column, size in zip(np.moveaxis(np.asarray(positions), -1, 0), array.shape[batch_dims:], strict=False):
            _check_range(column, size)

    def take(array: Tensor, index: Tensor) -> Tensor:
        return _of(array, array.at[tuple(jnp.moveaxis(index, -1, 0))].get(mode="fill", fill_value=0))

    taken = _batched(take, batch_dims)(array, positions)
    of_rows = (
        positions.ndim == 2
        and positions.shape[1] == 1
        and not isinstance(params, jax.Array | np.ndarray | list | tuple)
    )
    return mark_touched(params, taken) if of_rows else taken


@exported("scatter_nd")
def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Zeros of this shape plus `updates` at these positions; several updates of one position add up."""
    values = tensor(updates)
    return tensor_scatter_nd_add(jnp.zeros(static_shape(shape), values.dtype), indices, values)


def _at(array: Tensor, indices: Any) -> Any:
    return array.at[tuple(jnp.moveaxis(tensor(indices), -1, 0))]


@exported("tensor_scatter_nd_update", v1=["tensor_scatter_nd_update", "tensor_scatter_update"])
@moves_strings("tensor", "updates")
def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy with the entries at these positions replaced. Of several updates of one position each has its gradient."""
    array = _tensor(tensor)
    return _replaced(array, _like(updates, array), _tensor(indices))


@jax.custom_jvp
def _replaced(array: Tensor, updates: Tensor, indices: Tensor) -> Tensor:
    return _at(array, indices).set(updates)


@_replaced.defjvp
def _replaced_rule(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Tensor, Tensor]:
    # Linear in the tangents, and its transpose is TensorFlow's gradient: what was replaced has none, every update has its own.
    array, updates, indices = primals
    # The tangent is masked because JAX cannot transpose a replacement at indices that may be equal.
    kept = jnp.where(_at(jnp.zeros(array.shape, bool), indices).set(True), 0, tangents[0])
    return _replaced(array, updates, indices), _at(kept, indices).add(tangents[1].astype(array.dtype))


@exported("tensor_scatter_nd_add", v1=["tensor_scatter_add", "tensor_scatter_nd_add"])
def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy with `updates` added at these positions."""
    array = _tensor(tensor)
    return _at(array, indices).add(_like(updates, array))


@exported("tensor_scatter_nd_sub", v1=["tensor_scatter_nd_sub", "tensor_scatter_sub"])
def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy with `updates` subtracted at these positions."""
    array = _tensor(tensor)
    return _at(array, indices).subtract(_like(updates, array))


@exported("tensor_scatter_nd_max")
def tensor_scatter_nd_max(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy with the larger of entry and update at these positions."""
    array = _tensor(tensor)
    return _at(array, indices).max(_like(updates, array))


@exported("tensor_scatter_nd_min")
def tensor_scatter_nd_min(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy with the smaller of entry and update at these positions."""
    array = _tensor(tensor)
    return _at(array, indices).min(_like(updates, array))


def _like(value: Any, array: Tensor) -> Tensor:
    return tensor(value) if is_tensor(value) else tensor(value, array.dtype)


# The parameter `tensor` of these functions, TF's name, hides the function.
_tensor = tensor


@exported("slice")
@moves_strings("input_")
@folds_constants
def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """A block that starts at `begin` (which may be traced) and has this size; -1 means everything that is left.

    Raises InvalidArgumentError for a block that is not within the tensor, if `begin` is known.
    """
    array = tensor(input_)
    starts = tensor(begin)
    sizes = static_shape(size)
    first = static_shape(starts) if -1 in sizes or not is_traced(starts) else (0,) * len(sizes)
    if not len(first) == len(sizes) == array.ndim:
        raise InvalidArgumentError(
            f"tf.slice takes begin and size of {array.ndim} numbers for shape {list(array.shape)}, got {first} and {sizes}."
        )
    sizes = tuple(n - b if s == -1 else s for n, b, s in zip(array.shape, first, sizes, strict=True))
    if any(b < 0 or s < 0 or b + s > n for n, b, s in zip(array.shape, first, sizes, strict=True)):
        raise InvalidArgumentError(
            f"tf.slice: a block of shape {sizes} from {first} on is not within a tensor of shape {list(array.shape)}."
        )
    return jax.lax.dynamic_slice(array, list(starts), sizes)


def _positions(condition: Any) -> Tensor:
    """The positions of the non-zero entries: (n, rank), int64."""
    array = concrete("tf.where", condition, _IN_ONE_SHAPE)
    if array.dtype == object:
        raise InvalidArgumentError("tf.where takes a condition, not strings. Compare them: tf.where(x == 'a').")
    return sized_by_contents(on_device(np.argwhere(array).astype(np.int64)), 0)


@exported("where", v1=["where_v2"])
@moves_strings("x", "y")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Selects `x` where the condition holds, else `y`. Without `x` and `y`: the positions of True, (n, rank), int64.

    The second form is not possible inside a trace, because its shape depends on values.
    """
    if x is None and y is None:
        return _positions(condition)
    if x is None or y is None:
        raise ValueError("tf.where takes both x and y, or neither.")
    chosen, other = operands("where", x, y)
    return jnp.where(tensor(condition).astype(np.bool_), chosen, other)


@exported("boolean_mask", v1=())
@moves_strings("tensor")
def boolean_mask(tensor: Any, mask: Any, axis: int | None = None, name: str = "boolean_mask") -> Tensor:
    """The entries for which the mask is True. Inside a trace the mask must be a constant: the shape depends on it."""
    array, chosen = _tensor(tensor), concrete("tf.boolean_mask", mask, _IN_ONE_SHAPE)
    where = 0 if axis is None else axis
    if array.shape[where : where + chosen.ndim] != chosen.shape:
        raise ValueError(f"A mask of shape {chosen.shape} does not fit {array.shape} at axis {where}.")
    flat = array.reshape((*array.shape[:where], chosen.size, *array.shape[where + chosen.ndim :]))
    return sized_by_contents(_of(flat, jnp.take(flat, np.flatnonzero(chosen), axis=where)), where)


# --- Order ------------------------------------------------------------------------------------------------------------


def _descending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction is 'ASCENDING' or 'DESCENDING', got {direction!r}.")
    return direction == "DESCENDING"


def _numbers(name: str, values: Any) -> Tensor:
    array = tensor(values)
    if array.dtype == object:
        raise InvalidArgumentError(
            f"tf.{name} takes numbers, not strings. Use Python's `sorted` of x.numpy().tolist()."
        )
    return array


@exported("sort")
def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """Sorts the entries along `axis`. Raises InvalidArgumentError for strings, as TensorFlow."""
    array = _numbers("sort", values)
    if _descending(direction) and jnp.issubdtype(array.dtype, np.floating):
        # The order of equal entries, which their gradients show, is that of the ascending sort of the negated ones.
        return -jnp.sort(-array, axis=axis)
    return jnp.sort(array, axis=axis, descending=_descending(direction))


@exported("argsort")
def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The positions that sort the entries; int32, stable. Raises InvalidArgumentError for strings, as TensorFlow."""
    return jnp.argsort(_numbers("argsort", values), axis=axis, descending=_descending(direction)).astype(np.int32)


@exported("math.top_k", "nn.top_k")
def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: DTypeLike = int32, name: str | None = None) -> TopK:
    """The `k` largest entries of the last dimension and their positions; InvalidArgumentError if there are fewer entries."""
    array, count = tensor(input), static_int(k, "a tensor is the k of tf.math.top_k")
    if not array.ndim or count > array.shape[-1]:
        raise InvalidArgumentError(
            f"tf.math.top_k: a tensor of shape {list(array.shape)} has no {count} entries in a row."
        )
    values, indices = jax.lax.top_k(array, count)
    return TopK(values, indices.astype(as_dtype(index_type).dtype))


@exported("math.in_top_k", "nn.in_top_k", v1=())
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Tells for each target class if it is among the `k` best predictions; ties count as better, non-finite ones never.

    A class that does not exist is not among them.
    """
    scores, classes = tensor(predictions), tensor(targets)
    exists = (classes >= 0) & (classes < scores.shape[1])
    own = jnp.take_along_axis(scores, jnp.where(exists, classes, 0)[:, None], axis=1)
    better = jnp.sum(scores > own, axis=1)
    orderly = jnp.all(jnp.isfinite(scores) | (scores <= own), axis=1) & jnp.isfinite(own[:, 0])
    return exists & (better < tensor(k)) & orderly


@exported("searchsorted")
def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = int32, name: str | None = None
) -> Tensor:
    """The positions at which the values would be inserted into the sorted last dimension."""

    def find(row: Tensor, wanted: Tensor) -> Tensor:
        return jnp.searchsorted(row, wanted, side=side)

    sequence = tensor(sorted_sequence)
    return _batched(find, sequence.ndim - 1)(sequence, tensor(values)).astype(as_dtype(out_type).dtype)


@exported("unique")
def unique(x: Any, out_idx: Any = int32, name: str | None = None) -> Unique:
    """The distinct entries of a 1-D tensor, in order of appearance, and the position of each entry among them."""
    return Unique(*unique_with_counts(x, out_idx)[:2])


@exported("unique_with_counts")
@host_function
def unique_with_counts(x: Any, out_idx: Any = int32, name: str | None = None) -> UniqueWithCounts:
    """The same as `unique`, with the count of each distinct entry. Only for known values: the shape depends on them."""
    values_now, kind = concrete("tf.unique", x), as_dtype(out_idx).dtype
    values, first, inverse, counts = np.unique(values_now, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    places = np.empty(len(order), kind)
    places[order] = np.arange(len(order), dtype=kind)
    found, index, count = map(on_device, (values[order], places[inverse.ravel()], counts[order].astype(kind)))
    return UniqueWithCounts(sized_by_contents(found, 0), index, sized_by_contents(count, 0))


accept_symbols(globals())
