"""Executes imperative code as a compiled program: finds the program of a call, or makes it, and runs it."""

import dataclasses
from collections.abc import Hashable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import jax

from stratagem._base.errors import ContextError, OutOfRangeError
from stratagem._base.job import Phase, observer
from stratagem._core.context import entered
from stratagem._core.eager import EagerRecorder, open_recorder
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step.calls._function_cache import tracing
from stratagem._core.step.calls._stages import (
    BodyCall,
    Prepared,
    RunsInPython,
    StepInputs,
    StepProgram,
    attempted,
    compiled,
    draw,
    even_program,
    mesh_of,
    new_program,
    prepared,
    replica_shapes_of,
    traced_for,
)
from stratagem._core.step.programs._consistency import agree_on, digest
from stratagem._core.step.programs._program import Program
from stratagem._core.step.programs._remote import RemoteProgram
from stratagem._core.step.programs._repeat import RepeatedProgram, SequentialCalls, loop_is_faster
from stratagem._core.step.programs._trace import Body, Trace
from stratagem._core.step.recording._arguments import Arguments
from stratagem._core.values import Separate, is_per_replica, is_remote
from stratagem._private import OutsideOfTraces, runs_at_once


def execute(
    body: Body, key: Hashable, name: str, args: Sequence[Any], kwargs: dict[str, Any], mesh: ReplicaMesh
) -> Any:
    """Runs `body(*args, **kwargs)` as one compiled program over `mesh`, or over that of the strategy that `body` uses.

    key: equal for functions that are the same program (see `function_key`). If the code needs values of tensors or iterates
    over data, it runs in Python ("host mode") from then on; each `strategy.run` in it is still one program.
    """
    if not runs_at_once():
        raise ContextError(
            f"{name} was called inside of a transformation of JAX (jax.jit, jax.grad, jax.vmap, …), which holds no step. Call "
            "it outside, or use tf.function, tf.GradientTape or tf.vectorized_map instead."
        )
    return run_call(BodyCall.of(body, key, name, args, kwargs, mesh))


def run_call(call: BodyCall) -> Any:
    """Makes a call whose specialization is known, and returns its result."""
    drawn: list[Any] = []
    while True:
        found = prepared(call, drawn)
        if isinstance(found, RunsInPython):
            return _in_python(call, found)
        results = _run(call, found)
        if results:
            return results[0]
        drawn = found.drawn


def run_calls(call: BodyCall, times: int) -> Iterator[Any]:
    """Yields the results of up to `times` such calls, at least one.

    Each call is made when its result is asked for; a worker in another process may make several at once.
    """
    drawn: list[Any] = []
    while times > 0:
        found = prepared(call, drawn)
        if isinstance(found, RunsInPython):
            yield _in_python(call, found)
            return
        results = _run(call, found, times, alone=False)
        drawn = [] if results else found.drawn
        yield from results
        times -= len(results)


def execute_batched(
    body: Body,
    key: Hashable,
    name: str,
    calls: Sequence[tuple[Any, ...]],
    mesh: ReplicaMesh,
    *,
    every: bool = True,
) -> list[Any]:
    """Returns `[execute(body, …, args, …) for args in calls]`; runs one program if the calls have equal, even shapes.

    every: return the results of all calls, else those of the last alone, also in a list.
    """
    results = _batched(body, key, name, calls, mesh, every)
    return results if every else results[-1:]


def _batched(
    body: Body, key: Hashable, name: str, calls: Sequence[tuple[Any, ...]], mesh: ReplicaMesh, every: bool
) -> list[Any]:
    """Returns the results of all calls; a program for all of them returns those of the last alone, unless `every`."""
    found = [BodyCall.of(body, key, name, args, {}, mesh) for args in calls] if len(calls) > 1 else []
    first = found[0] if found else None
    if first is None or any(call.specialization is not first.specialization for call in found):
        return [execute(body, key, name, args, {}, mesh) for args in calls]
    mesh_or_reason = mesh_of(first)
    if isinstance(mesh_or_reason, RunsInPython):
        return [_in_python(call, mesh_or_reason) for call in found]
    mesh, first.cache.info = mesh_or_reason, first.info
    if first.info.prefixes:  # what the host computes for a step differs in shape from step to step
        return [execute(body, key, name, args, {}, mesh) for args in calls]
    drawn = [draw(call, mesh) for call in found]
    inputs = [StepInputs.of(call, elements) for call, elements in zip(found, drawn, strict=True)]
    arguments, kinds = [each.arguments for each in inputs], [each.kinds for each in inputs]
    if _can_be_one(first, arguments[0], kinds, mesh):
        program = _repeated(first, arguments, kinds[0], mesh, every)
        if not isinstance(program, RunsInPython | None):
            return program(arguments)
    results = []
    for call, each in zip(found, inputs, strict=True):
        single = compiled(call, each, mesh)
        if single is None:  # found by a recording, before anything was run, and without iterators to draw from
            return _batched(body, key, name, calls, mesh, every)
        results.append(_in_python(call, single) if isinstance(single, RunsInPython) else single(each.arguments))
    return results


def _can_be_one(call: BodyCall, arguments: Arguments, kinds: Sequence[Any], mesh: ReplicaMesh) -> bool:
    """Returns whether calls with such arguments and drawn elements can be one program."""
    alone = call.info.open_shaped or any(map(is_remote, call.info.variables))
    # With checks, one by one: after a step whose check has failed, no other may run.
    return (
        not alone
        and not call.info.checks
        and all(kind == kinds[0] for kind in kinds)
        and replica_shapes_of(arguments, mesh) is None
    )


