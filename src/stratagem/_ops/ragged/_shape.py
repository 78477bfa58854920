"""`tf.experimental.DynamicRaggedShape`: the shape of a ragged tensor with the lengths of its rows, which `tf.shape` gives."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, final

import jax
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike, UserFunction
from stratagem._core.values import CompositeTensor
from stratagem._ops import _arrays, _creation
from stratagem._ops._composite import hold, rule
from stratagem._ops._convert import Tensor, is_traced, on_device, static_int, tensor
from stratagem._ops._dtypes import DType, as_dtype
from stratagem._ops.ragged import _row_splits as row_splits_
from stratagem._ops.ragged._broadcasting import applied
from stratagem._ops.ragged._ragged_tensor import RaggedTensor
from stratagem._ops.ragged._row_splits import RowSplits, known


@exported("experimental.DynamicRaggedShape")
@final
@hold
class DynamicRaggedShape(CompositeTensor):
    """The shape of a ragged tensor: for each dimension its size, or the lengths of its rows.

    splits: the row splits of every ragged dimension, the outermost first. inner: the sizes of flat values, the first of
    which is their number. uniform: for every dimension of `splits`, the length that all its rows have, or None.
    """

    __slots__ = ("_inner", "_splits", "_uniform")

    def __init__(self, splits: Sequence[RowSplits], inner: Sequence[int], uniform: Sequence[int | None]) -> None:
        self._splits, self._inner, self._uniform = tuple(splits), tuple(inner), tuple(uniform)

    @classmethod
    def from_tensor(cls, t: Any, dtype: DTypeLike | None = None) -> "DynamicRaggedShape":
        """Returns the shape of a tensor or a ragged tensor. dtype: of lengths, int32 or int64."""
        kind = np.dtype(np.int64) if dtype is None else row_splits_.splits_dtype(dtype)
        if not isinstance(t, RaggedTensor):
            return cls((), tensor(t).shape, ())
        levels = t._levels()
        splits = [level._splits if level._splits.dtype == kind else level._splits.astype(kind) for level in levels]
        return cls(splits, t.flat_values.shape, [level._uniform for level in levels])

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[Any | Sequence[int]],
        num_row_partitions: Any = None,
        dtype: DTypeLike = np.int64,
    ) -> "DynamicRaggedShape":
        """Returns a shape, given for each dimension its size, or the lengths of its rows. Raises ValueError for other lengths.

        num_row_partitions: how many dimensions after the first have rows; by default up to the last that is ragged.
        """
        parts = list(lengths)
        ragged = [i for i, part in enumerate(parts) if isinstance(part, list | tuple | np.ndarray)]
        levels = (
            max(ragged, default=0) if num_row_partitions is None else static_int(num_row_partitions, "it is a number")
        )
        if not parts or 0 in ragged or max(ragged, default=0) > levels or levels >= max(len(parts), 1):
            raise ValueError(f"{lengths!r:.100} are no lengths of dimensions, {levels} of them with rows.")
        kind, count, splits, uniform = row_splits_.splits_dtype(dtype), int(np.asarray(parts[0])), [], []
        for part in parts[1 : levels + 1]:
            one = not isinstance(part, list | tuple | np.ndarray)
            rows = np.full(count, part, kind) if one else np.asarray(part, kind)
            if len(rows) != count:
                raise ValueError(f"{len(rows)} lengths are not those of {count} rows.")
            splits.append(row_splits_.from_lengths(rows))
            uniform.append(int(np.asarray(part)) if one else None)
            count = int(splits[-1][-1])
        return cls(splits, [count, *(int(np.asarray(part)) for part in parts[levels + 1 :])], uniform)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self._splits) + len(self._inner)

    @property
    def num_row_partitions(self) -> int:
        """The number of dimensions with rows, ragged ones and uniform ones outside of them, without the first."""
        return len(self._splits)

    @property
    def inner_shape(self) -> Tensor:
        """The sizes of the flat values."""
        return on_device(np.array(self._inner, self._kind()))

    @property
    def inner_rank(self) -> int:
        """The number of dimensions of the flat values."""
        return len(self._inner)

    @property
    def dtype(self) -> DType:
        """The type of lengths, int32 or int64."""
        return as_dtype(self._kind())

    def with_dtype(self, dtype: DTypeLike) -> "DynamicRaggedShape":
        """Returns the same with lengths of another type."""
        kind = row_splits_.splits_dtype(dtype)
        return DynamicRaggedShape([splits.astype(kind) for splits in self._splits], self._inner, self._uniform)

    def is_uniform(self, axis: Any) -> bool:
        """Returns whether a dimension has one size. Raises IndexError for one that does not exist."""
        where = static_int(axis, "a tensor is an axis")
        if not 0 <= where < self.rank:
            raise IndexError(f"Expected 0 <= axis < {self.rank}, got {where}.")
        return not 0 < where <= len(self._splits) or self._uniform[where - 1] is not None

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Returns for each dimension its size, or the lengths of its rows: a tuple, or None without `ragged_lengths`."""
        found: list[Any] = [self._size(0)]
        for splits, uniform in zip(self._splits, self._uniform, strict=True):
            if uniform is None and ragged_lengths:
                found.append(tuple(row_splits_.lengths(known(splits, "static_lengths()")).tolist()))
            else:
                found.append(uniform)
        return [*found, *self._inner[1:]]

    def __getitem__(self, key: Any) -> Any:
        """Returns the size of a dimension, or the shape of some dimensions that begin with the first.

        Raises ValueError for a ragged dimension, and for a slice of others.
        """
        if isinstance(key, slice):
            chosen = range(self.rank)[key]
            if list(chosen) == list(range(self.rank)):
                return self
            lengths = self.static_lengths()
            if chosen.step != 1 or (chosen.start and any(not self.is_uniform(i) for i in chosen)):
                raise ValueError("All relevant dimensions must be uniform")
            return DynamicRaggedShape.from_lengths([lengths[i] for i in chosen], dtype=self._kind())
        where = static_int(key, "a tensor is the number of a dimension")
        where += self.rank if where < 0 else 0
        if not 0 <= where < self.rank:
            raise IndexError(f"Index must be in [{-self.rank}, {self.rank}), got {key}.")
        if not self.is_uniform(where):
            raise ValueError(f"Index {where} is not uniform")
        return on_device(np.array(self._size(where), self._kind()))

    def __eq__(self, other: object) -> Any:
        """Returns whether two shapes have the same lengths."""
        if not isinstance(other, DynamicRaggedShape):
            return False
        return on_device(np.array(self.static_lengths() == other.static_lengths()))

    def __repr__(self) -> str:
        if any(map(is_traced, self._splits)):
            return f"<DynamicRaggedShape of rank {self.rank} num_row_partitions={self.num_row_partitions}>"
        shown = ", ".join(str(length) for length in self.static_lengths())
        return f"<DynamicRaggedShape lengths=[{shown}] num_row_partitions={self.num_row_partitions}>"

    def _of(self, flat_values: Any) -> Any:
        """Returns a tensor of this shape, ragged if it is, with these flat values."""
        found: Any = flat_values
        for splits, uniform in reversed(list(zip(self._splits, self._uniform, strict=True))):
            found = RaggedTensor(found, splits, uniform)
        return found

    def _size(self, where: int) -> int | None:
        if where > len(self._splits) or not self._splits:
            return self._inner[where - len(self._splits)]
        return row_splits_.nrows(self._splits[0]) if where == 0 else self._uniform[where - 1]

    def _kind(self) -> np.dtype:
        return np.dtype(self._splits[0].dtype) if self._splits else np.dtype(np.int64)

    @property
    def _differentiable(self) -> jax.Array:
        raise TypeError("A DynamicRaggedShape has no gradient.")

    def _with_differentiable(self, values: jax.Array) -> "DynamicRaggedShape":
        raise TypeError("A DynamicRaggedShape has no gradient.")

    def _with_parts(self, function: Callable[[Any], Any]) -> "DynamicRaggedShape":
        return DynamicRaggedShape([function(splits) for splits in self._splits], self._inner, self._uniform)


