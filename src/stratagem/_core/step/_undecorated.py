"""Runs functions that are not decorated: what their Python reads is noticed when it changes, as if it ran at every call."""

import contextlib
import logging
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.numbers import IN_MATH, ROOM, GrownError, Tracing, exactly, is_stand_in
from stratagem._core.step._capture import HostMode, InTrace, OtherMesh, Unexplored
from stratagem._core.step._execute import execute
from stratagem._core.step._function import Function
from stratagem._core.step._layout import UnknownShapes
from stratagem._core.step._signature import function_key, is_source
from stratagem._core.step.reading import Path, ReadPlan, Reads, ReadState, Variant, described_path, filled
from stratagem._core.values import is_per_replica

logger = logging.getLogger("stratagem")

Run = Callable[[Sequence[Any], dict[str, Any]], Any]

_CONTROL = (HostMode, OtherMesh, Unexplored, UnknownShapes)


class _FailedError(Exception):
    """Tracing has failed where numbers were inputs."""


class _Followed:
    """In place of an argument that is part of the program by what is read of it."""


@dataclass
class _Call:
    """One call.

    arguments: positional and named ones. leaves: they, flat. built: its trace has changed what it reads, and nobody else has.
    """

    function: Callable[..., Any]
    run: Run
    name: str
    arguments: tuple[list[Any], dict[str, Any]]
    leaves: list[Any]
    structure: Any
    plan: ReadPlan
    reading: ReadState
    built: bool = False


def execute_undecorated(
    reads: Reads,
    function: Any,
    run: Run,
    key: tuple[Hashable, ...],
    name: str,
    args: Any,
    kwargs: Any,
    mesh: ReplicaMesh,
) -> Any:
    """`run(args, kwargs)`, which calls `function`, as one compiled program for as long as `function` reads the same.

    A number that changes becomes an input of the program; what Python decides by it is a condition of the program. What the
    function itself changes, a counter for example, is not looked at: where its trace changes something, a warning says so.
    """
    if isinstance(function, Function):  # it keeps what it was traced with
        return execute(run, (*key, function_key(function)), name, (list(args), kwargs), {}, mesh)
    leaves, structure = jax.tree.flatten((list(args), kwargs), is_leaf=is_per_replica)
    plan, reading = reads.read(function, leaves, structure, name)
    call = _Call(function, run, name, (list(args), kwargs), leaves, structure, plan, reading)
    found = reading.state.match(reading.numbers)
    if found is not None:
        variant, values, vector = found
        try:
            return _execute(call, variant, values, vector, key, mesh)
        except GrownError:
            pass
    return _made(call, key, mesh)


def _made(call: _Call, key: tuple[Hashable, ...], mesh: ReplicaMesh) -> Any:
    """The result by a program that is made now."""
    state, numbers = call.reading.state, call.reading.numbers
    variant = state.new(numbers)
    try:
        result = _first(call, variant, key, mesh)
    except _FailedError as failed:
        if not variant.inputs:
            raise
        constant = state.new(numbers, constant=True)
        result = _first(call, constant, key, mesh)
        if state.failed:  # for the second time: it was nothing that passes
            state.never |= variant.inputs
            logger.info("%s: numbers that it reads stay parts of its program: %s", call.name, failed.__cause__)
        state.failed = True
    return result


def _first(call: _Call, variant: Variant, key: tuple[Hashable, ...], mesh: ReplicaMesh) -> Any:
    values, vector = list(call.reading.numbers), np.zeros(ROOM, np.float64)
    result = _execute(call, variant, values, vector, key, mesh)
    # Where it draws its input, an element would be lost with a trace that is given up.
    variant.arithmetic.closed = not any(map(is_source, call.leaves))
    state = call.reading.state
    state.add(variant)
    if call.built:
        call.plan.again(state, variant, call.plan.walk(call.function, call.leaves, named=True)[0], call.structure)
    return result


def _execute(
    call: _Call, variant: Variant, values: list[Any], vector: np.ndarray, key: tuple[Hashable, ...], mesh: ReplicaMesh
) -> Any:
    """The result of this variant's program for these values."""
    args, kwargs = call.arguments
    if call.reading.arguments:
        leaves = [_Followed if i in call.reading.arguments else v for i, v in enumerate(call.leaves)]
        args, kwargs = jax.tree.unflatten(call.structure, leaves)
    inputs = vector if variant.inputs else None
    body = _body(call, variant, values, vector)
    key = (*key, call.plan.code, call.reading.state.objects.key)
    result = execute(body, key, call.name, (args, kwargs, variant.fixed, inputs), {}, mesh)
    return result if not variant.inputs else jax.tree.map(lambda v: _handed(v, values), result, is_leaf=is_per_replica)


