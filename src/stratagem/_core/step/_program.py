"""One traced, differentiated, replicated and compiled program, and how it is called."""

import contextlib
import itertools
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc
from jax.sharding import PartitionSpec

from stratagem._base.errors import ContextError, DivergenceError
from stratagem._base.job import Job, Phase
from stratagem._core.context import entered
from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.step._capture import Capture, InTrace
from stratagem._core.step._checks import NO_CHECKS, Checks, with_checks
from stratagem._core.step._differentiate import differentiate
from stratagem._core.step._divergence import varying_outputs
from stratagem._core.step._layout import BatchLayout
from stratagem._core.step._rewrites import compiler_options, rewrite
from stratagem._core.step._update import RemoteUpdate
from stratagem._core.values import Stacked, adopt, is_per_replica, is_remote, on_read, placement_of, storage
from stratagem._private import announce_build, on_device, reusing_executables, settings_of, store, stored

Body = Callable[..., Any]
_MAX_TRACES = 8
_numbers = itertools.count()


@dataclass(frozen=True)
class Arguments:
    """A call's arguments and drawn elements, flat: tensors are inputs of the program, everything else is part of it."""

    leaves: tuple[Any, ...]
    structure: Any

    @classmethod
    def of(cls, args: Any, kwargs: Any, drawn: Any) -> "Arguments":
        """Flatten the positional and keyword arguments and the elements drawn for this call."""
        leaves, structure = jax.tree.flatten((args, kwargs, drawn), is_leaf=is_per_replica)
        return cls(tuple(leaves), structure)

    @property
    def own(self) -> list[Any]:
        """Leaves with one value a replica."""
        return [v for v in self.leaves if is_per_replica(v)]

    @property
    def shared(self) -> list[Any]:
        """Leaves with the same value on all replicas."""
        return [v for v in self.leaves if is_tensor(v)]

    def filled(self, own: Sequence[Any], shared: Sequence[Any]) -> Any:
        """(args, kwargs, drawn) with other values in place of the tensors."""
        mine, common = iter(own), iter(shared)
        leaves = [next(mine) if is_per_replica(v) else next(common) if is_tensor(v) else v for v in self.leaves]
        return jax.tree.unflatten(self.structure, leaves)


def is_tensor(leaf: Any) -> bool:
    """True for what becomes an input of the program with one value for all replicas."""
    return isinstance(leaf, jax.Array | np.ndarray | np.generic) and leaf.dtype != object


@dataclass
class ResultStructure:
    """Where the results of a program go in the structure that the function returned.

    checks: those of the program, whose results come after these; `per_replica` has theirs, too.
    """

    structure: Any = None
    leaves: list[Any] = field(default_factory=list)
    per_replica: list[bool] = field(default_factory=list)
    checks: Checks = NO_CHECKS

    def note(self, result: Any) -> list[Any]:
        """Remember the structure; returns the tensors in it."""
        self.leaves, self.structure = jax.tree.flatten(result, is_leaf=is_per_replica)
        tensors = [v for v in self.leaves if isinstance(v, InTrace | jax.Array)]
        self.per_replica = [isinstance(v, InTrace) for v in tensors]
        self.leaves = [_TENSOR if isinstance(v, InTrace | jax.Array) else v for v in self.leaves]
        return [v.local if isinstance(v, InTrace) else v for v in tensors]

    def rebuilt(self, tensors: Sequence[Any]) -> Any:
        """The structure with real tensors in it."""
        given = iter(tensors)
        return jax.tree.unflatten(self.structure, [next(given) if v is _TENSOR else v for v in self.leaves])

    def verified(self, tensors: Sequence[Any], mesh: ReplicaMesh) -> Any:
        """As `rebuilt`. Where the program has checks, waits for them, and raises InvalidArgumentError if one has failed."""
        self.checks.verify(tensors, mesh.local_ids)
        return self.rebuilt(tensors)


_TENSOR = object()


