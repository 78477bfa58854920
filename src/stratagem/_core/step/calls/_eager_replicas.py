"""Eager replicas: replica functions that run as Python, operation by operation, as `tf.config.run_functions_eagerly` wants."""

import functools
import logging
from collections.abc import Mapping, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import DivergenceError, InvalidArgumentError
from stratagem._base.types import UserFunction
from stratagem._core.context import entered
from stratagem._core.eager import open_recorder
from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.roles import RaisedError, Strategy
from stratagem._core.step.calls._execute import refuse_gradients
from stratagem._core.step.collectives._traced_per_replica import TracedPerReplica
from stratagem._core.step.keys._eager_mode import functions_run_eagerly
from stratagem._core.step.programs._replica_context import ReplicaContext
from stratagem._core.step.programs._replica_threads import ReplicaThreads
from stratagem._core.step.recording._arguments import Arguments
from stratagem._core.step.recording._replica_shapes import Shape
from stratagem._core.step.recording._trace_recorder import TraceRecorder
from stratagem._core.values import (
    adopt,
    is_per_replica,
    map_structure,
    on_read,
    per_replica,
    placement_of,
    with_per_replica_composites,
)
from stratagem._private import (
    KerasVariable,
    OutsideOfTraces,
    StepTrace,
    has_open_shape,
    in_replica_trace,
    initialized,
    note_new_shape,
    present_value,
    store,
    stored,
    unscoped,
)

logger = logging.getLogger("stratagem")


@final
class EagerReplicaRecorder(TraceRecorder):
    """The recorder of one replica that runs as Python: its values of variables are known, and its collectives are meetings."""

    eager = True

    def __init__(self, mesh: ReplicaMesh, threads: ReplicaThreads, replica: int) -> None:
        super().__init__(mesh, StepTrace(), Arguments.of((), {}, []), first=True)
        self._threads, self._replica = threads, replica

    @property
    def even(self) -> bool:
        """False: replicas may have inputs of several shapes."""
        return False

    def value_of(self, variable: Any) -> Any:
        """Returns the replica's present value of a variable."""
        self._take(variable)
        if id(variable) not in self.values:
            self.values[id(variable)] = _own_value(variable, self.mesh, self._replica)
        return self.values[id(variable)]

    def _take(self, variable: Any) -> None:
        self._check_strategy(variable)
        self.variables.setdefault(id(variable), variable)

    def in_shards(self, variable: Any) -> bool:
        """Returns False: replicas have whole values while they run as Python."""
        return False

    def shapes_everywhere(self, shape: Shape) -> tuple[Shape, ...]:
        """Returns the shapes of a value on all replicas."""
        return self._threads.exchange(self._replica, shape, lambda shapes: [tuple(shapes)] * len(shapes))

    def need_host(self, reason: str) -> None:
        """Does nothing: values are known."""

    def check(self, fails: Any, text: str, values: Mapping[str, Any], raised: RaisedError | None = None) -> None:
        """Raises InvalidArgumentError, or what `raised` returns, if `fails` is true."""
        if bool(fails):
            if raised is not None and (error := raised()) is not None:
                raise error
            shown = "".join(f"\n{label} {value}" for label, value in values.items())
            raise InvalidArgumentError(f"{text}{shown}")


def runs_replicas_eagerly(strategy: Strategy, *, wanted: bool = False) -> bool:
    """Returns whether steps of a strategy are called as Python now: not with variables on servers, or of several workers.

    wanted: of this step, whatever `run_functions_eagerly` says.
    """
    if not (wanted or functions_run_eagerly()):
        return False
    if strategy.remote_variables or strategy.mesh.job.workers > 1:
        logger.warning(
            "A step that is to run eagerly stays one compiled program, because its replicas are in several processes."
        )
        return False
    return True


