"""Runs generated programs: as Python, as a compiled function, in replicas."""

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.autograph.generate import ControlFlowProgram

INPUTS: list[tuple[list[float], int]] = [([1.0, -2.0, 3.5], 3), ([-6.0, 0.25, 12.0], 5), ([0.0, 0.0, 0.0], 0)]


def loaded(tf: Any, program: ControlFlowProgram, state: dict[str, Any]) -> Callable[[Any, Any], Any]:
    """Returns the program's function. Its text is known to `inspect`, as that of a file."""
    name = f"<control flow program {program.index}>"
    linecache.cache[name] = (len(program.text), None, program.text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"tf": tf, "state": state, "__name__": "generated"}
    exec(compile(program.text, name, "exec"), namespace)
    found: Callable[[Any, Any], Any] = namespace["program"]
    return found


def new_state(tf: Any) -> dict[str, Any]:
    """Returns what programs change: a variable that every replica has its own of, and a metric."""
    total = tf.Variable(
        0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM, trainable=False
    )
    return {"total": total, "mean": tf.keras.metrics.Mean()}


def numbers(state: dict[str, Any]) -> list[float]:
    """Returns what the state holds, summed over replicas."""
    return [float(v.numpy()) for v in (state["total"], state["mean"].total, state["mean"].count)]


def answers(
    tf: Any, program: ControlFlowProgram, wrap: Callable[[Any], Any], first: int = 0, rows: int = 3
) -> list[Any]:
    """Returns what a program gives for every input, beginning with the first, and the state after all of them.

    wrap: makes of the program's function another of the same arguments. rows: how many numbers of an input it gets.
    """
    state = new_state(tf)
    function = wrap(loaded(tf, program, state))
    found = [plain(function(tf.constant(x), tf.constant(n))) for x, n in rotated(first, rows)]
    return [found, numbers(state)]


def rotated(first: int, rows: int = 3) -> list[tuple[list[float], int]]:
    """Returns the inputs in another order, so many numbers of each."""
    first %= len(INPUTS)
    return [(x[:rows], n) for x, n in (*INPUTS[first:], *INPUTS[:first])]


def plain(result: Any) -> Any:
    """Returns a nest of tensors as lists of numbers."""
    if isinstance(result, dict):
        return [plain(result[key]) for key in sorted(result)]
    if isinstance(result, list | tuple):
        return [plain(v) for v in result]
    return np.asarray(result.numpy() if hasattr(result, "numpy") else result).tolist()
