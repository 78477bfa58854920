"""`tf.Variable`: a Keras variable with TensorFlow's constructor and assignment methods."""

import enum
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.types import DTypeLike, ShapeLike, TensorLike, Unused
from stratagem._core.context import current, entered, recording
from stratagem._core.values._initial_value import InitialRows
from stratagem._private import KerasVariable


class VariableSynchronization(enum.Enum):
    """The times at which the copies of a variable are made equal (TF's names)."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """The reduction of the replicas' values of a variable to one (TF's names)."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class IndexedSlices:
    """Rows `values` (n, ...) for the positions `indices` (n,) of dimension 0, as `tf.IndexedSlices`."""

    def __init__(self, values: TensorLike, indices: TensorLike, dense_shape: ShapeLike = None) -> None:
        self.values = values
        self.indices = indices
        self.dense_shape = dense_shape


_SYNCHRONIZATION = {"AUTO": "auto", "ON_WRITE": "on_write", "ON_READ": "on_read"}
_AGGREGATION = {"NONE": "none", "SUM": "sum", "MEAN": "mean", "ONLY_FIRST_REPLICA": "only_first_replica"}


def _synchronization(mode: Any, name: str) -> str:
    key = mode.name if isinstance(mode, VariableSynchronization) else str(mode).upper()
    if key == "NONE":
        raise ValueError(
            f"`NONE` variable synchronization mode is not supported (variable {name!r}). Use AUTO, ON_WRITE or ON_READ."
        )
    if key not in _SYNCHRONIZATION:
        raise ValueError(f"Invalid variable synchronization mode {mode!r} for variable {name!r}.")
    return _SYNCHRONIZATION[key]


def _aggregation(mode: Any, name: str) -> str:
    key = mode.name if isinstance(mode, VariableAggregation) else str(mode).upper()
    if key not in _AGGREGATION:
        raise ValueError(f"Invalid variable aggregation mode {mode!r} for variable {name!r}.")
    return _AGGREGATION[key]


def initial_array(value: TensorLike, dtype: DTypeLike) -> np.ndarray | jax.Array:
    """Returns an initial value with TF's dtypes: Python float → float32, int → int32; NumPy arrays and tensors keep theirs."""
    if isinstance(value, jax.Array | KerasVariable):
        array = value.value if isinstance(value, KerasVariable) else value
        return array if dtype is None else jnp.asarray(array, dtype=dtype)
    array = np.asarray(value)
    if dtype is None and not isinstance(value, np.ndarray | np.generic):
        dtype = {np.dtype("float64"): np.float32, np.dtype("int64"): np.int32}.get(array.dtype)
    return array if dtype is None else array.astype(dtype)