def run_eagerly(
    strategy: Strategy, fn: UserFunction, args: Sequence[Any], kwargs: dict[str, Any], *, commits: bool = True
) -> Any:
    """Calls `fn` for every replica, with values that its Python can see, and commits what they have assigned.

    commits: False to forget that, for a call that only makes variables.
    """
    mesh: ReplicaMesh = strategy.mesh
    threads = ReplicaThreads(mesh.num_replicas)
    captures = [EagerReplicaRecorder(mesh, threads, i) for i in range(mesh.num_replicas)]

    def replica(i: int) -> Any:
        own_args, own_kwargs = map_structure(lambda leaf: _part(leaf, i), (list(args), dict(kwargs)))
        capture = captures[i]
        capture.strategy = strategy
        with in_replica_trace(AXIS, mesh.num_replicas, i, functools.partial(threads.computed, i)), capture:
            capture.begin()
            with entered(recorder=capture, strategy=strategy, replica=ReplicaContext(strategy), crossing=False):
                result = fn(*own_args, **own_kwargs)
                capture.average_pending()
        return result

    recorder = open_recorder()
    with OutsideOfTraces(), unscoped():
        results = threads.run(replica)
        if commits:
            _commit(captures, mesh)
        found = with_per_replica_composites(map_structure(lambda *leaves: _joined(leaves, mesh), *results))
    if recorder is not None:
        refuse_gradients(
            recorder,
            found,
            "gradient: the target depends on replicas that ran as Python under a tape opened outside of strategy.run. Open the "
            "tape in the replica function, or leave tf.config.run_functions_eagerly off.",
        )
    return found


def _part(leaf: Any, replica: int) -> Any:
    return leaf.values[replica] if is_per_replica(leaf) else leaf


def _own_value(variable: Any, mesh: ReplicaMesh, replica: int) -> Any:
    """Returns a copy of the variable's value on this replica, which no step can delete."""
    if not initialized(variable):
        return present_value(variable)
    with OutsideOfTraces():
        if placement_of(variable) is None:
            adopt(variable, mesh)
        placement: Any = placement_of(variable)
        if placement.mesh.devices != mesh.devices or not on_read(variable):
            with unscoped():
                return placement.read(variable)
        return jnp.copy(placement.mesh.unstack(stored(variable))[replica])


def _commit(captures: Sequence[EagerReplicaRecorder], mesh: ReplicaMesh) -> None:
    """Stores what the replicas have assigned. Raises DivergenceError for a mirrored variable that would differ."""
    written = {key: (c.variables[key], line) for c in captures for key, line in c.written.items()}
    for key, (variable, line) in written.items():
        values = [
            capture.value_of(variable) if key not in capture.values else capture.values[key] for capture in captures
        ]
        placement: Any = placement_of(variable)
        if on_read(variable) and placement is not None and placement.mesh.devices == mesh.devices:
            store(variable, mesh.stack(values, own=True))
            continue
        if any(not np.array_equal(np.asarray(values[0]), np.asarray(v), equal_nan=_has_nan(v)) for v in values[1:]):
            raise DivergenceError(
                f"Mirrored variable {variable.path} would get a different value on every replica, at {line}. Reduce the value "
                "first, or create the variable with an aggregation, or with synchronization=ON_READ."
            )
        variable._direct_assign(values[0])
        if has_open_shape(variable):
            note_new_shape(variable, tuple(values[0].shape))


def _has_nan(value: Any) -> bool:
    return bool(jnp.issubdtype(value.dtype, jnp.inexact))


def _joined(leaves: Sequence[Any], mesh: ReplicaMesh) -> Any:
    """Returns the replicas' results as one: PerReplica, but a variable, and Python objects that are the same, as they are."""
    first = leaves[0].local if isinstance(leaves[0], TracedPerReplica) else leaves[0]
    if mesh.num_replicas == 1 or isinstance(first, KerasVariable) or not isinstance(first, jax.Array | np.ndarray):
        return first
    return per_replica(
        [jnp.asarray(leaf.local if isinstance(leaf, TracedPerReplica) else leaf) for leaf in leaves], mesh
    )
