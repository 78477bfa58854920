"""RowwiseInitializer: restricts a program to some rows of its result, if it makes every row without the others."""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core as xc
from jax.extend import random as xr

from stratagem._private import new_jaxpr, sub_jaxprs

# The largest value, in bytes, that a program may compute whole when only rows are needed, and the largest constant in it: keys
# and numbers, but no tables.
_SMALL = 64 << 10

_CALLS = ("jit", "pjit", "closed_call", "custom_jvp_call")
_ARITHMETIC = ("add", "sub", "mul", "div", "neg", "abs", "sign", "square", "integer_pow", "max", "min", "clamp")
_DECISIONS = ("eq", "ne", "lt", "le", "gt", "ge", "is_finite", "select_n", "floor", "ceil", "round")
_BITS = (
    "and",
    "or",
    "xor",
    "not",
    "shift_left",
    "shift_right_logical",
    "shift_right_arithmetic",
    "bitcast_convert_type",
)
_FUNCTIONS = (
    "exp",
    "expm1",
    "log",
    "log1p",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "tanh",
    "logistic",
    "erf",
    "erfc",
    "erf_inv",
)
_UNCHANGED = ("convert_element_type", "copy", "copy_p", "stop_gradient")
# Each element of the result depends on those of the operands only, and was found to be the same to the last bit at any
# position. (Not so for `atan`: XLA computes the last elements of an array one by one, in another way than the others.)
ELEMENTWISE = {*_ARITHMETIC, *_DECISIONS, *_BITS, *_FUNCTIONS, *_UNCHANGED}
_UNSIGNED = {8: "uint8", 16: "uint16", 32: "uint32", 64: "uint64"}

Var = Any
Eqn = Any


@dataclass(frozen=True)
class _Step:
    """A needed equation. of_rows: for each operand, whether only its rows are needed; None if all of the equation is.

    inner: for a call of which only rows are needed, the plan of the called program.
    """

    eqn: Eqn
    of_rows: tuple[bool, ...] | None
    inner: "_NeededEquations | None" = None


@dataclass(frozen=True)
class _NeededEquations:
    """The equations that some rows of the outputs need. whole: the inputs that are needed whole."""

    jaxpr: Any
    steps: tuple[_Step, ...]
    whole: frozenset[Var]


@final
@dataclass(frozen=True)
class _Window:
    """`count` rows of a value, from the row `start`, which is a number or a scalar tensor of int64."""

    start: Any
    count: int

    def cut(self, value: jax.Array) -> jax.Array:
        """Returns these rows of a value."""
        return lax.dynamic_slice_in_dim(value, self.start, self.count)


@final
class RowwiseInitializer:
    """Makes any rows of the only result of a program without inputs."""

    def __init__(self, plan: _NeededEquations) -> None:
        self._plan = plan

    @classmethod
    def of(cls, jaxpr: Any) -> "RowwiseInitializer | None":
        """Returns None unless each row of the result depends on small values and its own number only."""
        (out,) = jaxpr.outvars
        if isinstance(out, xc.Literal) or not out.aval.shape or not all(map(_is_plain, jaxpr.constvars)):
            return None
        plan = _plan(jaxpr, [True], out.aval.shape[0])
        return None if plan is None else cls(plan)

    def __call__(self, start: Any, count: int, zero: Any, consts: Sequence[Any]) -> jax.Array:
        """Returns `count` rows from `start`, a scalar tensor of int64. consts: the values of the program's constants.

        The rows are equal, to the last bit, to those of the program when it is run equation by equation, even if this
        function is compiled as one program. Otherwise the compiler would fuse multiplications and additions of two
        equations, and round once; so values between two equations are hidden from it. zero: a uint32 tensor that is 0,
        which the compiler does not know.
        """
        hide = functools.partial(_hidden, zero=zero)
        names = dict(zip(self._plan.jaxpr.constvars, consts, strict=True))
        (value,) = _run(self._plan, names, {}, _Window(start, count), hide)
        return value


def run_here(closed: xc.ClosedJaxpr) -> list[Any]:
    """Returns the results of a program without inputs, run one equation after another as the code that it was traced from."""
    known: dict[Var, Any] = dict(zip(closed.jaxpr.constvars, closed.consts, strict=True))

    def value_of(v: Var) -> Any:
        return _number(v) if isinstance(v, xc.Literal) else known[v]

    for eqn in closed.jaxpr.eqns:
        known.update(zip(eqn.outvars, _run_whole(eqn, list(map(value_of, eqn.invars))), strict=True))
    return list(map(value_of, closed.jaxpr.outvars))


