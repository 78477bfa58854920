"""Executes imperative code as a compiled program: finds the program of a call, or makes it, and runs it."""

import functools
import logging
from collections.abc import Hashable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, cast

import jax

from stratagem._base.errors import InvalidArgumentError, MixedStrategiesError, OutOfRangeError
from stratagem._base.job import Phase
from stratagem._base.types import Nest
from stratagem._core.context import current, entered
from stratagem._core.eager import EagerRecorder, open_recorder
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step._arguments import Arguments, own_specs
from stratagem._core.step._consistency import agree_on, digest
from stratagem._core.step._function_cache import FunctionCache, Specialization, specialization_of, tracing
from stratagem._core.step._interrupts import HostMode, OtherMesh, Unexplored
from stratagem._core.step._program import Program
from stratagem._core.step._remote import RemoteIterator, RemoteProgram, remote_placement
from stratagem._core.step._repeat import RepeatedProgram, SequentialCalls, loop_is_faster
from stratagem._core.step._replica_context import DECISIONS
from stratagem._core.step._replica_shapes import ReplicaShapes, retried_until_shapes_known, with_replica_note
from stratagem._core.step._signature import is_source, leaf_key
from stratagem._core.step._trace import Body, Trace, TraceFindings, explore, trace
from stratagem._core.step._uneven import UnevenProgram
from stratagem._core.values import Separate, Stacked, is_per_replica, is_remote
from stratagem._private import OutsideOfTraces, shape_of

logger = logging.getLogger("stratagem")

_MAX_ROUNDS = 4

StepProgram = Program | UnevenProgram | RemoteProgram


def execute(
    body: Body, key: Hashable, name: str, args: Sequence[Nest], kwargs: dict[str, Nest], mesh: ReplicaMesh
) -> Nest:
    """Runs `body(*args, **kwargs)` as one compiled program over `mesh`, or over that of the strategy that `body` uses.

    key: equal for functions that are the same program (see `function_key`). If the code needs values of tensors or iterates
    over data, it runs in Python ("host mode") from then on; each `strategy.run` in it is still one program.
    """
    return next(execute_many(body, key, name, args, kwargs, mesh, 1))


def execute_many(
    body: Body, key: Hashable, name: str, args: Sequence[Any], kwargs: dict[str, Any], mesh: ReplicaMesh, times: int
) -> Iterator[Any]:
    """Yields the results of up to `times` calls, at least one.

    Each call is made when its result is asked for; a worker in another process may make several at once.
    """
    context = current()
    cache, specialization, leaves = specialization_of(key, name, args, kwargs)
    if specialization.host is None:
        try:
            yield from _run(body, cache, specialization, args, kwargs, leaves, mesh, times)
            return
        except (HostMode, *DECISIONS) as reason:
            if context.recorder is not None or context.replica is not None:
                raise
            specialization.host = _reason(reason)
            logger.info("%s runs in Python, not as one compiled program: %s.", name, specialization.host)
    with entered(host=f"{name} runs in Python, because {specialization.host}"):
        result = body(*args, **kwargs)
    yield result


def execute_batched(
    body: Body, key: Hashable, name: str, calls: Sequence[tuple[Nest, ...]], mesh: ReplicaMesh
) -> list[Nest]:
    """Returns `[execute(body, …, args, …) for args in calls]`; runs one program if the calls have equal, even shapes."""
    found = [specialization_of(key, name, args, {}) for args in calls] if len(calls) > 1 else []
    if (
        not found
        or any(specialization is not found[0][1] for _, specialization, _ in found)
        or found[0][1].host is not None
    ):
        return [execute(body, key, name, args, {}, mesh) for args in calls]
    cache, specialization, leaves = found[0]
    mesh = _explored(body, specialization, calls[0], {}, leaves, mesh)
    cache.info = specialization.info
    drawn = [_draw(specialization.info, each, mesh) for _, _, each in found]
    arguments = [Arguments.of(args, {}, elements) for args, elements in zip(calls, drawn, strict=True)]
    kinds = [_kinds(elements) for elements in drawn]
    try:
        alone = specialization.info.open_shaped or any(map(is_remote, specialization.info.variables))
        alike = all(each == kinds[0] for each in kinds) and not alone
        # With checks, one by one: after a step whose check has failed, no other may run.
        if not alike or specialization.info.checks or _replica_shapes(arguments[0], mesh) is not None:
            pairs = zip(arguments, kinds, strict=True)
            return [_program(body, specialization, each, k, mesh)(each) for each, k in pairs]
        return _repeated(body, specialization, arguments, kinds[0], mesh)(arguments)
    except Unexplored:  # raised by the trace, before anything was drawn or run
        specialization.info.explored = False
        return execute_batched(body, key, name, calls, mesh)


