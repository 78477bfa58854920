"""`tf.custom_gradient`: a function whose gradient another function computes, under eager tapes and in compiled steps."""

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
from jax.extend import core as xc

from stratagem._base.errors import TapeError
from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.context import current
from stratagem._core.eager import is_inexact, open_recorder
from stratagem._core.step.differentiation._custom_gradient_primitive import Reverse, custom_gradient_p
from stratagem._core.step.differentiation._differentiate import differentiate
from stratagem._core.step.recording._assign_scope import AssignScope
from stratagem._private import (
    KerasVariable,
    VariableRead,
    computes_at_once,
    creation_order,
    in_stateless_scope,
    new_jaxpr,
    present_value,
    stored,
    twin,
    watching_reads,
)


@exported("custom_gradient")
def custom_gradient(f: UserFunction | None = None) -> UserFunction:
    """Decorates a function that returns its result and the function that computes its gradient, as `tf.custom_gradient`.

    f: (*args) -> (result, grad), where grad has one argument for each tensor of the result, its gradient, and returns one
    gradient for each of `args` (None for one that has none). If `f` reads trainable variables that are not among its
    arguments, grad is called with `variables=`, a list of them, and returns (gradients of args, gradients of variables).
    In a compiled step grad is called when the step is traced, whether or not a gradient is asked for.
    """
    return custom_gradient if f is None else _Decorated(f)


@exported("grad_pass_through")
def grad_pass_through(f: UserFunction) -> UserFunction:
    """Decorates a function of one tensor so that its gradient is that of the identity, as `tf.grad_pass_through`."""

    @custom_gradient
    def passed_through(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, variables: Any = None) -> Any:
            given = upstream[0] if len(args) == 1 else upstream
            return given if variables is None else (given, [None] * len(variables))

        return f(*args, **kwargs), grad

    return passed_through


@final
class _Decorated:
    """A function with a gradient of its own. As an attribute of a class it is a method."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function, updated=())
        self._function = function

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else _Decorated(self._function.__get__(instance, owner))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with watching_reads() as reads:
            found = self._function(*args, **kwargs)
        if not isinstance(found, tuple) or len(found) != 2 or not callable(found[1]):
            raise TypeError(
                f"custom_gradient: the function has to return its result and a gradient function, it returned {found!r}."
            )
        result, grad = found
        leaves, structure = jax.tree.flatten(result, is_leaf=_is_none)
        results = [_tensor(leaf) for leaf in leaves]
        inputs = [_tensor(leaf) for leaf in jax.tree.leaves(args, is_leaf=_is_none)]
        gradient = _Gradient(grad, len(inputs), _variables(grad, reads, (args, kwargs)), tuple(results))
        return jax.tree.unflatten(structure, _with_gradient(gradient, inputs, results))


@dataclass(frozen=True)
class _Gradient:
    """The user's gradient function of one call. inputs: the number of arguments. reads: of the variables that it is given."""

    grad: Callable[..., Any]
    inputs: int
    reads: tuple[VariableRead, ...]
    results: tuple[Any, ...]

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        """Returns the gradients of the inputs and variables, of which some are None. cotangents: None for zeros."""
        pairs = zip(self.results, cotangents, strict=True)
        given = [c if c is not None or r is None else jnp.zeros_like(r) for r, c in pairs]
        variables = [read.variable for read in self.reads]
        if not variables:
            return self._checked(self.grad(*given))
        found = self.grad(*given, variables=variables)
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise ValueError(
                "custom_gradient: a gradient function that gets `variables` has to return (gradients of the arguments, "
                f"gradients of the variables); it returned {found!r}."
            )
        of_variables = list(found[1])
        if len(of_variables) != len(variables):
            raise ValueError(
                "Must return gradient for each variable from @custom_gradient grad_fn: "
                f"{len(variables)} variables ({', '.join(v.path for v in variables)}), {len(of_variables)} gradients."
            )
        return [*self._checked(found[0]), *of_variables]

    def _checked(self, gradients: Any) -> list[Any]:
        found = jax.tree.leaves(gradients, is_leaf=_is_none)
        if len(found) != self.inputs:
            raise ValueError(
                f"custom_gradient function expected to return {self.inputs} gradients, but returned {len(found)} instead. It "
                "returns one for every argument of the function, None for an argument without a gradient."
            )
        return found


def _is_none(leaf: Any) -> bool:
    return leaf is None


def _tensor(leaf: Any) -> Any:
    """Returns an argument or a result as a tensor; None if it is something else."""
    if isinstance(leaf, KerasVariable):
        return leaf.value
    try:
        return jnp.asarray(leaf)
    except TypeError:
        return None


