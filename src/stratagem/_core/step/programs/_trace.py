"""Traces a step: its Python code becomes a pure, differentiated program."""

import itertools
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import keras
import numpy as np
from jax.extend import core as xc

from stratagem._base.errors import ContextError, DivergenceError
from stratagem._core.context import entered
from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.rewrites import rewrite, rewrite_loops
from stratagem._core.roles import Strategy
from stratagem._core.step.collectives._varying_outputs import varying_outputs
from stratagem._core.step.differentiation._differentiate import differentiate, with_late_watches
from stratagem._core.step.host._host_prefix import HostPrefix, PrefixFindings, PrefixTable
from stratagem._core.step.host._host_rules import AS_CALLED, HostRules
from stratagem._core.step.programs._joined_messages import with_joined_messages
from stratagem._core.step.programs._joined_results import without_joined
from stratagem._core.step.programs._needless_messages import without_needless_messages
from stratagem._core.step.recording._arguments import Arguments, InputSpec
from stratagem._core.step.recording._assertions import with_checks
from stratagem._core.step.recording._remote_update import RemoteUpdate
from stratagem._core.step.recording._replica_shapes import ReplicaShapes
from stratagem._core.step.recording._results import ResultStructure
from stratagem._core.step.recording._trace_recorder import TraceRecorder
from stratagem._core.values import by_replica, is_remote, stored_shape
from stratagem._private import (
    StepTrace,
    announce_build,
    has_open_shape,
    local_copy,
    on_a_mesh,
    settings_of,
    unwatched_reads,
    without_meshes,
)

Body = Callable[..., Any]
_MAX_TRACES = 8
_numbers = itertools.count()


@dataclass(frozen=True)
class OptimizerSettingsGuard:
    """The settings of optimizers that are constants of a program; the user may change them between calls."""

    traced_with: tuple[tuple[Any, tuple[Any, ...]], ...]

    @classmethod
    def of(cls, optimizers: Sequence[Any]) -> "OptimizerSettingsGuard":
        """Returns the present settings. Refers to the optimizers weakly, for programs live as long as their function."""
        return cls(tuple((weakref.ref(o), settings_of(o)) for o in {id(o): o for o in optimizers}.values()))

    @property
    def changed(self) -> bool:
        """True if an optimizer has other settings by now."""
        return any((o := of()) is not None and settings_of(o) != then for of, then in self.traced_with)


@dataclass(frozen=True)
class Recording:
    """A run of a step's Python code: its program with the marks of its tapes, not yet differentiated.

    closed: (values of variables, own inputs, shared inputs) -> (results, new values). sources: the iterators that it draws
    from, in their order. host: the calls that run before it. settings: of the optimizers that it uses.
    """

    closed: xc.ClosedJaxpr
    variables: tuple[keras.Variable, ...]
    results: ResultStructure
    recorder: TraceRecorder
    sources: tuple[Any, ...]
    host: PrefixFindings
    settings: OptimizerSettingsGuard

    def fits(self, arguments: Arguments, replica: int = 0) -> bool:
        """Returns whether this is the program for such arguments, drawn elements and values of the host."""
        variables = [(stored_shape(v, self.recorder.mesh), np.dtype(v._dtype)) for v in self.variables]
        return (
            not self.settings.changed
            and len(arguments.drawn) == len(self.sources)
            and self._inputs == (*variables, *arguments.specs(replica))
            and self.host.hold_for(arguments.host)
        )

    def is_of(self, arguments: Arguments, prefix: HostPrefix) -> bool:
        """Returns whether the program takes such arguments, and what this prefix computes, whatever the values."""
        return self._inputs[len(self.variables) :] == arguments.specs() and self.host.repeats(prefix)

    @property
    def _inputs(self) -> tuple[InputSpec, ...]:
        return tuple((tuple(aval.shape), aval.dtype) for aval in self.closed.in_avals)


