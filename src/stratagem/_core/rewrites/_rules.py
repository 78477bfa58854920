"""rewrite, rewrite_loops: replace every equation that a rule is for, also inside of loops, branches and calls."""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.extend import core as xc

from stratagem._core.rewrites._convolution import by_onednn, is_for_onednn
from stratagem._core.rewrites._inlined import inlined
from stratagem._core.rewrites._loop_products import products_outside
from stratagem._core.rewrites._magnitude import is_integer_magnitude, magnitude
from stratagem._core.rewrites._max_pool import with_pools_at_maxima
from stratagem._core.rewrites._options import rewrites_for_speed
from stratagem._core.rewrites._overlapping_pool import is_overlapping_pool, overlapping_pool_of
from stratagem._core.rewrites._pointwise import as_matrix_product, is_pointwise
from stratagem._core.rewrites._product import is_product_for_onednn, product_by_onednn
from stratagem._core.rewrites._sized import compiled_function, has_known_sizes
from stratagem._core.rewrites._small_images import as_product_of_windows, is_of_small_images
from stratagem._private import map_equations, with_jaxprs

_TRANSPARENT = ("jit", "pjit", "closed_call", "checkpoint", "remat2", "scan", "cond", "while")


@dataclass(frozen=True)
class _Rule:
    """One rewrite.

    applies: whether an equation is one of those that the rule is for.
    instead: for such an equation, the function that computes its result from its operands.
    for_speed: the rule is for CPUs, whose results are right without it; other platforms have fast kernels.
    """

    primitive: str
    applies: Callable[[Any], bool]
    instead: Callable[[Any], Callable[..., jax.Array]]
    for_speed: bool = True


_RULES = (
    _Rule("abs", is_integer_magnitude, magnitude, for_speed=False),
    _Rule("sized_call", has_known_sizes, compiled_function, for_speed=False),
    _Rule("reduce_window_max", is_overlapping_pool, overlapping_pool_of),
    _Rule("conv_general_dilated", is_pointwise, as_matrix_product),
    _Rule("conv_general_dilated", is_of_small_images, as_product_of_windows),
    _Rule("conv_general_dilated", is_for_onednn, by_onednn),
    _Rule("dot_general", is_product_for_onednn, product_by_onednn),
)


def rewrite(closed: xc.ClosedJaxpr, platform: str) -> xc.ClosedJaxpr:
    """Returns the same program without equations that XLA computes wrongly and, on CPUs, with faster ones."""
    fast = platform == "cpu" and rewrites_for_speed()
    rules = [rule for rule in _RULES if fast or not rule.for_speed]
    return xc.ClosedJaxpr(_rewritten(closed.jaxpr, rules), closed.consts)


def rewrite_loops(closed: xc.ClosedJaxpr, platform: str) -> xc.ClosedJaxpr:
    """Returns the same program, on CPUs without products in its loops that need not be there.

    closed: a program with its gradients: what they multiply, nothing before them shows.
    """
    if platform != "cpu" or not rewrites_for_speed():
        return closed
    return xc.ClosedJaxpr(_with_loops(closed.jaxpr), closed.consts)


def _with_loops(jaxpr: Any) -> Any:
    return map_equations(jaxpr, _loop_equations)


def _loop_equations(eqn: Any) -> Iterator[Any]:
    if eqn.primitive.name in _TRANSPARENT:
        eqn = with_jaxprs(eqn, _with_loops)
    if eqn.primitive.name != "scan":
        yield eqn
        return
    for new in products_outside(eqn):
        yield from [new] if new.primitive.name == "scan" else _equations(new, _RULES)


def _rewritten(jaxpr: Any, rules: Sequence[_Rule]) -> Any:
    if any(rule.for_speed for rule in rules):
        jaxpr = with_pools_at_maxima(jaxpr)
    return map_equations(jaxpr, functools.partial(_equations, rules=rules))


def _equations(eqn: Any, rules: Sequence[_Rule]) -> Iterator[Any]:
    name = eqn.primitive.name
    rule = next((r for r in rules if r.primitive == name and r.applies(eqn)), None)
    if rule is not None:
        new = jax.make_jaxpr(rule.instead(eqn))(*(v.aval for v in eqn.invars))
        others = [r for r in rules if r.primitive != name]
        yield from inlined(xc.ClosedJaxpr(_rewritten(new.jaxpr, others), new.consts), eqn.invars, eqn.outvars)
    elif name in _TRANSPARENT:
        yield with_jaxprs(eqn, functools.partial(_rewritten, rules=rules))
    else:
        yield eqn