def _variables(grad: Callable[..., Any], reads: dict[int, VariableRead], inputs: Any) -> tuple[VariableRead, ...]:
    """Returns the reads of trainable variables apart from the inputs. Raises TypeError if `grad` does not take them."""
    given = {id(leaf) for leaf in jax.tree.leaves(inputs)}
    used = [r for key, r in reads.items() if r.variable.trainable and key not in given]
    used.sort(key=lambda read: creation_order(read.variable))
    parameters = inspect.signature(grad).parameters
    if used and "variables" not in parameters and all(p.kind is not p.VAR_KEYWORD for p in parameters.values()):
        names = ", ".join(read.variable.path for read in used)
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
            f"{names}. Declare it as `def grad(*upstream, variables=None)` and return (gradients of the arguments, gradients "
            "of the variables)."
        )
    return tuple(used)


def _with_gradient(gradient: _Gradient, inputs: Sequence[Any], results: list[Any]) -> list[Any]:
    """Returns the results as values whose gradients `gradient` computes."""
    if computes_at_once():
        return results
    recorder = open_recorder()
    if recorder is None:
        return _in_program(gradient, [*inputs, *(read.value for read in gradient.reads)], results)
    return _noted(recorder, gradient, [*inputs, *map(_known, gradient.reads)], results)


# --- Under eager tapes ---------------------------------------------------------------------------------------------------


def _known(read: VariableRead) -> Any:
    """Returns the object for which the open tapes know the value that a variable had."""
    return present_value(read.variable) if stored(read.variable) is read.stored else read.value


def _noted(recorder: Any, gradient: _Gradient, operands: list[Any], results: list[Any]) -> list[Any]:
    """Notes the call for the open tapes, which also record its body: the gradient function may read values made there."""
    known = [i for i, x in enumerate(operands) if x is not None and is_inexact(x)]
    if not recorder.tracks([operands[i] for i in known]):
        return results
    made = [r if r is None else twin(r) for r in results]

    def reverse(cotangents: Sequence[Any]) -> list[Any]:
        given = iter(cotangents)
        found = gradient([None if r is None else next(given) for r in results])
        return [_fitted(found[i], operands[i]) for i in known]

    computed = [r for r in results if r is not None]
    recorder.note_call([operands[i] for i in known], [m for m in made if m is not None], reverse, computed)
    return made


# --- In a program --------------------------------------------------------------------------------------------------------


def _in_program(gradient: _Gradient, operands: list[Any], results: list[Any]) -> list[Any]:
    """Adds the equation to the program being traced that says what the gradient is."""
    inexact = [i for i, r in enumerate(results) if r is not None and is_inexact(r)]
    if not inexact:
        return results
    which: list[int] = []

    def program(*cotangents: Any) -> list[Any]:
        full: list[Any] = [None] * len(results)
        for i, cotangent in zip(inexact, cotangents, strict=True):
            full[i] = cotangent
        pairs = zip(_unassigning(gradient, full), operands, strict=True)
        found = [None if x is None or not is_inexact(x) else _fitted(g, x) for g, x in pairs]
        which[:] = [i for i, g in enumerate(found) if g is not None]
        return [found[i] for i in which]

    closed = jax.make_jaxpr(program)(*(jax.typeof(results[i]) for i in inexact))
    reverse = Reverse(_resolved(closed), len(closed.consts))
    chosen = [operands[i] for i in which]
    made = custom_gradient_p.bind(
        *chosen, *(results[i] for i in inexact), *closed.consts, operands=len(which), reverse=reverse
    )
    found = dict(zip(inexact, made, strict=True))
    return [found.get(i, r) for i, r in enumerate(results)]


def _resolved(closed: xc.ClosedJaxpr) -> xc.ClosedJaxpr:
    """Returns a program whose inputs are its constants and its inputs, with the gradients of tapes inside it computed."""
    inner = closed.jaxpr
    program = new_jaxpr([], [*inner.constvars, *inner.invars], inner.outvars, inner.eqns)
    found, answers = differentiate(xc.ClosedJaxpr(program, []), [])
    recorder: Any = current().recorder
    if recorder is not None:
        recorder.answers.update(answers)
    return found


def _unassigning(gradient: _Gradient, cotangents: Sequence[Any]) -> list[Any]:
    """Calls the gradient function. Raises TapeError if it assigns variables, whose values would not leave its program."""
    if not in_stateless_scope():
        return gradient(cotangents)
    with AssignScope() as scope:
        found = gradient(cotangents)
    if scope.variables:
        names = ", ".join(v.path for v in scope.variables.values())
        raise TapeError(
            f"custom_gradient: the gradient function assigns {names} in a compiled step. Its program is computed only where a "
            "gradient is asked for: assign the variable in the step, after tape.gradient."
        )
    return found


def _fitted(gradient: Any, operand: Any) -> Any:
    """Returns a gradient as a tensor of the operand's dtype. Raises ValueError if it has another shape."""
    if gradient is None:
        return None
    gradient = jnp.asarray(gradient)
    if gradient.shape != operand.shape:
        raise ValueError(
            f"custom_gradient: the gradient function returned a gradient of shape {tuple(gradient.shape)} for an argument or "
            f"variable of shape {tuple(operand.shape)}. Sum it over the dimensions that were broadcast."
        )
    return gradient.astype(operand.dtype)
