"""The reverse of a loop whose number of rounds is known only when it runs: states are recomputed from a few that are kept.

JAX has none, because every round's values would have to be kept, in arrays of a size that nobody knows. Here the reverse knows
how many rounds there were. It runs them again and keeps the state at 32 places; between two of these, at 32 places again; the
rest is recomputed for every round. Up to 1024 rounds that is 3 forward passes. Exact, however many.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend import core as xc

from stratagem._private import new_jaxpr, sub_jaxprs

Values = list[Any]
_KEPT = 32


def reversible_while(eqn: Any) -> Callable[..., Values] | None:
    """Returns a `while` equation as a function of its operands that also has a gradient. None if it cannot be repeated."""
    params = eqn.params
    test, body = params["cond_jaxpr"], params["body_jaxpr"]
    ends = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    if not test.out_avals[0].shape:
        return _reversible(test, body, ends)
    reversible = _reversible(*_of_rows(test, body, ends))
    if reversible is None:
        return None

    @jax.jit
    def run(*operands: Any) -> Values:
        return reversible(*operands[: ends[0]], *operands)

    return run


def _of_rows(
    test: xc.ClosedJaxpr, body: xc.ClosedJaxpr, ends: tuple[int, int]
) -> tuple[xc.ClosedJaxpr, xc.ClosedJaxpr, tuple[int, int]]:
    """Returns a loop of `vmap` as one that JAX's interface takes; it needs the constants of the test twice.

    There the test gives a truth value for every row. The loop goes on while one is true, and a row whose own is false stays
    as it is.
    """
    count = ends[0]

    def any_row(*values: Any) -> Values:
        return [xc.jaxpr_as_fun(test)(*values)[0].any()]

    def rows(*values: Any) -> Values:
        constants, state = values[count : ends[1]], values[ends[1] :]
        goes_on = xc.jaxpr_as_fun(test)(*values[:count], *state)[0]
        new = xc.jaxpr_as_fun(body)(*constants, *state)
        return [
            jnp.where(lax.broadcast_in_dim(goes_on, v.shape, range(goes_on.ndim)), v, old)
            for v, old in zip(new, state, strict=True)
        ]

    tested = jax.make_jaxpr(any_row)(*test.in_avals)
    repeated = jax.make_jaxpr(rows)(*test.in_avals[:count], *body.in_avals)
    return tested, repeated, (count, count + ends[1])


def _reversible(test: xc.ClosedJaxpr, body: xc.ClosedJaxpr, ends: tuple[int, int]) -> Callable[..., Values] | None:
    """Returns a loop with one test as a function of its operands that also has a gradient. None if it cannot be repeated."""
    pure_test, pure_body = without_effects(test), without_effects(body)
    if pure_test is test and pure_body is body:
        return functools.partial(_repeated, test, body, ends)
    if pure_test is None or pure_body is None:
        return None

    @jax.jit
    def run(*operands: Any) -> Values:
        # JAX allows no effects in a function with a rule of its own: the loop runs beside the one that is differentiated.
        last, (rounds, _) = _forward(test, body, ends, *map(lax.stop_gradient, operands))
        return _connected(pure_test, pure_body, ends)(rounds, *last, *operands)

    return run


def without_effects(closed: xc.ClosedJaxpr) -> xc.ClosedJaxpr | None:
    """Returns a program without its prints and checks: the same object if it has none. None if its results depend on them."""
    found = _without_effects(closed.jaxpr)
    if found is None or found is closed.jaxpr:
        return closed if found else None
    return xc.ClosedJaxpr(found, closed.consts)


def _without_effects(jaxpr: xc.Jaxpr) -> xc.Jaxpr | None:
    if not jaxpr.effects:
        return jaxpr
    eqns: list[Any] = []
    for eqn in jaxpr.eqns:
        if not eqn.effects:
            eqns.append(eqn)
        elif list(sub_jaxprs(eqn.params)):
            inner = {name: _param_without_effects(value) for name, value in eqn.params.items()}
            if any(value is _IMPURE for value in inner.values()):
                return None
            eqns.append(eqn.replace(params=inner, effects=frozenset()))
        elif eqn.outvars:
            return None
    return new_jaxpr(jaxpr.constvars, jaxpr.invars, jaxpr.outvars, eqns)


_IMPURE = object()


def _param_without_effects(param: Any) -> Any:
    if isinstance(param, tuple):
        found = tuple(map(_param_without_effects, param))
        return _IMPURE if any(v is _IMPURE for v in found) else found
    if isinstance(param, xc.ClosedJaxpr):
        return without_effects(param) or _IMPURE
    if isinstance(param, xc.Jaxpr):
        return _without_effects(param) or _IMPURE
    return param


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1, 2))
def _repeated(test: xc.ClosedJaxpr, body: xc.ClosedJaxpr, ends: tuple[int, int], *operands: Any) -> Values:
    """Repeats `body` while `test` is true. operands: constants of the test, those of the body, the first state."""
    return _forward(test, body, ends, *operands)[0]


def _forward(
    test: xc.ClosedJaxpr, body: xc.ClosedJaxpr, ends: tuple[int, int], *operands: Any
) -> tuple[Values, tuple[Any, ...]]:
    of_test, of_body, start = operands[: ends[0]], operands[ends[0] : ends[1]], operands[ends[1] :]

    def more(carry: Values) -> Any:
        return xc.jaxpr_as_fun(test)(*of_test, *carry[1:])[0]

    def advance(carry: Values) -> Values:
        return [carry[0] + 1, *xc.jaxpr_as_fun(body)(*of_body, *carry[1:])]

    rounds, *last = lax.while_loop(more, advance, [jnp.zeros((), jnp.int32), *start])
    return last, (rounds, operands)


def reverse_while(
    test: xc.ClosedJaxpr, body: xc.ClosedJaxpr, ends: tuple[int, int], kept: Any, cotangents: Sequence[Any]
) -> tuple[Any, ...]:
    """The gradients of a loop's operands, from those of its last state."""
    rounds, operands = kept
    constants, start = list(operands[ends[0] : ends[1]]), list(operands[ends[1] :])
    step = _LoopRound(body, constants)
    floating = [c for c, s in zip(cotangents, start, strict=True) if _is_floating(s)]
    zeros = [jnp.zeros(c.shape, c.dtype) for c in constants if _is_floating(c)]

    def within(state: Values, count: Any, gradients: Values) -> Values:
        return _backwards(step, one_by_one, state, count, gradients)

    def one_by_one(state: Values, count: Any, gradients: Values) -> Values:
        def back(carry: Values) -> Values:
            left, *found = carry
            return [left - 1, *step.reversed(step.advanced(state, left - 1), found)]

        return _loop(lambda carry: carry[0] > 0, back, [count, *gradients])[1:]

    found = _backwards(step, within, start, rounds, [*zeros, *floating])
    of_constants, of_start = iter(found[: len(zeros)]), iter(found[len(zeros) :])
    pairs = [(v, of_constants) for v in constants] + [(v, of_start) for v in start]
    return (*[None] * ends[0], *(next(given) if _is_floating(v) else None for v, given in pairs))


