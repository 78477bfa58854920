"""Rules for Keras objects in a replica: gradients are summed, seeds differ, losses are checked, metrics read aggregates."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import jax

from stratagem._base.errors import ReductionError
from stratagem._core.context import current, entered
from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.step.calls._compiled_update import applied_at_once
from stratagem._core.step.collectives._sums import summed_gradients
from stratagem._core.step.programs._remote import remote_placement
from stratagem._core.step.programs._settings_agreement import agree_on_settings
from stratagem._core.step.programs._sharded_update import slots_in_shards, update_in_shards
from stratagem._core.step.recording._trace_recorder import capturing
from stratagem._private import (
    advance_momenta,
    intercept_apply,
    intercept_builds,
    intercept_loss,
    intercept_metric_results,
    intercept_seeds,
    is_loss_scaler,
)

_PER_BATCH = ("sum_over_batch_size", "mean", "mean_with_sample_weight", "auto")


def _apply(optimizer: Any, grads: list[Any], variables: Any, apply: Callable[[list[Any]], None]) -> None:
    """Sums the gradients over replicas once, in the outermost optimizer, then lets Keras update the variables."""
    context = current()
    if context.recorder is None:
        apply(grads)
        return
    recorder = capturing()
    if recorder.scope.follows_settings:
        recorder.scope.optimizers.append(optimizer)
    trainable = optimizer._trainable_variables if variables is None else variables
    remote = remote_placement(trainable[0]) if trainable else None
    if remote is not None:
        remote.apply_gradients(optimizer, grads, trainable)
        return
    summing = context.replica is not None and not recorder.summed
    if summing:
        agree_on_settings(optimizer, recorder.mesh.job)
    summing = summing and recorder.mesh.num_replicas > 1

    def update(sums: list[Any]) -> None:
        _scaled(optimizer, sums, variables) if is_loss_scaler(optimizer) else apply(sums)

    slots = slots_in_shards(optimizer, recorder)
    before, recorder.summed = recorder.summed, True
    try:
        if slots:
            update_in_shards(recorder, optimizer, slots, grads, trainable, update, summing=summing)
        else:
            update(_summed(grads, recorder.mesh) if summing else grads)
    finally:
        recorder.summed = before


def _summed(grads: list[Any], mesh: ReplicaMesh) -> list[Any]:
    total = iter(summed_gradients([g for g in grads if g is not None], mesh))
    return [None if g is None else next(total) for g in grads]


def _outside(optimizer: Any) -> contextlib.AbstractContextManager[None] | None:
    """Returns the context in which an optimizer is built; None in an Estimator's model_fn, whose graph holds new objects."""
    return None if current().graph is not None else _outside_of_trace(optimizer)


@contextlib.contextmanager
def _outside_of_trace(optimizer: Any) -> Iterator[None]:
    """Lets the body create variables as `creating_variables` does, after the workers have compared the optimizer's settings.

    With different ones they would create different variables, and could not agree on these.
    """
    with creating_variables():
        strategy = current().strategy
        if strategy is not None:
            agree_on_settings(optimizer, strategy.mesh.job)
        yield


@contextlib.contextmanager
def creating_variables() -> Iterator[None]:
    """Lets the body create variables as outside of a step, in the strategy's scope. Raises ValueError in a later trace."""
    context = current()
    if context.recorder is not None:
        context.recorder.create(None)
    with entered(replica=None, crossing=context.strategy is not None):
        yield


def _scaled(optimizer: Any, grads: list[Any], variables: Any) -> None:
    """Applies Keras' stateful loss scaling in its stateless form: the other assigns variables inside a `cond`."""
    inner = optimizer.inner_optimizer
    trainable, taken = inner._trainable_variables if variables is None else variables, inner.iterations.value
    new, state = optimizer.stateless_apply([v.value for v in optimizer.variables], grads, [v.value for v in trainable])
    for variable, value in zip([*trainable, *optimizer.variables], [*new, *state], strict=True):
        variable.assign(value)
    advance_momenta(inner, inner.iterations.value > taken)


def _check_loss(loss: Any) -> None:
    context = current()
    if context.rows is not None:
        return  # the trainer's step, where `_losses` returns the loss of the global batch
    if context.graph is not None:
        return  # an Estimator's step, where optimizers treat the loss as a mean over replicas
    if context.replica is not None and context.recorder is not None and loss.reduction in _PER_BATCH:
        raise ReductionError(
            f"Loss {loss.name!r} has reduction {loss.reduction!r}, which divides by the rows of one replica: summed over "
            f"{context.replica.num_replicas_in_sync} replicas it would be that many times too large. Please use "
            "`tf.keras.losses.Reduction.SUM` or `tf.keras.losses.Reduction.NONE` inside strategy.run, and divide by the "
            "global batch size: tf.nn.compute_average_loss(loss, global_batch_size=...)."
        )


def _seed(state: Any, seed: jax.Array) -> jax.Array:
    """Returns Keras' seed on replica 0, so that one replica draws the same numbers as Keras alone; others fold in their id."""
    context = current()
    if context.replica is None or context.recorder is None or context.recorder.mesh.num_replicas == 1:
        return seed
    replica = jax.lax.axis_index(AXIS)
    return jax.numpy.where(replica == 0, seed, jax.random.fold_in(seed, replica))


def _metric_result(compute: Callable[[], Any]) -> Any:
    """Computes a metric's result over all replicas also inside a replica, as in TF."""
    context = current()
    if context.recorder is None or context.replica is None:
        return compute()
    with context.recorder.aggregated_reads():
        return compute()


def attach_optimizers() -> None:
    """Let optimizers sum gradients over replicas, and be built at once, outside of traces."""
    intercept_apply(_apply, applied_at_once)
    intercept_builds(_outside)


def attach_loss_check() -> None:
    """Let a loss that would be a sum of means be an error inside `strategy.run`."""
    intercept_loss(_check_loss)


def attach_seeds() -> None:
    """Let every replica draw seeds of its own."""
    intercept_seeds(_seed)


def attach_metrics() -> None:
    """Let a metric's result be that of all replicas."""
    intercept_metric_results(_metric_result)