@dataclass(frozen=True)
class _Handed:
    """Among the results of a trace, the number at this position, which Python computes at every call."""

    position: int


def _handed(leaf: Any, values: list[Any]) -> Any:
    return values[leaf.position] if type(leaf) is _Handed else leaf


def _body(call: _Call, variant: Variant, values: list[Any], vector: np.ndarray) -> Callable[..., Any]:
    """What is traced: the function with its arguments; numbers that are inputs have stand-ins where they are read."""

    def body(args: Any, kwargs: Any, fixed: Any, given: Any) -> Any:
        leaves = jax.tree.leaves((args, kwargs), is_leaf=is_per_replica)
        leaves = [
            v if i in call.reading.arguments else leaf
            for i, (leaf, v) in enumerate(zip(leaves, call.leaves, strict=True))
        ]
        recorder = current().recorder
        if recorder is None or not variant.inputs:
            with _watching(call):
                return _called(call, leaves)
        tracing = Tracing(variant.arithmetic, given, values, vector)
        try:
            with _watching(call), filled(_stand_ins(call, variant, tracing, leaves)):
                result = _called(call, leaves)
            if not tracing.grown:
                return jax.tree.map(_result, result, is_leaf=is_per_replica)
        except (*_CONTROL, GrownError):
            raise
        except Exception as error:
            if not tracing.grown:
                raise _FailedError from error
        finally:
            tracing.close()
        raise GrownError

    return body


def _called(call: _Call, leaves: list[Any]) -> Any:
    return call.run(*jax.tree.unflatten(call.structure, leaves))


def _stand_ins(call: _Call, variant: Variant, tracing: Tracing, leaves: list[Any]) -> list[tuple[Any, Any]]:
    """Where they go; those of arguments go into `leaves`."""
    walk, filling = call.reading.walk, []
    for position in variant.inputs:
        place = walk.places[position]
        if place[0] == "argument":
            leaves[place[2]] = tracing.number(position)
        else:
            filling.append((place, tracing.number(position)))
    return filling + [(place, IN_MATH[id(value)]) for place, value in walk.math]


def _result(leaf: Any) -> Any:
    """A result of a trace: a number that is one is not known before the call; a scalar of 64 bits came of one alone."""
    if is_stand_in(leaf):
        return _Handed(leaf.position)
    if isinstance(leaf, InTrace):
        return InTrace(_result(leaf.local), leaf._replicas)
    weak = isinstance(leaf, jax.Array) and leaf.weak_type and leaf.dtype == np.float64
    return jax.lax.convert_element_type(leaf, np.float32) if weak else leaf


# --- What a step changes itself ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def _watching(call: _Call) -> Iterator[None]:
    """What the body changes of what it reads is not looked at from then on; a warning says so, unless it was built there."""
    recorder, plan = current().recorder, call.plan
    if recorder is None or not (plan.stored or plan.changes):
        yield
        return
    before = plan.walk(call.function, call.leaves, after=True)[0].contents
    yield
    after = plan.walk(call.function, call.leaves, after=True)[0].contents
    changed = {path for path in before.keys() | after.keys() if not _same(before.get(path), after.get(path))}
    own = {path for path in changed if _changes(plan, path)}
    if own and not recorder.discovering:
        for path in own:
            place = path if (path in before and path in after) or path[1] != "item" else path[0]
            plan.changed.add(place)
            if before.get(place) is not None and (name := described_path(place)) not in plan.said:
                plan.said.add(name)
                logger.warning(_CHANGES, call.name, name, name)
    call.built = not (changed - own)


def _same(old: Any, new: Any) -> bool:
    return old is new or (type(old) in (int, float) and exactly(old) == exactly(new))


def _changes(plan: ReadPlan, path: Path) -> bool:
    """True if the code has something that could have changed this."""
    _, kind, label = path
    return plan.changes if kind in ("item", "each") else label in plan.stored


_CHANGES = (
    "%s changes %s. Its Python runs when it is compiled, not at every call, so that this happens once, not at every step. "
    "Return what is to be kept, or make it a tf.Variable, or change %s outside of the step."
)