_repeated.defvjp(_forward, reverse_while)


def _connected(test: xc.ClosedJaxpr, body: xc.ClosedJaxpr, ends: tuple[int, int]) -> Callable[..., Values]:
    """Returns a function that gives the last state of a loop that has run so many rounds the gradients of the loop.

    Its operands: the rounds, the last state, constants of the test, those of the body, the first state.
    """
    count = len(body.out_avals)

    def last_state(rounds: Any, *values: Any) -> Values:
        # Whoever asks what the results depend on has to find the operands.
        return list(lax.optimization_barrier(values)[:count])

    def forward(rounds: Any, *values: Any) -> tuple[Values, tuple[Any, ...]]:
        return list(values[:count]), (rounds, values[count:])

    connected = jax.custom_vjp(last_state)
    # Not nondiff_argnums: whoever pushes the loop forward reads the loop off the partial application.
    connected.defvjp(forward, functools.partial(reverse_connected, test, body, ends))
    return connected


def reverse_connected(
    test: xc.ClosedJaxpr, body: xc.ClosedJaxpr, ends: tuple[int, int], kept: Any, cotangents: Sequence[Any]
) -> tuple[Any, ...]:
    """The gradients of a loop's operands; none of the number of rounds, nor of the last state itself."""
    return (*[None] * (1 + len(cotangents)), *reverse_while(test, body, ends, kept, cotangents))


