"""What a step leaves to servers, as markers in its program: rows that it looks up in a table, gradients to apply there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import keras
from jax.extend import core as xc
from jax.interpreters import ad, batching, mlir

from stratagem._base.errors import ContextError, UnimplementedError
from stratagem._core.context import current
from stratagem._core.values import placement_of
from stratagem._private import (
    KerasVariable,
    in_stateless_scope,
    intercept_take,
    is_loss_scaler,
    is_seed_state,
    known_gradients,
    scoped,
    untangled_clip,
)

# look_up(*shards, ids; table): for every id its row of the table whose rows the shards hold, one after another. `table` tells
# it from others.
look_up_p = xc.Primitive("served_look_up")
# scatter(rows, ids; sizes, table): for every shard (of so many rows) the sum of the rows at their ids. It is the transpose of
# look_up.
scatter_p = xc.Primitive("served_scatter")
scatter_p.multiple_results = True
# apply(*values, *gradients; count, update): so many values after an optimizer's update. JAX's caches keep what a program names,
# for ever, so this names no objects: `update` has the update's place among those of its trace, and whose it is.
apply_p = xc.Primitive("served_apply")
apply_p.multiple_results = True


@dataclass(frozen=True, eq=False)
class Update:
    """A call of `optimizer.apply`. variables: one for each gradient. counted: what else code may read after it."""

    optimizer: Any
    variables: tuple[Any, ...]
    counted: tuple[Any, ...]


def _look_up(*operands: Any, table: int) -> Any:
    """Without servers: ids that are out of range give what `jnp.take` gives."""
    *shards, ids = operands
    return jnp.take(jnp.concatenate(shards) if len(shards) > 1 else shards[0], ids, axis=0)


def scattered(rows: Any, ids: Any, sizes: Sequence[int]) -> list[Any]:
    """For every shard, of so many rows, the sums of the rows (*ids.shape, ...) that have the same id."""
    row = rows.shape[ids.ndim :]
    whole = jnp.zeros((sum(sizes), *row), rows.dtype).at[ids.reshape(-1)].add(rows.reshape(-1, *row))
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return [whole[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def _scatter(rows: Any, ids: Any, *, sizes: tuple[int, ...], table: int) -> list[Any]:
    return scattered(rows, ids, sizes)


def _look_up_type(*operands: Any, table: int) -> Any:
    return operands[0].update(shape=(*operands[-1].shape, *operands[0].shape[1:]))


def _scatter_type(rows: Any, ids: Any, *, sizes: tuple[int, ...], table: int) -> list[Any]:
    return [rows.update(shape=(size, *rows.shape[ids.ndim :])) for size in sizes]


def _apply_type(*operands: Any, count: int, update: tuple[int, ...]) -> list[Any]:
    return list(operands[:count])


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, table: int) -> tuple[Any, Any]:
    *shards, ids = primals
    out = look_up_p.bind(*primals, table=table)
    if all(type(t) is ad.Zero for t in tangents[:-1]):
        return out, ad.Zero(jax.typeof(out).to_tangent_aval())
    return out, look_up_p.bind(*map(ad.instantiate_zeros, tangents[: len(shards)]), ids, table=table)


def _transpose(ct: Any, *operands: Any, table: int) -> list[Any]:
    *shards, ids = operands
    if type(ct) is ad.Zero:
        return [*(ad.Zero(s.aval) for s in shards), None]
    return [*scatter_p.bind(ct, ids, sizes=tuple(s.aval.shape[0] for s in shards), table=table), None]


def _batched(operands: Sequence[Any], dims: Sequence[Any], *, table: int) -> tuple[Any, int]:
    if any(d is not None for d in dims[:-1]):
        raise UnimplementedError("A look-up in many versions of a table at once (vmap over the table) is not possible.")
    return look_up_p.bind(*operands[:-1], jnp.moveaxis(operands[-1], dims[-1], 0), table=table), 0


def _scatter_batched(
    operands: Sequence[Any], dims: Sequence[Any], *, sizes: tuple[int, ...], table: int
) -> tuple[Any, Any]:
    outs = jax.vmap(lambda rows, ids: scattered(rows, ids, sizes), in_axes=tuple(dims))(*operands)
    return outs, [0] * len(outs)


look_up_p.def_abstract_eval(_look_up_type)
scatter_p.def_abstract_eval(_scatter_type)
apply_p.def_abstract_eval(_apply_type)
mlir.register_lowering(look_up_p, mlir.lower_fun(_look_up, multiple_results=False))
mlir.register_lowering(scatter_p, mlir.lower_fun(_scatter, multiple_results=True))
ad.primitive_jvps[look_up_p] = _jvp
ad.primitive_transposes[look_up_p] = _transpose
batching.primitive_batchers[look_up_p] = _batched
batching.primitive_batchers[scatter_p] = _scatter_batched


def served(variable: Any) -> bool:
    """True for a variable that a server keeps up to date. (Every worker advances random seeds of its own.)"""
    placement = placement_of(variable)
    return placement is not None and placement.served and not is_seed_state(variable)


def apply_on_servers(optimizer: Any, grads: Sequence[Any], variables: Sequence[Any]) -> None:
    """In a trace: leave an update of served variables to their servers; what follows reads the values after it.

    Raises:
        ContextError: for an optimizer whose variables are on no server.
        UnimplementedError: for an optimizer that needs all gradients in one place.
        ValueError: if there is no gradient at all.
    """
    if is_loss_scaler(optimizer):
        raise UnimplementedError(
            f"{optimizer.name}: LossScaleOptimizer decides on all gradients together whether a step counts, which no server "
            "sees. Use bfloat16 (`mixed_bfloat16`), which needs no loss scaling."
        )
    if not served(optimizer._iterations):
        raise ContextError(
            f"{optimizer.name} was created outside of strategy.scope() and updates variables on parameter servers: create it "
            "within `with strategy.scope():`, as the model."
        )
    capture = current().recorder
    grads, variables = known_gradients(optimizer, grads, variables)
    grads = untangled_clip(optimizer, grads)
    grads = _clipped_together(optimizer, grads, variables)
    update = Update(optimizer, tuple(variables), (optimizer._iterations,))
    values = [*update.variables, *update.counted]
    updates = capture.scope.updates
    name = (len(updates), id(optimizer), *map(id, values))
    updates.append(update)
    new = apply_p.bind(*(capture.value_of(v) for v in values), *grads, count=len(values), update=name)
    for variable, value in zip(values, new, strict=True):
        capture.write(variable, value)


def _clipped_together(optimizer: Any, grads: Sequence[Any], variables: Sequence[Any]) -> list[Any]:
    """The gradients after `clipnorm` of what is in shards: by the norm over all of them, which no server sees."""
    shards: dict[int, list[int]] = {}
    for i, variable in enumerate(variables):
        if variable._of is not None:
            shards.setdefault(id(variable._of), []).append(i)
    clipped, most = list(grads), optimizer.clipnorm
    if not most or most <= 0 or not shards:
        return clipped
    if optimizer.gradient_accumulation_steps:
        raise UnimplementedError(
            f"{optimizer.name}: clipnorm with gradient_accumulation_steps needs the sum of all gradients of a variable in one "
            "place, and shards are on several servers. Use clipvalue, or leave variables in one piece."
        )
    most *= optimizer.loss_scale_factor or 1.0  # by which Keras divides first
    for those in shards.values():
        norm = jnp.sqrt(sum(jnp.sum(jnp.square(grads[i])) for i in those))
        for i in those:
            clipped[i] = grads[i] * (most / jnp.maximum(norm, most))
    return clipped


def rows_of(table: Any, ids: Any) -> Any:
    """The rows of a served table; None if this is not one, or it is not known yet which rows."""
    shards = [table] if isinstance(table, KerasVariable) else getattr(table, "variables", None)
    if shards and current().graph is not None:
        current().graph.note_look_up(shards)
    if not shards or not all(isinstance(s, KerasVariable) and served(s) for s in shards):
        return None
    recorder = current().recorder
    if recorder is None and (in_stateless_scope() or isinstance(ids, jax.core.Tracer | keras.KerasTensor)):
        return None  # a layer finds out the shapes of its outputs
    ids = jnp.asarray(ids)
    if not jnp.issubdtype(ids.dtype, jnp.integer):
        return None
    if recorder is None:
        placement: Any = placement_of(shards[0])
        return shards[0]._maybe_autocast(placement.rows(shards, ids))
    rows = look_up_p.bind(*map(scoped, shards), ids, table=id(shards[0]))
    return shards[0]._maybe_autocast(rows)


def nbytes(shape: Sequence[int], dtype: Any) -> int:
    """The bytes of an array."""
    return math.prod(shape) * jnp.dtype(dtype).itemsize


intercept_take(rows_of)
