"""TraceRecorder: traces imperative code and records the variables that it reads and writes, and what it draws."""

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

import jax
import jax.numpy as jnp
import keras

from stratagem._base.errors import ContextError, MixedStrategiesError, TracedDecisionError
from stratagem._core.context import Context, current, recording
from stratagem._core.eager import is_inexact
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.roles import RaisedError
from stratagem._core.step.collectives._aggregation import as_one, own_share
from stratagem._core.step.collectives._assigned_primitive import assigned_p
from stratagem._core.step.collectives._gather import concatenated
from stratagem._core.step.collectives._shards import own_shard, whole_values
from stratagem._core.step.collectives._sums import summed
from stratagem._core.step.host._host_calls import HostCall
from stratagem._core.step.host._host_rules import AS_CALLED, HostRules
from stratagem._core.step.host._prefix_recorder import PrefixRecorder
from stratagem._core.step.keys._interrupts import HostMode, OtherMesh, UnknownShapes
from stratagem._core.step.recording._arguments import Arguments, input_specs
from stratagem._core.step.recording._assertions import Check, note_check
from stratagem._core.step.recording._input_sources import InputSources
from stratagem._core.step.recording._program_inputs import ProgramInputs
from stratagem._core.step.recording._remote_update import RemoteUpdate
from stratagem._core.step.recording._replica_shapes import ReplicaShapes, Shape
from stratagem._core.values import (
    by_replica,
    is_per_replica,
    is_remote,
    on_read,
    placement_of,
    shard_layout,
    stored_shape,
)
from stratagem._private import AtTraceLevel, OpenTrace, current_recording, is_seed_state, trace_level


