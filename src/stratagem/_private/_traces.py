"""Traces and programs of JAX: their levels, constants and equations."""

import functools
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import Path
from typing import Any, final

import jax
from jax._src import core as jax_core
from jax._src import source_info_util
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var


def trace_level() -> Any:
    """An object that is equal for two calls made at the same level of tracing (inside the same scan body, say)."""
    return jax_core.trace_ctx.trace


def computes_at_once() -> bool:
    """Returns whether an operation of the present code is computed at once, and by nothing but JAX."""
    return isinstance(jax_core.trace_ctx.trace, jax_core.EvalTrace)


@final
class OutsideOfTraces:
    """In the body JAX computes at once, as if no trace were under way around it.

    `jax.ensure_compile_time_eval` leaves the axes of the trace in place. They belong to the keys of compiled programs, and each
    of our traces has an axis of its own: whatever it computes would be compiled anew in each of them.
    """

    __slots__ = ("_axes", "_trace")

    def __enter__(self) -> None:
        context = jax_core.trace_ctx
        self._trace, self._axes = context.trace, context.axis_env
        context.set_trace(jax_core.eval_trace)
        context.set_axis_env(jax_core.top_axis_env)

    def __exit__(self, *_: object) -> None:
        jax_core.trace_ctx.set_axis_env(self._axes)
        jax_core.trace_ctx.set_trace(self._trace)


@final
class AtTraceLevel:
    """Computes the body in an enclosing trace, which `trace_level()` returned there.

    Inside a branch or loop, what is computed from values outside of it then comes before the branch.
    """

    __slots__ = ("_before", "_level")

    def __init__(self, level: Any) -> None:
        self._level = level

    def __enter__(self) -> None:
        self._before = jax_core.trace_ctx.trace
        jax_core.trace_ctx.set_trace(self._level)

    def __exit__(self, *_: object) -> None:
        jax_core.trace_ctx.set_trace(self._before)


def is_constant(tensor: Any) -> bool:
    """True for a number that a trace will write into its equations: it has no name by which the program could be cut."""
    return not isinstance(tensor, jax_core.Tracer) or isinstance(getattr(tensor, "val", None), jax_core.Literal)


def stand_in(constant: jax.Array, tracer: Any) -> None:
    """Makes operations of the current trace that read `constant` read `tracer`, as long as both are alive."""
    jax_core.trace_ctx.trace.frame.constid_to_tracer[id(constant)] = tracer


def sub_jaxprs(params: dict[str, Any]) -> Iterable[Jaxpr]:
    """The programs inside an equation's parameters."""
    return jax_core.jaxprs_in_params(params)


def acts(eqn: JaxprEqn) -> bool:
    """True for an equation that has effects besides its results: to read which replica computes it is none."""
    return any(not isinstance(effect, jax_core.NamedAxisEffect) for effect in eqn.effects)


def map_jaxprs(param: Any, change: Callable[[Jaxpr], Jaxpr]) -> Any:
    """An equation's parameter with other programs in it; one without programs, or whose programs stay the same, as it is.

    JAX derives from a program what it needs once, by its identity.
    """
    if type(param) is tuple:  # not a named one, which holds no programs
        parts = tuple(map_jaxprs(part, change) for part in param)
        return parts if any(new is not old for new, old in zip(parts, param, strict=True)) else param
    if isinstance(param, ClosedJaxpr):
        changed = change(param.jaxpr)
        return param if changed is param.jaxpr else ClosedJaxpr(changed, param.consts)
    return change(param) if isinstance(param, Jaxpr) else param


def map_equations(jaxpr: Jaxpr, change: Callable[[JaxprEqn], Iterable[JaxprEqn]]) -> Jaxpr:
    """A program with other equations in place of each; the same object if all of them stay the same."""
    eqns = [new for eqn in jaxpr.eqns for new in change(eqn)]
    same = len(eqns) == len(jaxpr.eqns) and all(new is old for new, old in zip(eqns, jaxpr.eqns, strict=True))
    return jaxpr if same else jaxpr.replace(eqns=eqns)


def with_jaxprs(eqn: JaxprEqn, change: Callable[[Jaxpr], Jaxpr]) -> JaxprEqn:
    """An equation with other programs inside; the same object if all of them stay the same."""
    params = {name: map_jaxprs(value, change) for name, value in eqn.params.items()}
    return eqn.replace(params=params) if any(params[name] is not eqn.params[name] for name in params) else eqn


def is_literal(atom: Var | Literal) -> bool:
    """Returns whether an operand is a number that stands in the program."""
    return isinstance(atom, Literal)


def has_effects(eqn: JaxprEqn, wanted: Set[Var], later: Sequence[JaxprEqn]) -> bool:
    """Returns whether an equation has effects in JAX's sense, as prints and checks."""
    return bool(eqn.effects)


def all_operands(eqn: JaxprEqn) -> Sequence[Var | Literal]:
    """Returns the operands of an equation."""
    return eqn.invars