@dataclass(frozen=True)
class Trace:
    """A step as a pure program: closed(values of variables, own inputs, shared inputs) -> (results, new values).

    compared: the program that has to be equal on all workers. (That with the results of checks may differ in their order.)
    """

    closed: xc.ClosedJaxpr
    compared: xc.ClosedJaxpr
    variables: tuple[keras.Variable, ...]
    written: tuple[tuple[keras.Variable, str], ...]
    results: ResultStructure
    strategy: Strategy
    connections: dict[int, tuple[bool, ...]]
    updates: tuple[RemoteUpdate, ...]
    settings: OptimizerSettingsGuard

    def knows(self, info: "TraceFindings") -> bool:
        """Returns False if other recordings have found variables or gradients that this one does not know."""
        return len(self.variables) == len(info.variables) and not _contradicts(info.connections, self.connections)

    def check_divergence(self, own: int, mesh: ReplicaMesh) -> None:
        """Raises DivergenceError if a mirrored variable would get another value on every replica."""
        shared = len(self.closed.jaxpr.invars) - len(self.variables) - own
        outs = varying_outputs(self.closed, _varying_inputs(self.variables, own, shared, mesh))[
            len(self.results.per_replica) :
        ]
        for (variable, line), varies in zip(self.written, outs, strict=True):
            if varies and not by_replica(variable, mesh):
                raise DivergenceError(
                    f"Mirrored variable {variable.path} would get a different value on every replica, at {line}. "
                    "Reduce the value first (tf.distribute.get_replica_context().all_reduce), or create the variable with "
                    "aggregation=tf.VariableAggregation.MEAN, SUM or ONLY_FIRST_REPLICA, or with synchronization=ON_READ."
                )


@dataclass
class TraceFindings:
    """The findings of earlier recordings of the same code.

    known: whether there is one, so that the mesh, the variables and the sources are known.
    connections: of the program that is being traced, see `TraceRecorder`.
    prefixes: what the host computes before the program runs.
    open_shaped: those of the variables whose values may have several shapes, of which each has a program of its own.
    recorded: a recording that no call has used yet.
    """

    variables: list[keras.Variable] = field(default_factory=list)
    connections: dict[int, tuple[bool, ...]] = field(default_factory=dict)
    sources: list[Any] = field(default_factory=list)
    mesh: ReplicaMesh | None = None
    known: bool = False
    checks: bool = False
    prefixes: PrefixTable = field(default_factory=PrefixTable)
    open_shaped: list[keras.Variable] = field(init=False)
    recorded: Recording | None = None

    def __post_init__(self) -> None:
        self.found(self.variables)

    def found(self, variables: Sequence[keras.Variable]) -> None:
        """Takes note of all variables of the code."""
        self.variables = list(variables)
        self.open_shaped = [v for v in self.variables if has_open_shape(v)]


def record(
    body: Body,
    arguments: Arguments,
    mesh: ReplicaMesh,
    info: TraceFindings,
    replica: int = 0,
    replica_shapes: ReplicaShapes | None = None,
    host_rules: HostRules = AS_CALLED,
) -> Recording:
    """Runs a step's Python code once.

    Elements, and numbers of the host, that the arguments do not have become inputs like those that they have.

    replica_shapes: of an uneven batch, whose step is traced once for every shape; `replica` is one with that shape.
    """
    trace, results = StepTrace(), ResultStructure()
    recorder = TraceRecorder(
        mesh,
        trace,
        arguments,
        info.variables,
        info.connections,
        replica_shapes,
        replica,
        host_rules,
        first=not info.known,
    )
    closed = _program(body, recorder, trace, arguments, results)
    info.found(list(recorder.variables.values()))
    if recorder.first:
        announce_build(None)
    sources, host = tuple(recorder.inputs.sources), recorder.prefix.findings()
    settings = OptimizerSettingsGuard.of(recorder.optimizers)
    return Recording(closed, tuple(info.variables), results, recorder, sources, host, settings)


def trace(
    body: Body,
    arguments: Arguments,
    mesh: ReplicaMesh,
    info: TraceFindings,
    replica: int = 0,
    replica_shapes: ReplicaShapes | None = None,
    platform: str | None = None,
    host_rules: HostRules = AS_CALLED,
    recorded: Recording | None = None,
) -> Trace:
    """Records a step, rewrites and differentiates it; once more if a tape told its code of wrong connections.

    platform: the one that the program is for, by default that of the mesh. recorded: a recording for such arguments.
    """
    platform = platform or mesh.devices[0].platform
    for _ in range(_MAX_TRACES):
        recording = recorded or record(body, arguments, mesh, info, replica, replica_shapes, host_rules)
        recorder, recorded = recording.recorder, None
        closed, connections = _differentiated(recording, platform, even=replica_shapes is None)
        connections |= recorder.answers
        connections = connections if replica_shapes is None else replica_shapes.joined(replica, connections)
        if any(connections.get(call, answer) != answer for call, answer in recorder.told.items()):
            info.connections = connections
            continue
        info.connections = info.connections | recorder.told
        results = recording.results
        compared, closed = closed, _with_check_results(closed, recorder, results)
        traced = Trace(
            closed,
            compared,
            recording.variables,
            tuple((recorder.variables[key], line) for key, line in recorder.written.items()),
            results,
            recorder.strategy,
            info.connections,
            tuple(recorder.updates),
            recording.settings,
        )
        if mesh.num_replicas > 1:
            traced.check_divergence(recorder.program_inputs.own, mesh)
        return traced
    raise ContextError(
        f"The step computed different gradients in each of {_MAX_TRACES} traces. Its Python code must do the same at every "
        "call: look for counters, random choices or objects that are created anew."
    )


