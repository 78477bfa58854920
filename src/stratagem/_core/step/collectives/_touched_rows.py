"""Rows that were looked up in a table are touched: TensorFlow changes these, and some optimizers no others.

While a model_fn trains, rows are known that were looked up and have the gradient 0; elsewhere those are taken for untouched.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._core.context import current
from stratagem._core.values import shards
from stratagem._private import KerasVariable, note_lookup

# Gradients are sums over replicas, in arrays of the whole table, and an exact 0 there means a row that nobody has looked up. A
# row that was looked up gets this much more: lost in any other number, its square is 0, and it remains after a division by
# any number of replicas. Optimizers take it off again.
_TOUCHED = 2.0**-100
_MOST = 2.0**-70  # that is left of it, if a row was looked up a million times and more


@jax.custom_vjp
def _touched(rows: jax.Array) -> jax.Array:
    return rows


def _forward(rows: jax.Array) -> tuple[jax.Array, None]:
    return rows, None


def _backward(_: None, gradient: jax.Array) -> tuple[jax.Array]:
    return (gradient + np.asarray(_TOUCHED, gradient.dtype),)


_touched.defvjp(_forward, _backward)


def mark_touched(table: Any, rows: jax.Array) -> jax.Array:
    """Returns rows that were looked up in a table, and notes that they were.

    While a model_fn of TensorFlow 1 trains, their gradient is nowhere 0. float16 has no number that is small enough: there such
    a row counts as one that was not looked up.
    """
    is_variable = isinstance(table, KerasVariable) or hasattr(table, "is_sharded_variable")
    if is_variable:
        for variable in shards(table):
            note_lookup(variable)
    graph = current().graph
    if graph is None or not graph.has_gradients:
        return rows
    is_wide = jnp.issubdtype(rows.dtype, jnp.floating) and rows.dtype != np.float16
    return _touched(rows) if is_variable and is_wide else rows


def touched_rows(gradient: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns the gradient of a table without marks, and which of its rows were looked up: bool, (rows, 1, ...)."""
    touched = jnp.any(gradient != 0, axis=tuple(range(1, gradient.ndim)), keepdims=True)
    return jnp.where(jnp.abs(gradient) <= _MOST, jnp.zeros_like(gradient), gradient), touched
