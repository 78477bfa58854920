"""DerivativeRule: the compiled forward and reverse programs of one operation, for operands of certain types."""

import dataclasses
import functools
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jax.extend import core as xc

from stratagem._core.eager._connections import needed_operands, stops
from stratagem._core.kinks import forward_rules, tensorflow_rules
from stratagem._core.rewrites import compiler_options, rewrite
from stratagem._private import EagerOperation, abstract_value, new_jaxpr, runs_at_once, structures_told, tell_structures

_MAX_RULES = 4096  # each has two small programs


@dataclass(frozen=True, slots=True)
class Residual:
    """A value that the reverse needs: an operand, a result, or what the forward program returns besides its results."""

    kind: Literal["operand", "result", "additional"]
    index: int


@dataclass(frozen=True)
class DerivativeRule:
    """The programs that compute an operation and reverse it.

    forward: (*operands) -> results and additional values. single: the operation returns one array, not a list. results:
    how many; inexact: which of them have gradients. connected: the positions of the operands that were asked for and that
    a result depends on; depends: on which of those each result does, None if every result does on all; stops: no
    tape tracks the results. residuals: what `reverse` takes. reverse: (residuals, cotangents of the inexact results) ->
    cotangents of the connected operands; reverse_anew: the same, from all operands.
    push: (operands, tangents of the connected ones) -> tangents of the inexact results.
    reverse_rows, reverse_rows_anew: for cotangents with one more dimension in front.
    """

    forward: Callable[..., list[Any]]
    reverse: Callable[[list[Any], list[Any]], list[Any]]
    reverse_rows: Callable[[list[Any], list[Any]], list[Any]]
    reverse_anew: Callable[[list[Any], list[Any]], list[Any]]
    reverse_rows_anew: Callable[[list[Any], list[Any]], list[Any]]
    push: Callable[[list[Any], list[Any]], list[Any]]
    single: bool
    results: int
    inexact: tuple[bool, ...]
    connected: tuple[int, ...]
    residuals: tuple[Residual, ...]
    depends: tuple[frozenset[int], ...] | None = None
    stops: bool = False
    structures: tuple[Any, ...] = ()


_rules: OrderedDict[Hashable, DerivativeRule] = OrderedDict()


def rule_for(operation: EagerOperation, operands: Sequence[Any], which: tuple[int, ...]) -> DerivativeRule:
    """Returns the rule of an operation for operands of these types, with cotangents for those at the positions `which`."""
    if operation.key is None:
        return _made(operation, operands, which)
    key = (operation.key, which, runs_at_once(), *map(abstract_value, operands))
    try:
        rule = _rules.get(key)
    except TypeError:  # a parameter that is not hashable
        return _made(operation, operands, which)
    if rule is None:
        rule = _rules[key] = _made(operation, operands, which)
        if len(_rules) > _MAX_RULES:
            _rules.popitem(last=False)
    else:
        tell_structures(operation, rule.structures)
    return rule


def _made(operation: EagerOperation, operands: Sequence[Any], which: tuple[int, ...]) -> DerivativeRule:
    types = list(map(abstract_value, operands))
    single = False

    def program(*values: Any) -> list[Any]:
        nonlocal single
        results = operation.compute(*values)
        single = not isinstance(results, list | tuple)
        return [results] if single else list(results)

    platform = _platform(operands)
    rewritten = rewrite(jax.make_jaxpr(program)(*types), platform)
    closed, plain = tensorflow_rules(rewritten), forward_rules(rewritten)
    inexact = tuple(bool(jnp.issubdtype(aval.dtype, jnp.inexact)) for aval in closed.out_avals)
    needed = needed_operands(closed.jaxpr)
    connected = tuple(i for i in which if any(i in positions for positions in needed))
    rule = _linearized(closed, plain, types, connected, single, inexact, platform)
    pairs = zip(needed, inexact, strict=True)
    depends = tuple(frozenset(j for j, i in enumerate(connected) if ok and i in positions) for positions, ok in pairs)
    apart = any(len(one) < len(connected) for one, ok in zip(depends, inexact, strict=True) if ok)
    return dataclasses.replace(
        rule,
        depends=depends if apart else None,
        stops=stops(closed.jaxpr),
        structures=structures_told(operation),
    )


