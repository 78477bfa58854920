"""The stages before a call of a step can run: record it, draw its input, compile it. Each returns what it found."""

import functools
import logging
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar, final

import jax

from stratagem._base.errors import ContextError, InvalidArgumentError, MixedStrategiesError, OutOfRangeError
from stratagem._base.job import Phase, observer
from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step.calls._function_cache import FunctionCache, Specialization, specialization_of, tracing
from stratagem._core.step.collectives._placement_log import log_placement
from stratagem._core.step.host._host_prefix import HostPrefix, PrefixValues
from stratagem._core.step.keys._interrupts import HostMode, OtherMesh
from stratagem._core.step.keys._program_keys import is_source, leaf_key
from stratagem._core.step.programs._consistency import agree_on
from stratagem._core.step.programs._program import Program
from stratagem._core.step.programs._program_call import compiling, rows_of
from stratagem._core.step.programs._remote import RemoteHost, RemoteIterator, RemoteProgram, remote_placement
from stratagem._core.step.programs._replica_context import DECISIONS
from stratagem._core.step.programs._trace import Body, Recording, Trace, TraceFindings, record, trace
from stratagem._core.step.programs._uneven import UnevenProgram
from stratagem._core.step.recording._arguments import Arguments, input_specs
from stratagem._core.step.recording._replica_shapes import ReplicaShapes, retried_until_shapes_known, with_replica_note
from stratagem._core.values import Separate, Stacked, is_per_replica, is_remote
from stratagem._private import shape_of

logger = logging.getLogger("stratagem")

T = TypeVar("T")
StepProgram = Program | UnevenProgram | RemoteProgram
_MAX_ROUNDS = 4


@final
@dataclass(frozen=True)
class RunsInPython:
    """The finding that Python has to run the code, because it needs values while it is traced."""

    reason: str


@final
@dataclass(frozen=True)
class BodyCall:
    """A call of a body: its arguments, their leaves, and the specialization for arguments of this kind.

    info: the findings of the traces so far. default: the mesh that the body runs on unless it uses a strategy, or is given
    values of one. here: whether this process computes what the host has to in any case.
    """

    body: Body
    name: str
    args: Sequence[Any]
    kwargs: dict[str, Any]
    cache: FunctionCache
    specialization: Specialization
    info: TraceFindings
    leaves: Sequence[Any]
    default: ReplicaMesh
    here: bool = False

    @classmethod
    def of(
        cls, body: Body, key: Hashable, name: str, args: Sequence[Any], kwargs: dict[str, Any], mesh: ReplicaMesh
    ) -> Self:
        """Finds the specialization."""
        cache, specialization, leaves = specialization_of(key, name, args, kwargs)
        return cls(body, name, args, kwargs, cache, specialization, specialization.info, leaves, mesh)

    def sources(self) -> list[Any]:
        """The iterators that this call draws from."""
        return [self.leaves[s] if isinstance(s, int) else s for s in self.info.sources]

    def stays_there(self, source: Any) -> bool:
        """Returns whether an iterator's element stays in its process, as it does unless the host computes with it here."""
        return isinstance(source, RemoteIterator) and (not self.info.prefixes or self.host_there() is not None)

    def host_there(self) -> RemoteHost | None:
        """Returns the worker in another process that computes what the host has to for the step; None if this process does."""
        worker = current().worker
        if self.here or not isinstance(worker, RemoteHost) or not any(map(is_remote, self.info.variables)):
            return None
        return worker if all(map(worker.carries, self.info.prefixes.every())) else None

    def inputs(self, drawn: Sequence[Any], mesh: ReplicaMesh, *, ahead: bool = False) -> "StepInputs | None":
        """Returns the arguments together with the elements that were drawn, and with what the host computes of both.

        None if the body has to be recorded again to know what the host has to compute. ahead: the call may never be made; None
        also if somebody might notice what the host computes.
        """
        if not self.info.prefixes:
            return StepInputs.of(self, drawn)
        kinds, host = kinds_of(drawn), self.host_there()
        leaves = [*self.leaves, *jax.tree.leaves(drawn)]

        def run(prefix: HostPrefix) -> PrefixValues:
            return prefix.run(leaves, mesh) if host is None else host.expected(prefix, leaves, mesh)

        prefixes = self.info.prefixes
        values = prefixes.run_pure(kinds, run) if ahead else prefixes.run(kinds, run)
        if values is None:
            self.info.known = self.info.known and ahead
            return None
        return StepInputs(Arguments.of(self.args, self.kwargs, drawn, values, self.leaves), (*kinds, *values.kinds))


