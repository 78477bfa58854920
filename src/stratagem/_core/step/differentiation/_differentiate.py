"""Turns a program with tape markers into one without: what a tape recorded is differentiated in whole subprograms.

A program is a list of equations. The equations between two markers are a *chunk*. Every chunk that some gradient needs is
evaluated once, under `jax.vjp`, at its position; at a gradient marker the cotangents are carried back through the chunks'
pullbacks. So the forward pass is computed once for any number of gradients. No equation changes its position, so that the
positions of the other markers stay valid: a gradient that depends on a gradient is resolved in the next round.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core as xc

from stratagem._base.errors import TapeError
from stratagem._core.derivatives import tensorflow_rules
from stratagem._core.eager import conjugates, reached_results, read_values, tracked_results
from stratagem._core.step.collectives._assigned_primitive import within_step
from stratagem._core.step.differentiation._rows_primitive import as_one_call, rows_p
from stratagem._core.step.recording._markers import (
    MARKERS,
    gradient_p,
    gradient_parts,
    has_markers,
    mark_p,
    stopped_values,
)
from stratagem._private import current_axes, input_variable, is_literal, new_jaxpr, recorded_so_far

Eqn = Any
Var = Any
AxisEnv = list[tuple[str, int]]


@dataclass
class TapeRecord:
    """The recording of one tape: equations by position, and the values that depend on a watched one."""

    active: bool = False
    equations: set[int] = field(default_factory=set)
    live: set[Var] = field(default_factory=set)


@dataclass
class GradientMarker:
    """A gradient marker: its position, the equations between sources and targets, and which sources are connected."""

    position: int
    eqn: Eqn
    path: set[int]
    reach: set[Var]
    needed: set[Var]
    connected: tuple[bool, ...]


@dataclass(frozen=True)
class EquationRange:
    """Consecutive equations [start, end) without a marker, to be differentiated from `inputs` to `outputs`."""

    start: int
    end: int
    inputs: tuple[Var, ...]
    outputs: tuple[Var, ...]


def differentiate(closed: xc.ClosedJaxpr, axis_env: AxisEnv) -> tuple[xc.ClosedJaxpr, dict[int, tuple[bool, ...]]]:
    """Returns the program without markers, and for every call of `tape.gradient` which sources are connected."""
    answers: dict[int, tuple[bool, ...]] = {}
    closed = _inside(closed, axis_env, answers)
    while True:
        eqns = closed.jaxpr.eqns
        gradients = analyse(eqns)
        ready = [g for g in gradients if not any(eqns[i].primitive is gradient_p for i in g.path)]
        answers.update((g.eqn.params["call"], g.connected) for g in ready)
        if not ready:
            return _without_marks(closed), answers
        evaluate = functools.partial(_evaluate, closed, ready)
        closed = jax.make_jaxpr(evaluate, axis_env=axis_env)(*(v.aval for v in closed.jaxpr.invars))


def _inside(closed: xc.ClosedJaxpr, axis_env: AxisEnv, answers: dict[int, tuple[bool, ...]]) -> xc.ClosedJaxpr:
    """Differentiates the programs inside scan, cond, while and jit: a tape that is opened there also ends there."""
    eqns = []
    for eqn in closed.jaxpr.eqns:
        if has_markers(eqn):
            if eqn.primitive.name not in (
                "scan",
                "cond",
                "while",
                "jit",
                "pjit",
                "closed_call",
                "checkpoint",
                "remat2",
                "tape_rows",
            ):
                raise TapeError(
                    f"A gradient tape is used inside `{eqn.primitive.name}`, whose body has its own rule of "
                    "differentiation. Open and use the tape outside of it."
                )
            eqn = eqn.replace(params={k: _differentiated(v, axis_env, answers) for k, v in eqn.params.items()})
            if eqn.primitive is rows_p:
                eqn = as_one_call(eqn, axis_env)
        eqns.append(eqn)
    return xc.ClosedJaxpr(closed.jaxpr.replace(eqns=eqns), closed.consts)


def _differentiated(param: Any, axis_env: AxisEnv, answers: dict[int, tuple[bool, ...]]) -> Any:
    if isinstance(param, tuple):
        return tuple(_differentiated(p, axis_env, answers) for p in param)
    if isinstance(param, xc.ClosedJaxpr):
        result, found = differentiate(param, axis_env)
        answers.update(found)
        return result
    if isinstance(param, xc.Jaxpr):
        return _differentiated(xc.ClosedJaxpr(param, []), axis_env, answers).jaxpr
    return param


def _without_marks(closed: xc.ClosedJaxpr) -> xc.ClosedJaxpr:
    eqns = [e for e in closed.jaxpr.eqns if e.primitive is not mark_p]
    if len(eqns) == len(closed.jaxpr.eqns):
        return closed
    return xc.ClosedJaxpr(closed.jaxpr.replace(eqns=eqns), closed.consts)


def with_late_watches(eqns: Sequence[Eqn], late: Mapping[int, Sequence[jax.Array]]) -> list[Eqn]:
    """Returns the equations with inputs that tapes watch from where they were opened in the marks that open them.

    late: by the number of a tape, inputs that came while it was open.
    """
    return [
        eqn.replace(invars=[*eqn.invars, *(input_variable(v) for v in late[eqn.params["tape"]])])
        if eqn.primitive is mark_p and eqn.params["kind"] == "open" and eqn.params["tape"] in late
        else eqn
        for eqn in eqns
    ]


def connected_sources(call: int, results: Sequence[Any], late: Mapping[int, Sequence[jax.Array]]) -> tuple[bool, ...]:
    """Returns which sources of the gradient that was just recorded have a path to its target. results: of its marker."""
    recorded = recorded_so_far(results)
    if recorded is None:  # inside a transformation of JAX: differentiating the whole program tells
        return (True,) * len(results)
    jaxpr = recorded.replace(eqns=with_late_watches(recorded.eqns, late))
    markers = analyse(jaxpr.eqns, call)
    if not markers:
        return (True,) * len(results)
    (marker,) = markers
    if not any(jaxpr.eqns[i].primitive is gradient_p or has_markers(jaxpr.eqns[i]) for i in marker.path):
        return marker.connected
    # Gradients of gradients: the inner ones are known when they have become equations.
    closed = xc.ClosedJaxpr(new_jaxpr([], [*jaxpr.constvars, *jaxpr.invars], marker.eqn.outvars, jaxpr.eqns), [])
    return differentiate(closed, current_axes())[1][call]


# --- Which equations lie between sources and targets ---------------------------------------------------------------------


def analyse(eqns: Sequence[Eqn], call: int | None = None) -> list[GradientMarker]:
    """Returns the gradient markers of this level, each with the path of equations through which it is carried back.

    call: the number of the only one that is wanted.
    """
    tapes: dict[int, TapeRecord] = {}
    found = []
    for i, eqn in enumerate(eqns):
        if eqn.primitive is mark_p:
            _note(tapes.setdefault(eqn.params["tape"], TapeRecord()), eqn)
            continue
        if eqn.primitive is gradient_p and call in (None, eqn.params["call"]):
            tape = eqn.params["tape"]
            record = _of_everything(eqns, eqn) if tape is None else tapes.setdefault(tape, TapeRecord())
            found.append(_gradient(i, eqn, eqns, record))
        for tape in tapes.values():
            if tape.active and (made := tracked_results(eqn, tape.live)):
                tape.equations.add(i)
                tape.live.update(made)
    return found


def _note(tape: TapeRecord, mark: Eqn) -> None:
    if mark.params["kind"] in ("open", "resume"):
        tape.active = True
    elif mark.params["kind"] in ("close", "pause"):
        tape.active = False
    tape.live.update(v for v in mark.invars if not is_literal(v))


def _of_everything(eqns: Sequence[Eqn], gradient: Eqn) -> TapeRecord:
    """Returns the record of a tape that watched a gradient's sources from where they were made."""
    sources = {v for v in gradient_parts(gradient)[2] if not is_literal(v)}
    return TapeRecord(equations={i for i, eqn in enumerate(eqns) if eqn.primitive is not mark_p}, live=sources)


