"""The operators that converted code calls: a tensor of a trace decides in the program, anything else in Python."""

import functools
import types
from collections.abc import Callable, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
from malt.operators.variables import Undefined, UndefinedReturnValue, ld, ldu

from stratagem import _ops as ops
from stratagem._autograph._loop_values import GetState, SetState
from stratagem._autograph._rounds import Rounds, elements, is_driven
from stratagem._autograph._staging import branches, decision, for_rows, is_open, second_if, while_loop
from stratagem._autograph._tensor_range import TensorRange
from stratagem._core.context import current, recording
from stratagem._private import KerasVariable

Thunk = Callable[[], Any]
# A loop over so many rows that may end early still goes over all of them: then it can be written out, and its reverse, unlike
# that of a `while` of the program, recomputes nothing.
_FEW = 64


def if_stmt(
    cond: Any, body: Thunk, orelse: Thunk, get_state: GetState, set_state: SetState, names: Sequence[str], nouts: int
) -> None:
    """`if cond: body() else: orelse()`; the first `nouts` of the names are used after it."""
    cond = decision(cond)
    if not is_open(cond):
        body() if cond else orelse()
        return
    before = get_state()

    def outcome(branch: Thunk) -> Thunk:
        def run() -> tuple[Any, ...]:
            set_state(before)
            branch()
            return get_state()[:nouts]

        return run

    try:
        results = branches(cond, outcome(body), outcome(orelse), names[:nouts])
    finally:
        set_state(before)
    set_state((*results, *before[nouts:]))


def while_stmt(
    test: Thunk, body: Thunk, get_state: GetState, set_state: SetState, names: Sequence[str], opts: dict[str, Any]
) -> None:
    """`while test(): body()`. Python runs the rounds before the first that a tensor decides about."""
    limit = opts.get("maximum_iterations")
    while not is_open(go := decision(test())):
        if not go:
            return
        if is_driven() and ops.is_tensor(go):
            rounds, left = Rounds(body, test, get_state, set_state, names), None if limit is None else int(limit)
            while go and left != 0:
                go, left = rounds.run(), None if left is None else left - 1
            return
        body()
    if limit is None:
        while_loop(test, body, get_state, set_state, names)
    else:
        numbers = TensorRange.of_range(limit)
        _counted(numbers, lambda: decision(test()), lambda _: body(), get_state, set_state, names)


def for_stmt(
    iterated: Any,
    extra_test: Thunk | None,
    body: Callable[[Any], Any],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    opts: dict[str, Any],
) -> None:
    """`for x in iterated: body(x)`, as long as `extra_test()` is true: a `break` or `return` makes it false."""
    limit = opts.get("maximum_iterations")
    if limit is not None:
        iterated = _first(iterated, limit)
    rows = _rows(iterated)
    if rows is not None and (extra_test is None or rows.shape[0] <= _FEW or recording().tapes):
        for_rows(rows, _guarded(extra_test, body, get_state, set_state, names), get_state, set_state, names)
    elif rows is not None or isinstance(iterated, TensorRange):
        _counted(iterated if rows is None else TensorRange.of_rows(rows), extra_test, body, get_state, set_state, names)
    else:
        _python_for(iterated, extra_test, body, get_state, set_state, names)


def _first(iterated: Any, limit: Any) -> Any:
    """Returns the first rows or numbers of what a tensor decides about; as in TensorFlow, all of anything else."""
    if isinstance(iterated, TensorRange):
        return iterated.limited(limit)
    rows = _rows(iterated)
    if rows is None:
        known = is_driven() and isinstance(iterated, jax.Array) and iterated.ndim
        return iterated[: int(limit)] if known else iterated
    return TensorRange.of_rows(rows).limited(limit) if ops.is_traced(ops.tensor(limit)) else rows[: int(limit)]


def _rows(iterated: Any) -> jax.Array | None:
    """Returns the tensor whose rows are iterated over; None if it is something else, or if no program is being made.

    The latter where a function that was defined in a trace, and converted there, is called after it.
    """
    if current().recorder is None:
        return None
    if isinstance(iterated, ops.Range | KerasVariable):
        iterated = ops.tensor(iterated)
    return iterated if isinstance(iterated, jax.Array) and iterated.ndim else None


def _guarded(
    extra_test: Thunk | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
) -> Callable[[Any], None]:
    """Returns the body as one that changes nothing once an earlier round has ended the loop."""
    if extra_test is None:
        return body
    return lambda row: if_stmt(extra_test(), lambda: body(row), lambda: None, get_state, set_state, names, len(names))


