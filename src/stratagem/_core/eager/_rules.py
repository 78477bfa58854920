"""CompiledDerivative: the compiled forward and reverse programs of one operation, for operands of certain types."""

import dataclasses
import functools
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakKeyDictionary

import jax
from jax.extend import core as xc

from stratagem._core.derivatives import forward_rules, tensorflow_rules
from stratagem._core.eager._connections import conjugates, is_inexact, needed_operands, stops
from stratagem._core.interruption import interruptible
from stratagem._core.rewrites import compiler_options, rewrite
from stratagem._private import EagerOperation, abstract_value, new_jaxpr, runs_at_once, structures_told, tell_structures

_MAX_RULES = 4096  # each has two small programs


@dataclass(frozen=True, slots=True)
class ResidualSource:
    """A value that the reverse needs: an operand, a result, or what the forward program returns besides its results."""

    kind: Literal["operand", "result", "additional"]
    index: int


@dataclass(frozen=True)
class CompiledDerivative:
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
    residuals: tuple[ResidualSource, ...]
    depends: tuple[frozenset[int], ...] | None = None
    stops: bool = False
    structures: tuple[Any, ...] = ()


_rules: OrderedDict[Hashable, CompiledDerivative] = OrderedDict()
_owned: WeakKeyDictionary[Any, OrderedDict[Hashable, CompiledDerivative]] = WeakKeyDictionary()


def rule_for(operation: EagerOperation, operands: Sequence[Any], which: tuple[int, ...]) -> CompiledDerivative:
    """Returns the rule of an operation for operands of these types, with cotangents for those at the positions `which`."""
    if operation.key is None:
        return _made(operation, operands, which)
    key = (operation.key, which, runs_at_once(), *map(abstract_value, operands))
    rules = _rules if operation.owner is None else _owned.setdefault(operation.owner, OrderedDict())
    try:
        rule = rules.get(key)
    except TypeError:  # a parameter that is not hashable
        return _made(operation, operands, which)
    if rule is None:
        rule = rules[key] = _made(operation, operands, which)
        if len(rules) > _MAX_RULES:
            rules.popitem(last=False)
    else:
        tell_structures(operation, rule.structures)
    return rule


def _made(operation: EagerOperation, operands: Sequence[Any], which: tuple[int, ...]) -> CompiledDerivative:
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
    inexact = tuple(is_inexact(aval) for aval in closed.out_avals)
    needed = needed_operands(closed.jaxpr)
    connected = tuple(i for i in which if any(i in positions for positions in needed))
    rule = _rule(_Differentiable(closed, plain, connected, inexact), types, single, platform)
    pairs = zip(needed, inexact, strict=True)
    depends = tuple(frozenset(j for j, i in enumerate(connected) if ok and i in positions) for positions, ok in pairs)
    apart = any(len(one) < len(connected) for one, ok in zip(depends, inexact, strict=True) if ok)
    return dataclasses.replace(
        rule,
        depends=depends if apart else None,
        stops=stops(closed.jaxpr),
        structures=structures_told(operation),
    )


@dataclass(frozen=True)
class _Differentiable:
    """An operation as a program, to be differentiated by the operands at the positions `which`.

    closed: with TensorFlow's rules; plain: without rules for the reverse alone. inexact: which results have gradients.
    """

    closed: xc.ClosedJaxpr
    plain: xc.ClosedJaxpr
    which: tuple[int, ...]
    inexact: tuple[bool, ...]

    def linearized(self, values: Sequence[Any]) -> tuple[Callable[..., Any], list[Any]]:
        """Returns the pullback at these operands, and all results."""
        at = functools.partial(self._at, self.closed, values)
        _, pullback, results = jax.vjp(at, *(values[i] for i in self.which), has_aux=True)
        return pullback, results

    def reverse(self, operands: list[Any], cotangents: list[Any]) -> list[Any]:
        """Returns the cotangents of the operands for those of the inexact results."""
        return conjugates(self.linearized(operands)[0](conjugates(cotangents)))

    def push(self, operands: list[Any], tangents: list[Any]) -> list[Any]:
        """Returns the tangents of the inexact results."""
        at = functools.partial(self._at, self.plain, operands)
        return list(jax.jvp(at, [operands[i] for i in self.which], tangents, has_aux=True)[1])

    def _at(self, program: xc.ClosedJaxpr, values: Sequence[Any], *chosen: Any) -> tuple[list[Any], list[Any]]:
        """Returns the inexact results for other operands at the positions `which`, and all results."""
        full = list(values)
        for position, value in zip(self.which, chosen, strict=True):
            full[position] = value
        results = xc.jaxpr_as_fun(program)(*full)
        return [r for r, ok in zip(results, self.inexact, strict=True) if ok], results


def _rule(operation: _Differentiable, types: Sequence[Any], single: bool, platform: str) -> CompiledDerivative:
    structure = None

    def forward(*values: Any) -> tuple[list[Any], list[Any]]:
        nonlocal structure
        pullback, results = operation.linearized(values)
        leaves, structure = jax.tree.flatten(pullback)
        return results, leaves

    def reverse(residuals: list[Any], cotangents: list[Any]) -> list[Any]:
        return conjugates(jax.tree.unflatten(structure, residuals)(conjugates(cotangents)))

    traced, number = jax.make_jaxpr(forward)(*types), len(operation.inexact)
    program, residuals = _forward_program(traced, number)
    # Inside of a step's trace, the step's own options hold.
    options = compiler_options(platform) if runs_at_once() else None

    def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        return interruptible(jax.jit(function, compiler_options=options), program)

    return CompiledDerivative(
        compiled(xc.jaxpr_as_fun(program)),
        compiled(reverse),
        compiled(jax.vmap(reverse, in_axes=(None, 0))),
        compiled(operation.reverse),
        compiled(jax.vmap(operation.reverse, in_axes=(None, 0))),
        jax.jit(operation.push),  # is called inside of other operations, too
        single,
        number,
        operation.inexact,
        operation.which,
        residuals,
    )


def _forward_program(traced: xc.ClosedJaxpr, number: int) -> tuple[xc.ClosedJaxpr, tuple[ResidualSource, ...]]:
    """Returns the program of the results and additional values, and the residuals. traced: of the results and residuals."""
    jaxpr = traced.jaxpr
    results, leaves = jaxpr.outvars[:number], jaxpr.outvars[number:]
    additional: list[Any] = []
    residuals = tuple(_residual(leaf, jaxpr.invars, results, additional) for leaf in leaves)
    forward = new_jaxpr(jaxpr.constvars, jaxpr.invars, [*results, *additional], jaxpr.eqns)
    return xc.ClosedJaxpr(forward, traced.consts), residuals


def _platform(operands: Sequence[Any]) -> str:
    """Returns the platform of the devices that hold the operands."""
    places = (getattr(x, "sharding", None) for x in operands if isinstance(x, jax.Array))
    sharding = next(filter(None, places), None)
    return jax.default_backend() if sharding is None else next(iter(sharding.device_set)).platform


def _residual(leaf: Any, operands: list[Any], results: list[Any], additional: list[Any]) -> ResidualSource:
    """Returns where a residual comes from; adds it to `additional` if it is neither an operand nor a result."""
    lists: tuple[tuple[Literal["operand", "result", "additional"], list[Any]], ...] = (
        ("operand", operands),
        ("result", results),
        ("additional", additional),
    )
    for kind, values in lists:
        for index, value in enumerate(values):
            if value is leaf and not isinstance(leaf, xc.Literal):
                return ResidualSource(kind, index)
    additional.append(leaf)
    return ResidualSource("additional", len(additional) - 1)