def _leaves(shape: DynamicRaggedShape) -> tuple[tuple[Any, ...], tuple[Any, Any]]:
    return tuple(map(tensor, shape._splits)), (shape._inner, shape._uniform)


def _from_leaves(rest: tuple[Any, Any], splits: Any) -> DynamicRaggedShape:
    return DynamicRaggedShape(splits, *rest)


jax.tree_util.register_pytree_node(DynamicRaggedShape, _leaves, _from_leaves)


@rule(RaggedTensor, "shape")
def shape(input: RaggedTensor, out_type: DTypeLike = np.int32, name: str | None = None) -> DynamicRaggedShape:
    """Returns the shape of a ragged tensor, with the lengths of its rows."""
    return DynamicRaggedShape.from_tensor(input, out_type)


@rule(RaggedTensor, "reshape")
def reshape(tensor: RaggedTensor, shape: ShapeLike, name: str | None = None) -> Any:
    """Returns the flat values in another shape, one of sizes or a DynamicRaggedShape."""
    return _reshaped(tensor.flat_values, shape)


@rule(DynamicRaggedShape, "reshape")
def _reshaped(tensor: Any, shape: Any, name: str | None = None) -> Any:
    flat = tensor.flat_values if isinstance(tensor, RaggedTensor) else tensor
    if not isinstance(shape, DynamicRaggedShape):
        return _arrays.reshape(flat, shape)
    return shape._of(_arrays.reshape(flat, list(shape._inner)))


@rule(RaggedTensor, "broadcast_to")
@rule(DynamicRaggedShape, "broadcast_to")
def broadcast_to(input: Any, shape: DynamicRaggedShape, name: str | None = None) -> Any:
    """Returns a tensor, or a ragged one, repeated to this shape. Raises InvalidArgumentError if it does not become it."""
    if not isinstance(shape, DynamicRaggedShape):
        raise TypeError(
            "tf.broadcast_to of a RaggedTensor takes a shape with row lengths, as tf.shape of another gives it."
        )
    if not shape._splits:
        return _arrays.broadcast_to(input, list(shape._inner))
    places = shape._of(_creation.zeros(list(shape._inner), np.int32))
    found = applied(lambda value, place: _arrays.broadcast_to(value, place.shape), input, places)
    pairs = itertools.zip_longest((level._splits for level in found._levels()), shape._splits)
    if not all(a is not None and b is not None and row_splits_.same(a, b) for a, b in pairs):
        raise InvalidArgumentError(f"A tensor of shape {input.shape} cannot be broadcast to {shape!r}.")
    return found


def _of_one_value(function: UserFunction) -> UserFunction:
    def fill(shape: DynamicRaggedShape, *args: Any, **kwargs: Any) -> Any:
        return shape._of(function(list(shape._inner), *args, **kwargs))

    return fill


def give_rules() -> None:
    """Lets functions of shapes take those of ragged tensors."""
    for name in ("zeros", "ones"):
        rule(DynamicRaggedShape, name)(_of_one_value(getattr(_creation, name)))

    def fill(dims: DynamicRaggedShape, value: Any, name: str | None = None) -> Any:
        return dims._of(_creation.fill(list(dims._inner), value))

    rule(DynamicRaggedShape, "fill")(fill)