@final
@dataclass(frozen=True)
class StepInputs:
    """All that a program takes.

    kinds: of drawn elements and of what the host has computed; for each there is a program of its own.
    """

    arguments: Arguments
    kinds: tuple[Hashable, ...]

    @classmethod
    def of(cls, call: BodyCall, drawn: Sequence[Any]) -> Self:
        """Returns the inputs of a call for which the host has nothing to compute."""
        kinds = kinds_of(drawn) if drawn else ()
        return cls(Arguments.of(call.args, call.kwargs, drawn, given=call.leaves), kinds)

    def result(self, found: Any, mesh: ReplicaMesh) -> Any:
        """Returns the result of the step, of what its program returns."""
        host = self.arguments.host
        return found if host is None or host.there is not None else host.filled(found)


@final
@dataclass(frozen=True)
class Prepared:
    """A call that can run: its program, and the inputs for it with the elements that were drawn."""

    program: StepProgram
    inputs: StepInputs
    mesh: ReplicaMesh
    drawn: list[Any] = field(default_factory=list)


def prepared(call: BodyCall, before: Sequence[Any] = ()) -> Prepared | RunsInPython:
    """Goes through all stages.

    before: elements of a first attempt, whose stand-ins were wrong; they are not drawn again.
    """
    for _ in range(_MAX_ROUNDS):
        mesh = mesh_of(call)
        if isinstance(mesh, RunsInPython):
            return mesh
        try:
            drawn = draw(call, mesh, before)
        except Exception:
            call.info.recorded = None  # nobody may ever use it
            raise
        try:
            inputs = call.inputs(drawn, mesh)
            program = None if inputs is None else compiled(call, inputs, mesh)
        except Exception:
            call.info.recorded = None
            _skip_remote(call)
            raise
        if inputs is not None and isinstance(program, StepProgram):
            return Prepared(program, inputs, mesh, drawn)
        _put_back(call, drawn)
        if isinstance(program, RunsInPython):
            return program
        before = _brought(call, drawn)
    raise ContextError(
        f"{call.name} did something else in each of {_MAX_ROUNDS} traces. Its Python code must do the same at every call: look "
        "for counters, random choices or objects that are created anew."
    )


def ready(call: BodyCall) -> Prepared | None:
    """Returns a call that runs a known program on this process' devices, and draws nothing; None for any other.

    It does nothing that somebody might notice, so that the call need not be made.
    """
    info = call.info
    if not info.known or info.sources or info.open_shaped or call.specialization.host is not None:
        return None
    mesh = mesh_of(call)
    if isinstance(mesh, RunsInPython):
        return None
    inputs = call.inputs([], mesh, ahead=True)
    program = None if inputs is None else call.specialization.programs.get(inputs.kinds)
    if inputs is None or not isinstance(program, Program) or program.stale or _foreign(inputs.arguments, mesh):
        return None
    return Prepared(program, inputs, mesh)


# --- Recording --------------------------------------------------------------------------------------------------------


def mesh_of(call: BodyCall) -> ReplicaMesh | RunsInPython:
    """Returns the mesh that the body runs on. If it has not been recorded, it is now; the next program is made of that."""
    if call.specialization.host is not None:
        return RunsInPython(call.specialization.host)
    info = call.info
    if info.known and info.mesh is not None:
        return info.mesh
    mesh = info.mesh or next(filter(None, map(_mesh_of_argument, call.leaves)), call.default)
    if info.known:
        return mesh
    with tracing:
        if info.known:
            return info.mesh or mesh
        found = attempted(call, lambda: _first_recording(call, mesh))
        if isinstance(found, RunsInPython):
            return found
        info.mesh, recorded = found
        take(call, recorded)
    return info.mesh


def _mesh_of_argument(leaf: Any) -> ReplicaMesh | None:
    """Returns the replicas that an argument has values for, or elements; None for any other leaf."""
    has_values = hasattr(leaf, "array") and is_per_replica(leaf)
    return getattr(leaf, "mesh", None) if has_values or is_source(leaf) else None


def _first_recording(call: BodyCall, mesh: ReplicaMesh) -> tuple[ReplicaMesh, Recording]:
    """Returns the mesh of the strategy that the body turns out to use, and the recording of the body."""
    arguments = Arguments.of(call.args, call.kwargs, [])
    for _ in range(2):
        try:
            with call.default.job.phase(Phase.COMPILING):
                return mesh, _recorded_first(call, arguments, mesh)
        except OtherMesh as other:
            mesh = other.mesh
    raise MixedStrategiesError(
        "Mixing different tf.distribute.Strategy objects: a compiled function reads or assigns variables of one that every "
        "replica has its own of, and runs replicas of another. Read and assign them outside of the function."
    )


