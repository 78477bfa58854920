"""`tf.Variable`: a Keras variable with TensorFlow's constructor and assignment methods."""

import enum
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.errors import OutOfRangeError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.context import current, entered
from stratagem._core.values._formatting import described
from stratagem._core.values._identity_reference import Reference
from stratagem._core.values._initial_value import RowsInitializer
from stratagem._core.values._name_scope import open_name_scope
from stratagem._core.values._partial_assignment import assign_rows, checked_rows
from stratagem._core.values._tensor import Tensor
from stratagem._core.values._tensor_conversion import has_conversion, registered_conversion
from stratagem._core.values._tensor_shape import TensorShape
from stratagem._private import KerasVariable, in_stateless_scope, note_new_shape, record_assignment


class _KerasStringEnum(enum.Enum):
    """An enumeration whose members equal the words that Keras has for them, such as "on_read", which variables answer with."""

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, str) and other == self.name.lower())

    def __hash__(self) -> int:
        return hash(self.name.lower())


@exported("VariableSynchronization")
class VariableSynchronization(_KerasStringEnum):
    """The times at which the copies of a variable are made equal (TF's names)."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


@exported("VariableAggregation")
class VariableAggregation(_KerasStringEnum):
    """The reduction of the replicas' values of a variable to one (TF's names)."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


@exported("IndexedSlices")
class IndexedSlices:
    """Rows `values` (n, ...) for the positions `indices` (n,) of dimension 0, as `tf.IndexedSlices`."""

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
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


def initial_array(value: Any, dtype: DTypeLike | None) -> np.ndarray | jax.Array:
    """Returns an initial value with TF's dtypes: Python float → float32, int → int32; NumPy arrays and tensors keep theirs."""
    if isinstance(value, jax.Array | KerasVariable):
        array = value.value if isinstance(value, KerasVariable) else value
        return array if dtype is None else jnp.asarray(array, dtype=dtype)
    if has_conversion(value) and (converted := registered_conversion(value, dtype)) is not None:
        return initial_array(converted, dtype)
    array = np.asarray(value)
    if dtype is None and not isinstance(value, np.ndarray | np.generic):
        dtype = {np.dtype("float64"): np.float32, np.dtype("int64"): np.int32}.get(array.dtype)
    return array if dtype is None else array.astype(dtype)


def _copied(value: np.ndarray | jax.Array) -> jax.Array:
    """Returns a tensor of its own. (`jnp.array` compiles a program for each shape of NumPy's arrays, to convert nothing.)"""
    if isinstance(value, np.ndarray):
        return jnp.asarray(value.copy(), dtype=value.dtype)
    return jnp.array(value, dtype=value.dtype)