class TraceRecorder(keras.StatelessScope):  # type: ignore[misc]
    """The recorder of one trace. Keras sends every read and write of a variable here.

    mesh: the replicas that the program will run on.
    trace: JAX's. arguments: the call's, with the elements and the values of the host that are known. variables: those found by
    earlier recordings, which are inputs from the beginning; others become inputs when they are first read or assigned.
    first: whether variables may be created, and the mesh may turn out to be a different one: in a function's first recording.
    runs_again: whether the code has to run again, because the first run has changed what it sees.
    connections: for calls of `tape.gradient` by number, which sources are connected, if an earlier recording found out.
    told: what the tape was told. answers: the connections of calls that are differentiated already, inside gradient functions.
    late_watches: by the number of a tape, inputs that have come while it was open, and that it watches.
    optimizers: those that have updated variables. follows_settings: whether their settings have to be watched for changes.
    replica_shapes: the shapes of an uneven batch on all replicas. replica: one whose inputs are traced.
    prefix: the recorder of what the host computes before the program. host_rules: what it does with functions of the host.
    eager: whether the code runs as Python, on values that are known. is_closed_at_end: whether all that the trace records is
    one program, and not a graph of which parts are run while it grows.
    """

    eager = False
    is_closed_at_end = True

    def __init__(
        self,
        mesh: ReplicaMesh,
        trace: OpenTrace,
        arguments: Arguments,
        variables: Sequence[Any] = (),
        connections: Mapping[int, tuple[bool, ...]] = MappingProxyType({}),
        replica_shapes: ReplicaShapes | None = None,
        replica: int = 0,
        host_rules: HostRules = AS_CALLED,
        *,
        first: bool = False,
    ) -> None:
        super().__init__(collect_losses=True)
        self.mesh = mesh
        self.strategy: Any = None
        self.first, self.runs_again = first, False
        self.variables: dict[int, Any] = {}
        self.values: dict[int, Any] = {}
        self.written: dict[int, str] = {}
        self.tapes: list[Any] = []
        self.program_inputs = ProgramInputs(trace, replica, mesh.num_replicas)
        local = mesh.local_ids.index(replica) if replica in mesh.local_ids else None if replica_shapes else 0
        host = arguments.host
        given = iter(() if host is None else host.inputs)

        def number(leaf: Any, call: HostCall) -> jax.Array:
            known = next(given, leaf)
            (shape, dtype), *_ = input_specs([known], replica)
            fits = is_per_replica(known) is call.own and dtype == leaf.dtype and host_rules.fits(shape, leaf.shape)
            return self.program_inputs.computed(known if fits else leaf, call.own)

        self.prefix = PrefixRecorder(replica, local, number, self.need_host, host_rules, host and host.own)
        self.inputs = InputSources(self.program_inputs, self.prefix, arguments.drawn, arguments.given)
        self.updates: list[RemoteUpdate] = []
        self.checks: list[Check] = []
        self.told: dict[int, tuple[bool, ...]] = {}
        self.answers: dict[int, tuple[bool, ...]] = {}
        self.late_watches: dict[int, list[jax.Array]] = {}
        self.summed = False
        self.optimizers: list[Any] = []
        self.follows_settings = False
        self._known_variables, self._connections = variables, connections
        self._calls = itertools.count()
        self._replica_shapes = replica_shapes
        self._gathers = itertools.count()
        self._to_average: dict[int, Any] = {}
        self._aggregated_reads = False
        self._ignored: Callable[[Any], bool] = lambda variable: False
        self._totals: dict[int, tuple[Any, Any]] = {}
        self._initial: dict[int, Any] = {}

    def begin(self) -> None:
        """Starts the recording, in its trace."""
        self.level = trace_level()
        for variable in self._known_variables:
            self._take(variable)

    @property
    def platform(self) -> str:
        """The platform of the devices that the program will run on."""
        return str(self.mesh.devices[0].platform)

    @property
    def even(self) -> bool:
        """True if all replicas' inputs have the same shapes."""
        return self._replica_shapes is None

    @property
    def scope(self) -> Any:
        """This recorder itself, also if a branch or loop body has put another scope in front of it."""
        return self

    # --- Variables ----------------------------------------------------------------------------------------------------

    def get_current_value(self, variable: Any) -> Any:
        """Returns the value that Keras reads: the replica's own, or the aggregate in cross-replica code."""
        return self.read_slot(variable, self.slot(variable))

    def slot(self, variable: Any) -> Any:
        """Returns this replica's present value of a variable, which the current code reads."""
        value = self.averaged(variable)
        for tape in self.tapes:
            tape.note_read(variable)
        return value

    def averaged(self, variable: Any) -> Any:
        """Returns the variable's value in this trace, after its average over replicas if that is pending."""
        if id(variable) in self._to_average:
            self.average_pending()
        return self.value_of(variable)

    def read_slot(self, variable: Any, slot: Any) -> Any:
        """Returns the value that the current code reads of a variable whose value on this replica is `slot`."""
        if self.mesh.num_replicas == 1 or not (self.in_shards(variable) or on_read(variable)):
            return slot
        if on_read(variable) and self.has_component(current()) and not self._aggregated_reads:
            return slot
        if self.values.get(id(variable)) is not slot:
            return self._of_all_replicas(variable, slot)
        with AtTraceLevel(self.level):
            return self._of_all_replicas(variable, slot)

    def in_shards(self, variable: Any) -> bool:
        """Returns whether what this trace has of a variable is its replica's shard."""
        return shard_layout(variable, self.mesh) is not None

    def _of_all_replicas(self, variable: Any, slot: Any) -> Any:
        layout = shard_layout(variable, self.mesh)
        return self._aggregate(variable, slot) if layout is None else whole_values([slot], [layout], self.mesh)[0]

    def value_of(self, variable: Any) -> Any:
        """Returns the variable's value in this trace (of a sync-on-read one, the replica's slot)."""
        self._take(variable)
        return self.values.setdefault(id(variable), self._initial[id(variable)])

    def _take(self, variable: Any) -> None:
        """Makes a variable an input of the program, if it is not one yet. Open tapes watch it from there on."""
        self._check_strategy(variable)
        if id(variable) in self.variables:
            return
        self.variables[id(variable)] = variable
        value = self.program_inputs.variable(stored_shape(variable, self.mesh), variable._dtype)
        self.values[id(variable)] = self._initial[id(variable)] = value
        for tape in self.tapes:
            tape.note_input(variable, value)

    def trainable(self) -> list[Any]:
        """Returns the trainable variables known to this trace."""
        return [v for v in self.variables.values() if v.trainable and id(v) in self.values]

    def add_update(self, update: tuple[Any, Any]) -> None:
        """Records an assignment by Keras."""
        variable, value = update
        self._take(variable)
        if on_read(variable) or self.in_shards(variable):
            value = self.to_slot(variable, value)
        elif variable.aggregation == "mean" and self._aggregates():
            self._check_created_in_scope(variable)
            value = self._to_average[id(variable)] = self._apart(variable, value)
        else:
            value = self.to_copy(variable, value)
        self.write(variable, value)

    def write(self, variable: Any, value: Any) -> None:
        """Records a value that needs no further aggregation."""
        if self._ignored(variable):
            return
        self.values[id(variable)] = self._apart(variable, value)
        self.written[id(variable)] = user_line()
        for tape in self.tapes:
            tape.note_assignment(variable)

    def _apart(self, variable: Any, value: Any) -> Any:
        """Returns a value to assign: as in TF, no gradient flows through an assignment under a tape."""
        initial = self._initial.get(id(variable))
        if initial is not None and not is_remote(variable) and is_inexact(initial) and _alike(initial, value):
            return assigned_p.bind(value, initial)
        return jax.lax.stop_gradient(value) if self.tapes or current_recording() else value

    def keep(self, variable: Any, value: Any) -> None:
        """Sets this replica's value of a variable."""
        self._take(variable)
        self.write(variable, value)

    def to_copy(self, variable: Any, value: Any) -> Any:
        """Returns all replicas' value of a mirrored variable to which the current code assigns `value`."""
        if not self._aggregates():
            return value
        self._check_created_in_scope(variable)
        return value if variable.aggregation == "none" else as_one(variable, value)

    def to_slot(self, variable: Any, value: Any) -> Any:
        """Returns what this replica stores of `value`: its shard, or its slot of a sync-on-read variable."""
        layout, replicas = shard_layout(variable, self.mesh), self.mesh.num_replicas
        if layout is not None:
            return own_shard(value, layout)
        return value if self.has_component(current()) or replicas == 1 else own_share(variable, value, replicas)

    def add(self, variable: Any, delta: Any, sign: int, scope: Any = None) -> bool:
        """Does an `assign_add` that is not a read and an assignment; returns False for one that is.

        Of a mirrored variable with aggregation SUM it adds every replica's amount; in cross-replica code it adds to
        every slot of a sync-on-read variable. scope: the branch in which it is called.
        """
        sums = variable.aggregation == "sum"
        # Only two cases: a mirrored variable with SUM in a replica, and a sync-on-read one without SUM outside of replicas.
        replicas = 1 if current().updating else self.mesh.num_replicas
        if replicas == 1 or sums is on_read(variable) or sums is not self.in_replica(current()):
            return False
        where, delta = scope or self, jnp.asarray(delta, dtype=variable._dtype)
        if sums:
            self._check_created_in_scope(variable)
            delta = as_one(variable, delta)
        where.keep(variable, where.slot(variable) + (delta if sign > 0 else -delta))
        return True

    def create(self, variable: Any) -> None:
        """Raises ValueError for a variable that is created in a different recording than the first."""
        if self.first:
            # Code may see whether a layer is built: the program is made of what it does when all is, as TensorFlow's is. Slots
            # are no news to it: optimizers make them where they use them.
            self.runs_again |= variable is not None and current().slot_of is None
        else:
            raise ValueError(
                "A compiled step tried to create variables on a call other than its first. Create layers, metrics, "
                "optimizers and tf.Variables outside of the step, or only when the step runs for the first time."
            )

    @contextlib.contextmanager
    def undoing_assignments(self, kept: Callable[[Any], bool]) -> Iterator[None]:
        """Undoes the body's assignments at its end, except for variables that are `kept`."""
        values, written, pending = dict(self.values), dict(self.written), dict(self._to_average)
        yield
        for key in [key for key in self.written if not kept(self.variables[key])]:
            for now, before in ((self.values, values), (self.written, written), (self._to_average, pending)):
                _restore(key, now, before)

    @contextlib.contextmanager
    def ignoring(self, ignored: Callable[[Any], bool]) -> Iterator[None]:
        """Ignores assignments in the body to variables that are `ignored`."""
        before, self._ignored = self._ignored, ignored
        try:
            yield
        finally:
            self._ignored = before

    def average_pending(self) -> None:
        """Averages over replicas the values assigned to variables with aggregation MEAN, in one collective for all."""
        pending, self._to_average = self._to_average, {}
        with AtTraceLevel(self.level):
            totals = summed(list(pending.values()), self.mesh.devices[0].platform)
            for key, total in zip(pending, totals, strict=True):
                self.values[key] = total / self.mesh.num_replicas

    @contextlib.contextmanager
    def aggregated_reads(self) -> Iterator[None]:
        """Makes reads of sync-on-read variables in the body return the aggregate over all replicas, also inside a replica."""
        before, self._aggregated_reads = self._aggregated_reads, True
        try:
            yield
        finally:
            self._aggregated_reads = before

    def _aggregate(self, variable: Any, slot: Any) -> Any:
        """Returns the aggregate of all slots. The trainer's steps read all metrics: there one all-reduce has all their sums."""
        alone = current().rows is None or self.values.get(id(variable)) is not slot
        if alone or variable.aggregation != "sum":
            return as_one(variable, slot)
        known, total = self._totals.get(id(variable), (None, None))
        if known is not slot:
            slots = {k: self.values[k] for k, v in self.variables.items() if on_read(v) and v.aggregation == "sum"}
            totals = summed(list(slots.values()), self.mesh.devices[0].platform)
            self._totals = {k: (s, t) for (k, s), t in zip(slots.items(), totals, strict=True)}
            total = self._totals[id(variable)][1]
        return total

    def _aggregates(self) -> bool:
        """Returns whether several replicas assign at once, each its own value."""
        return self.mesh.num_replicas > 1 and self.in_replica(current())

    def _check_strategy(self, variable: Any) -> None:
        placement = placement_of(variable)
        if placement is None or placement.strategy is None:
            return
        several = self.mesh.num_replicas == 1 < placement.mesh.num_replicas
        if self.first and several and by_replica(variable, placement.mesh):
            raise OtherMesh(placement.mesh)  # every replica of that mesh stores something else of the variable
        if self.strategy not in (None, placement.strategy):
            raise MixedStrategiesError(
                f"Mixing different tf.distribute.Strategy objects: variable {variable.path} was created under "
                f"{placement.strategy}, but the step runs under {self.strategy}."
            )

    def _check_created_in_scope(self, variable: Any) -> None:
        placement = placement_of(variable)
        if (placement is None or placement.strategy is None) and not is_seed_state(variable):
            raise ContextError(
                f"Variable {variable.path} was created outside of strategy.scope() and is assigned inside "
                f"strategy.run, where {self.mesh.num_replicas} replicas would each change it. Create it, or the model, "
                "optimizer or metric that it belongs to, within strategy.scope()."
            )

    # --- Data, decisions, gradients -----------------------------------------------------------------------------------

    def draw(self, source: Any) -> Any:
        """Returns the next element of an iterator, as an input of the program (drawn before every call)."""
        if self.in_replica(current()):
            raise ValueError(
                "next(iterator) should be called from outside of replica_fn: draw in the function that calls "
                "strategy.run, and pass the element as an argument."
            )
        return self.inputs.draw(source)

    def need_host(self, reason: str) -> None:
        """Ends the trace because Python needs values: by an error for the user inside a replica, else by HostMode."""
        if self.in_replica(current()):
            raise TracedDecisionError(
                f"Inside strategy.run {reason}, which needs values while the step is being compiled."
            )
        raise HostMode(reason)

    def check(self, fails: Any, text: str, values: Mapping[str, Any], raised: RaisedError | None = None) -> None:
        """Adds a check to the program: when it runs, it raises an error with this text and these values if `fails` is true.

        raised: returns the exception to raise instead.
        """
        note_check(self.checks, fails, text, values, raised)

    def shapes_everywhere(self, shape: Shape) -> tuple[Shape, ...]:
        """Returns the shapes on all replicas of a gathered value, whose shape on this replica is given."""
        call = next(self._gathers)
        if self._replica_shapes is None:
            return (shape,) * self.mesh.num_replicas
        if call == len(self._replica_shapes.gathered):
            raise UnknownShapes(shape)
        return self._replica_shapes.gathered[call]

    def gather_rows(self, value: Any) -> Any:
        """Returns the replicas' values concatenated along axis 0."""
        return concatenated(value, 0)

    def next_gradient(self) -> int:
        """Returns the number of a call of tape.gradient, which is the same in every trace of the same code."""
        return next(self._calls)

    def connected(self, call: int, sources: int) -> tuple[bool, ...] | None:
        """Returns which sources of that call have a path to the target, if an earlier recording found out."""
        known = self._connections.get(call, ())
        return known if len(known) == sources else None

    @staticmethod
    def in_replica(context: Context) -> bool:
        """Returns whether the context is inside a replica function of a strategy other than the default one."""
        return context.replica is not None

    @classmethod
    def has_component(cls, context: Context) -> bool:
        """Returns whether code in the context reads and assigns each replica's component of a variable, and no aggregate."""
        return cls.in_replica(context) or context.updating


def capturing() -> TraceRecorder:
    """The recorder of code that runs only while a step is traced; in a branch or loop body, what hands on to it."""
    return cast(TraceRecorder, recording())


def _alike(initial: Any, value: Any) -> bool:
    """Returns whether a value has the shape and dtype that the variable had before."""
    return bool(jnp.shape(value) == initial.shape and getattr(value, "dtype", None) == initial.dtype)


def _restore(key: int, now: dict[int, Any], before: dict[int, Any]) -> None:
    if key in before:
        now[key] = before[key]
    else:
        now.pop(key, None)


_OWN = ("stratagem", "keras", "jax", "malt", "contextlib")


def user_line() -> str:
    """Returns the file and line in the user's code from which the present call comes."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in _OWN:
        frame = frame.f_back
    return "unknown line" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