def _recorded_first(call: BodyCall, arguments: Arguments, mesh: ReplicaMesh) -> Recording:
    replica_shapes = replica_shapes_of(arguments, mesh)
    attempt = functools.partial(record, call.body, arguments, mesh, call.info, replica_shapes=replica_shapes)
    if replica_shapes is None:
        return attempt(0)
    return retried_until_shapes_known(with_replica_note(attempt, replica_shapes), replica_shapes, 0)


def take(call: BodyCall, recorded: Recording) -> None:
    """Takes note of a recording that the next program may be made of, and of its findings."""
    info = call.info
    info.sources = [_by_position(source, call.leaves) for source in recorded.sources]
    info.recorded = None if recorded.recorder.runs_again else recorded
    info.checks, info.known = bool(recorded.recorder.checks), True
    info.prefixes.note(recorded.host.prefix)


def traced_for(call: BodyCall, arguments: Arguments, mesh: ReplicaMesh) -> Trace | None:
    """Returns the program of an even call, made of a recording that nobody has used yet, or of a new one.

    None if the new one draws other elements than these, or has the host compute other values: the call has to begin again.
    """
    info = call.info
    recorded, info.recorded = info.recorded, None
    if recorded is None or not recorded.fits(arguments):
        info.connections = {}  # other arguments may connect other sources
        recorded = record(call.body, arguments, mesh, info)
    if recorded.fits(arguments):
        return trace(call.body, arguments, mesh, info, recorded=recorded)
    take(call, recorded)
    return None


def _by_position(source: Any, leaves: Sequence[Any]) -> Any:
    """Returns the position of a source that is an argument, so that the next call may pass another; else the source."""
    return next((i for i, leaf in enumerate(leaves) if leaf is source and is_source(leaf)), source)


def attempted(call: BodyCall, stage: Callable[[], T]) -> T | RunsInPython:
    """Returns what a stage finds. Inside another trace that one ends, too.

    Calls of a specialization that Python has to run once are run by Python from then on.
    """
    context = current()
    try:
        return stage()
    except (HostMode, *DECISIONS) as reason:
        if context.recorder is not None or context.replica is not None:
            raise
        text = str(reason) if isinstance(reason, HostMode) else "it takes a Python decision on the value of a tensor"
        call.specialization.host = text
        logger.info("%s runs in Python, not as one compiled program: %s.", call.name, text)
        return RunsInPython(text)


# --- Drawing ----------------------------------------------------------------------------------------------------------


def draw(call: BodyCall, mesh: ReplicaMesh, before: Sequence[Any] = ()) -> list[Any]:
    """Returns the elements that the call draws, but for those that were drawn `before` and are no stand-ins.

    Raises: OutOfRangeError at the end of an iterator.
    """
    if not call.info.sources:
        return []
    remote = any(map(is_remote, call.info.variables))  # only a remote program takes stand-ins and NumPy arrays
    with mesh.job.phase(Phase.INPUT):
        return [
            before[i] if before and not call.stays_there(source) else _next(source, remote, call.stays_there(source))
            for i, source in enumerate(call.sources())
        ]


def _next(source: Any, remote: bool, stays_there: bool) -> Any:
    try:
        if remote and stays_there:
            return source.stand_in()
        return source.next_for_program() if remote and hasattr(source, "next_for_program") else next(source)
    except StopIteration:
        raise OutOfRangeError("End of sequence: an iterator that the step draws from has no more elements.") from None


def _put_back(call: BodyCall, drawn: Sequence[Any]) -> None:
    """Lets the next who draws have these elements: the call has not used them."""
    remote = any(map(is_remote, call.info.variables))  # its elements are no longer those of the iterator
    for source, element in reversed(list(zip(call.sources(), drawn, strict=True))):
        if hasattr(source, "put_back") and not remote:
            source.put_back(element)


def _brought(call: BodyCall, drawn: Sequence[Any]) -> Sequence[Any]:
    """Returns the elements if they came from another process, to which they cannot be put back: they are not drawn again."""
    remote = any(isinstance(source, RemoteIterator) and not call.stays_there(source) for source in call.sources())
    return drawn if remote else ()


def _skip_remote(call: BodyCall) -> None:
    """Drops the elements that have stand-ins here: as after a local failure, the next call draws others."""
    if any(map(is_remote, call.info.variables)):
        for source in call.sources():
            if call.stays_there(source):
                source.skip()


def kinds_of(drawn: Sequence[Any]) -> tuple[Hashable, ...]:
    """Returns the types of drawn elements: for each there is a program of its own."""
    return tuple(leaf_key(v) for v in jax.tree.leaves(drawn))


# --- Compiling --------------------------------------------------------------------------------------------------------


