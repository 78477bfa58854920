"""Replica functions inside a trace: ReplicaContext, run, reduce and gather."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.errors import (
    ContextError,
    InvalidArgumentError,
    MixedStrategiesError,
    ReductionError,
    TracedDecisionError,
)
from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.context import current, entered
from stratagem._core.mesh import AXIS, exact
from stratagem._core.reduce_op import ReduceOp
from stratagem._core.reduce_op import reduce_op as parse_op
from stratagem._core.roles import Strategy
from stratagem._core.step.collectives._gather import concatenated
from stratagem._core.step.collectives._sums import psum, unfolded
from stratagem._core.step.collectives._traced_per_replica import TracedPerReplica
from stratagem._core.step.host._traced_strings import TracedStrings
from stratagem._core.step.keys._interrupts import OtherMesh
from stratagem._core.step.recording._trace_recorder import TraceRecorder, capturing
from stratagem._core.values import PerReplica, is_per_replica, map_structure, on_read, quotient
from stratagem._private import KerasVariable, present_slot

DECISIONS = (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError)


def enter_strategy(recorder: TraceRecorder, strategy: Any) -> None:
    """Binds the trace to a strategy. Raises OtherMesh if the trace assumed other devices."""
    if recorder.strategy is strategy:
        return
    if recorder.strategy is not None:
        raise MixedStrategiesError(
            f"Mixing different tf.distribute.Strategy objects: {recorder.strategy} is not {strategy}. "
            "One compiled function can use one strategy."
        )
    if recorder.mesh.devices != strategy.mesh.devices:
        raise OtherMesh(strategy.mesh)
    recorder.strategy = strategy


def run_replicas(strategy: Strategy, fn: UserFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Runs `strategy.run` inside a trace: calls `fn` once, with this replica's values.

    Returns PerReplica for several replicas.
    """
    recorder = capturing()
    if current().loop:
        recorder.need_host("it calls strategy.run in a loop")
    enter_strategy(recorder, strategy)
    replicas = strategy.mesh.num_replicas
    args, kwargs = map_structure(lambda leaf: to_local(recorder, leaf), (list(args), dict(kwargs)))
    with entered(strategy=strategy, replica=ReplicaContext(strategy), crossing=False):
        try:
            result = fn(*args, **kwargs)
        except DECISIONS as error:
            _explain_decision(fn, error)
        recorder.average_pending()
    return map_structure(lambda leaf: from_replica(leaf, replicas), result)


def agreed(result: Any) -> Any:
    """Returns one value for each PerReplica in a result of `run_replicas`, for results that are equal on all replicas."""
    return map_structure(lambda leaf: leaf.local if isinstance(leaf, TracedPerReplica) else leaf, result)


def to_local(recorder: TraceRecorder, leaf: Any) -> Any:
    """Returns this replica's part of a value of cross-replica code."""
    return recorder.inputs.captured(leaf).local if is_per_replica(leaf) else leaf


def from_replica(leaf: Any, replicas: int) -> Any:
    """Returns what cross-replica code has of a replica's value: a PerReplica for a tensor, if there are several replicas."""
    if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype != object:
        leaf = jnp.asarray(exact(np.asarray(leaf)))  # for example a number of rows, which may differ between replicas
    if replicas == 1 or isinstance(leaf, KerasVariable) or not isinstance(leaf, jax.Array | TracedStrings):
        return leaf
    return TracedPerReplica(leaf, replicas)


def _explain_decision(fn: Callable[..., Any], error: Exception) -> NoReturn:
    name = getattr(fn, "__name__", repr(fn))
    raise TracedDecisionError(
        f"Python code inside the replica function {name!r} asks for the value of a tensor (`.numpy()`, a NumPy function, "
        "or an `if`, `while` or `int()` in code that AutoGraph does not convert: a library's, for example). The function "
        "becomes one compiled program for all replicas, so no value is known yet. Use tf.cond or tf.where for a decision "
        f"there (also on the replica id), tf.while_loop for a loop, and return the tensor to read its value outside.\n{error}"
    ) from error


@exported("distribute.ReplicaContext")
class ReplicaContext:
    """The context of a replica function, as `tf.distribute.ReplicaContext`; `get_replica_context()` returns it."""

    def __init__(self, strategy: Strategy, outside: bool = False) -> None:
        """outside: the context of code that no strategy runs, which has one replica."""
        self._strategy = strategy
        self._outside = outside

    @property
    def strategy(self) -> Any:
        """The strategy that runs this replica."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas over all workers."""
        return int(self._strategy.num_replicas_in_sync)

    @property
    def replica_id_in_sync_group(self) -> Any:
        """This replica's global id: an int32 scalar tensor (outside of any strategy the number 0)."""
        self._check()
        return 0 if self._outside else jax.lax.axis_index(AXIS)

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of this worker's replicas."""
        return tuple(map(str, self._strategy.mesh.local_devices))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Sums or averages every tensor in the structure `value` over all replicas; every replica gets the result.

        Its gradient is the all-reduce of the incoming gradient, as in TF.
        """
        self._check()
        op = parse_op(reduce_op)
        if self._outside:
            return value
        return map_structure(lambda leaf: _all_reduce(op, leaf, self.num_replicas_in_sync), value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Concatenates every replica's tensors along `axis`, in replica order; every replica gets the result."""
        self._check()
        return value if self._outside else map_structure(lambda leaf: gather_tensor(leaf, axis), value)

    def merge_call(self, merge_fn: UserFunction, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None) -> Any:
        """Calls `merge_fn(strategy, *args)` in cross-replica context with all replicas' values as PerReplica."""
        self._check()
        replicas = self.num_replicas_in_sync
        args, kwargs = map_structure(lambda leaf: from_replica(leaf, replicas), (list(args), dict(kwargs or {})))
        with entered(replica=None, crossing=True):
            result = merge_fn(self._strategy, *args, **kwargs)
        return map_structure(lambda leaf: leaf.local if isinstance(leaf, TracedPerReplica) else leaf, result)

    def _check(self) -> None:
        context = current()
        outside = self._outside and context.replica is None and not context.crossing
        if context.replica is not self and not outside:
            raise ContextError(
                "Need to be inside `strategy.run`: this replica context is used outside of the replica function that it "
                "belongs to. Call tf.distribute.get_replica_context() where you use it."
            )


