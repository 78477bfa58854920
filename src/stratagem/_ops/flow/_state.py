"""Variables that a branch or loop body assigns: their values are passed in and out of it like any other values."""

from collections.abc import Callable, Sequence
from typing import Any

import jax

from stratagem._core.context import current, entered
from stratagem._core.step import AssignScope, CollectiveAddGuard
from stratagem._core.values import on_read
from stratagem._ops._convert import is_traced, tensor


def _inside(function: Callable[..., Any], args: Sequence[Any], variables: Sequence[Any], values: Sequence[Any]) -> Any:
    """Runs the function with these values of variables. Returns its result and the scope."""
    recorder = current().recorder
    scope = AssignScope()
    inner = None if recorder is None else CollectiveAddGuard(recorder, scope)
    with entered(recorder=inner), scope:
        scope.set(variables, values)
        return as_tensors(function(*args)), scope


def as_tensors(tree: Any) -> Any:
    """Converts numbers and NumPy arrays in a structure to tensors."""
    return jax.tree.map(tensor, tree)


def assigned(*calls: tuple[Callable[..., Any], Sequence[Any]]) -> list[Any]:
    """The variables that any of these calls assigns, found by tracing each of them once more."""
    found: dict[int, Any] = {}

    def run(function: Callable[..., Any]) -> Callable[..., Any]:
        def probe(*args: Any) -> Any:
            result, scope = _inside(function, args, (), ())
            found.update(scope.variables)
            return result

        return probe

    for function, args in calls:
        jax.eval_shape(run(function), *args)
    return list(found.values())


def with_state(function: Callable[..., Any], variables: Sequence[Any]) -> Callable[..., Any]:
    """The function as (values of the variables, *args) -> (new values, result), without side effects on them."""

    def pure(values: Sequence[Any], *args: Any) -> Any:
        result, scope = _inside(function, args, variables, values)
        new = [scope.slot(v) for v in variables]
        return [tensor(n).astype(old.dtype) for n, old in zip(new, values, strict=True)], result

    return pure


def values_of(variables: Sequence[Any]) -> list[Any]:
    """A replica's current values of the variables, without Keras' automatic casts."""
    with AssignScope() as scope:
        known = [scope.slot(v) for v in variables]
    return [v.value if k is None else k for v, k in zip(variables, known, strict=True)]


def publish(variables: Sequence[Any], values: Sequence[Any]) -> None:
    """Assigns the final values of a branch or loop to the variables, as if they had been assigned outside."""
    with AssignScope() as scope:
        outer = scope.original_scope
    for variable, value in zip(variables, values, strict=True):
        if outer is None:
            variable.assign(value)
        elif on_read(variable) and hasattr(outer, "keep"):
            outer.keep(variable, value)
        else:
            outer.add_update((variable, value))


def is_known(value: Any) -> bool:
    """Returns whether the value is known now, so that Python can decide on it."""
    return not is_traced(tensor(value))