def _plan(jaxpr: Any, wanted: Sequence[bool], size: int) -> _NeededEquations | None:
    """Returns how to make rows of the wanted outputs, which have `size` rows; None if that needs a large value whole."""
    rows = {v for v, want in zip(jaxpr.outvars, wanted, strict=True) if want}
    whole: set[Var] = set()
    steps: list[_Step] = []
    for eqn in reversed(jaxpr.eqns):
        if rows.isdisjoint(eqn.outvars) and whole.isdisjoint(eqn.outvars):
            continue
        step = _step(eqn, rows, size) if whole.isdisjoint(eqn.outvars) else _Step(eqn, None)
        if step.of_rows is None and any(map(_is_large, _values(eqn))):
            return None
        steps.append(step)
        for i, v in enumerate(eqn.invars):
            if not isinstance(v, xc.Literal):
                (rows if step.of_rows is not None and step.of_rows[i] else whole).add(v)
    inputs = (*jaxpr.constvars, *jaxpr.invars)
    return _NeededEquations(jaxpr, tuple(reversed(steps)), frozenset(whole.intersection(inputs)))


def _step(eqn: Eqn, rows: set[Var], size: int) -> _Step:
    """Returns the step of an equation of whose results only rows are needed."""
    name, inner = eqn.primitive.name, None
    if name in _CALLS:
        called = _called(eqn)
        inner = None if called is None else _plan(called, [v in rows for v in eqn.outvars], size)
        of_rows = None if inner is None else tuple(v not in inner.whole for v in inner.jaxpr.invars)
    else:
        rule = _elementwise if name in ELEMENTWISE else _RULES.get(name)
        of_rows = None if rule is None else rule(eqn, size)
    if of_rows is not None:  # operands without these rows are needed whole
        shapes = [v.aval.shape for v in eqn.invars]
        of_rows = tuple(r and shape[:1] == (size,) for r, shape in zip(of_rows, shapes, strict=True))
    return _Step(eqn, of_rows, inner)


def _called(eqn: Eqn) -> Any:
    """Returns the program that a call calls; None if it has constants of its own."""
    found = next(p for p in eqn.params.values() if isinstance(p, xc.Jaxpr | xc.ClosedJaxpr))
    jaxpr = found if isinstance(found, xc.Jaxpr) else found.jaxpr
    return None if jaxpr.constvars else jaxpr


def _values(eqn: Eqn) -> Iterator[Any]:
    """Yields the values that an equation makes, also in programs inside it, and the literals there."""
    yield from (v for v in eqn.invars if isinstance(v, xc.Literal))
    yield from eqn.outvars
    for jaxpr in sub_jaxprs(eqn.params):
        yield from jaxpr.constvars
        for inner in jaxpr.eqns:
            yield from _values(inner)


def _is_plain(v: Var) -> bool:
    """Returns whether a constant can be passed to a program in another process."""
    return not _is_large(v) and not jnp.issubdtype(v.aval.dtype, jax.dtypes.extended)


def _is_large(v: Var) -> bool:
    return math.prod(v.aval.shape) * v.aval.dtype.itemsize > _SMALL


# --- Rules: for each operand, whether rows of the result need only its rows; None: the equation has to be run whole ------


def _elementwise(eqn: Eqn, size: int) -> tuple[bool, ...] | None:
    (out,) = eqn.outvars
    shapes = [v.aval.shape for v in eqn.invars]
    return (
        tuple(s[:1] == (size,) for s in shapes) if all(_is_broadcastable(s, out.aval.shape) for s in shapes) else None
    )