def needed_equations(
    eqns: Sequence[JaxprEqn],
    results: Iterable[Var | Literal],
    known: Iterable[Var] = (),
    *,
    is_kept: Callable[[JaxprEqn, Set[Var], Sequence[JaxprEqn]], bool] = has_effects,
    operands: Callable[[JaxprEqn], Sequence[Var | Literal]] = all_operands,
) -> list[JaxprEqn]:
    """The equations that the results depend on, in their order.

    known: values that need no equation. is_kept: whether an equation is one of them although nothing needs what it makes, given
    the values that are needed so far, and the kept equations after it, the last first. operands: those that an equation needs.
    """
    given = frozenset(known)
    wanted: set[Any] = {v for v in results if not is_literal(v) and v not in given}
    kept: list[JaxprEqn] = []
    for eqn in reversed(eqns):
        if not wanted.isdisjoint(eqn.outvars) or is_kept(eqn, wanted, kept):
            wanted.update(v for v in operands(eqn) if not is_literal(v) and v not in given)
            kept.append(eqn)
    return kept[::-1]


_JAX = str(Path(jax.__file__).parent)


def jax_function(jaxpr: Jaxpr) -> str | None:
    """The name of the function of JAX of which this is the program; None for a program of anyone else's function."""
    name, _, place = (jaxpr.debug_info.func_src_info or "").partition(" at ")
    return name if place.startswith(_JAX) else None


@functools.cache
def _empty_jaxpr() -> Any:
    return jax.make_jaxpr(lambda: ())().jaxpr


def new_jaxpr(
    constvars: Sequence[Var], invars: Sequence[Var], outvars: Sequence[Var | Literal], eqns: Sequence[JaxprEqn]
) -> Jaxpr:
    """A program of these equations. (Its constructor wants a debug info that only private code can make.)"""
    effects = frozenset().union(*(e.effects for e in eqns))
    return _empty_jaxpr().replace(constvars=constvars, invars=invars, outvars=outvars, eqns=eqns, effects=effects)


_PACKAGE = str(Path(__file__).parents[1])


def line_of(eqn: JaxprEqn) -> str:
    """Returns the file and line of the user's code that an equation comes from."""
    frames = source_info_util.user_frames(eqn.source_info.traceback)
    found = next(
        (f for f in frames if "/site-packages/" not in f.file_name and not f.file_name.startswith(_PACKAGE)), None
    )
    return "unknown line" if found is None else f"{found.file_name}:{found.start_line}"


def within(eqn: JaxprEqn, call: JaxprEqn) -> JaxprEqn:
    """Returns an equation of a program that a call runs, with the names of the call's place before its own."""
    names = call.source_info.name_stack + eqn.source_info.name_stack
    return eqn.replace(source_info=eqn.source_info.replace(name_stack=names))


def is_of_a_gradient(eqn: JaxprEqn) -> bool:
    """Returns whether an equation came of transposing others: it is part of a reverse-mode derivative."""
    return "transpose(" in str(eqn.source_info.name_stack)


_RESULT_SHARDINGS = frozenset(("sharding", "out_sharding"))
_PLACING = ("sharding_constraint", "device_put", "reshard")


def without_meshes(jaxpr: Jaxpr) -> Jaxpr:
    """The same program with values whose types name no mesh, here and in the programs inside."""
    renamed: dict[Any, Any] = {}

    def plain(atom: Any) -> Any:
        if isinstance(atom, Literal):
            return Literal(atom.val, _without_mesh(atom.aval))
        if atom not in renamed:
            renamed[atom] = type(atom)(_without_mesh(atom.aval))
        return renamed[atom]

    def equation(eqn: JaxprEqn) -> JaxprEqn:
        params = {key: map_jaxprs(value, without_meshes) for key, value in eqn.params.items()}
        # JAX writes down where results lie if an operand's type says where it does; where the user asks, it is left alone.
        params |= {key: None for key in _RESULT_SHARDINGS & params.keys() if eqn.primitive.name not in _PLACING}
        ins, outs = list(map(plain, eqn.invars)), list(map(plain, eqn.outvars))
        return eqn.replace(invars=ins, outvars=outs, params=params, ctx=_context_without_mesh(eqn.ctx))

    constvars, invars = list(map(plain, jaxpr.constvars)), list(map(plain, jaxpr.invars))
    eqns = list(map(equation, jaxpr.eqns))
    return jaxpr.replace(constvars=constvars, invars=invars, outvars=list(map(plain, jaxpr.outvars)), eqns=eqns)


def _context_without_mesh(context: Any) -> Any:
    """The context in which an equation is computed again, without the mesh that JAX notes there: that of an operand."""
    if context.cur_abstract_mesh.empty:
        return context
    metadata = None if context.xla_metadata is None else tuple(context.xla_metadata.items())
    return jax_core.JaxprEqnContext._create(
        context.compute_type,
        context.threefry_partitionable,
        jax.sharding.AbstractMesh((), ()),
        context.remove_size_one_mesh_axis,
        metadata,
    )


def _without_mesh(aval: Any) -> Any:
    if not isinstance(aval, jax_core.ShapedArray):
        return aval
    return jax_core.ShapedArray(aval.shape, aval.dtype, weak_type=aval.weak_type)
