"""Updates of optimizers whose slots lie in shards (ZeRO, stage 1): every replica updates its share, by the optimizer's code.

The code is traced once more, on whole values, as a program of its own; `ShardedRun` runs that on the shards. So nothing has to
be known about an optimizer, and clipping, decay, averages and loss scales are part of what it does.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import keras

from stratagem._core.context import entered
from stratagem._core.step.collectives._shards import is_element, own_shard, scattered_sums, whole_values
from stratagem._core.step.programs._sharded_program import OwnShard, ShardedRun
from stratagem._core.step.recording._arguments import input_spec
from stratagem._core.step.recording._assign_scope import AssignScope, BranchRecorder
from stratagem._core.step.recording._trace_recorder import TraceRecorder
from stratagem._core.values import ShardLayout, shard_layout
from stratagem._private import shape_of

_log = logging.getLogger("stratagem")
_warned: set[str] = set()


def slots_in_shards(optimizer: keras.optimizers.Optimizer, recorder: TraceRecorder) -> list[keras.Variable]:
    """Returns the variables of an optimizer that lie in shards over the replicas of a trace."""
    return [v for v in optimizer.variables if recorder.in_shards(v)]


def update_in_shards(
    recorder: TraceRecorder,
    optimizer: keras.optimizers.Optimizer,
    slots: Sequence[keras.Variable],
    grads: Sequence[Any],
    trainable: Sequence[keras.Variable],
    update: Callable[[list[Any]], None],
    *,
    summing: bool,
) -> None:
    """Does `update(gradients)`, which assigns to variables, and computes of each only this replica's shard where possible.

    slots: the optimizer's variables in shards. grads: of the trainable variables, None for one without. summing: whether the
    gradients are this replica's own, which have to be summed, and not equal on all replicas.
    """
    mesh = recorder.mesh
    given = [(i, jnp.asarray(g)) for i, g in enumerate(grads) if g is not None]
    gradients = _in_shards([g for _, g in given], summing, recorder)
    updated = {id(v) for v in trainable}
    variables = [*(v for v, g in zip(trainable, grads, strict=False) if g is not None), *slots]
    with AssignScope() as present:
        outer = present.original_scope
    values = [_present(v, recorder, outer, id(v) in updated) for v in variables]
    assigned: list[Any] = []

    def whole(values: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
        every: list[Any] = [None] * len(grads)
        for (i, _), gradient in zip(given, gradients, strict=True):
            every[i] = gradient
        scope = AssignScope(whole=True)
        with entered(recorder=BranchRecorder(recorder, scope)), scope:
            scope.set(variables, values)
            update(every)
        assigned[:] = scope.variables.values()
        return [scope.state_mapping[id(v)] for v in assigned]

    specs = [input_spec(tuple(shape_of(v)), v._dtype) for v in variables]
    program = jax.make_jaxpr(whole)(specs, [input_spec(g.shape, g.dtype) for _, g in given])
    run = ShardedRun(mesh)
    _publish(assigned, run(program, [*values, *gradients]), recorder, outer)
    if run.gathered:
        _warn_of_gathered(optimizer, run.gathered)


def _in_shards(gradients: Sequence[Any], summing: bool, recorder: TraceRecorder) -> list[Any]:
    """Returns the sums of gradients over the replicas, as shards; those of scalars as they are."""
    layouts = [ShardLayout(tuple(g.shape), recorder.mesh.num_replicas) for g in gradients]
    if not summing:
        pairs = zip(gradients, layouts, strict=True)
        return [OwnShard(own_shard(g, layout), layout) if g.shape else g for g, layout in pairs]
    shards = scattered_sums(gradients, layouts, recorder.mesh)
    found = [OwnShard(s, layout) for s, layout in zip(shards, layouts, strict=True)]
    scalars = [i for i, g in enumerate(gradients) if not g.shape]
    whole = whole_values([shards[i] for i in scalars], [layouts[i] for i in scalars], recorder.mesh)
    return [whole[scalars.index(i)] if i in scalars else shard for i, shard in enumerate(found)]


def _present(variable: Any, recorder: TraceRecorder, scope: Any, updated: bool) -> Any:
    """Returns the present value of a variable, as the run of the update takes it. updated: by its gradient."""
    if (layout := shard_layout(variable, recorder.mesh)) is not None and _has_shards(scope):
        return OwnShard(scope.slot(variable), layout)
    value = variable.value
    if not value.shape or (layout is None and not updated):
        return value
    layout = ShardLayout(tuple(value.shape), recorder.mesh.num_replicas)
    return OwnShard(own_shard(value, layout), layout)


def _publish(assigned: Sequence[Any], found: Sequence[Any], recorder: TraceRecorder, scope: Any) -> None:
    """Assigns what an update has made: to variables in shards the shards, to others the whole values, gathered together."""
    mesh = recorder.mesh
    kept = [shard_layout(v, mesh) if _has_shards(scope) else None for v in assigned]
    gathered = [i for i, x in enumerate(found) if kept[i] is None and isinstance(x, OwnShard)]
    whole = whole_values([found[i].value for i in gathered], [found[i].layout for i in gathered], mesh)
    values = dict(zip(gathered, whole, strict=True))
    for i, (variable, layout) in enumerate(zip(assigned, kept, strict=True)):
        if layout is None:
            variable.assign(values.get(i, found[i]))
        else:
            scope.keep(variable, _own_elements(found[i], layout))


def _own_elements(found: Any, layout: ShardLayout) -> Any:
    if not isinstance(found, OwnShard):
        return own_shard(found, layout)
    # What the update made of the zeros behind the last element is no value of the variable.
    return jnp.where(is_element(layout), found.value, jnp.zeros_like(found.value)) if layout.filled else found.value


def _has_shards(scope: Any) -> bool:
    """Returns whether a scope, into which Keras assigns, has shards of variables that lie in them; others have whole values."""
    return isinstance(scope, TraceRecorder) or (isinstance(scope, AssignScope) and not scope.whole)


def _warn_of_gathered(optimizer: Any, gathered: dict[str, int]) -> None:
    kind = type(optimizer).__name__
    if kind not in _warned:
        _warned.add(kind)
        _log.warning(
            "shard_optimizer_state: updates of %s need whole values, not elements, for %s: every replica gathers %.1f MB for "
            "them in each step. The results are the same; memory and time of a step are not saved there.",
            kind, ", ".join(sorted(gathered)), sum(gathered.values()) / 1e6
        )  # fmt: skip