@exported(
    "Variable",
    v1=(),
    lacks={
        "(experimental_enable_variable_lifting)": "a function takes its variables as inputs: none is lifted out of it"
    },
)
class Variable(KerasVariable):  # type: ignore[misc]
    """A mutable tensor, as `tf.Variable`.

    Under `strategy.scope()` it is mirrored: every replica has a copy, and the copies are kept equal. With
    `synchronization=ON_READ` every replica has a value of its own, and reading outside a replica aggregates them.

    initial_value: array-like, or a callable without arguments that returns one.
    shape: with unknown dimensions, or `tf.TensorShape(None)`, later values may have other shapes that fit it. A compiled
    function is traced once for each shape.
    Raises ValueError for unknown modes, synchronization NONE, aggregation MEAN of integers under a mirrored strategy, a
    shape that the initial value does not have, and unknown dimensions where copies or servers need a fixed shape.
    """

    _declared: TensorShape | None = None  # the shape that values have to fit, where that has unknown dimensions

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: DTypeLike | None = None,
        import_scope: object = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: ShapeLike | None = None,
    ) -> None:
        if "_creation_number" in vars(self):
            return  # what a creator of `variable_creator_scope` has made already
        if initial_value is None:
            raise ValueError("`initial_value` must be specified for a tf.Variable.")
        label = open_name_scope() + (name or "Variable")
        mode, reduction = _synchronization(synchronization, label), _aggregation(aggregation, label)
        value = self._evaluated(initial_value)
        if not isinstance(value, RowsInitializer):
            value = initial_array(value, dtype_of(dtype))
        if isinstance(value, jax.core.Tracer):
            raise ValueError(
                f"The initial value of variable {label!r} is computed inside the step, so it cannot outlive it. "
                "Create the variable before the step, or start it from a constant."
            )
        if reduction == "mean" and _mirrored(current().strategy) and not jnp.issubdtype(value.dtype, jnp.inexact):
            raise ValueError(f"Variable {label!r} has dtype {value.dtype}: aggregation MEAN needs a float dtype.")
        declared = None if shape is None else TensorShape(shape)
        if isinstance(shape, TensorShape) and shape.rank is None:
            declared = shape
        if declared is not None and not declared.is_compatible_with(tuple(value.shape)):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({tuple(value.shape)}) is not compatible with the "
                f"explicitly supplied `shape` argument ({declared.as_list() if declared.rank is not None else None}), of "
                f"variable {label!r}."
            )
        if declared is not None and not declared.is_fully_defined():
            _check_may_change(label, mode)
            self._declared = declared
        super().__init__(
            # A callable, because inside a first trace only that can make a variable, whose value is set when the trace ends.
            value if isinstance(value, RowsInitializer) else lambda shape, dtype=None: _copied(value),
            shape=value.shape,
            dtype=str(value.dtype),
            trainable=(mode != "on_read") if trainable is None else trainable,
            autocast=False,
            aggregation=reduction,
            synchronization=mode,
            name=label.replace("/", "_") or "Variable",
        )
        self._label = label
        self.constraint = constraint

    def _evaluated(self, initial_value: Any) -> Any:
        """Returns the value of a callable, which is called once, perhaps before this variable was made."""
        known = self.__dict__.pop("_initial_value", None)
        if known is not None:
            return known
        if not callable(initial_value) or isinstance(initial_value, RowsInitializer):
            return initial_value
        with entered(first_value=True):
            return initial_value()

    @property
    def name(self) -> str:
        """TF's name, with its `:0`."""
        return f"{self._label}:0"

    @property
    def shape(self) -> TensorShape:
        """The shape that values have, or have to fit: with None for unknown sizes."""
        return super().shape if self._declared is None else self._declared

    def set_shape(self, shape: ShapeLike | None) -> None:
        """Narrows the shape that values have to fit. Raises ValueError if it does not fit the shape so far."""
        narrowed = self.shape.merge_with(shape)
        if self._declared is not None:
            self._declared = None if narrowed.is_fully_defined() else narrowed

    @property
    def initializer(self) -> None:
        """None: as in TF 2, a variable has its value from the beginning."""
        return None

    def experimental_ref(self) -> Reference:
        """Returns a hashable reference to this variable; the former name of `ref`."""
        return Reference(self)

    def read_value(self) -> Tensor:
        """Returns the current value, as an array that stays valid whatever later steps do."""
        value: jax.Array = self.value
        return value

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Sets the value (same shape; cast to the variable's dtype). Returns the variable."""
        # A copy, because JAX may use a NumPy array's own memory, which the program may change later unless it is frozen.
        if isinstance(value, np.ndarray) and (value.flags.writeable or not value.flags.owndata):
            value = value.copy()
        if self._declared is None:
            super().assign(value)
        else:
            self._assign_fitting(value, self._declared)
        return self if read_value else None

    def _assign_fitting(self, value: Any, declared: TensorShape) -> None:
        value = self._convert_to_tensor(value, dtype=self._dtype)
        if not declared.is_compatible_with(value.shape):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable shape {declared}, and the "
                f"assigned value shape {value.shape} are incompatible."
            )
        if in_stateless_scope():
            record_assignment(self, value)  # the step that is being traced changes the value when it runs
        else:
            self._direct_assign(value)
            note_new_shape(self, tuple(value.shape))

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds `delta`. Returns the variable."""
        super().assign_add(delta)
        return self if read_value else None

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
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
        rows = self._rows_of(sparse_delta)
        return self._scatter("add", IndexedSlices(-jnp.asarray(rows.values), rows.indices))

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

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> "Variable":
        """Replaces, for every position in all but the last dimension of the indices, the entries with these indices there."""
        indices, rank = self._rows_of(sparse_delta).indices, jnp.ndim(sparse_delta.indices)
        indices = jnp.asarray(indices)
        places = [*jnp.meshgrid(*map(jnp.arange, indices.shape), indexing="ij")[: rank - 1], indices]
        return self._scatter_nd("set", jnp.stack(places, axis=-1), sparse_delta.values)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> "Variable":
        """Adds `updates` at the multi-dimensional `indices` (..., rank of the index)."""
        return self._scatter_nd("add", indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> "Variable":
        """Subtracts `updates` at the multi-dimensional `indices`."""
        return self._scatter_nd("add", indices, -jnp.asarray(updates))

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> "Variable":
        """Replaces values at the multi-dimensional `indices`."""
        return self._scatter_nd("set", indices, updates)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> "Variable":
        """Sets values at the multi-dimensional `indices` to the maximum of them and `updates`."""
        return self._scatter_nd("max", indices, updates)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> "Variable":
        """Sets values at the multi-dimensional `indices` to the minimum of them and `updates`."""
        return self._scatter_nd("min", indices, updates)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """Returns the values at the multi-dimensional `indices`."""
        value = self.read_value()
        places = checked_rows(self, jnp.asarray(indices), nested=True)
        return value[tuple(jnp.moveaxis(places, -1, 0))]

    def count_up_to(self, limit: int) -> Tensor:
        """Adds 1 and returns the value before. Raises OutOfRangeError, without an assignment, if that is `limit`."""
        before = self.read_value()
        if int(before) >= limit:
            raise OutOfRangeError(f"Reached limit of {limit}: variable {self.name} is {int(before)}.")
        self.assign_add(1)
        return before

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """Returns the rows at `indices`."""
        indices = checked_rows(self, jnp.asarray(indices))
        rows: jax.Array = keras.ops.take(self, indices, axis=0)  # reads only these rows from a server
        return rows

    def is_initialized(self, name: str | None = None) -> bool:
        """Returns True once the variable has a value."""
        return self._value is not None

    def _scatter(self, operation: str, slices: IndexedSlices) -> "Variable":
        slices = self._rows_of(slices)
        assign_rows(self, operation, checked_rows(self, jnp.asarray(slices.indices)), slices.values)
        return self

    @staticmethod
    def _rows_of(slices: Any) -> IndexedSlices:
        if not isinstance(slices, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {slices!r}")
        return slices

    def _scatter_nd(self, operation: str, indices: Any, updates: Any) -> "Variable":
        places = checked_rows(self, jnp.asarray(indices), nested=True)
        assign_rows(self, operation, places, updates, lambda indices: tuple(jnp.moveaxis(indices, -1, 0)))
        return self

    def __repr__(self) -> str:
        known = isinstance(self.__dict__.get("_value"), jax.Array) and not in_stateless_scope()
        parts = (
            getattr(self, "values", None) if known and _mirrored(self._placement and self._placement.strategy) else None
        )
        if parts is None:
            return described(self, self.numpy() if known else None)
        kind = "SyncOnReadVariable" if self.synchronization == "on_read" else "MirroredVariable"
        lines = ",\n".join(f"  {i}: {part!r}" for i, part in enumerate(parts))
        return f"{kind}:{{\n{lines}\n}}"


def _mirrored(strategy: Any) -> bool:
    return strategy is not None and strategy.mirrored


def _check_may_change(label: str, mode: str) -> None:
    strategy = current().strategy
    if strategy is not None and (strategy.remote_variables or (mode == "on_read" and strategy.mesh.num_replicas > 1)):
        kind = "kept on servers" if strategy.remote_variables else "with a value of each replica's own"
        raise ValueError(
            f"Variable {label!r} {kind} needs a shape without unknown dimensions: give its full shape, or create the variable "
            "outside of the strategy's scope."
        )


def dtype_of(dtype: Any) -> Any:
    """Returns a TensorFlow or NumPy dtype, or its name, as NumPy's; None as it is."""
    return None if dtype is None else jnp.dtype(getattr(dtype, "as_numpy_dtype", dtype))
