"""Look-ups of rows in remote tables: `keras.ops.take` need not read the whole table."""

from typing import Any

import jax
import jax.numpy as jnp
import keras

from stratagem._core.context import current
from stratagem._core.step.collectives._touched_rows import mark_touched
from stratagem._core.step.programs._remote import remote_placement
from stratagem._private import KerasVariable, in_stateless_scope, intercept_take


def rows_of(table: Any, ids: Any) -> Any:
    """Returns rows of a remote table; None if `table` is no such table, or the ids are not known yet."""
    shards = [table] if isinstance(table, KerasVariable) else getattr(table, "variables", None)
    graph = current().graph
    if shards and graph is not None:
        graph.note_lookup(shards)
    if not shards or not all(isinstance(s, KerasVariable) for s in shards):
        return None
    placements = [remote_placement(s) for s in shards]
    first = placements[0]
    if first is None or None in placements:
        return None
    recorder = current().recorder
    if recorder is None and (in_stateless_scope() or isinstance(ids, jax.core.Tracer | keras.KerasTensor)):
        return None  # a layer computes the shapes of its outputs
    ids = jnp.asarray(ids)
    if not jnp.issubdtype(ids.dtype, jnp.integer):
        return None
    rows = first.rows(shards, ids) if recorder is None else first.lookup(shards, ids)
    return shards[0]._maybe_autocast(rows)


def attach_lookups() -> None:
    """Let `keras.ops.take` ask for the rows of a table that is kept elsewhere."""
    intercept_take(rows_of, mark_touched)