@dataclass(frozen=True)
class Settings:
    """What a trace has written into its program of optimizers' settings, which programs change between calls."""

    made_with: tuple[tuple[Any, tuple[Any, ...]], ...]

    @classmethod
    def of(cls, optimizers: Sequence[Any]) -> "Settings":
        """Those that these have now. (A program is kept by its function, so it must not keep what that uses.)"""
        return cls(tuple((weakref.ref(o), settings_of(o)) for o in {id(o): o for o in optimizers}.values()))

    @property
    def changed(self) -> bool:
        """True if one has others by now."""
        return any((o := of()) is not None and settings_of(o) != then for of, then in self.made_with)


@dataclass(frozen=True)
class Trace:
    """A step as a pure program: closed(values of variables, own inputs, shared inputs) -> (results, new values).

    compared: what all workers have to have traced alike. (Of checks that become results JAX sorts nothing.)
    """

    closed: xc.ClosedJaxpr
    compared: xc.ClosedJaxpr
    variables: tuple[Any, ...]
    written: tuple[tuple[Any, str], ...]
    results: ResultStructure
    strategy: Any
    connections: dict[int, tuple[bool, ...]]
    updates: tuple[RemoteUpdate, ...]
    settings: "Settings"

    def knows(self, info: "TraceInfo") -> bool:
        """False if other traces have found variables or gradients since that this one does not know."""
        return len(self.variables) == len(info.variables) and not _contradicts(info.connections, self.connections)

    def check_divergence(self, own: int) -> None:
        """Raise DivergenceError if a mirrored variable would get another value on every replica."""
        inputs = len(self.closed.jaxpr.invars) - len(self.variables) - own
        varying = [*map(on_read, self.variables), *[True] * own, *[False] * inputs]
        outs = varying_outputs(self.closed, varying)[len(self.results.per_replica) :]
        for (variable, line), varies in zip(self.written, outs, strict=True):
            if varies and not on_read(variable):
                raise DivergenceError(
                    f"Mirrored variable {variable.path} would get a different value on every replica, at {line}. "
                    "Reduce the value first (tf.distribute.get_replica_context().all_reduce), or create the variable with "
                    "aggregation=tf.VariableAggregation.MEAN, SUM or ONLY_FIRST_REPLICA, or with synchronization=ON_READ."
                )


@dataclass
class TraceInfo:
    """What earlier traces of the same code found: it saves the first trace of the next signature."""

    variables: list[Any] = field(default_factory=list)
    connections: dict[int, tuple[bool, ...]] = field(default_factory=dict)
    sources: list[Any] = field(default_factory=list)
    mesh: ReplicaMesh | None = None
    explored: bool = False
    checks: bool = False


def _spec(shape: Sequence[int], dtype: Any) -> jax.core.ShapedArray:
    """An abstract input. (A ShapeDtypeStruct would be traced with 32 bits: JAX cuts what it has no array of.)"""
    return jax.core.ShapedArray(tuple(shape), np.dtype(dtype))


def own_specs(own: Sequence[Any], replica: int = 0) -> list[jax.core.ShapedArray]:
    """The shapes of one replica's own inputs."""
    return [
        _spec(v.array.shape[1:], v.array.dtype)
        if isinstance(v, Stacked)
        else _spec(v.shapes[replica], v.values[0].dtype)
        for v in own
    ]


def explore(
    body: Body,
    arguments: Arguments,
    mesh: ReplicaMesh,
    info: TraceInfo,
    replica: int = 0,
    layout: BatchLayout | None = None,
) -> None:
    """The first trace: builds what is lazy, and tells which variables the step touches and what it draws."""
    capture = Capture(mesh, None, layout=layout)
    _make_jaxpr(body, capture, arguments, [], own_specs(arguments.own, replica), ResultStructure())
    info.variables = list(capture.variables.values())
    info.sources, info.checks = capture.sources, bool(capture.checks)
    announce_build(None)


