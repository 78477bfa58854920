"""ShardedVariable: a variable in parts, as a view of the variables that are its parts."""

import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NoReturn, final

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem._core.values._identity_reference import Reference
from stratagem._core.values._partial_assignment import assign_rows
from stratagem._core.values._regularizers import WholeConstraint, WholeRegularizer, is_by_row, is_sum
from stratagem._core.values._tensor_shape import TensorShape
from stratagem._core.values._variable import IndexedSlices
from stratagem._private import BIT_OPERATORS, KerasVariable, is_view


def rows_of(table: Any, ids: Any) -> jax.Array:
    """Returns the rows of a variable with these numbers, integers of any shape (...): (..., *row).

    As in `jnp.take`, a negative number counts from the end, and one out of range gives NaN (for integers the minimum).
    Calls Keras' `take`, which layers use as well, so that look-ups are hooked in one place.
    """
    rows: jax.Array = keras.ops.take(table, ids, axis=0)
    return rows


def _concatenated(shards: Sequence[Any]) -> jax.Array:
    values = [shard.value for shard in shards]
    return values[0] if len(values) == 1 else jnp.concatenate(values)


@final
class ShardedVariable:
    """A variable whose rows are distributed over several variables along dimension 0, as TensorFlow's `ShardedVariable`.

    It is used like a `tf.Variable`; as a tensor it is its shards' values concatenated. Gradients, optimizers and
    `model.weights` use the shards, which are in `variables`.

    variables: the shards; none may belong to another sharded variable. They keep this object alive.
    Raises TypeError for anything but a list of at least one variable, ValueError if their dtypes, or their shapes beyond
    dimension 0, differ.
    """

    is_sharded_variable: ClassVar[bool] = True

    def __init__(
        self, variables: Sequence[keras.Variable], name: str = "ShardedVariable", *, path: str | None = None
    ) -> None:
        listed = isinstance(variables, Sequence) and len(variables) > 0
        if not listed or not all(isinstance(v, KerasVariable) for v in variables):
            raise TypeError(
                f"Argument `variables` should be a non-empty list of variables. Received {variables!r:.200}"
            )
        dtypes = [v._dtype for v in variables]
        if len(set(dtypes)) > 1:
            raise ValueError(
                f"All elements in argument `variables` must have the same dtype. Received dtypes: {dtypes}"
            )
        shapes = [tuple(v.shape) for v in variables]
        if () in shapes or len({shape[1:] for shape in shapes}) > 1:
            raise ValueError(
                "All elements in argument `variables` must have the same shapes except for the first axis. "
                f"Received shapes: {shapes}"
            )
        self.variables = list(variables)
        self.name = name
        self.path = name if path is None else path
        self._offsets = [0, *itertools.accumulate(shape[0] for shape in shapes)]
        self._regularizer: Any = variables[0].regularizer
        self._constraint: Any = variables[0].constraint
        self._incomplete_slots: dict[tuple[int, str], dict[int, Any]] = {}
        for variable in variables:
            variable._sharded_variable = self

    # --- Facts and value --------------------------------------------------------------------------------------------

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole variable."""
        return TensorShape((self._offsets[-1], *self.variables[0].shape[1:]))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of every shard; inside a layer of mixed precision, the dtype that it computes with."""
        return self.variables[0].dtype

    @property
    def offsets(self) -> tuple[int, ...]:
        """The number of every shard's first row."""
        return tuple(self._offsets[:-1])

    @property
    def value(self) -> jax.Array:
        """The whole value. Inside a step it is differentiated with respect to the shards."""
        return _concatenated(self.variables)

    def read_value(self) -> jax.Array:
        """Returns the whole value."""
        return self.value

    def numpy(self) -> np.ndarray:
        """Returns the whole value as a NumPy array."""
        return np.concatenate([np.asarray(shard.value) for shard in self.variables])

    def __jax_array__(self) -> jax.Array:
        return self.value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.variables)

    def __bool__(self) -> NoReturn:
        raise TypeError("A variable cannot be used as a boolean.")

    def __repr__(self) -> str:
        return (
            f"<ShardedVariable path={self.path}, shape={self.shape}, dtype={self.dtype}, shards={len(self.variables)}>"
        )

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
        return self.shape

    def ref(self) -> Reference:
        """Returns a hashable reference to this variable."""
        return Reference(self)

    def is_initialized(self, name: str | None = None) -> bool:
        """Returns True once every shard has a value."""
        return all(shard._value is not None for shard in self.variables)

    # --- Attributes that Keras uses -----------------------------------------------------------------------------------

    @property
    def trainable(self) -> bool:
        """True if training changes it."""
        return bool(self.variables[0].trainable)

    @trainable.setter
    def trainable(self, value: bool) -> None:
        for shard in self.variables:
            shard.trainable = value

    @property
    def overwrite_with_gradient(self) -> bool:
        """The setting of every shard."""
        return bool(self.variables[0].overwrite_with_gradient)

    @overwrite_with_gradient.setter
    def overwrite_with_gradient(self, value: bool) -> None:
        for shard in self.variables:
            shard.overwrite_with_gradient = value

    @property
    def autocast(self) -> bool:
        """The setting of every shard."""
        return bool(self.variables[0].autocast)

    @property
    def aggregation(self) -> str:
        """The aggregation of every shard."""
        return str(self.variables[0].aggregation)

    @property
    def synchronization(self) -> str:
        """The synchronization of every shard."""
        return str(self.variables[0].synchronization)

    @property
    def _placement(self) -> Any:
        return self.variables[0]._placement

    @property
    def _dtype(self) -> Any:
        return self.variables[0]._dtype

    @property
    def regularizer(self) -> Any:
        """The regularizer of the whole variable.

        One that is no sum over elements is computed of all rows, for the first shard.
        """
        return self._regularizer

    @regularizer.setter
    def regularizer(self, value: Any) -> None:
        self._regularizer = value
        first, each = (value, value) if value is None or is_sum(value) else (WholeRegularizer(self, value), None)
        for shard in self.variables:
            shard.regularizer = first if shard is self.variables[0] else each

    @property
    def constraint(self) -> Any:
        """The constraint of the whole variable.

        One that does not work row by row is applied to all rows with the first shard.
        """
        return self._constraint

    @constraint.setter
    def constraint(self, value: Any) -> None:
        self._constraint = value
        first, each = (value, value) if value is None or is_by_row(value) else (WholeConstraint(self, value), None)
        for shard in self.variables:
            shard.constraint = first if shard is self.variables[0] else each

    # --- Assignment ---------------------------------------------------------------------------------------------------

    def pieces(self, value: Any) -> list[tuple[keras.Variable, keras.Variable]]:
        """Returns every shard with its rows of `value`, which has a shape and can be sliced, as data in a file can.

        Raises ValueError for another shape than the variable's.
        """
        whole = value.value if is_view(value) or isinstance(value, KerasVariable) else value
        if not hasattr(whole, "shape"):
            whole = keras.ops.convert_to_tensor(whole, dtype=self._dtype)
        if tuple(whole.shape) != self.shape:
            raise ValueError(f"{self.path} has shape {self.shape}, the value that is assigned {tuple(whole.shape)}.")
        return [
            (shard, whole[first:last])
            for shard, (first, last) in zip(self.variables, itertools.pairwise(self._offsets), strict=True)
        ]

    def assign(self, value: Any, use_locking: object = None, name: str | None = None, read_value: bool = True) -> Any:
        """Sets all rows. Returns the variable. Raises ValueError for another shape."""
        for shard, rows in self.pieces(value):
            shard.assign(rows)
        return self

    def assign_add(
        self, delta: Any, use_locking: object = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds to all rows. Returns the variable. Raises ValueError for another shape."""
        for shard, rows in self.pieces(delta):
            shard.assign_add(rows)
        return self

    def assign_sub(
        self, delta: Any, use_locking: object = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts from all rows. Returns the variable. Raises ValueError for another shape."""
        for shard, rows in self.pieces(delta):
            shard.assign_sub(rows)
        return self

    def _scatter(self, operation: str, slices: IndexedSlices) -> "ShardedVariable":
        ids = jnp.asarray(slices.indices)
        ids = jnp.where(ids < 0, ids + self.shape[0], ids)
        for shard, (first, last) in zip(self.variables, itertools.pairwise(self._offsets), strict=True):
            # JAX drops rows at positions past the end; a negative position would count from the end.
            local = jnp.where((ids >= first) & (ids < last), ids - first, last - first)
            assign_rows(shard, operation, local, slices.values)
        return self

    def scatter_add(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Adds rows; repeated indices add up. Returns the variable."""
        return self._scatter("add", sparse_delta)

    def scatter_sub(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Subtracts rows; repeated indices add up. Returns the variable."""
        return self._scatter("add", IndexedSlices(-jnp.asarray(sparse_delta.values), sparse_delta.indices))

    def scatter_mul(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Multiplies rows. Returns the variable."""
        return self._scatter("multiply", sparse_delta)

    def scatter_div(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Divides rows. Returns the variable."""
        return self._scatter("divide", sparse_delta)

    def scatter_max(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Sets rows to the elementwise maximum. Returns the variable."""
        return self._scatter("max", sparse_delta)

    def scatter_min(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Sets rows to the elementwise minimum. Returns the variable."""
        return self._scatter("min", sparse_delta)

    def scatter_update(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Replaces rows. Returns the variable."""
        return self._scatter("set", sparse_delta)

    batch_scatter_update = scatter_update

    # --- Reading parts ------------------------------------------------------------------------------------------------

    def sparse_read(self, indices: Any, name: str | None = None) -> jax.Array:
        """Returns the rows with these numbers, in their order: integers (...) → (..., *row)."""
        return rows_of(self, jnp.asarray(indices))

    def __getitem__(self, spec: Any) -> jax.Array:
        """Returns part of the value, with NumPy's rules; reads only the shards that the first index names.

        Raises IndexError for a row that does not exist, TypeError for tensors and arrays of integers as indices
        (`tf.gather` takes those), ValueError for a step of 0 and for a single boolean.
        """
        if isinstance(spec, bool):
            raise ValueError("mask cannot be scalar.")
        if isinstance(spec, np.ndarray | jax.Array) and spec.dtype == bool:
            return self.value[spec]
        index = tuple(spec) if isinstance(spec, list | tuple) else (spec,)
        _refuse_tensors(index)
        if not index or index[0] is None or index[0] is Ellipsis:
            return self.value[index]
        if isinstance(index[0], slice):
            return self._slice(range(*index[0].indices(self.shape[0])), index[1:])
        return self._row(operator.index(index[0]), index[1:])

    def _row(self, number: int, rest: tuple[Any, ...]) -> jax.Array:
        row = number + self.shape[0] if number < 0 else number
        if not 0 <= row < self.shape[0]:
            raise IndexError(f"ShardedVariable: slice index {number} of dimension 0 out of bounds.")
        shard = self._shard_of(row)
        part: jax.Array = self.variables[shard].value[(row - self._offsets[shard], *rest)]
        return part

    def _slice(self, rows: range, rest: tuple[Any, ...]) -> jax.Array:
        ends = sorted((rows[0], rows[-1])) if rows else [0, 0]
        first, last = map(self._shard_of, ends)
        start = self._offsets[first]
        block = _concatenated(self.variables[first : last + 1])
        local = slice(0, 0)
        if rows:
            stop = rows[-1] - start + (1 if rows.step > 0 else -1)
            local = slice(rows[0] - start, stop if stop >= 0 else None, rows.step)
        return block[(local, *rest)]

    def _shard_of(self, row: int) -> int:
        return next(i for i, last in enumerate(self._offsets[1:]) if row < last or last == self._offsets[-1])

    # --- Operators ----------------------------------------------------------------------------------------------------

    # Those of a Keras variable use only its `value`, and so work here.
    __neg__, __pos__, __abs__ = KerasVariable.__neg__, KerasVariable.__pos__, KerasVariable.__abs__
    __invert__, __round__ = KerasVariable.__invert__, KerasVariable.__round__
    __eq__, __ne__ = KerasVariable.__eq__, KerasVariable.__ne__
    __lt__, __le__ = KerasVariable.__lt__, KerasVariable.__le__
    __gt__, __ge__ = KerasVariable.__gt__, KerasVariable.__ge__
    __add__, __radd__ = KerasVariable.__add__, KerasVariable.__radd__
    __sub__, __rsub__ = KerasVariable.__sub__, KerasVariable.__rsub__
    __mul__, __rmul__ = KerasVariable.__mul__, KerasVariable.__rmul__
    __truediv__, __rtruediv__ = KerasVariable.__truediv__, KerasVariable.__rtruediv__
    __floordiv__, __rfloordiv__ = KerasVariable.__floordiv__, KerasVariable.__rfloordiv__
    __mod__, __rmod__ = KerasVariable.__mod__, KerasVariable.__rmod__
    __pow__, __rpow__ = KerasVariable.__pow__, KerasVariable.__rpow__
    __matmul__, __rmatmul__ = KerasVariable.__matmul__, KerasVariable.__rmatmul__
    __and__, __rand__ = BIT_OPERATORS["__and__"], BIT_OPERATORS["__rand__"]
    __or__, __ror__ = BIT_OPERATORS["__or__"], BIT_OPERATORS["__ror__"]
    __xor__, __rxor__ = BIT_OPERATORS["__xor__"], BIT_OPERATORS["__rxor__"]


def _refuse_tensors(index: tuple[Any, ...]) -> None:
    parts = [p for each in index for p in ((each.start, each.stop, each.step) if isinstance(each, slice) else (each,))]
    if any(isinstance(p, jax.Array | KerasVariable) or is_view(p) for p in parts):
        raise TypeError("ShardedVariable: using Tensor for indexing is not allowed. tf.gather takes rows by a tensor.")
