"""Calls of tables that change by the program of a step: on the host, in the order of the step's code."""

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import numpy as np
from jax.extend.core import get_opaque_trace_state

from stratagem._core.context import current
from stratagem._ops._callbacks import called_by_program

# By the recorder of a trace and the identity of a table: the trace of its last call, and what is there once that has returned.
_last: Final[weakref.WeakKeyDictionary[Any, dict[int, tuple[Any, jax.Array]]]] = weakref.WeakKeyDictionary()
# Held during a call of any table, for replicas of a program call at the same time. Tables themselves are copied and pickled.
access: Final = threading.RLock()


def called_in_order(
    table: object,
    function: Callable[..., list[np.ndarray]],
    arrays: Sequence[jax.Array],
    specs: Sequence[jax.ShapeDtypeStruct],
) -> list[jax.Array]:
    """Lets the program of the step that is traced call a function, after its earlier calls of the same table.

    Returns its results, of these specs. In a branch, a loop or a function that is traced apart (`tf.recompute_grad`), out of
    which no order leads, it goes on in Python, or raises TracedDecisionError in a replica. In a trace of the user's (`jax.jit`)
    JAX keeps the order.
    """

    def alone(*values: np.ndarray) -> list[np.ndarray]:
        with access:
            return function(*values)

    what, recorder = "A table that changes", current().recorder
    if recorder is None:
        return called_by_program(alone, specs, arrays, what, ordered=True)[1]
    state = get_opaque_trace_state()
    calls = _last.setdefault(recorder.scope, {})
    before, done = calls.get(id(table), (state, None))
    if recorder is not recorder.scope or before != state:
        leave_trace("it uses a table that changes in a branch, in a loop or in a function that is traced apart")
    done, results = called_by_program(alone, specs, arrays, what, done)
    calls[id(table)] = (state, done)
    return results


def leave_trace(reason: str) -> None:
    """Goes on in Python where a step is traced. An error in a replica."""
    recorder = current().recorder
    if recorder is not None:
        recorder.need_host(reason)
