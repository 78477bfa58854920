"""rewrite, rewrite_loops: replace every equation that a rule is for, also inside of loops, branches and calls."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
from jax.extend import core as xc

from stratagem._core.rewrites._convolution import by_onednn, is_for_onednn
from stratagem._core.rewrites._derived_arrays import without_derived_arrays
from stratagem._core.rewrites._half_precision import with_halves_in_float32
from stratagem._core.rewrites._inlined import inlined
from stratagem._core.rewrites._loop_products import products_outside
from stratagem._core.rewrites._magnitude import is_integer_magnitude, magnitude
from stratagem._core.rewrites._max_pool import with_pools_at_maxima
from stratagem._core.rewrites._options import rewrites_for_speed
from stratagem._core.rewrites._overlapping_pool import (
    is_overlapping_pool,
    is_pool_of_sums,
    overlapping_pool_of,
    sums_of,
)
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
    _Rule("reduce_window_sum", is_pool_of_sums, sums_of),
    _Rule("conv_general_dilated", is_pointwise, as_matrix_product),
    _Rule("conv_general_dilated", is_of_small_images, as_product_of_windows),
    _Rule("conv_general_dilated", is_for_onednn, by_onednn),
    _Rule("dot_general", is_product_for_onednn, product_by_onednn),
)


@dataclass(frozen=True)
class _Rewrites:
    """Changes of a program and of those inside of it: first those of several equations together, then rules for one."""

    rules: tuple[_Rule, ...]
    of_several: tuple[Callable[[xc.Jaxpr], xc.Jaxpr], ...] = ()

    def without(self, primitive: str) -> "_Rewrites":
        """Returns those that may be applied to what a rule for this primitive has made."""
        return _Rewrites(tuple(rule for rule in self.rules if rule.primitive != primitive), self.of_several)


_FAST = _Rewrites(_RULES, (with_halves_in_float32, with_pools_at_maxima))
_RIGHT = _Rewrites(tuple(rule for rule in _RULES if not rule.for_speed))


def rewrite(closed: xc.ClosedJaxpr, platform: str) -> xc.ClosedJaxpr:
    """Returns the same program without equations that XLA computes wrongly and, on CPUs, with faster ones."""
    fast = platform == "cpu" and rewrites_for_speed()
    return xc.ClosedJaxpr(_rewritten(closed.jaxpr, _FAST if fast else _RIGHT), closed.consts)


def rewrite_loops(closed: xc.ClosedJaxpr, platform: str) -> xc.ClosedJaxpr:
    """Returns the same program, on CPUs without products and arrays of its loops that need not be there.

    closed: a program with its gradients: what they multiply, nothing before them shows.
    """
    if platform != "cpu" or not rewrites_for_speed():
        return closed
    return xc.ClosedJaxpr(_with_loops(closed.jaxpr), closed.consts)


def _with_loops(jaxpr: Any) -> Any:
    return without_derived_arrays(map_equations(jaxpr, _loop_equations))


def _loop_equations(eqn: Any) -> Iterator[Any]:
    if eqn.primitive.name in _TRANSPARENT:
        eqn = with_jaxprs(eqn, _with_loops)
    if eqn.primitive.name != "scan":
        yield eqn
        return
    for new in products_outside(eqn):
        yield from [new] if new.primitive.name == "scan" else _equations(new, _FAST)


def _rewritten(jaxpr: Any, rewrites: _Rewrites) -> Any:
    for change in rewrites.of_several:
        jaxpr = change(jaxpr)
    return map_equations(jaxpr, functools.partial(_equations, rewrites=rewrites))


def _equations(eqn: Any, rewrites: _Rewrites) -> Iterator[Any]:
    name = eqn.primitive.name
    rule = next((r for r in rewrites.rules if r.primitive == name and r.applies(eqn)), None)
    if rule is not None:
        new = jax.make_jaxpr(rule.instead(eqn))(*(v.aval for v in eqn.invars))
        again = xc.ClosedJaxpr(_rewritten(new.jaxpr, rewrites.without(name)), new.consts)
        yield from inlined(again, eqn.invars, eqn.outvars)
    elif name in _TRANSPARENT:
        yield with_jaxprs(eqn, functools.partial(_rewritten, rewrites=rewrites))
    else:
        yield eqn