def _repeated(
    body: Body,
    specialization: Specialization,
    calls: Sequence[Arguments],
    kinds: tuple[Hashable, ...],
    mesh: ReplicaMesh,
) -> RepeatedProgram | SequentialCalls:
    key = ("times", len(calls), *kinds)
    program = specialization.programs.get(key)
    if program is None or program.stale:
        with mesh.job.phase(Phase.COMPILING):
            traced = trace(body, calls[0], mesh, specialization.info)
            agree_on([traced], mesh)
            if loop_is_faster(traced.closed, mesh.devices[0].platform):
                program = RepeatedProgram(traced, calls[0], mesh, len(calls))
            else:
                single = specialization.programs.get(kinds)
                if single is None or single.stale:
                    single = specialization.programs[kinds] = _even(traced, calls[0], mesh)
                program = SequentialCalls(single)
            specialization.programs[key] = program
    return cast(RepeatedProgram | SequentialCalls, program)


def execute_uncached(body: Body, key: Hashable, name: str, args: tuple[Nest, ...], mesh: ReplicaMesh) -> Nest:
    """Runs the Python of `body` at every call; otherwise the same as `execute`. Equal traces share one compiled program."""
    cache, specialization, leaves = specialization_of(key, name, args, {})
    mesh, info = _explored(body, specialization, args, {}, leaves, mesh), specialization.info
    cache.info = info
    arguments = Arguments.of(args, {}, _draw(info, leaves, mesh))
    program: StepProgram | None
    with tracing, mesh.job.phase(Phase.COMPILING):
        if _replica_shapes(arguments, mesh) is not None:
            program = _compile(body, arguments, mesh, info)
        else:
            traced = trace(body, arguments, mesh, info)
            text = ("digest", digest([traced]))
            program = specialization.programs.get(text)
            if program is None or program.stale:
                agree_on([traced], mesh)
                program = specialization.programs[text] = _even(traced, arguments, mesh)
    return program(arguments)


def prepare(body: Body, key: Hashable, name: str, args: Sequence[Nest], mesh: ReplicaMesh) -> None:
    """Traces `body(*args)` once, as the first call of `execute` would, so that lazy objects are built. Runs nothing."""
    cache, specialization, leaves = specialization_of(key, name, args, {})
    _explored(body, specialization, args, {}, leaves, mesh)
    cache.info = specialization.info


def program_of(
    body: Body, key: Hashable, name: str, args: Sequence[Nest], kwargs: dict[str, Nest], mesh: ReplicaMesh
) -> StepProgram | None:
    """Returns the program of a call with such arguments, and runs nothing. None if it draws elements, or runs in Python."""
    cache, specialization, leaves = specialization_of(key, name, args, kwargs)
    if specialization.host is not None:
        return None
    try:
        mesh = _explored(body, specialization, args, kwargs, leaves, mesh)
        if specialization.info.sources:
            return None
        program = _program(body, specialization, Arguments.of(args, kwargs, []), (), mesh)
    except (HostMode, *DECISIONS) as reason:
        specialization.host = _reason(reason)
        return None
    cache.info = specialization.info
    return program


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, HostMode) else "it takes a Python decision on the value of a tensor"


def _explored(
    body: Body, specialization: Specialization, args: Any, kwargs: Any, leaves: Sequence[Any], default: ReplicaMesh
) -> ReplicaMesh:
    """Returns the mesh that the body runs on; explores the body if that has not been done."""
    info = specialization.info
    passed = next((v.mesh for v in leaves if hasattr(v, "array") and is_per_replica(v)), None)
    mesh = info.mesh or passed or default
    if info.explored:
        return mesh
    with tracing:
        if info.explored:
            return info.mesh or mesh
        mesh = _explore(body, Arguments.of(args, kwargs, []), mesh, info)
        info.sources = [_by_position(source, leaves) for source in info.sources]
        info.explored = True
    return mesh