class Variable(KerasVariable):  # type: ignore[misc]
    """A mutable tensor, as `tf.Variable`.

    Under `strategy.scope()` it is mirrored: every replica has a copy, and the copies are kept equal. With
    `synchronization=ON_READ` every replica has a value of its own, and reading outside a replica aggregates them.

    initial_value: array-like, or a callable without arguments that returns one.
    shape: only checked (TF also allows unknown dimensions; compiled steps need fixed ones).
    Raises ValueError for unknown modes, synchronization NONE, and aggregation MEAN of integers under a mirrored strategy.
    """

    def __init__(
        self,
        initial_value: TensorLike = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Unused = None,
        name: str | None = None,
        variable_def: Unused = None,
        dtype: DTypeLike = None,
        import_scope: Unused = None,
        constraint: Callable[[TensorLike], TensorLike] | None = None,
        synchronization: TensorLike = VariableSynchronization.AUTO,
        aggregation: TensorLike = VariableAggregation.NONE,
        shape: Sequence[int] | None = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("`initial_value` must be specified for a tf.Variable.")
        label = name or "Variable"
        mode, reduction = _synchronization(synchronization, label), _aggregation(aggregation, label)
        value = self._evaluated(initial_value)
        if not isinstance(value, InitialRows):
            value = initial_array(value, dtype_of(dtype))
        if isinstance(value, jax.core.Tracer):
            raise ValueError(
                f"The initial value of variable {label!r} is computed inside the step, so it cannot outlive it. "
                "Create the variable before the step, or start it from a constant."
            )
        if reduction == "mean" and _mirrored(current().strategy) and not jnp.issubdtype(value.dtype, jnp.inexact):
            raise ValueError(f"Variable {label!r} has dtype {value.dtype}: aggregation MEAN needs a float dtype.")
        if shape is not None and tuple(shape) != value.shape:
            raise ValueError(
                f"Variable {label!r}: initial value of shape {value.shape}, but shape={tuple(shape)} was given."
            )
        super().__init__(
            # A callable, because inside a first trace only that can make a variable, whose value is set when the trace ends.
            value if isinstance(value, InitialRows) else lambda shape, dtype=None: jnp.array(value, dtype=value.dtype),
            shape=value.shape,
            dtype=str(value.dtype),
            trainable=(mode != "on_read") if trainable is None else trainable,
            autocast=False,
            aggregation=reduction,
            synchronization=mode,
            name=label.replace("/", "_"),
        )
        self._label = label
        self.constraint = constraint

    def _evaluated(self, initial_value: Any) -> Any:
        """Returns the value of a callable, which is called once, perhaps before this variable was made."""
        known = self.__dict__.pop("_initial_value", None)
        if known is not None:
            return known
        return (
            initial_value() if callable(initial_value) and not isinstance(initial_value, InitialRows) else initial_value
        )

    @property
    def name(self) -> str:
        """TF's name, with its `:0`."""
        return f"{self._label}:0"

    def read_value(self) -> jax.Array:
        """Returns the current value, as an array that stays valid whatever later steps do."""
        value: jax.Array = self.value
        return value

    def assign(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> TensorLike:
        """Sets the value (same shape; cast to the variable's dtype). Returns the variable."""
        # A copy, because JAX may use a NumPy array's own memory, which the program may change later.
        super().assign(value.copy() if isinstance(value, np.ndarray) else value)
        return self if read_value else None

    def assign_add(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> TensorLike:
        """Adds `delta`. Returns the variable."""
        super().assign_add(delta)
        return self if read_value else None

    def assign_sub(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> TensorLike:
        """Subtracts `delta`. Returns the variable."""
        super().assign_sub(delta)
        return self if read_value else None

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> "Variable":
        """Adds rows; repeated indices add up."""
        return self._scatter("add", sparse_delta)

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> "Variable":
        """Subtracts rows; repeated indices add up."""
        return self._scatter("add", IndexedSlices(-jnp.asarray(sparse_delta.values), sparse_delta.indices))

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> "Variable":
        """Multiplies rows."""
        return self._scatter("multiply", sparse_delta)

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> "Variable":
        """Divides rows."""
        return self._scatter("divide", sparse_delta)

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> "Variable":
        """Sets rows to the elementwise maximum."""
        return self._scatter("max", sparse_delta)

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> "Variable":
        """Sets rows to the elementwise minimum."""
        return self._scatter("min", sparse_delta)

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> "Variable":
        """Replaces rows."""
        return self._scatter("set", sparse_delta)

    def scatter_nd_add(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> "Variable":
        """Adds `updates` at the multi-dimensional `indices` (..., rank of the index)."""
        return self._scatter_nd("add", indices, updates)

    def scatter_nd_sub(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> "Variable":
        """Subtracts `updates` at the multi-dimensional `indices`."""
        return self._scatter_nd("add", indices, -jnp.asarray(updates))

    def scatter_nd_update(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> "Variable":
        """Replaces values at the multi-dimensional `indices`."""
        return self._scatter_nd("set", indices, updates)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> jax.Array:
        """Returns the rows at `indices`."""
        rows: jax.Array = keras.ops.take(self, indices, axis=0)  # reads only these rows from a server
        return rows

    def is_initialized(self, name: str | None = None) -> bool:
        """Returns True once the variable has a value."""
        return self._value is not None

    def _scatter(self, operation: str, slices: IndexedSlices) -> "Variable":
        assign_rows(self, operation, jnp.asarray(slices.indices), slices.values)
        return self

    def _scatter_nd(self, operation: str, indices: Any, updates: Any) -> "Variable":
        assign_rows(self, operation, jnp.asarray(indices), updates, lambda indices: tuple(jnp.moveaxis(indices, -1, 0)))
        return self


def assign_rows(
    variable: Any, operation: str, indices: Any, rows: Any, where: Callable[[Any], Any] = lambda indices: indices
) -> None:
    """Changes parts of a variable. operation: a method of JAX's `.at`. where: makes an index of `indices`.

    Raises NotImplementedError in the same cases as TF, for variables that are synchronized or aggregated in certain ways.
    """
    _refuse_scatter(variable, operation)
    rows, context = jnp.asarray(rows, dtype=variable._dtype), current()
    if _in_scope(variable) and context.replica is not None and variable.aggregation in ("sum", "mean"):
        # As in TF, the replicas' rows are applied one after another; then all replicas have the same value.
        indices, rows = map(recording().gather_rows, (indices, rows))
        rows = rows / context.replica.num_replicas_in_sync if variable.aggregation == "mean" else rows
        with entered(replica=None, crossing=True):
            variable.assign(getattr(variable.value.at[where(indices)], operation)(rows))
    else:
        variable.assign(getattr(variable.value.at[where(indices)], operation)(rows))


def _mirrored(strategy: Any) -> bool:
    return strategy is not None and strategy.mirrored


def _in_scope(variable: Any) -> bool:
    return variable._placement is not None and variable._placement.strategy is not None


def _refuse_scatter(variable: Any, operation: str) -> None:
    """Raises NotImplementedError by the variable rules of TF 2.15."""
    if variable.synchronization == "on_read" and _in_scope(variable):
        raise NotImplementedError(f"Variable {variable.path}: a sync-on-read variable has no scatter methods.")
    if operation in ("max", "min", "set") and _in_scope(variable) and variable.aggregation in ("sum", "mean"):
        raise NotImplementedError(
            f"Variable {variable.path}: scatter_min, scatter_max and scatter_update need aggregation NONE or "
            f"ONLY_FIRST_REPLICA, not {variable.aggregation.upper()}."
        )


def dtype_of(dtype: Any) -> Any:
    """Returns a TensorFlow or NumPy dtype, or its name, as NumPy's; None as it is."""
    return None if dtype is None else jnp.dtype(getattr(dtype, "as_numpy_dtype", dtype))