def trace(
    body: Body,
    arguments: Arguments,
    mesh: ReplicaMesh,
    info: TraceInfo,
    replica: int = 0,
    layout: BatchLayout | None = None,
) -> Trace:
    """Trace with all variables as inputs, until nothing new turns up; rewrite and differentiate.

    layout: for an uneven batch, whose step is traced once for every shape: `replica` is one that has it.
    """
    for _ in range(_MAX_TRACES):
        variables, results = list(info.variables), ResultStructure()
        capture = Capture(mesh, variables, info.connections, layout)
        specs = [_spec(v.shape, v._dtype) for v in variables]
        closed = _make_jaxpr(body, capture, arguments, specs, own_specs(arguments.own, replica), results)
        if len(capture.variables) > len(variables):
            info.variables = list(capture.variables.values())
            continue
        closed, connections = differentiate(rewrite(closed, mesh.devices[0].platform), [(AXIS, mesh.num_replicas)])
        connections = connections if layout is None else layout.joined(replica, connections)
        if _contradicts(connections, info.connections):
            info.connections = connections
            continue
        written = tuple((capture.variables[key], line) for key, line in capture.written.items())
        traced, closed = closed, _with_results_of_checks(closed, capture, results)
        made = Trace(
            closed,
            traced,
            tuple(variables),
            written,
            results,
            capture.strategy,
            info.connections,
            tuple(capture.updates),
            Settings.of(capture.optimizers),
        )
        if mesh.num_replicas > 1:
            made.check_divergence(len(arguments.own))
        return made
    raise ContextError(
        f"The step touched other variables in each of {_MAX_TRACES} traces. Its Python code must do the same at every call: "
        "look for counters, random choices or objects that are created anew."
    )


def _with_results_of_checks(closed: xc.ClosedJaxpr, capture: Capture, results: ResultStructure) -> xc.ClosedJaxpr:
    if not capture.checks:
        return closed
    places = {key: i for i, key in enumerate(capture.variables)}
    # What is kept elsewhere is sent there once the checks are known.
    remote = any(map(is_remote, capture.variables.values()))
    written = None if remote else [places[key] for key in capture.written]
    closed, results.checks = with_checks(
        closed, capture.checks, written, len(capture.written), capture.mesh.num_replicas
    )
    results.per_replica += [False] + [True] * results.checks.values
    return closed


def _contradicts(found: dict[int, tuple[bool, ...]], used: dict[int, tuple[bool, ...]]) -> bool:
    return any(answer != used.get(call, (True,) * len(answer)) for call, answer in found.items())


def _make_jaxpr(
    body: Body, capture: Capture, arguments: Arguments, variables: list[Any], own: list[Any], results: ResultStructure
) -> xc.ClosedJaxpr:
    replicas = capture.mesh.num_replicas
    keys = list(capture.variables)

    def pure(values: list[Any], own: list[Any], shared: list[Any]) -> tuple[list[Any], list[Any]]:
        seen = [InTrace(v, replicas) for v in own]
        args, kwargs, drawn = arguments.filled(seen, shared)
        capture.begin(dict(zip(keys, values, strict=True)), drawn)
        with entered(recorder=capture):
            result = body(*args, **kwargs)
        return results.note(result), [capture.values[key] for key in capture.written]

    shared = [_spec(v.shape, v.dtype) for v in arguments.shared]
    # JAX remembers traces of functions (jax.jit, jax.checkpoint) by their arguments, with the values of variables that they
    # read. The axis of one device belongs to this trace alone: such a function is traced anew, with the present values.
    axes = [(AXIS, replicas), (f"trace {next(_numbers)}", 1)]
    with capture:  # when it closes, Keras gives the variables that were created their first values
        return jax.make_jaxpr(pure, axis_env=axes)(variables, own, shared)


def begun(job: Job, *, first: bool, steps: int = 1) -> contextlib.AbstractContextManager[None]:
    """Around a call of a program, which takes so many steps. The first one compiles."""
    for _ in range(steps):
        job.begin_step()
    return _compiling(job) if first else job.waiting()


@contextlib.contextmanager
def _compiling(job: Job) -> Iterator[None]:
    with job.phase(Phase.COMPILING), reusing_executables():
        yield