def _gradient(position: int, eqn: Eqn, eqns: Sequence[Eqn], tape: TapeRecord) -> GradientMarker:
    targets, _, sources = gradient_parts(eqn)
    known = {s for s in sources if not is_literal(s) and s in tape.live}
    reach, forward, stops = set(known), [], stopped_values(eqn) - known
    for i in sorted(tape.equations):
        if i < position and (made := reached_results(eqns[i], reach)):
            forward.append(i)
            reach.update(v for v in made if v not in stops)
    needed, path = {t for t in targets if not is_literal(t) and t in reach}, set()
    for i in reversed(forward):
        if made := [at for at, v in enumerate(eqns[i].outvars) if v in needed]:
            path.add(i)
            needed.update(v for v in read_values(eqns[i], made) if v in reach)
    connected = tuple(not is_literal(s) and s in needed for s in sources)
    return GradientMarker(position, eqn, path, reach, needed, connected)


# --- Evaluation ----------------------------------------------------------------------------------------------------------


def _chunks(eqns: Sequence[Eqn], gradients: Sequence[GradientMarker]) -> list[EquationRange]:
    """Cuts a program at every marker and after every equation that makes a source, which must be the input of a chunk.

    Also after one that makes a value which counts as a constant for some gradient.
    """
    sources = {v for g in gradients for v in gradient_parts(g.eqn)[2] if not is_literal(v)}
    sources.update(*(stopped_values(g.eqn) for g in gradients))
    chunks, start = [], 0
    for i, eqn in enumerate(eqns):
        if eqn.primitive in MARKERS:
            chunks += [_chunk(eqns, start, i, gradients), EquationRange(i, i + 1, (), ())]
            start = i + 1
        elif not sources.isdisjoint(eqn.outvars):
            chunks.append(_chunk(eqns, start, i + 1, gradients))
            start = i + 1
    chunks.append(_chunk(eqns, start, len(eqns), gradients))
    return [c for c in chunks if c.start < c.end]


