"""Markers in a step's program for what it leaves to servers: rows of a table to look up, gradients to apply."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core as xc
from jax.interpreters import ad, batching, mlir

from stratagem._base.errors import UnimplementedError

# lookup(*shards, ids; table): for every id its row of the table, whose rows are those of the shards in order. `table`
# identifies the table.
lookup_p = xc.Primitive("server_lookup")
# scatter(rows, ids; sizes, table): for every shard, whose number of rows is in `sizes`, the sums of the rows with equal ids.
# The transpose of lookup.
scatter_p = xc.Primitive("server_scatter")
scatter_p.multiple_results = True
# apply(*values, *gradients; count, update): the first `count` operands after an optimizer's update. JAX's caches keep the
# parameters of a program for ever, so no objects are among them: `update` has the update's index in its trace, and the ids of
# the optimizer and the variables.
apply_p = xc.Primitive("server_apply")
apply_p.multiple_results = True


def _lookup(*operands: Any, table: int) -> Any:
    """Computes a look-up without servers: for an id out of range the result is that of `jnp.take`."""
    *shards, ids = operands
    return jnp.take(jnp.concatenate(shards) if len(shards) > 1 else shards[0], ids, axis=0)


def scattered(rows: Any, ids: Any, sizes: Sequence[int]) -> list[Any]:
    """Returns for each shard, of so many rows, the sums of the rows (*ids.shape, ...) that have the same id."""
    row = rows.shape[ids.ndim :]
    whole = jnp.zeros((sum(sizes), *row), rows.dtype).at[ids.reshape(-1)].add(rows.reshape(-1, *row))
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return [whole[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def _scatter(rows: Any, ids: Any, *, sizes: tuple[int, ...], table: int) -> list[Any]:
    return scattered(rows, ids, sizes)


def _lookup_type(*operands: Any, table: int) -> Any:
    return operands[0].update(shape=(*operands[-1].shape, *operands[0].shape[1:]))


def _scatter_type(rows: Any, ids: Any, *, sizes: tuple[int, ...], table: int) -> list[Any]:
    return [rows.update(shape=(size, *rows.shape[ids.ndim :])) for size in sizes]


def _apply_type(*operands: Any, count: int, update: tuple[int, ...]) -> list[Any]:
    return list(operands[:count])


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, table: int) -> tuple[Any, Any]:
    *shards, ids = primals
    out = lookup_p.bind(*primals, table=table)
    if all(type(t) is ad.Zero for t in tangents[:-1]):
        return out, ad.Zero(jax.typeof(out).to_tangent_aval())
    return out, lookup_p.bind(*map(ad.instantiate_zeros, tangents[: len(shards)]), ids, table=table)


def _transpose(ct: Any, *operands: Any, table: int) -> list[Any]:
    *shards, ids = operands
    if type(ct) is ad.Zero:
        return [*(ad.Zero(s.aval) for s in shards), None]
    return [*scatter_p.bind(ct, ids, sizes=tuple(s.aval.shape[0] for s in shards), table=table), None]


def _batched(operands: Sequence[Any], dims: Sequence[Any], *, table: int) -> tuple[Any, int]:
    if any(d is not None for d in dims[:-1]):
        raise UnimplementedError("A look-up in many versions of a table at once (vmap over the table) is not possible.")
    return lookup_p.bind(*operands[:-1], jnp.moveaxis(operands[-1], dims[-1], 0), table=table), 0


def _scatter_batched(
    operands: Sequence[Any], dims: Sequence[Any], *, sizes: tuple[int, ...], table: int
) -> tuple[Any, Any]:
    outs = jax.vmap(lambda rows, ids: scattered(rows, ids, sizes), in_axes=tuple(dims))(*operands)
    return outs, [0] * len(outs)


lookup_p.def_abstract_eval(_lookup_type)
scatter_p.def_abstract_eval(_scatter_type)
apply_p.def_abstract_eval(_apply_type)
mlir.register_lowering(lookup_p, mlir.lower_fun(_lookup, multiple_results=False))
mlir.register_lowering(scatter_p, mlir.lower_fun(_scatter, multiple_results=True))
ad.primitive_jvps[lookup_p] = _jvp
ad.primitive_transposes[lookup_p] = _transpose
batching.primitive_batchers[lookup_p] = _batched
batching.primitive_batchers[scatter_p] = _scatter_batched