def everywhere(value: Any, mesh: ReplicaMesh) -> Any:
    """A tensor that all replicas share, on all devices of the mesh."""
    if mesh.num_replicas > 1:
        return value if getattr(value, "sharding", None) == mesh.everywhere else mesh.replicate(value)
    if not isinstance(value, jax.Array):
        return on_device(np.asarray(value), mesh.devices[0])
    here = value.sharding.device_set == mesh.everywhere.device_set
    return value if here else jax.device_put(value, mesh.devices[0])


class Program:
    """A compiled step for even inputs: one program over the mesh."""

    def __init__(self, made: Trace, arguments: Arguments, mesh: ReplicaMesh) -> None:
        self._mesh = mesh
        self._results = made.results
        self._bound = Bound(made, mesh)
        self._run = self._compiled(made, len(arguments.own), len(arguments.shared))
        self._first = True

    def __call__(self, arguments: Arguments) -> Any:
        """Run once: read the variables, run, write them, hand out the results. Waits for nothing."""
        self._bound.check()
        own = [v.array for v in arguments.own]
        shared = [everywhere(v, self._mesh) for v in arguments.shared]
        outs = self._bound.run(self._run, own, shared, first=self._first)
        self._first = False
        mesh, flags = self._mesh, self._results.per_replica
        return self._results.verified(
            [Stacked(v, mesh) if f else mesh.first(v) for v, f in zip(outs, flags, strict=True)], mesh
        )

    @property
    def stale(self) -> bool:
        """True if a variable moved or changed its role since the program was made."""
        return self._bound.stale

    def _compiled(self, made: Trace, own: int, shared: int) -> Callable[..., Any]:
        program, bound, n = xc.jaxpr_as_fun(made.closed), self._bound, len(made.results.per_replica)

        def replica(
            donated: list[Any], kept: list[Any], own: list[Any], shared: list[Any]
        ) -> tuple[list[Any], list[Any]]:
            values = bound.merge(donated, kept)
            outs = program(*values, *(v[0] for v in own), *shared)
            results = [v[None] if f else v for v, f in zip(outs[:n], made.results.per_replica, strict=True)]
            return results, [v[None] if s else v for v, s in zip(outs[n:], bound.written_slots, strict=True)]

        each, every = PartitionSpec(AXIS), PartitionSpec()
        ins = (bound.specs(True), bound.specs(False), [each] * own, [every] * shared)
        outs = (
            [each if f else every for f in made.results.per_replica],
            [each if s else every for s in bound.written_slots],
        )
        mapped = jax.shard_map(replica, mesh=self._mesh.mesh, in_specs=ins, out_specs=outs, check_vma=False)
        options = compiler_options(self._mesh.devices[0].platform)
        return jax.jit(mapped, donate_argnums=(0,), compiler_options=options)


