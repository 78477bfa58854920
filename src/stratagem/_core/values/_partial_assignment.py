"""Partial assignments: to parts of a variable, rows, multi-dimensional indices and slices."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.context import current, entered, recording
from stratagem._private import KerasVariable, let_slices_be_assigned, let_values_be_called, shape_of


def checked_rows(variable: keras.Variable, indices: jax.Array, *, nested: bool = False) -> jax.Array:
    """Returns the indices, if they are known, checked. nested: each has an index for several dimensions.

    Raises:
        InvalidArgumentError: one is outside of its dimension. (In a compiled step, where values are not known, JAX leaves
        out the rows that do not exist.)
    """
    if isinstance(indices, jax.core.Tracer) or not indices.size:
        return indices
    found, sizes = np.asarray(indices), shape_of(variable)
    found = found.reshape(-1, found.shape[-1] if nested and found.ndim else 1)
    outside = (found < 0) | (found >= np.asarray(sizes[: found.shape[1]]))
    if outside.any():
        row = int(np.argmax(outside.any(axis=1)))
        wrong = found[row].tolist() if nested else int(found[row, 0])
        place = f"does not index into shape {list(sizes)}" if nested else f"is not in [0, {sizes[0]})"
        raise InvalidArgumentError(f"indices[{row}] = {wrong} {place}: variable {variable.path}.")
    return indices


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


def _in_scope(variable: Any) -> bool:
    """Returns whether the code has a variable of a strategy, and not a component, which is changed like any variable."""
    return variable._placement is not None and variable._placement.strategy is not None and not current().updating


def _refuse_scatter(variable: Any, operation: str) -> None:
    """Raises NotImplementedError by the variable rules of TF 2.15."""
    if variable.synchronization == "on_read" and _in_scope(variable):
        raise NotImplementedError(f"Variable {variable.path}: a sync-on-read variable has no scatter methods.")
    if operation in ("max", "min", "set") and _in_scope(variable) and variable.aggregation in ("sum", "mean"):
        raise NotImplementedError(
            f"Variable {variable.path}: scatter_min, scatter_max and scatter_update need aggregation NONE or "
            f"ONLY_FIRST_REPLICA, not {variable.aggregation.upper()}."
        )


def _static(part: Any) -> Any:
    """Returns an integer tensor whose value is known as a number; anything else as it is."""
    if isinstance(part, KerasVariable):
        part = part.value
    if isinstance(part, slice):
        return slice(_static(part.start), _static(part.stop), _static(part.step))
    if isinstance(part, jax.core.Tracer | bool | np.bool_):
        return part
    scalar = isinstance(part, jax.Array | np.ndarray | np.generic) and np.ndim(part) == 0
    return int(part) if scalar and np.issubdtype(part.dtype, np.integer) else part


def _checked_index(variable: Any, sizes: tuple[int, ...], index: Any) -> Any:
    """Returns an index with known numbers.

    Raises:
        InvalidArgumentError: a number is outside of its dimension (JAX would take the nearest), or there are too many.
        TypeError: something that is no index.
    """
    parts = tuple(map(_static, index if isinstance(index, tuple | list) else (index,)))
    for part in parts:
        if isinstance(part, str | float):
            raise TypeError(
                "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
                f"valid indices, got {part!r}."
            )
    # What is after an ellipsis counts from the last dimension; masks and lists of positions take as many as they have.
    where = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    before = [part for part in parts[:where] if part is not None]
    after = [part for part in parts[where + 1 :] if part is not None]
    if len(before) + len(after) > len(sizes):
        raise InvalidArgumentError(
            f"Index out of range using input dim {len(sizes)}; input has only {len(sizes)} dims: variable {variable.path} of "
            f"shape {tuple(sizes)}, index {index!r}."
        )
    numbered = [*enumerate(before), *enumerate(after, len(sizes) - len(after))]
    for axis, part in numbered:
        if type(part) is int and not -sizes[axis] <= part < sizes[axis]:
            raise InvalidArgumentError(
                f"slice index {part} of dimension {axis} out of bounds: variable {variable.path} has shape {tuple(sizes)}."
            )
    return parts if isinstance(index, tuple | list) else parts[0]


def _assign_slice(variable: Any, index: Any, value: Any) -> Any:
    """Assigns `value`, broadcast to its shape, to a slice of a variable. Returns the variable."""
    present = variable.value
    value = jnp.asarray(value.value if isinstance(value, KerasVariable) else value, dtype=variable._dtype)
    shape = tuple(jax.eval_shape(lambda x: x[index], present).shape)
    try:
        value = jnp.broadcast_to(value, shape)
    except ValueError:
        raise InvalidArgumentError(
            f"Cannot broadcast input shape {list(value.shape)} into final shape {list(shape)}: a slice of variable "
            f"{variable.path} was assigned a value of another shape."
        ) from None
    variable.assign(present.at[index].set(value))
    return variable


def attach_slices() -> None:
    """Let `v.value()` return the value, and `v[i].assign(x)` change a part of a variable."""
    let_values_be_called()
    let_slices_be_assigned(_checked_index, _assign_slice)