def _is_broadcastable(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Returns whether an operand of an elementwise equation is a scalar, or has each dimension of the result, or 1 instead."""
    return shape == () or (len(shape) == len(to) and all(a in (1, b) for a, b in zip(shape, to, strict=True)))


def _of_broadcast(eqn: Eqn, size: int) -> tuple[bool, ...] | None:
    return (eqn.params["broadcast_dimensions"][:1] == (0,),) if len(eqn.invars) == 1 else None


def _of_iota(eqn: Eqn, size: int) -> tuple[bool, ...] | None:
    return None if eqn.invars else ()


def _of_bits(eqn: Eqn, size: int) -> tuple[bool, ...] | None:
    """Random bits: in JAX's default generator, each number depends on the key and its own position only."""
    (key,) = eqn.invars
    by_place = jax.config.jax_threefry_partitionable and str(key.aval.dtype) == "key<fry>"  # type: ignore[attr-defined]
    return (False,) if by_place and not key.aval.shape else None


def _of_reshape(eqn: Eqn, size: int) -> tuple[bool, ...] | None:
    plain = len(eqn.invars) == 1 and eqn.params["dimensions"] is None
    return (True,) if plain and eqn.invars[0].aval.shape[:1] == (size,) else None


def _of_squeeze(eqn: Eqn, size: int) -> tuple[bool, ...] | None:
    return (True,) if 0 not in eqn.params["dimensions"] else None


def _of_concatenate(eqn: Eqn, size: int) -> tuple[bool, ...] | None:
    return (True,) * len(eqn.invars) if eqn.params["dimension"] != 0 else None


_RULES = {
    "broadcast_in_dim": _of_broadcast,
    "iota": _of_iota,
    "random_bits": _of_bits,
    "reshape": _of_reshape,
    "squeeze": _of_squeeze,
    "concatenate": _of_concatenate,
}


# --- Running ------------------------------------------------------------------------------------------------------------


def _run(
    plan: _NeededEquations, whole: dict[Var, Any], rows: dict[Var, Any], window: _Window, hide: Any = None
) -> list[Any]:
    """Returns the rows of the outputs, None for one that is not wanted. hide: separates values of consecutive equations."""

    def all_of(v: Var) -> Any:
        if isinstance(v, xc.Literal):
            return _number(v) if hide is None else hide(_number(v))
        return whole[v]

    def rows_of(v: Var) -> Any:
        if v not in rows and v in whole:
            rows[v] = window.cut(whole[v])
        return rows.get(v)

    for step in plan.steps:
        eqn = step.eqn
        if step.of_rows is None:
            outs, known = _run_whole(eqn, [all_of(v) for v in eqn.invars]), whole
        else:
            needed = zip(eqn.invars, step.of_rows, strict=True)
            outs, known = _rows_from(step, [rows_of(v) if r else all_of(v) for v, r in needed], window), rows
        known.update(zip(eqn.outvars, outs if hide is None else map(hide, outs), strict=True))
    return [rows_of(v) for v in plan.jaxpr.outvars]


def _number(literal: Any) -> jax.Array:
    """Returns a literal as an array with all its bits. (JAX by itself would convert 64 bits to 32.)"""
    return jnp.asarray(np.asarray(literal.val), literal.aval.dtype)


def _run_whole(eqn: Eqn, operands: list[Any]) -> list[Any]:
    names = [xc.Var(v.aval) for v in eqn.invars]
    one = new_jaxpr([], names, eqn.outvars, [eqn.replace(invars=names)])
    return list(xc.jaxpr_as_fun(xc.ClosedJaxpr(one, []))(*operands))


def _rows_from(step: _Step, operands: list[Any], window: _Window) -> list[Any]:
    """Returns the rows of an equation's results."""
    params, name = step.eqn.params, step.eqn.primitive.name
    if step.inner is not None and step.of_rows is not None:
        inputs = list(zip(step.inner.jaxpr.invars, operands, step.of_rows, strict=True))
        return _run(step.inner, {v: x for v, x, r in inputs if not r}, {v: x for v, x, r in inputs if r}, window)
    shape = (window.count, *step.eqn.outvars[0].aval.shape[1:])
    if name == "broadcast_in_dim":
        return [lax.broadcast_in_dim(operands[0], shape, params["broadcast_dimensions"])]
    if name == "iota":
        number = lax.broadcasted_iota(params["dtype"], shape, params["dimension"])
        return [number if params["dimension"] else number + lax.convert_element_type(window.start, params["dtype"])]
    if name == "random_bits":
        return [_bits(operands[0], params["bit_width"], shape, window)]
    if name == "reshape":
        return [lax.reshape(operands[0], shape)]
    return [step.eqn.primitive.bind(*operands, **params)]


def _bits(key: Any, width: int, shape: tuple[int, ...], window: _Window) -> jax.Array:
    """Returns the random bits of some rows: Threefry of each number's position in the whole value."""
    a_row = math.prod(shape[1:])
    first = lax.convert_element_type(window.start, jnp.uint64) * jnp.asarray(a_row, "uint64")
    position = lax.reshape(lax.iota(jnp.uint64, math.prod(shape)), shape) + first
    upper = lax.convert_element_type(position >> jnp.asarray(32, "uint64"), jnp.uint32)
    lower = lax.convert_element_type(position, jnp.uint32)
    one, two = jax.random.key_data(key)
    high, low = xr.threefry2x32_p.bind(*jnp.broadcast_arrays(one, two, upper, lower))
    dtype = _UNSIGNED[width]
    if width == 64:
        return lax.shift_left(high.astype(dtype), jnp.asarray(32, dtype)) | low.astype(dtype)
    return lax.convert_element_type(high ^ low, dtype)


def _hidden(value: Any, zero: Any) -> Any:
    """Returns the same number, computed from its bits and `zero`, so that the compiler does not know that it is the same."""
    if value is None or not jnp.issubdtype(value.dtype, jnp.floating):
        return value
    kind = _UNSIGNED[value.dtype.itemsize * 8]
    bits = lax.bitcast_convert_type(value, kind) ^ lax.convert_element_type(zero, kind)
    return lax.bitcast_convert_type(bits, value.dtype)