def _repeated(
    call: BodyCall, calls: Sequence[Arguments], kinds: tuple[Hashable, ...], mesh: ReplicaMesh, every: bool
) -> RepeatedProgram | SequentialCalls | RunsInPython | None:
    """Returns a program for so many calls; None if the calls have to begin again."""
    programs, key = call.specialization.programs, ("times", len(calls), every, *kinds)
    program = programs.get(key)
    if program is None or program.stale:
        with mesh.job.phase(Phase.COMPILING):
            traced = attempted(call, lambda: traced_for(call, calls[0], mesh))
            if not isinstance(traced, Trace):
                return traced
            agree_on([traced], mesh, calls[0].host)
            if loop_is_faster(traced.closed, mesh.devices[0].platform):
                program = RepeatedProgram(traced, calls[0], mesh, len(calls), every)
            else:
                single = programs.get(kinds)
                if single is None or single.stale:
                    single = programs[kinds] = even_program(traced, calls[0], mesh)
                program = SequentialCalls(single)
            programs[key] = program
            observer().new_program(call.name)
    return program


def execute_uncached(body: Body, key: Hashable, name: str, args: tuple[Any, ...], mesh: ReplicaMesh) -> Any:
    """Runs the Python of `body` at every call; otherwise the same as `execute`. Equal traces share one compiled program."""
    call = dataclasses.replace(BodyCall.of(body, key, name, args, {}, mesh), here=True)
    found = mesh_of(call)
    if isinstance(found, RunsInPython):
        return _in_python(call, found)
    call.cache.info = call.info
    inputs = call.inputs(draw(call, found), found)
    if inputs is None:
        return execute_uncached(body, key, name, args, mesh)
    with tracing, found.job.phase(Phase.COMPILING):
        program = _traced_again(call, inputs.arguments, found)
    if program is None:
        return execute_uncached(body, key, name, args, mesh)
    return inputs.result(program(inputs.arguments), found)


def _traced_again(call: BodyCall, arguments: Arguments, mesh: ReplicaMesh) -> StepProgram | None:
    if replica_shapes_of(arguments, mesh) is not None:
        return new_program(call, arguments, mesh)
    traced = traced_for(call, arguments, mesh)
    if traced is None:
        return None
    programs, text = call.specialization.programs, ("digest", digest([traced]))
    program = programs.get(text)
    if program is None or program.stale:
        agree_on([traced], mesh, arguments.host)
        program = programs[text] = even_program(traced, arguments, mesh)
        observer().new_program(call.name)
    return program


def prepare(body: Body, key: Hashable, name: str, args: Sequence[Any], mesh: ReplicaMesh) -> None:
    """Traces `body(*args)` once, as the first call of `execute` would, so that lazy objects are built. Runs nothing."""
    call = BodyCall.of(body, key, name, args, {}, mesh)
    mesh_of(call)
    call.cache.info = call.info


def program_of(
    body: Body, key: Hashable, name: str, args: Sequence[Any], kwargs: dict[str, Any], mesh: ReplicaMesh
) -> StepProgram | None:
    """Returns the program of a call with such arguments, and runs nothing. None if it draws elements, or runs in Python."""
    call = BodyCall.of(body, key, name, args, kwargs, mesh)
    if isinstance(mesh_of(call), RunsInPython) or call.info.sources:
        return None
    found = prepared(call)
    if isinstance(found, RunsInPython):
        return None
    call.cache.info = call.info
    return found.program


def _in_python(call: BodyCall, found: RunsInPython) -> Any:
    with entered(host=f"{call.name} runs in Python, because {found.reason}"):
        try:
            return call.body(*call.args, **call.kwargs)
        except StopIteration:
            raise OutOfRangeError(
                f"End of sequence: an iterator that {call.name} draws from has no more elements."
            ) from None


def _run(call: BodyCall, found: Prepared, times: int = 1, *, alone: bool = True) -> list[Any]:
    """Runs the program. A remote one may run several times, or not at all: if a stand-in for an element was wrong.

    alone: whether only one result is asked for in all.
    """
    program, arguments = found.program, found.inputs.arguments
    if isinstance(program, Program):
        results = [found.inputs.result(program(arguments), found.mesh)]
        call.cache.info = call.info
        return results
    recorder = open_recorder()
    with nullcontext() if recorder is None else OutsideOfTraces():
        if isinstance(program, RemoteProgram):
            # Nothing was drawn here: then the program can be run again with the same arguments.
            repeatable = all(map(call.stays_there, call.sources()))
            results = program.repeat(arguments, times if repeatable else 1, tensors=alone)
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
        call.cache.info = call.info
    return [found.inputs.result(result, found.mesh) for result in results]


def refuse_gradients(recorder: EagerRecorder, results: Any, message: str) -> None:
    """Lets eager tapes refuse, with this message, to differentiate the results of a step that is not one operation."""
    leaves = jax.tree.leaves(results, is_leaf=is_per_replica)
    arrays = [x for v in leaves for x in (v.values if isinstance(v, Separate) else (getattr(v, "array", v),))]
    recorder.refuse([x for x in arrays if isinstance(x, jax.Array)], message)