def _draw(info: TraceFindings, leaves: Sequence[Any], mesh: ReplicaMesh, before: Sequence[Any] = ()) -> list[Any]:
    """Returns the elements that a call with these arguments draws.

    before: those of a first attempt, whose stand-ins were wrong.
    """
    if not info.sources:
        return []
    remote = any(map(is_remote, info.variables))  # only a remote program takes stand-ins and NumPy arrays
    with mesh.job.phase(Phase.INPUT):
        return [
            before[i] if before and not isinstance(source, RemoteIterator) else _next(source, remote)
            for i, source in enumerate(_sources(info, leaves))
        ]


def _skip_remote(info: TraceFindings, leaves: Sequence[Any]) -> None:
    """Drops the elements that have stand-ins here: as after a local failure, the next call draws others."""
    if any(map(is_remote, info.variables)):
        for source in _sources(info, leaves):
            if isinstance(source, RemoteIterator):
                source.skip()


def _sources(info: TraceFindings, leaves: Sequence[Any]) -> list[Any]:
    return [leaves[s] if isinstance(s, int) else s for s in info.sources]


def _all_remote(info: TraceFindings, leaves: Sequence[Any]) -> bool:
    """Returns whether nothing was drawn here, so that a program can be run again with the same arguments."""
    return all(isinstance(source, RemoteIterator) for source in _sources(info, leaves))


def _kinds(drawn: list[Any]) -> tuple[Hashable, ...]:
    return tuple(leaf_key(v) for v in jax.tree.leaves(drawn, is_leaf=is_per_replica))


def _run(
    body: Body,
    cache: FunctionCache,
    specialization: Specialization,
    args: Any,
    kwargs: Any,
    leaves: Sequence[Any],
    default: ReplicaMesh,
    times: int,
) -> Iterator[Any]:
    mesh, info = _explored(body, specialization, args, kwargs, leaves, default), specialization.info
    drawn: list[Any] = []
    alone = times == 1
    while times > 0:
        drawn = _draw(info, leaves, mesh, drawn)
        arguments = Arguments.of(args, kwargs, drawn)
        try:
            program = _program(body, specialization, arguments, _kinds(drawn), mesh)
        except Unexplored:
            info.explored = False
            yield from _run(body, cache, specialization, args, kwargs, leaves, mesh, times)
            return
        except (HostMode, *DECISIONS):  # the function will run in Python, and draw elements itself
            raise
        except Exception:
            _skip_remote(info, leaves)
            raise
        recorder = None if isinstance(program, Program) else open_recorder()
        with nullcontext() if recorder is None else OutsideOfTraces():
            if isinstance(program, RemoteProgram):
                results = program.repeat(arguments, times if _all_remote(info, leaves) else 1, tensors=alone)
            else:
                results = [program(arguments)]
        if recorder is not None:
            refuse_gradients(
                recorder,
                results,
                "gradient: the target depends on a step on an uneven batch, or on a step with variables on servers, that ran "
                "under a tape opened outside of it. Open the tape in the step's own function.",
            )
        if results:
            cache.info = info
            drawn = []
            yield from results
            times -= len(results)


def refuse_gradients(recorder: EagerRecorder, results: Nest, message: str) -> None:
    """Lets eager tapes refuse, with this message, to differentiate the results of a step that is not one operation."""
    leaves = jax.tree.leaves(results, is_leaf=is_per_replica)
    arrays = [x for v in leaves for x in (v.values if isinstance(v, Separate) else (getattr(v, "array", v),))]
    recorder.refuse([x for x in arrays if isinstance(x, jax.Array)], message)


def _program(
    body: Body, specialization: Specialization, arguments: Arguments, kinds: tuple[Hashable, ...], mesh: ReplicaMesh
) -> StepProgram:
    """Returns the program for arguments of this specialization with drawn elements of these kinds."""
    _check_mesh(arguments, mesh)
    if specialization.info.open_shaped:
        kinds = (*kinds, *(("shape", shape_of(v)) for v in specialization.info.open_shaped))
    program = specialization.programs.get(kinds)
    if program is None or program.stale:
        with tracing, mesh.job.phase(Phase.COMPILING):
            program = specialization.programs.get(kinds)
            if program is None or program.stale:
                program = specialization.programs[kinds] = _compile(body, arguments, mesh, specialization.info)
    return cast(StepProgram, program)


