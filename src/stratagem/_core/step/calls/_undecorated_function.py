"""Runs undecorated functions as programs that notice when what their Python reads changes, as if it ran at every call."""

import contextlib
import logging
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.numbers import IN_MATH, ROOM, NumberTrace, UnrecordedNumberError, exactly, is_stand_in
from stratagem._core.step.calls._execute import execute
from stratagem._core.step.calls._function import Function, key_of
from stratagem._core.step.calls.reading import (
    FunctionReader,
    FunctionReaderCache,
    FunctionReads,
    Path,
    ProgramVariant,
    described_path,
    filled,
)
from stratagem._core.step.collectives._traced_per_replica import TracedPerReplica
from stratagem._core.step.keys._interrupts import INTERRUPTS
from stratagem._core.step.keys._program_keys import is_source
from stratagem._core.values import is_per_replica

logger = logging.getLogger("stratagem")

Run = Callable[[Sequence[Any], dict[str, Any]], Any]


class _TracingWithInputsError(Exception):
    """Tracing failed with numbers as inputs."""


class _StaticArgument:
    """Takes the place of an argument that is part of the program, by the values that are read of it."""


@dataclass
class _Call:
    """A call of an undecorated function.

    arguments: positional and named ones. leaves: the same, flat. built: whether its trace has changed objects that it
    reads, which nothing else has.
    """

    function: Callable[..., Any]
    run: Run
    name: str
    arguments: tuple[list[Any], dict[str, Any]]
    leaves: list[Any]
    structure: Any
    reader: FunctionReader
    reading: FunctionReads
    built: bool = False


def execute_undecorated(
    reads: FunctionReaderCache,
    function: Any,
    run: Run,
    key: tuple[Hashable, ...],
    name: str,
    args: Any,
    kwargs: Any,
    mesh: ReplicaMesh,
) -> Any:
    """Runs `run(args, kwargs)`, which calls `function`, as one compiled program as long as `function` reads the same values.

    A number that changes becomes an input of the program; a decision that Python takes on it is a condition of the
    program. What the function itself changes, such as a counter, is not followed: a warning says so when its trace
    changes something.
    """
    if isinstance(function, Function):  # a decorated function: its trace stays valid whatever its Python reads
        return execute(run, (*key, key_of(function)), name, (list(args), kwargs), {}, mesh)
    leaves, structure = jax.tree.flatten((list(args), kwargs), is_leaf=is_per_replica)
    reader, reading = reads.read(function, leaves, structure, name)
    call = _Call(function, run, name, (list(args), kwargs), leaves, structure, reader, reading)
    found = reading.state.match(reading.numbers)
    if found is not None:
        variant, values, vector = found
        try:
            return _execute(call, variant, values, vector, key, mesh)
        except UnrecordedNumberError:
            pass
    return _run_new_variant(call, key, mesh)


def _run_new_variant(call: _Call, key: tuple[Hashable, ...], mesh: ReplicaMesh) -> Any:
    """Runs the call with a program that is made now."""
    state, numbers = call.reading.state, call.reading.numbers
    variant = state.new(numbers)
    try:
        result = _run_first(call, variant, key, mesh)
    except _TracingWithInputsError as failed:
        if not variant.inputs:
            raise
        constant = state.new(numbers, constant=True)
        result = _run_first(call, constant, key, mesh)
        if state.failed:  # for the second time, so the cause was not temporary
            state.never |= variant.inputs
            logger.info("%s: numbers that it reads stay parts of its program: %s", call.name, failed.__cause__)
        state.failed = True
    return result


def _run_first(call: _Call, variant: ProgramVariant, key: tuple[Hashable, ...], mesh: ReplicaMesh) -> Any:
    values, vector = list(call.reading.numbers), np.zeros(ROOM, np.float64)
    result = _execute(call, variant, values, vector, key, mesh)
    # Stays open if the function draws its input: a trace that is given up for UnrecordedNumberError would lose an element.
    variant.number_log.closed = not any(map(is_source, call.leaves))
    state = call.reading.state
    state.add(variant)
    if call.built:
        call.reader.add_changed_reading(
            state, variant, call.reader.walk(call.function, call.leaves, named=True)[0], call.structure
        )
    return result


def _execute(
    call: _Call,
    variant: ProgramVariant,
    values: list[Any],
    vector: np.ndarray,
    key: tuple[Hashable, ...],
    mesh: ReplicaMesh,
) -> Any:
    """Runs this variant's program with these values."""
    args, kwargs = call.arguments
    if call.reading.arguments:
        leaves = [_StaticArgument if i in call.reading.arguments else v for i, v in enumerate(call.leaves)]
        args, kwargs = jax.tree.unflatten(call.structure, leaves)
    inputs = vector if variant.inputs else None
    body = _body(call, variant, values, vector)
    key = (*key, call.reader.code, call.reading.state.objects.key)
    result = execute(body, key, call.name, (args, kwargs, variant.fixed, inputs), {}, mesh)
    if not variant.inputs:
        return result
    return jax.tree.map(lambda v: values[v.position] if type(v) is _NumberResult else v, result, is_leaf=is_per_replica)