def _linearized(
    closed: xc.ClosedJaxpr,
    plain: xc.ClosedJaxpr,
    types: Sequence[Any],
    which: tuple[int, ...],
    single: bool,
    inexact: tuple[bool, ...],
    platform: str,
) -> DerivativeRule:
    body, structure = xc.jaxpr_as_fun(closed), None

    def differentiated(values: Sequence[Any]) -> tuple[Callable[..., Any], list[Any]]:
        def differentiable(*chosen: Any) -> tuple[list[Any], list[Any]]:
            full = list(values)
            for position, value in zip(which, chosen, strict=True):
                full[position] = value
            results = body(*full)
            return [r for r, ok in zip(results, inexact, strict=True) if ok], results

        _, pullback, results = jax.vjp(differentiable, *(values[i] for i in which), has_aux=True)
        return pullback, results

    def linearized(*values: Any) -> tuple[list[Any], list[Any]]:
        nonlocal structure
        pullback, results = differentiated(values)
        leaves, structure = jax.tree.flatten(pullback)
        return results, leaves

    jaxpr = jax.make_jaxpr(linearized)(*types)
    number = len(inexact)
    results, leaves = jaxpr.jaxpr.outvars[:number], jaxpr.jaxpr.outvars[number:]
    additional: list[Any] = []
    residuals = tuple(_residual(leaf, jaxpr.jaxpr.invars, results, additional) for leaf in leaves)
    inner = jaxpr.jaxpr
    forward = new_jaxpr(inner.constvars, inner.invars, [*results, *additional], inner.eqns)

    def reverse(residuals: list[Any], cotangents: list[Any]) -> list[Any]:
        return list(jax.tree.unflatten(structure, residuals)(cotangents))

    def reverse_anew(operands: list[Any], cotangents: list[Any]) -> list[Any]:
        return list(differentiated(operands)[0](cotangents))

    def push(operands: list[Any], tangents: list[Any]) -> list[Any]:
        def differentiable(*chosen: Any) -> list[Any]:
            full = list(operands)
            for position, value in zip(which, chosen, strict=True):
                full[position] = value
            results = xc.jaxpr_as_fun(plain)(*full)
            return [r for r, ok in zip(results, inexact, strict=True) if ok]

        return list(jax.jvp(differentiable, [operands[i] for i in which], tangents)[1])

    # Inside of a step's trace, the step's own options hold.
    compiled = functools.partial(jax.jit, compiler_options=compiler_options(platform) if runs_at_once() else None)
    return DerivativeRule(
        compiled(xc.jaxpr_as_fun(xc.ClosedJaxpr(forward, jaxpr.consts))),
        compiled(reverse),
        compiled(jax.vmap(reverse, in_axes=(None, 0))),
        compiled(reverse_anew),
        compiled(jax.vmap(reverse_anew, in_axes=(None, 0))),
        jax.jit(push),  # is called inside of other operations, too
        single,
        number,
        inexact,
        which,
        residuals,
    )


def _platform(operands: Sequence[Any]) -> str:
    """Returns the platform of the devices that hold the operands."""
    places = (getattr(x, "sharding", None) for x in operands if isinstance(x, jax.Array))
    sharding = next(filter(None, places), None)
    return jax.default_backend() if sharding is None else next(iter(sharding.device_set)).platform


def _residual(leaf: Any, operands: list[Any], results: list[Any], additional: list[Any]) -> Residual:
    """Returns where a residual comes from; adds it to `additional` if it is neither an operand nor a result."""
    lists: tuple[tuple[Literal["operand", "result", "additional"], list[Any]], ...] = (
        ("operand", operands),
        ("result", results),
        ("additional", additional),
    )
    for kind, values in lists:
        for index, value in enumerate(values):
            if value is leaf and not isinstance(leaf, xc.Literal):
                return Residual(kind, index)
    additional.append(leaf)
    return Residual("additional", len(additional) - 1)
