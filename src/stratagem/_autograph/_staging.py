"""Branches and loops that a tensor decides about, as parts of the compiled program."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._autograph._loop_values import (
    GetState,
    MismatchError,
    NamedValues,
    SetState,
    all_tensors,
    carried,
    merged,
)
from stratagem._core.context import current, entered, recording
from stratagem._core.step import INTERRUPTS, user_line
from stratagem._ops import is_tensor, is_traced, on_device, tensor
from stratagem._ops.flow import (
    MAX_UNROLLED,
    BodyProgram,
    body_program,
    check_worth,
    choose,
    is_array,
    is_slower,
    loop_program,
    publish,
    repeated,
    values_of,
)

Thunk = Callable[[], Any]
_MAX_ROUNDS = 4


def decision(value: Any) -> Any:
    """Returns what Python decides on: a scalar for a tensor of one element, any other object itself."""
    if not is_tensor(value):
        return value
    array = tensor(value)
    if not isinstance(array, jax.core.Tracer):
        return value
    if array.size != 1:
        raise ValueError(
            f"A decision needs one truth value, got a tensor of shape {tuple(array.shape)}: reduce it by tf.reduce_all or "
            "tf.reduce_any."
        )
    return jnp.reshape(array, ()).astype(bool)


def is_open(value: Any) -> bool:
    """Returns whether a decision is taken when the program runs."""
    return isinstance(value, jax.core.Tracer)


def branches(pred: jax.Array, true: Thunk, false: Thunk, names: Sequence[str]) -> tuple[Any, ...]:
    """Returns the values of these names: those that `true()` or `false()` returns, which are both traced."""
    found: list[NamedValues] = []

    def outcome(branch: Thunk) -> Callable[[], list[jax.Array]]:
        def run() -> list[jax.Array]:
            found.append(NamedValues.of(names, branch()))
            return found[-1].arrays

        return run

    programs = [_traced(body_program, outcome(branch)) for branch in (false, true)]
    try:
        layout = merged(names, *found)
    except MismatchError as error:
        raise _refused("an `if` on a tensor", str(error)) from None
    results = [lambda arrays, values=values: layout.selected(values, arrays) for values in found]
    return layout.python(choose(pred.astype(np.int32), programs, results))


def second_if(first: jax.Array, second: Thunk, needed: bool) -> jax.Array:
    """Returns the truth of `second()` if that of `first`, a bool scalar, is `needed`, else the truth of `first`.

    What only computes is computed anyway. What assigns variables, checks, prints or communicates is a branch.
    """

    def truth() -> jax.Array:
        found = decision(second())
        return found if is_open(found) else jnp.asarray(bool(found))

    program = _traced(body_program, truth)
    if program.variables or program.closed.effects:
        known = body_program(lambda: jnp.asarray(not needed))
        return choose(first.astype(np.int32), [known, program] if needed else [program, known])
    _, found = program(())
    return jnp.logical_and(first, found) if needed else jnp.logical_or(first, found)


def while_loop(test: Thunk, body: Thunk, get_state: GetState, set_state: SetState, names: Sequence[str]) -> None:
    """Repeats the body as long as the test is true when the program runs."""
    with _restored(get_state(), set_state) as before:
        loop = _Loop(lambda _: body(), None, before, get_state, set_state, names)
        check_worth(loop.program)

        def more(arrays: Sequence[jax.Array]) -> jax.Array:
            set_state(loop.layout.python(arrays))
            return tensor(decision(test()))

        test_program = _traced(body_program, more, (loop.start,), loop.program.variables)
    values, arrays = repeated(
        lambda carry: test_program(*carry)[1],
        lambda carry: loop.advance(carry[0], carry[1], None),
        (values_of(loop.program.variables), loop.start),
    )
    publish(loop.program.variables, values)
    set_state(loop.layout.python(arrays))


def for_rows(
    rows: jax.Array, body: Callable[[Any], Any], get_state: GetState, set_state: SetState, names: Sequence[str]
) -> None:
    """Calls the body for every row of a tensor: in one loop of the program, or one after another if that runs faster."""
    count = rows.shape[0]
    try:
        if count <= 1 or (count <= MAX_UNROLLED and _has_growing(get_state())):
            raise _Unrolled
        with _restored(get_state(), set_state) as before:
            loop = _Loop(body, rows[0], before, get_state, set_state, names, optional=count <= MAX_UNROLLED)
            if count <= MAX_UNROLLED and is_slower(loop.program):
                raise _Unrolled
            check_worth(loop.program)
    except _Unrolled:
        # A row of a known tensor is known as well, which JAX would not say.
        known = None if is_traced(rows) else np.asarray(rows)
        for i in range(count):
            body(rows[i] if known is None else on_device(known[i]))
        return
    start = values_of(loop.program.variables), loop.start
    (values, arrays), _ = jax.lax.scan(lambda carry, row: (loop.advance(carry[0], carry[1], row), None), start, rows)
    publish(loop.program.variables, values)
    set_state(loop.layout.python(arrays))


def _has_growing(values: Any) -> bool:
    """Returns whether there is a TensorArray among the values that a write may make longer: no compiled loop can do that."""
    return any(is_array(v) and v.dynamic_size for v in jax.tree.leaves(values, is_leaf=is_array))


class _Unrolled(Exception):
    """A loop of known length is not compiled as one: its rounds follow one another in the program."""


class _Loop:
    """The body of a loop as a program, and the layout of what it carries from one round to the next."""

    def __init__(
        self,
        body: Callable[[Any], Any],
        row: Any,
        before: Sequence[Any],
        get_state: GetState,
        set_state: SetState,
        names: Sequence[str],
        optional: bool = False,
    ) -> None:
        """optional: whether the loop may also be unrolled, which _Unrolled asks for if its values change their types."""
        known = NamedValues.of(names, before)
        self.layout = all_tensors(known)
        for _ in range(_MAX_ROUNDS):
            self.program, self._after = self._traced(body, row, before, get_state, set_state, names)
            try:
                layout = carried(names, known, self._after)
            except MismatchError as error:
                if optional:
                    raise _Unrolled from None
                raise _refused("a loop that a tensor decides about", str(error)) from None
            settled = (layout.kinds, layout.values.structures) == (self.layout.kinds, self.layout.values.structures)
            self.layout = layout
            if settled:
                self.start = layout.arrays(before)
                return
        raise _refused("a loop that a tensor decides about", f"the types of {', '.join(names)} differ in every round")

    def advance(
        self, values: Sequence[Any], arrays: Sequence[jax.Array], row: Any
    ) -> tuple[list[Any], list[jax.Array]]:
        """Returns the values of variables and the carried tensors after a round."""
        new, found = self.program(values, arrays, row)
        return new, self.layout.selected(self._after, found)

    def _traced(
        self, body: Any, row: Any, before: Any, get_state: Any, set_state: Any, names: Any
    ) -> tuple[BodyProgram, NamedValues]:
        found: list[NamedValues] = []
        layout = self.layout

        def one_round(arrays: Sequence[jax.Array], row: Any) -> list[jax.Array]:
            set_state(layout.python(arrays))
            body(row)
            found.append(NamedValues.of(names, get_state()))
            return found[-1].arrays

        with entered(loop=current().replica is None):
            return _traced(loop_program, one_round, (layout.arrays(before), row)), found[-1]


def _traced(trace: Callable[..., BodyProgram], *args: Any) -> BodyProgram:
    """Returns `trace(*args)`. What user code raises in a branch that may not be taken ends a trace that Python takes over."""
    try:
        return trace(*args)
    except INTERRUPTS:
        raise
    except Exception as error:
        if current().replica is None:
            recording().need_host(f"a branch or loop raises {type(error).__name__}: {error}")
        raise


@contextlib.contextmanager
def _restored(before: tuple[Any, ...], set_state: SetState) -> Iterator[tuple[Any, ...]]:
    """Gives the names their values back: what a trace of the body has left in them belongs to a program that is over."""
    try:
        yield before
    finally:
        set_state(before)


def _refused(what: str, why: str) -> Exception:
    """Lets Python take over where it can; else returns the error for the user."""
    if current().replica is None:
        recording().need_host(f"{what} at {user_line()} cannot be compiled: {why}")
    return TypeError(f"{user_line()}: {what} cannot be compiled: {why}.")