def pushed_forward(
    test: xc.ClosedJaxpr, body: xc.ClosedJaxpr, ends: tuple[int, int], rounds: Any, *values: Any
) -> Values:
    """Returns the last state, computed by a loop of JAX's: it is one whose derivative can be pushed forward."""
    return _forward(test, body, ends, *values[len(body.out_avals) :])[0]


class _LoopRound:
    """A round of the loop: forward, and in reverse."""

    def __init__(self, body: xc.ClosedJaxpr, constants: Values) -> None:
        self._run, self._constants = xc.jaxpr_as_fun(body), constants

    def advanced(self, state: Values, rounds: Any) -> Values:
        """Returns the state after so many rounds."""

        def advance(carry: Values) -> Values:
            return [carry[0] - 1, *self._run(*self._constants, *carry[1:])]

        return _loop(lambda carry: carry[0] > 0, advance, [rounds, *state])[1:]

    def reversed(self, state: Values, gradients: Values) -> Values:
        """Returns the gradients of the body's constants so far, and of the state before a round, from those after it."""
        inputs = [*self._constants, *state]
        places = [i for i, v in enumerate(inputs) if _is_floating(v)]
        count = sum(map(_is_floating, self._constants))

        def differentiable(*values: Any) -> Values:
            filled = list(inputs)
            for place, value in zip(places, values, strict=True):
                filled[place] = value
            return [v for v in self._run(*filled) if _is_floating(v)]

        _, pullback = jax.vjp(differentiable, *(inputs[i] for i in places))
        found = pullback(list(gradients[count:]))
        return [*(a + b for a, b in zip(gradients[:count], found[:count], strict=True)), *found[count:]]


def _backwards(
    step: _LoopRound, reverse: Callable[[Values, Any, Values], Values], start: Values, rounds: Any, gradients: Values
) -> Values:
    """Carries gradients back over so many rounds, in up to _KEPT pieces. reverse(state, rounds, gradients) does one of them."""
    length = jnp.maximum((rounds + _KEPT - 1) // _KEPT, 1)
    pieces = (rounds + length - 1) // length
    places = [jnp.zeros((_KEPT, *v.shape), v.dtype) for v in start]

    def rest(piece: Any) -> Any:
        return jnp.minimum(length, rounds - piece * length)

    def keep(carry: Any) -> Any:
        piece, state, kept = carry
        kept = [lax.dynamic_update_index_in_dim(k, v, piece, 0) for k, v in zip(kept, state, strict=True)]
        return [piece + 1, step.advanced(state, rest(piece)), kept]

    _, _, kept = _loop(lambda carry: carry[0] < pieces, keep, [jnp.zeros((), jnp.int32), start, places])

    def back(carry: Any) -> Any:
        piece, found = carry[0] - 1, carry[1]
        state = [lax.dynamic_index_in_dim(k, piece, 0, keepdims=False) for k in kept]
        return [piece, reverse(state, rest(piece), found)]

    result: Values = _loop(lambda carry: carry[0] > 0, back, [pieces, gradients])[1]
    return result


def _loop(more: Callable[[Any], Any], advance: Callable[[Any], Any], start: Any) -> Any:
    """A `while` loop that has a gradient itself, for second derivatives. Its functions may use values around them."""
    leaves, structure = jax.tree.flatten(start)
    leaves = [jnp.asarray(v) for v in leaves]

    def flat(function: Callable[[Any], Any]) -> Callable[..., Values]:
        return lambda *values: jax.tree.leaves(function(jax.tree.unflatten(structure, values)))

    test, body = (jax.make_jaxpr(flat(f))(*leaves) for f in (more, advance))
    ends = len(test.consts), len(test.consts) + len(body.consts)
    found = _repeated(_without_constants(test), _without_constants(body), ends, *test.consts, *body.consts, *leaves)
    return jax.tree.unflatten(structure, found)


def _without_constants(closed: xc.ClosedJaxpr) -> xc.ClosedJaxpr:
    """Returns a program that takes its constants as its first inputs."""
    jaxpr = closed.jaxpr
    return xc.ClosedJaxpr(jaxpr.replace(constvars=[], invars=[*jaxpr.constvars, *jaxpr.invars]), [])


def _is_floating(value: Any) -> bool:
    return bool(jnp.issubdtype(value.dtype, jnp.inexact))