def compiled(call: BodyCall, inputs: StepInputs, mesh: ReplicaMesh) -> StepProgram | RunsInPython | None:
    """Returns the program for such inputs; None if the call has to begin again."""
    arguments, kinds = inputs.arguments, inputs.kinds
    _check_mesh(arguments, mesh)
    programs, info = call.specialization.programs, call.info
    if info.open_shaped:
        kinds = (*kinds, *(("shape", shape_of(v)) for v in info.open_shaped))
    program: StepProgram | None = programs.get(kinds)
    if program is not None and not program.stale:
        return program
    with tracing, compiling(mesh.job, rows_of(arguments.own, arguments.shared)):
        program = programs.get(kinds)
        if program is None or program.stale:
            made = attempted(call, lambda: new_program(call, arguments, mesh))
            if made is None or isinstance(made, RunsInPython):
                return made
            program = programs[kinds] = made
            log_placement(call.name, mesh)
            observer().new_program(call.name)
    return program


def new_program(call: BodyCall, arguments: Arguments, mesh: ReplicaMesh) -> StepProgram | None:
    """Records a step for arguments like these; None if it draws other elements, or has the host compute other values."""
    replica_shapes = replica_shapes_of(arguments, mesh)
    if replica_shapes is not None:
        return _uneven_program(call, arguments, mesh, replica_shapes)
    recorded = traced_for(call, arguments, mesh)
    if recorded is None:
        return None
    agree_on([recorded], mesh, arguments.host)
    return even_program(recorded, arguments, mesh)


def _uneven_program(
    call: BodyCall, arguments: Arguments, mesh: ReplicaMesh, replica_shapes: ReplicaShapes
) -> StepProgram | None:
    info = call.info
    info.recorded, info.connections = None, {}
    attempt = with_replica_note(
        functools.partial(record, call.body, arguments, mesh, info, replica_shapes=replica_shapes), replica_shapes
    )
    for _ in range(_MAX_ROUNDS):
        traces: dict[Hashable, Trace] = {}
        for replica, key in enumerate(replica_shapes.keys):
            if key not in traces:
                recorded = retried_until_shapes_known(attempt, replica_shapes, replica)
                if not recorded.fits(arguments, replica):
                    take(call, recorded)
                    info.recorded = None  # it is of one replica
                    return None
                traces[key] = trace(call.body, arguments, mesh, info, replica, replica_shapes, recorded=recorded)
        # A later trace may have found a variable or a gradient that the earlier ones do not know: then all are made again.
        if all(t.knows(info) for t in traces.values()):
            agree_on(list(traces.values()), mesh, arguments.host)
            return UnevenProgram(traces, replica_shapes.keys, arguments, mesh)
    raise InvalidArgumentError(
        "On this uneven batch the step touches other variables on every replica, at every trace anew: it decides by the "
        "number of its rows what to do. Compute the same on all replicas: nothing comes of no rows by itself."
    )


def even_program(traced: Trace, arguments: Arguments, mesh: ReplicaMesh) -> StepProgram:
    """Returns the program of an even step: a remote one if a variable of it is remote."""
    remote = next(filter(None, map(remote_placement, traced.variables)), None)
    return Program(traced, arguments, mesh) if remote is None else remote.program(traced, arguments, mesh)


def replica_shapes_of(arguments: Arguments, mesh: ReplicaMesh) -> ReplicaShapes | None:
    """Returns the differences between the replicas' inputs; None for an even batch."""
    sizes = None if arguments.host is None else arguments.host.own
    if not any(isinstance(v, Separate) for v in arguments.own) and not (sizes and sizes.uneven):
        return None
    specs = [input_specs(arguments.own, replica) for replica in range(mesh.num_replicas)]
    more = [() if sizes is None else sizes.sizes_of(replica) for replica in range(mesh.num_replicas)]
    return ReplicaShapes([(*own, *((size, "size") for size in found)) for own, found in zip(specs, more, strict=True)])


def _check_mesh(arguments: Arguments, mesh: ReplicaMesh) -> None:
    foreign = _foreign(arguments, mesh)
    if foreign is not None:
        raise MixedStrategiesError(
            f"A per-replica value lies on {foreign.mesh.num_replicas} device(s) of one strategy, the step runs on "
            f"{mesh.num_replicas} of another. Distribute the dataset with the strategy that runs the step."
        )


def _foreign(arguments: Arguments, mesh: ReplicaMesh) -> Stacked | None:
    """Returns a per-replica value on other devices than the mesh's, if there is one."""
    for value in arguments.own:
        if isinstance(value, Stacked) and value.mesh.devices != mesh.devices:
            return value
    return None
