"""The loop over the steps of a model, with hooks before and after each, until a hook requests a stop or the input ends."""

import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import jax

from stratagem._base.errors import OutOfRangeError
from stratagem._core.context import entered
from stratagem._tf1.estimator._runner import StepResults
from stratagem._tf1.estimator._session import ModelSession
from stratagem._tf1.estimator._session_run_hook import SessionRunHook
from stratagem._tf1.estimator._step import ModelFnResults
from stratagem._tf1.estimator.hooks import OriginalArgs, SessionRunContext, SessionRunValues

_InGraph = Callable[[], AbstractContextManager[object]]
_ENDS = (StopIteration, OutOfRangeError)  # raised in the loop, they end it, as in TensorFlow


def steps(
    session: ModelSession,
    built: ModelFnResults,
    hooks: Sequence[SessionRunHook],
    initialize: Callable[[], None],
    late: Collection[SessionRunHook] = (),
) -> Iterator[StepResults]:
    """Runs the hooks and steps until a hook requests a stop or the input ends, and yields the results of each step.

    initialize: gives the variables their values, after the hooks' `begin`. If an error ends the loop, the hooks' `end` is not
        called.
    late: those of the hooks that do nothing with what they ask for but raise. If nobody else asks for values of a step, they
        get theirs when the next step has begun, so that devices need not wait for the host between the two.
    """
    session.expect(hooks)
    original = OriginalArgs({"loss": built.loss, "train_op": built.spec.train_op})
    in_graph = functools.partial(entered, graph=built.building)  # hooks may ask for the global step
    with in_graph():
        for hook in hooks:
            hook.begin()
    initialize()
    left: list[Callable[[], None]] = []
    try:
        with in_graph():
            for hook in hooks:
                hook.after_create_session(session, None)
        going = True
        while going:
            context = SessionRunContext(original, session)
            found = _one(session, hooks, context, in_graph, late, left)
            if found is None:
                break
            yield found
            going = not context.stop_requested
    except _ENDS:
        pass
    with in_graph():
        _empty(left)
        for hook in hooks:
            hook.end(session)


def _one(
    session: ModelSession,
    hooks: Sequence[SessionRunHook],
    context: SessionRunContext,
    in_graph: _InGraph,
    late: Collection[SessionRunHook],
    left: list[Callable[[], None]],
) -> StepResults | None:
    """Takes one step, with the hooks' calls around it. Returns None if the input has ended.

    left: calls of late hooks after the step before, which are made when this one has begun; then those of this one.
    """
    with in_graph():
        asked = [session.answers(hook.before_run(context)) for hook in hooks]
    found = session.advance()
    with in_graph():
        _empty(left)
    if found is None:
        return None
    waits = any(jax.tree.leaves(answers) for hook, answers in zip(hooks, asked, strict=True) if hook not in late)
    with in_graph():
        for hook, answers in zip(hooks, asked, strict=True):
            call = functools.partial(_after_run, hook, context, answers, found)
            if hook in late and not waits:
                left.append(call)
            else:
                call()
    return found


def _after_run(hook: SessionRunHook, context: SessionRunContext, answers: Any, found: StepResults) -> None:
    values: Any = jax.tree.map(lambda answer: answer(found), answers)
    hook.after_run(context, SessionRunValues(values))


def _empty(calls: list[Callable[[], None]]) -> None:
    """Makes the calls, each of them once."""
    while calls:
        calls.pop(0)()
