"""`tf.RaggedTensor`: rows of different lengths, as all their values one after the other and where each row begins and ends."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any, final

import jax
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.step import host_function_if_needed
from stratagem._core.values import TensorShape
from stratagem._ops._composite import hold
from stratagem._ops._convert import Tensor, is_traced, on_device, static_int, tensor
from stratagem._ops.ragged import _row_splits as row_splits_
from stratagem._ops.ragged._brackets import chosen
from stratagem._ops.ragged._makers import RaggedMakers, converted, count
from stratagem._ops.ragged._padding import entries, merged_dims, padded, taken
from stratagem._ops.ragged._row_splits import RowSplits, known
from stratagem._ops.sparse import SparseTensor

_HINT = "the shape of the result"


@exported("RaggedTensor")
@final
@hold
class RaggedTensor(RaggedMakers):
    """A tensor with dimensions whose rows may differ in length, as `tf.RaggedTensor`. Its `from_...` functions make one.

    values: of all rows, one after the other: a tensor, or a RaggedTensor if there is another ragged dimension inside.
    row_splits: row i has the values from `row_splits[i]` up to `row_splits[i + 1]`, excluded; int32 or int64, (rows + 1,).
    uniform_row_length: the length of the rows, if all are known to have the same.

    In compiled code the row splits may be known to the running program only. Then values and row lengths can be computed
    with; what needs a shape that depends on them takes a `tf.function` to host mode, and is a TracedDecisionError in a replica.
    """

    __slots__ = ()

    # --- Parts ---

    @property
    def values(self) -> Any:
        """The values of all rows, one after the other: a tensor or, with another ragged dimension, a RaggedTensor."""
        if self._spare:
            found = self._values
            return tensor(found) if isinstance(found, np.ndarray) else found
        if isinstance(self._stored, np.ndarray):
            self._stored = tensor(self._stored)
        return self._stored

    @property
    def flat_values(self) -> Tensor:
        """The values without any ragged dimension."""
        inner = self.values
        return inner.flat_values if isinstance(inner, RaggedTensor) else inner

    @property
    def row_splits(self) -> Tensor:
        """The places where the rows begin and end: (rows + 1,)."""
        if isinstance(self._splits, np.ndarray):
            if self._splits_tensor is None:
                self._splits_tensor = tensor(self._splits)
            return self._splits_tensor
        return self._splits

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The row splits of every ragged dimension, the outermost first."""
        return tuple(each.row_splits for each in self._levels())

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions, and of uniform ones outside of the innermost ragged one, without the first."""
        return len(self._levels())

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows, if it is known to be one."""
        return None if self._uniform is None else on_device(np.array(self._uniform, self._splits.dtype))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return np.dtype(_flat(self).dtype)

    @property
    def shape(self) -> TensorShape:
        """The sizes, None for dimensions whose rows may differ."""
        inner: Any = self._stored.shape
        return TensorShape([self._nrows(), self._uniform, *inner[1:]])

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
        return self.shape

    @host_function_if_needed
    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
        """Returns the number of rows, a scalar of the splits' dtype."""
        return on_device(np.array(self._nrows(), self._dtype_or(out_type)))

    def row_lengths(self, axis: Any = 1, name: str | None = None) -> Any:
        """Returns how many values each row has; with another axis than 1, the lengths of the rows inside of these rows.

        Raises ValueError for dimension 0, and for one that does not exist.
        """
        rank, where = self._rank(), static_int(axis, "a tensor is an axis")
        where += rank if where < 0 else 0
        if not 0 <= where < rank:
            raise ValueError(f"RaggedTensor.row_lengths takes an axis of {-rank} to {rank - 1}, got {axis}.")
        if where == 0:
            return self.nrows()
        if where == 1:
            return tensor(row_splits_.lengths(self._splits))
        inner = self.values
        if isinstance(inner, RaggedTensor):
            return self.with_values(inner.row_lengths(where - 1))
        return self.with_values(
            on_device(np.full(inner.shape[: where - 1], inner.shape[where - 1], self._splits.dtype))
        )

    @host_function_if_needed
    def value_rowids(self, name: str | None = None) -> Tensor:
        """Returns the row of each value."""
        return tensor(self._rowids())

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Returns the row lengths of every ragged dimension, the outermost first."""
        return tuple(tensor(row_splits_.lengths(each._splits)) for each in self._levels())

    @host_function_if_needed
    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Returns the row of each value of every ragged dimension, the outermost first."""
        return tuple(each.value_rowids() for each in self._levels())

    def row_starts(self, name: str | None = None) -> Tensor:
        """Returns where the rows begin: `row_splits` without the last."""
        return tensor(self._splits[:-1])

    def row_limits(self, name: str | None = None) -> Tensor:
        """Returns where the rows end: `row_splits` without the first."""
        return tensor(self._splits[1:])

    @host_function_if_needed
    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: DTypeLike | None = None) -> Tensor:
        """Returns the sizes of the smallest tensor in which all rows fit; for an axis, or for several, those alone."""
        longest = [int(row_splits_.lengths(s).max(initial=0)) for s in self._known_splits("its bounding shape")]
        sizes = np.array([self._nrows(), *longest, *_flat(self).shape[1:]], self._dtype_or(out_type))
        return on_device(sizes if axis is None else sizes[np.asarray(axis)])

    # --- Others like it ---

    def with_values(self, new_values: Any) -> "RaggedTensor":
        """Returns the same rows with other values. Raises ValueError for another number of them."""
        found = converted(new_values)
        if not isinstance(found, RaggedTensor) and not found.ndim:
            raise ValueError("The values of a RaggedTensor have at least one dimension, got a scalar.")
        if self._spare and count(found) == count(self._stored):
            return RaggedTensor(found, self._splits, self._uniform, spare=True)
        if count(found) != count(self._values):
            raise ValueError(
                f"with_values takes as many values as there are: {count(self._values)}, got {count(found)}."
            )
        return RaggedTensor(found, self._splits, self._uniform)

    def with_flat_values(self, new_values: Any) -> "RaggedTensor":
        """Returns the same rows, in all ragged dimensions, with other values. Raises ValueError for another number of them."""
        inner = self._stored
        return self.with_values(inner.with_flat_values(new_values) if isinstance(inner, RaggedTensor) else new_values)

    def with_row_splits_dtype(self, dtype: DTypeLike) -> "RaggedTensor":
        """Returns the same with row splits of this dtype, int32 or int64."""
        kind = row_splits_.splits_dtype(dtype)
        inner = self._values.with_row_splits_dtype(kind) if isinstance(self._values, RaggedTensor) else self._values
        return RaggedTensor(inner, self._splits.astype(kind), self._uniform)

    def merge_dims(self, outer_axis: Any, inner_axis: Any) -> Any:
        """Returns the tensor with the dimensions from `outer_axis` to `inner_axis` made one; ValueError for no such ones."""
        rank = self._rank()
        first, last = (static_int(a, "a tensor is an axis") for a in (outer_axis, inner_axis))
        first, last = (a + rank if a < 0 else a for a in (first, last))
        if not 0 <= first <= last < rank:
            raise ValueError(
                f"merge_dims takes two dimensions of {rank} in their order, got {outer_axis} and {inner_axis}."
            )
        return merged_dims(self, first, last)

    # --- Values ---

    @host_function_if_needed
    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: ShapeLike | None = None) -> Tensor:
        """Returns a dense tensor, with `default_value` (0, or the empty string) where rows have ended.

        shape: sizes of the dimensions, which cut or pad; None, for one or for all, is the longest row. In compiled code they
        are needed. Raises ValueError for a shape of another rank, and for a default of another dtype.
        """
        return padded(self, default_value, shape)

    @host_function_if_needed
    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """Returns a sparse tensor with an entry for each value."""
        return entries(self)

    def to_list(self) -> list[Any]:
        """Returns nested lists of Python's values."""
        inner = self._values.to_list() if isinstance(self._values, RaggedTensor) else _numpy(self._values).tolist()
        splits = known(self._splits, "to_list").tolist()
        return [inner[a:b] for a, b in itertools.pairwise(splits)]

    def numpy(self) -> np.ndarray:
        """Returns a NumPy array of rows, of objects if their lengths differ; else one of all dimensions."""
        inner = self._values.numpy() if isinstance(self._values, RaggedTensor) else _numpy(self._values)
        splits = known(self._splits, "numpy()").tolist()
        rows = [inner[a:b] for a, b in itertools.pairwise(splits)]
        if not rows:
            return np.array([], inner.dtype)
        if len({len(row) for row in rows}) == 1:
            return np.array(rows, rows[0].dtype)
        found = np.empty(len(rows), object)
        found[:] = rows
        return found

    def __iter__(self) -> Iterator[Any]:
        """Yields the rows."""
        known(self._splits, "a loop over it")
        return (self[i] for i in range(self._nrows()))

    @host_function_if_needed
    def __getitem__(self, key: Any) -> Any:
        """Returns what brackets choose, as of a tensor; ragged dimensions but the first take slices alone."""
        return chosen(self, key)

    def __repr__(self) -> str:
        if any(map(is_traced, jax.tree.leaves(self))):
            return f"tf.RaggedTensor(values={self._values}, row_splits={self._splits})"
        return f"<tf.RaggedTensor {self.to_list()}>"

    # --- For what is made of it ---

    def taken(self, rows: np.ndarray) -> "RaggedTensor":
        """Returns the rows with these numbers."""
        splits = known(self._splits, _HINT)
        counts = row_splits_.lengths(splits)[rows]
        places = np.repeat(splits[:-1][rows], counts) + row_splits_.within(counts)
        new = row_splits_.from_lengths(counts.astype(self._splits.dtype))
        return RaggedTensor(taken(self._values, places), new, self._uniform)

    @property
    def _differentiable(self) -> Tensor:
        return self.flat_values

    def _with_differentiable(self, values: Tensor) -> "RaggedTensor":
        return self.with_flat_values(values)

    def _with_parts(self, function: Callable[[Any], Any]) -> "RaggedTensor":
        inner = self._stored
        new = inner._with_parts(function) if isinstance(inner, RaggedTensor) else function(inner)
        return RaggedTensor(new, function(self._splits), self._uniform, self._spare)

    def _nrows(self) -> int:
        return int(np.shape(self._splits)[0]) - 1

    def _rank(self) -> int:
        return self.ragged_rank + len(_flat(self).shape)

    def _rowids(self) -> RowSplits:
        return row_splits_.rowids(self._splits, count(self._values))

    def _with_spare(self, room: int) -> "RaggedTensor":
        """Returns the same with room for this many values, the last of which is repeated. Its values are in NumPy."""
        inner = np.asarray(self._stored)
        if len(inner) >= room or not self._nrows():
            return self
        last = inner[-1:] if len(inner) else np.zeros((1, *inner.shape[1:]), inner.dtype)
        more = np.broadcast_to(last, (room - len(inner), *inner.shape[1:]))
        return RaggedTensor(np.concatenate([inner, more]), self._splits, self._uniform, spare=True)

    def _stored_values(self) -> Any:
        """The values, with the spare ones after them."""
        if not self._spare:
            return self.values
        return tensor(self._stored) if isinstance(self._stored, np.ndarray) else self._stored

    def _stored_flat(self) -> Tensor:
        """The flat values, with the spare ones after them."""
        inner: Any = self._stored_values()
        return inner._stored_flat() if isinstance(inner, RaggedTensor) else inner

    def _stored_rowids(self) -> RowSplits:
        """The row of each value; of spare ones, the number of rows."""
        if not self._spare:
            return self._rowids()
        splits, size = self._splits, count(self._stored)
        if isinstance(splits, np.ndarray):
            return np.searchsorted(splits, np.arange(size, dtype=splits.dtype), side="right").astype(splits.dtype) - 1
        return row_splits_.rowids(splits, size)

    def _levels(self) -> list["RaggedTensor"]:
        """The tensors of all ragged dimensions, the outermost first."""
        inner = self._stored
        return [self, *inner._levels()] if isinstance(inner, RaggedTensor) else [self]

    def _known_splits(self, what: str) -> list[np.ndarray]:
        return [known(each._splits, what) for each in self._levels()]

    def _dtype_or(self, dtype: DTypeLike | None) -> np.dtype[Any]:
        return np.dtype(self._splits.dtype if dtype is None else row_splits_.splits_dtype(dtype))


def _flat(ragged: RaggedTensor) -> Any:
    """The flat values with the spare ones after them, in the host's memory if they are there."""
    return _flat(ragged._stored) if isinstance(ragged._stored, RaggedTensor) else ragged._stored


def _numpy(values: Any) -> np.ndarray:
    return known(values, "its list")


def _leaves(ragged: RaggedTensor) -> tuple[tuple[Any, Any], tuple[int | None, bool]]:
    return (ragged._stored_values(), ragged.row_splits), (ragged._uniform, ragged._spare)


def _from_leaves(known: tuple[int | None, bool], leaves: Any) -> RaggedTensor:
    return RaggedTensor(leaves[0], leaves[1], *known)


jax.tree_util.register_pytree_node(RaggedTensor, _leaves, _from_leaves)
