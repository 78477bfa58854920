"""Loops and branches that compute the same have one program: JAX compiles each object anew, and every call makes another."""

import functools
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from jax._src import core as jax_core
from jax._src import dispatch
from jax._src.lax.control_flow.conditionals import cond_p
from jax._src.lax.control_flow.loops import scan_p, while_p
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

_CONTROL_FLOW = (scan_p, while_p, cond_p)
CONTROL_FLOW_PLACES = tuple(f"jax.*{primitive.name}_p.impl" for primitive in _CONTROL_FLOW)
_MOST = 512  # programs that are known, the last used ones
_programs: OrderedDict[Hashable, ClosedJaxpr] = OrderedDict()


def compile_control_flow_once() -> None:
    """Let a loop or branch that runs at once be compiled once, however often code that makes it is called.

    `jax.lax.scan` traces its body at each call. As long as that is the same function JAX finds the program again, but one that
    is defined where it is used is new in each call.
    """
    for primitive in _CONTROL_FLOW:
        primitive.def_impl(functools.partial(_run_at_once, primitive))


def _run_at_once(primitive: Any, *operands: Any, **params: Any) -> Any:
    return dispatch.apply_primitive(primitive, *operands, **with_known_programs(primitive, params))


def with_known_programs(primitive: Any, params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the parameters of an operation, of a loop or branch with an earlier one's programs if they compute the same."""
    if primitive not in _CONTROL_FLOW:
        return params
    return {name: _known(value) for name, value in params.items()}


def _known(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_known, value))
    if not isinstance(value, ClosedJaxpr) or value.consts:
        return value
    key = _key_of(value.jaxpr)
    try:
        found = _programs.setdefault(key, value)
        _programs.move_to_end(key)
    except (TypeError, KeyError):  # a parameter that is not hashable; a thread has dropped it meanwhile
        return value
    if len(_programs) > _MOST:
        _programs.popitem(last=False)
    return found


def _key_of(jaxpr: Jaxpr) -> Hashable:
    """Returns what is equal for programs that compute the same in the same way: their equations, with numbers for variables."""
    numbers: dict[Any, int] = {}

    def number(variable: Any) -> Hashable:
        return numbers.setdefault(variable, len(numbers)), variable.aval

    def operand(atom: Any) -> Hashable:
        if not isinstance(atom, Literal):
            return numbers.setdefault(atom, len(numbers))
        value = np.asarray(atom.val)
        return type(atom.val), atom.aval, value.dtype.str, value.tobytes()

    parts: list[Hashable] = [tuple(map(number, (*jaxpr.constvars, *jaxpr.invars)))]
    for eqn in jaxpr.eqns:
        params = tuple((name, _parameter(value)) for name, value in eqn.params.items())
        ins, outs = tuple(map(operand, eqn.invars)), tuple(map(number, eqn.outvars))
        parts.append((eqn.primitive, ins, outs, params, eqn.ctx))
    return (*parts, tuple(map(operand, jaxpr.outvars)))


def _parameter(value: Any) -> Hashable:
    if isinstance(value, ClosedJaxpr):
        # Arrays are told by their identity, which the program keeps alive.
        return _key_of(value.jaxpr), tuple(map(id, value.consts))
    if isinstance(value, Jaxpr):
        return _key_of(value)
    if isinstance(value, tuple | list):
        return tuple(map(_parameter, value))
    if isinstance(value, jax_core.DebugInfo):
        return None
    return value