def _chunk(eqns: Sequence[Eqn], start: int, end: int, gradients: Sequence[GradientMarker]) -> EquationRange:
    inside = [g for g in gradients if not g.path.isdisjoint(range(start, end))]
    made = {v for e in eqns[start:end] for v in e.outvars}
    reach: set[Var] = set().union(*(g.reach for g in inside))
    needed: set[Var] = set().union(*(g.needed for g in inside))
    read = dict.fromkeys(v for e in eqns[start:end] for v in e.invars if not is_literal(v))
    inputs = tuple(v for v in read if v in reach and v not in made)
    outputs = tuple(dict.fromkeys(v for e in eqns[start:end] for v in e.outvars if v in needed))
    return EquationRange(start, end, inputs, outputs)


def _evaluate(closed: xc.ClosedJaxpr, gradients: Sequence[GradientMarker], *args: Any) -> list[Any]:
    jaxpr = closed.jaxpr
    env: dict[Var, Any] = dict(zip(jaxpr.constvars, closed.consts, strict=True)) | dict(
        zip(jaxpr.invars, args, strict=True)
    )
    chunks = _chunks(jaxpr.eqns, gradients)
    at = {g.position: g for g in gradients}
    later = _read_later(jaxpr, chunks)
    pullbacks: list[tuple[EquationRange, Callable[..., Any]]] = []

    def read(atom: Any) -> Any:
        return atom.val if is_literal(atom) else env[atom]

    for chunk, wanted in zip(chunks, later, strict=True):
        eqns = jaxpr.eqns[chunk.start : chunk.end]
        if chunk.start in at:
            g = at[chunk.start]
            env.update(zip(g.eqn.outvars, _pull(g, pullbacks, read), strict=True))
        elif eqns[0].primitive in MARKERS:
            results = eqns[0].primitive.bind(*map(read, eqns[0].invars), **eqns[0].params)
            env.update(zip(eqns[0].outvars, results, strict=True))
        else:
            pullback = _run(eqns, chunk, wanted, env)
            if pullback is not None:
                pullbacks.append((chunk, pullback))
    return [read(v) for v in jaxpr.outvars]


