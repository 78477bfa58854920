"""Branches and loops with TensorFlow 1's arguments and their order."""

from collections.abc import Callable
from typing import Any

from stratagem._base.exports import exported
from stratagem._ops import flow
from stratagem._tf1.graph.functions.reductions import one_of


@exported(v1=["cond"])
def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """Returns `true_fn()` (formerly fn1) if `pred` is true, else `false_fn()` (formerly fn2).

    Raises TypeError if one is missing.
    """
    yes, no = one_of(true_fn=true_fn, fn1=fn1), one_of(false_fn=false_fn, fn2=fn2)
    if yes is None or no is None:
        raise TypeError("cond(): 'true_fn' and 'false_fn' are required.")
    return flow.cond(pred, yes, no)


@exported(v1=["while_loop"])
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Runs `body` while `cond` is true and returns the loop variables.

    Unless return_same_structure, a single one is not in a list.
    """
    result = flow.while_loop(cond, body, loop_vars, maximum_iterations=maximum_iterations)
    single = not return_same_structure and isinstance(result, list | tuple) and len(result) == 1
    return result[0] if single else result