class Bound:
    """A program's variables: which are written (their buffers are donated), which have slots, which live elsewhere."""

    def __init__(self, made: Trace, mesh: ReplicaMesh) -> None:
        self.variables = made.variables
        self._mesh = mesh
        for variable in self.variables:
            _settle(variable, mesh)
        self._placements = [placement_of(v) for v in self.variables]
        self._trainable = [v._trainable for v in self.variables]
        self._written = [v for v, _ in made.written]
        self._settings = made.settings
        ids = {id(v) for v in self._written}
        self._is_written = [id(v) in ids for v in self.variables]
        pairs = zip(self.variables, self._placements, strict=True)
        self._foreign = {id(v) for v, p in pairs if p is not None and p.mesh.devices != mesh.devices}
        self._slots = {id(v) for v in self.variables if on_read(v) and id(v) not in self._foreign}
        self.slots = [id(v) in self._slots for v in self.variables]
        self._donated = [v for v, w in zip(self.variables, self._is_written, strict=True) if w]
        self._kept = [v for v, w in zip(self.variables, self._is_written, strict=True) if not w]
        self.written_slots = [id(v) in self._slots for v in self._written]

    @property
    def stale(self) -> bool:
        """True if a variable was placed anew, its `trainable` changed, or a setting that the program follows."""
        return self._settings.changed or any(
            v._placement is not p or v._trainable is not t
            for v, p, t in zip(self.variables, self._placements, self._trainable, strict=True)
        )

    def read(self) -> tuple[list[jax.Array], list[jax.Array]]:
        """What the program reads: the arrays to donate, and those to keep."""
        if self._foreign:
            return [self._value(v) for v in self._donated], [self._value(v) for v in self._kept]
        return [v._value for v in self._donated], [v._value for v in self._kept]

    def run(self, compiled: Callable[..., Any], own: Any, shared: Any, *, first: bool, steps: int = 1) -> Any:
        """Call a compiled program that takes `steps`, commit the new values, and return its results. Waits for nothing."""
        with storage, begun(self._mesh.job, first=first, steps=steps):
            donated, kept = self.read()
            outs, new = compiled(donated, kept, own, shared)
            self.write(new, steps)
            for result in jax.tree.leaves(new or outs)[:1]:
                self._mesh.dispatched.note(result)
        return outs

    def ordered(self) -> list[jax.Array]:
        """What the program reads, in the order of the variables."""
        return [self._value(v) for v in self.variables]

    def check(self) -> None:
        """Before a call: raise NonFiniteError if the strategy is to stop and the step before the last has left such values."""
        if self._mesh.non_finite.stops:
            self._mesh.non_finite.check(self._mesh.job.agree)

    def write(self, new: Sequence[jax.Array], steps: int = 1) -> None:
        """Commit the new values of so many steps."""
        if self._mesh.non_finite.stops:
            self._note(new, steps)
        for variable, value in zip(self._written, new, strict=True):
            if id(variable) in self._foreign:
                variable._direct_assign(self._mesh.first(value))
            else:
                store(variable, value)

    def _note(self, new: Sequence[jax.Array], steps: int) -> None:
        pairs = [(v, x) for v, x in zip(self._written, new, strict=True) if jnp.issubdtype(x.dtype, jnp.inexact)]
        mirrored = sorted((pair for pair in pairs if not on_read(pair[0])), key=lambda pair: not pair[0]._trainable)
        values = {v.path: self._mesh.first(x) for v, x in mirrored}
        slots = [self._mesh.unstack(x) for v, x in pairs if id(v) in self._slots]
        if values:
            own = {replica: [slot[i] for slot in slots] for i, replica in enumerate(self._mesh.local_ids)}
            self._mesh.non_finite.note(steps, values, own)

    def written_order(self) -> list[int]:
        """For every donated array the position, among the new values, of the one that takes its place."""
        position = {id(v): i for i, v in enumerate(self._written)}
        return [position[id(v)] for v in self._donated]

    def merge(self, donated: Sequence[Any], kept: Sequence[Any]) -> list[Any]:
        """One replica's values in the order of the variables."""
        written, others = iter(donated), iter(kept)
        values = [next(written) if w else next(others) for w in self._is_written]
        return [x[0] if id(v) in self._slots else x for v, x in zip(self.variables, values, strict=True)]

    def specs(self, written: bool) -> list[PartitionSpec]:
        """How the donated (written) or the kept arrays lie on the mesh."""
        chosen = self._donated if written else self._kept
        return [PartitionSpec(AXIS) if id(v) in self._slots else PartitionSpec() for v in chosen]

    def _value(self, variable: Any) -> jax.Array:
        if id(variable) in self._foreign:
            return self._mesh.replicate(variable.value, own=True)
        return stored(variable)


def _settle(variable: Any, mesh: ReplicaMesh) -> None:
    """Lay a variable that nobody has claimed on the mesh that uses it first. Any other stays where it is.

    A metric's state that no strategy owns moves on: only on the program's own mesh can it have a slot a replica.
    """
    placement = placement_of(variable)
    if placement is None or (
        placement.strategy is None and on_read(variable) and placement.mesh.devices != mesh.devices
    ):
        adopt(variable, mesh)
