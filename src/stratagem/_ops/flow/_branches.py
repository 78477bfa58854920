"""`tf.cond`, `tf.case` and `tf.switch_case`: branches chosen by a tensor."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import tensor
from stratagem._ops._symbolic import name_results
from stratagem._ops.flow._state import body_program, choose, is_known

Branch = Callable[[], Any]


@exported("cond", v1=())
def cond(pred: Any, true_fn: Branch, false_fn: Branch, name: str | None = None) -> Any:
    """Calls one of two functions and returns its result. If `pred` is known, only that one is called.

    Inside a trace both are traced and must return the same structure, shapes and dtypes; variables may be assigned.
    """
    if not is_known(pred):
        return _choose(tensor(pred).astype(np.int32), [false_fn, true_fn])
    return true_fn() if bool(tensor(pred)) else false_fn()


@exported("switch_case")
def switch_case(
    branch_index: Any,
    branch_fns: Sequence[Branch] | Mapping[int, Branch] | Sequence[tuple[int, Branch]],
    default: Branch | None = None,
    name: str = "switch_case",
) -> Any:
    """Calls the function with this index and returns its result; for another index `default`, or else the last function."""
    branches = _numbered(branch_fns)
    fallback = default if default is not None else branches[max(branches)]
    if is_known(branch_index):
        return branches.get(int(tensor(branch_index)), fallback)()
    functions = [branches.get(i, fallback) for i in range(max(branches) + 1)]
    index = tensor(branch_index).astype(np.int32)
    valid = (index >= 0) & (index < len(functions))
    return _choose(jax.numpy.where(valid, index, len(functions)), [*functions, fallback])


def _numbered(branch_fns: Any) -> dict[int, Branch]:
    if isinstance(branch_fns, Mapping):
        return dict(branch_fns)
    if branch_fns and not callable(branch_fns[0]):
        return dict(branch_fns)
    if not branch_fns:
        raise ValueError("tf.switch_case needs at least one branch.")
    return dict(enumerate(branch_fns))


@exported("case")
def case(
    pred_fn_pairs: Sequence[tuple[Any, Branch]],
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Calls the function of the first true predicate and returns its result; if none is true, calls `default`.

    Raises InvalidArgumentError when none is true and there is no default (inside a trace: the last function runs), or
    when several known ones are true and `exclusive` is set.
    """
    pairs = list(pred_fn_pairs)
    if not all(is_known(p) for p, _ in pairs):
        return _nested(pairs, default)
    true = [function for pred, function in pairs if bool(tensor(pred))]
    if exclusive and len(true) > 1:
        raise InvalidArgumentError(f"tf.case: {len(true)} predicates are true, but exclusive=True.")
    if not true and default is None:
        raise InvalidArgumentError("tf.case: no predicate is true, and there is no default.")
    return true[0]() if true else default()  # type: ignore[misc]


def _nested(pairs: list[tuple[Any, Branch]], default: Branch | None) -> Any:
    (pred, function), *rest = pairs
    if not rest:
        return function() if default is None else cond(pred, function, default)
    return cond(pred, function, lambda: _nested(rest, default))


def _choose(index: Any, branches: Sequence[Branch]) -> Any:
    return choose(index, [body_program(branch) for branch in branches])


name_results(globals())