@dataclass(frozen=True)
class _NumberResult:
    """A result of a trace that is the number at this position, which is computed in Python at every call."""

    position: int


def _body(call: _Call, variant: ProgramVariant, values: list[Any], vector: np.ndarray) -> Callable[..., Any]:
    """Returns the function to trace: it calls the user's, with stand-ins for the numbers that are inputs."""

    def body(args: Any, kwargs: Any, fixed: Any, array: Any) -> Any:
        leaves = jax.tree.leaves((args, kwargs), is_leaf=is_per_replica)
        leaves = [
            v if i in call.reading.arguments else leaf
            for i, (leaf, v) in enumerate(zip(leaves, call.leaves, strict=True))
        ]
        recorder = current().recorder
        if recorder is None or not variant.inputs:
            with _noting_changes(call):
                return _run_leaves(call, leaves)
        tracing = NumberTrace(variant.number_log, array, values, vector)
        try:
            with _noting_changes(call), filled(_stand_ins(call, variant, tracing, leaves)):
                result = _run_leaves(call, leaves)
            if not tracing.grown:
                return jax.tree.map(_result, result, is_leaf=is_per_replica)
        except (*INTERRUPTS, UnrecordedNumberError):
            raise
        except Exception as error:
            if not tracing.grown:
                raise _TracingWithInputsError from error
        finally:
            tracing.close()
        raise UnrecordedNumberError

    return body


def _run_leaves(call: _Call, leaves: list[Any]) -> Any:
    return call.run(*jax.tree.unflatten(call.structure, leaves))


def _stand_ins(call: _Call, variant: ProgramVariant, tracing: NumberTrace, leaves: list[Any]) -> list[tuple[Any, Any]]:
    """Returns (place, stand-in) pairs for the numbers that are inputs; puts those of arguments into `leaves`."""
    walk, fillings = call.reading.walk, []
    for position in variant.inputs:
        place = walk.places[position]
        if place[0] == "argument":
            leaves[place[2]] = tracing.number(position)
        else:
            fillings.append((place, tracing.number(position)))
    return fillings + [(place, IN_MATH[id(value)]) for place, value in walk.math]


def _result(leaf: Any) -> Any:
    """Converts a leaf of a trace's result: a stand-in to its position, a scalar made of numbers only to 32 bits."""
    if is_stand_in(leaf):
        return _NumberResult(leaf.position)
    if isinstance(leaf, TracedPerReplica):
        return TracedPerReplica(_result(leaf.local), leaf.replicas)
    weak = isinstance(leaf, jax.Array) and leaf.weak_type and leaf.dtype == np.float64
    return jax.lax.convert_element_type(leaf, np.float32) if weak else leaf


# --- Changes by the step itself ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def _noting_changes(call: _Call) -> Iterator[None]:
    """Notes the objects read that the body changes, which are not followed from then on.

    A warning says so, except for objects that did not exist before.
    """
    recorder, reader = current().recorder, call.reader
    if recorder is None or not (reader.stored or reader.changes):
        yield
        return
    before = reader.walk(call.function, call.leaves, after=True)[0].contents
    yield
    after = reader.walk(call.function, call.leaves, after=True)[0].contents
    changed = {path for path in before.keys() | after.keys() if not _same(before.get(path), after.get(path))}
    own = {path for path in changed if _can_change(reader, path)}
    if recorder.first and own:
        recorder.scope.runs_again = True  # the next run tells what was built once and for all
    for path in () if recorder.first else own:
        owner = path if (path in before and path in after) or path[1] != "item" else path[0]
        reader.changed.add(owner)
        if before.get(owner) is not None and (name := described_path(owner)) not in reader.warned:
            reader.warned.add(name)
            logger.warning(_CHANGES, call.name, name, name)
    call.built = recorder.first or not (changed - own)  # the first recording builds lazy objects


def _same(old: Any, new: Any) -> bool:
    return old is new or (type(old) in (int, float) and exactly(old) == exactly(new))


def _can_change(reader: FunctionReader, path: Path) -> bool:
    """Returns whether the function's code could have changed the value at this path."""
    _, kind, label = path
    return reader.changes if kind in ("item", "each") else label in reader.stored


_CHANGES = (
    "%s changes %s. Its Python runs when it is compiled, not at every call, so that this happens once, not at every step. "
    "Return what is to be kept, or make it a tf.Variable, or change %s outside of the step."
)