def _read_later(jaxpr: xc.Jaxpr, chunks: Sequence[EquationRange]) -> list[set[Var]]:
    """Returns, for every chunk, the variables that are read after it."""
    wanted, result = {v for v in jaxpr.outvars if not is_literal(v)}, []
    for chunk in reversed(chunks):
        result.append(set(wanted))
        wanted.update(v for e in jaxpr.eqns[chunk.start : chunk.end] for v in e.invars if not is_literal(v))
    return result[::-1]


def _run(eqns: Sequence[Eqn], chunk: EquationRange, wanted: set[Var], env: dict[Var, Any]) -> Callable[..., Any] | None:
    """Evaluates a chunk into `env`; returns its pullback if a gradient passes through it."""
    eqns = within_step(eqns, env)
    made = dict.fromkeys(v for e in eqns for v in e.outvars)
    differentiable = bool(chunk.inputs and chunk.outputs)
    inputs = chunk.inputs if differentiable else ()
    others = [v for v in dict.fromkeys(v for e in eqns for v in e.invars if not is_literal(v)) if v not in made]
    others = [v for v in others if v not in set(inputs)]
    used_later = [v for v in made if v in wanted]
    outputs = list(chunk.outputs) if differentiable else []
    closed = xc.ClosedJaxpr(new_jaxpr([], [*inputs, *others], [*outputs, *used_later], eqns), [])
    constant = [env[v] for v in others]
    if not differentiable:
        env.update(zip(used_later, xc.jaxpr_as_fun(closed)(*constant), strict=True))
        return None
    body = xc.jaxpr_as_fun(tensorflow_rules(closed))

    def forward(*values: Any) -> tuple[list[Any], list[Any]]:
        results = body(*values, *constant)
        return results[: len(outputs)], results[len(outputs) :]

    _, pullback, rest = jax.vjp(forward, *(env[v] for v in inputs), has_aux=True)
    env.update(zip(used_later, rest, strict=True))
    return pullback


def _pull(
    gradient: GradientMarker, pullbacks: Sequence[tuple[EquationRange, Callable[..., Any]]], read: Callable[[Any], Any]
) -> list[Any]:
    """Returns the gradients of a marker: its seeds, carried back through the chunks that its tape recorded."""
    targets, seeds, sources = gradient_parts(gradient.eqn)
    rows = gradient.eqn.params["rows"]
    front = () if rows is None else (rows,)
    cotangents: dict[Var, Any] = {}

    def add(var: Var, value: Any) -> None:
        cotangents[var] = value if var not in cotangents else cotangents[var] + value

    def zeros(var: Var) -> jax.Array:
        return jnp.zeros((*front, *var.aval.shape), var.aval.dtype)

    for i, target in enumerate(targets):
        if not is_literal(target) and target in gradient.reach:
            value = read(target)
            add(target, read(seeds[i]) if seeds else jnp.ones_like(value))
    for chunk, pullback in reversed(pullbacks):
        if gradient.path.isdisjoint(range(chunk.start, chunk.end)):
            continue
        outs = [cotangents.get(v) if v in gradient.needed else None for v in chunk.outputs]
        if all(o is None for o in outs):
            continue
        filled = [zeros(v) if o is None else o for v, o in zip(chunk.outputs, outs, strict=True)]
        pull = pullback if rows is None else jax.vmap(pullback)
        for var, value in zip(chunk.inputs, conjugates(pull(conjugates(filled))), strict=True):
            if var in gradient.reach:
                add(var, value)
    return [zeros(s) if is_literal(s) or s not in cotangents else cotangents[s] for s in sources]