def _differentiated(
    recording: Recording, platform: str, *, even: bool
) -> tuple[xc.ClosedJaxpr, dict[int, tuple[bool, ...]]]:
    """Returns the program with its gradients, and for every call of `tape.gradient` which sources are connected."""
    recorder, variables = recording.recorder, recording.variables
    mesh, own = recorder.mesh, recorder.program_inputs.own
    axis_env = [(AXIS, mesh.num_replicas)]
    closed, connections = differentiate(rewrite(recording.closed, platform), axis_env)
    closed = rewrite_loops(without_joined(closed), platform)
    if not even or mesh.num_replicas == 1:
        return closed, connections
    shared = len(closed.jaxpr.invars) - len(variables) - own
    # Each worker passes arguments of its own, which nobody compares; captured tensors are part of the program.
    varying = [*_varying_inputs(variables, own, 0, mesh), *[mesh.job.workers > 1] * shared]
    closed = without_needless_messages(closed, varying)
    if platform == "cpu":  # on GPUs XLA combines all-reduces itself
        closed = with_joined_messages(closed, axis_env, mesh.communication.pack_bytes)
    return closed, connections


def _varying_inputs(variables: Sequence[keras.Variable], own: int, shared: int, mesh: ReplicaMesh) -> list[bool]:
    """Returns for every input of a step whether it may differ between replicas."""
    return [*(by_replica(v, mesh) for v in variables), *[True] * own, *[False] * shared]


def _with_check_results(closed: xc.ClosedJaxpr, recorder: TraceRecorder, results: ResultStructure) -> xc.ClosedJaxpr:
    if not recorder.checks:
        return closed
    positions = {key: i for i, key in enumerate(recorder.variables)}
    # Changes of remote variables are sent after the checks, so that the program need not undo them.
    remote = any(map(is_remote, recorder.variables.values()))
    written = None if remote else [positions[key] for key in recorder.written]
    closed, results.checks = with_checks(
        closed, recorder.checks, written, len(recorder.written), recorder.mesh.num_replicas
    )
    results.per_replica += [False] + [True] * results.checks.values
    return closed


def _contradicts(found: dict[int, tuple[bool, ...]], used: dict[int, tuple[bool, ...]]) -> bool:
    return any(answer != used.get(call, (True,) * len(answer)) for call, answer in found.items())


def _program(
    body: Body, recorder: TraceRecorder, trace: StepTrace, arguments: Arguments, results: ResultStructure
) -> xc.ClosedJaxpr:
    """Runs the code once; returns its program: from the recorder's inputs to the results and new values of variables."""
    inputs = recorder.program_inputs

    def argument(position: int, leaf: Any) -> Any:
        return recorder.prefix.argument(position, leaf, inputs.leaf(position, leaf))

    # JAX caches traces of functions (jax.jit, jax.checkpoint) by their arguments, although they contain the values of variables
    # that the functions read. An axis that only this trace has makes JAX trace such a function again.
    axes = [(AXIS, recorder.mesh.num_replicas), (f"trace {next(_numbers)}", 1)]
    try:
        with unwatched_reads(), recorder:  # at its end, Keras gives new variables their initial values
            with trace.current(axes):
                recorder.begin()
                args, kwargs = arguments.recorded(argument)
                with entered(recorder=recorder, loop=False):
                    tensors = results.note(body(*args, **kwargs))
            new = [recorder.values[key] for key in recorder.written]
            closed = trace.closed([*tensors, *new], inputs.in_order())
    finally:
        trace.end()
    marked = closed.jaxpr.replace(eqns=with_late_watches(closed.jaxpr.eqns, recorder.late_watches))
    if not any(map(on_a_mesh, closed.consts)):
        return xc.ClosedJaxpr(marked, closed.consts)
    # The function captures arrays that lie on a mesh, which JAX refuses in a program over another one.
    constants = [local_copy(c) if on_a_mesh(c) else c for c in closed.consts]
    return xc.ClosedJaxpr(without_meshes(marked), constants)