def _counted(
    values: TensorRange,
    extra_test: Thunk | None,
    body: Any,
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
) -> None:
    """A loop over numbers, or the rows of a tensor, that may end early, or whose number of rounds is not known."""
    place: Any = jnp.zeros((), jnp.int32)

    def test() -> Any:
        inside = place < values.length
        if extra_test is None or (not is_open(inside) and not inside):
            return inside
        go = decision(extra_test())
        return jnp.logical_and(inside, go) if is_open(go) else inside and go

    def one_round() -> None:
        nonlocal place
        body(values.at(place))
        place = place + 1

    def get_all() -> tuple[Any, ...]:
        return (*get_state(), place)

    def set_all(found: Sequence[Any]) -> None:
        nonlocal place
        set_state(found[:-1])
        place = found[-1]

    names = (*names, "the position in the loop")
    if is_open(values.length):  # then so is the first test, which need not be traced apart
        while_loop(test, one_round, get_all, set_all, names)
    else:
        while_stmt(test, one_round, get_all, set_all, names, {})


def _python_for(
    iterated: Any, extra_test: Thunk | None, body: Any, get_state: GetState, set_state: SetState, names: Sequence[str]
) -> None:
    if is_driven() and (found := elements(iterated)) is not None:
        rounds = Rounds(body, extra_test, get_state, set_state, names)
        if extra_test is not None and not extra_test():
            return
        for target in found:
            if not rounds.run(target):
                return
        return
    guarded = _guarded(extra_test, body, get_state, set_state, names)
    for target in iterated:
        go = True if extra_test is None else decision(extra_test())
        if not is_open(go) and not go:
            return
        guarded(target)


def if_exp(cond: Any, if_true: Thunk, if_false: Thunk, text: str) -> Any:
    """`if_true() if cond else if_false()`."""
    cond = decision(cond)
    if not is_open(cond):
        return if_true() if cond else if_false()
    return branches(cond, lambda: (if_true(),), lambda: (if_false(),), (text,))[0]


def and_(a: Thunk, b: Thunk) -> Any:
    """`a() and b()`."""
    first = a()
    return second_if(go, b, True) if is_open(go := decision(first)) else first and b()


def or_(a: Thunk, b: Thunk) -> Any:
    """`a() or b()`."""
    first = a()
    return second_if(go, b, False) if is_open(go := decision(first)) else first or b()


def not_(a: Any) -> Any:
    """`not a`."""
    open_ = decision(a)
    return jnp.logical_not(open_) if is_open(open_) else not a


def assert_stmt(expression: Any, message: Thunk) -> None:
    """`assert expression, message()`: of a tensor, a check when the program runs."""
    truth = decision(expression)
    if is_open(truth):
        ops.Assert(truth, [message()])
    else:
        assert expression, message()


@final
class FunctionScope:
    """Surrounds the body of a converted function. There is one for each name: what captures it is the same at every call."""

    def __init__(self, function_name: str, name: str, options: Any) -> None:
        self.name = name

    def __enter__(self) -> "FunctionScope":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def ret(self, value: Any, did_return: Any) -> Any:
        """Returns the result of the function: None if no `return` was reached."""
        return None if isinstance(value, UndefinedReturnValue) else value


def with_function_scope(thunk: Callable[[Any], Any], name: str, options: Any) -> Any:
    """The body of a lambda."""
    return thunk(FunctionScope("lambda", name, options))


def as_module(converted_call: Callable[..., Any], mark: Callable[..., Any]) -> types.ModuleType:
    """Returns the module that converted code knows as `ag__`."""
    module = types.ModuleType("ag__")
    module.__dict__.update(
        if_stmt=if_stmt, while_stmt=while_stmt, for_stmt=for_stmt, if_exp=if_exp, and_=and_, or_=or_, not_=not_,
        assert_stmt=assert_stmt, FunctionScope=functools.cache(FunctionScope), with_function_scope=with_function_scope,
        Undefined=Undefined, UndefinedReturnValue=UndefinedReturnValue, ld=ld, ldu=ldu, converted_call=converted_call,
        autograph_artifact=mark, ConversionOptions=_no_options, STD=None, Feature=_Features(),
    )  # fmt: skip
    return module


def _no_options(**options: Any) -> None:
    """Converted code says with which options it was made; there is one set of them here."""


@final
class _Features:
    def __getattr__(self, name: str) -> None:
        return None