def _compile(body: Body, arguments: Arguments, mesh: ReplicaMesh, info: TraceFindings) -> StepProgram:
    replica_shapes = _replica_shapes(arguments, mesh)
    if replica_shapes is None:
        traced = trace(body, arguments, mesh, info)
        agree_on([traced], mesh)
        return _even(traced, arguments, mesh)
    attempt = with_replica_note(
        functools.partial(trace, body, arguments, mesh, info, replica_shapes=replica_shapes), replica_shapes
    )
    for _ in range(_MAX_ROUNDS):
        traces: dict[Hashable, Trace] = {}
        for replica, key in enumerate(replica_shapes.keys):
            if key not in traces:
                traces[key] = retried_until_shapes_known(attempt, replica_shapes, replica)
        # A later trace may have found a variable or a gradient that the earlier ones do not know: then all are made again.
        if all(t.knows(info) for t in traces.values()):
            agree_on(list(traces.values()), mesh)
            return UnevenProgram(traces, replica_shapes.keys, arguments, mesh)
    raise InvalidArgumentError(
        "On this uneven batch the step touches other variables on every replica, at every trace anew: it decides by the "
        "number of its rows what to do. Compute the same on all replicas: nothing comes of no rows by itself."
    )


def _even(traced: Trace, arguments: Arguments, mesh: ReplicaMesh) -> StepProgram:
    """Returns the program of an even step: a remote one if a variable of it is remote."""
    remote = next(filter(None, map(remote_placement, traced.variables)), None)
    return Program(traced, arguments, mesh) if remote is None else remote.program(traced, arguments, mesh)


def _replica_shapes(arguments: Arguments, mesh: ReplicaMesh) -> ReplicaShapes | None:
    """Returns the differences between the replicas' inputs; None for an even batch."""
    if not any(isinstance(v, Separate) for v in arguments.own):
        return None
    specs = (own_specs(arguments.own, replica) for replica in range(mesh.num_replicas))
    return ReplicaShapes([tuple((s.shape, s.dtype) for s in own) for own in specs])


def _explore(body: Body, arguments: Arguments, mesh: ReplicaMesh, info: TraceFindings) -> ReplicaMesh:
    try:
        with mesh.job.phase(Phase.COMPILING):
            _explore_on(body, arguments, mesh, info)
    except OtherMesh as other:
        mesh = other.mesh
        try:
            with mesh.job.phase(Phase.COMPILING):
                _explore_on(body, arguments, mesh, info)
        except OtherMesh:
            raise MixedStrategiesError(
                "Mixing different tf.distribute.Strategy objects: a compiled function reads or assigns variables of one that "
                "every replica has its own of, and runs replicas of another. Read and assign them outside of the function."
            ) from None
    info.mesh = mesh
    return mesh


def _explore_on(body: Body, arguments: Arguments, mesh: ReplicaMesh, info: TraceFindings) -> None:
    replica_shapes = _replica_shapes(arguments, mesh)
    attempt = functools.partial(explore, body, arguments, mesh, info, replica_shapes=replica_shapes)
    if replica_shapes is None:
        attempt(0)
    else:
        retried_until_shapes_known(with_replica_note(attempt, replica_shapes), replica_shapes, 0)


def _next(source: Any, remote: bool) -> Any:
    try:
        if remote and isinstance(source, RemoteIterator):
            return source.stand_in()
        return source.next_for_program() if remote and hasattr(source, "next_for_program") else next(source)
    except StopIteration:
        raise OutOfRangeError("End of sequence: an iterator that the step draws from has no more elements.") from None


def _check_mesh(arguments: Arguments, mesh: ReplicaMesh) -> None:
    for value in arguments.own:
        if isinstance(value, Stacked) and value.mesh.devices != mesh.devices:
            raise MixedStrategiesError(
                f"A per-replica value lies on {value.mesh.num_replicas} device(s) of one strategy, the step runs on "
                f"{mesh.num_replicas} of another. Distribute the dataset with the strategy that runs the step."
            )


def _by_position(source: Any, leaves: Sequence[Any]) -> Any:
    """Returns the position of a source that is an argument, so that the next call may pass another; else the source."""
    return next((i for i, leaf in enumerate(leaves) if leaf is source and is_source(leaf)), source)