def _all_reduce(op: ReduceOp, value: Any, replicas: int) -> Any:
    mine = jnp.asarray(exact(value))
    if replicas == 1:
        return mine
    total = psum(unfolded(mine))
    return total if op is ReduceOp.SUM else _mean(total, jnp.asarray(replicas, total.dtype))


def _mean(total: Any, count: Any) -> Any:
    """Divides as TensorFlow does: the mean of integers of 8 and 16 bits is float32, of wider ones float64."""
    return quotient(total.astype(count.dtype), count)


def gather_tensor(value: Any, axis: int) -> Any:
    """Concatenates one tensor of rank ≥ 1 over replicas; the shapes may differ along `axis`."""
    value = jnp.asarray(exact(value))
    if value.ndim == 0 or axis < 0 or axis >= value.ndim:
        raise ValueError(
            f"gather along axis {axis} of a value with shape {tuple(value.shape)}: the value must have at least one "
            "dimension, and axis must be one of them, counted from 0."
        )
    return concatenated(value, axis)


def gather_value(strategy: Strategy, value: Any, axis: int) -> Any:
    """Runs `strategy.gather` inside a trace, for one leaf."""
    recorder = capturing()
    enter_strategy(recorder, strategy)
    return gather_tensor(to_local(recorder, value), axis) if is_per_replica(value) else value


def components(strategy: Strategy, variable: keras.Variable) -> Any:
    """Returns the replicas' values of a variable inside a trace: for a sync-on-read one each replica's slot, else the value."""
    recorder = capturing()
    enter_strategy(recorder, strategy)
    replicas = strategy.mesh.num_replicas
    return TracedPerReplica(present_slot(variable), replicas) if on_read(variable) and replicas > 1 else variable.value


def reduce_value(strategy: Strategy, op: ReduceOp, value: Any, axis: int | None) -> Any:
    """Runs `strategy.reduce` inside a trace, for one leaf."""
    recorder = capturing()
    enter_strategy(recorder, strategy)
    replicas = strategy.mesh.num_replicas
    if isinstance(value, KerasVariable):
        value = components(strategy, value)
    if not is_per_replica(value):
        return _reduce_plain(op, value, axis, replicas)
    local = to_local(recorder, value)
    if axis is None:
        return _all_reduce(op, local, replicas)
    _check_axis(axis, local)
    total = psum(jnp.sum(local, axis, dtype=_sum_dtype(local)))
    if op is ReduceOp.SUM:
        return total
    return _mean(total, psum(unfolded(_count(local, axis, total))))


def _reduce_plain(op: ReduceOp, value: Any, axis: int | None, replicas: int) -> Any:
    if replicas > 1 and op is ReduceOp.SUM:
        raise ReductionError(
            f"A non-DistributedValues value {value} cannot be reduced with the given reduce op {op}: it is not known which "
            "replica it belongs to. Return it from strategy.run first, or use ReduceOp.MEAN."
        )
    return value if axis is None else reduce_rows(op, value, axis)


def reduce_rows(op: ReduceOp, value: Any, axis: Any) -> Any:
    """Returns the sum or mean of one tensor along `axis`; the mean of integers has the dtype of their quotient by `/`."""
    value = jnp.asarray(exact(value))
    _check_axis(axis, value)
    total = jnp.sum(value, axis, dtype=_sum_dtype(value))
    return total if op is ReduceOp.SUM else _mean(total, _count(value, axis, total))


def _sum_dtype(value: Any) -> Any:
    return None if value.dtype == bool else value.dtype


def _count(value: Any, axis: Any, total: Any) -> Any:
    """Returns the number of terms of a sum along `axis`, in the sum's dtype, or in float32 if it might not fit."""
    count = math.prod(value.shape[a] for a in (axis if isinstance(axis, tuple) else (axis,)))
    exact_in = jnp.issubdtype(total.dtype, jnp.inexact) or total.dtype.itemsize >= 4
    return jnp.asarray(count, total.dtype if exact_in else jnp.float32)


def _check_axis(axis: Any, value: Any) -> None:
    axes = axis if isinstance(axis, tuple) else (axis,)
    if any(isinstance(a, str) for a in axes):
        raise TypeError(f"reduce: axis must be an integer, got {axis!r}.")
    if any(not -value.ndim <= a < value.ndim for a in axes):
        raise ValueError(f"reduce: axis {axis} is out of range for a value of rank {value.ndim}.")


def check_even(value: PerReplica) -> None:
    """Raises InvalidArgumentError unless all replicas' values have one shape."""
    shapes = [tuple(v.shape) for v in value.values]
    if len(set(shapes)) > 1:
        raise InvalidArgumentError(
            f"reduce with axis=None needs values of one shape on all replicas, found {shapes}. "
            "Give the axis of the rows: strategy.reduce(op, value, axis=0)."
        )
