"""The summary settings of each thread: the default writer, the default step, and whether to record."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, final

import numpy as np

from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._events._summary_barrier import settle_live
from stratagem._ops import is_tensor, tensor


@final
class SummaryContext:
    """The settings of one thread, and the trace in which each was set (None outside of traces)."""

    def __init__(self) -> None:
        self.writer: Any = None
        self.step: Any = None
        self.condition: Any = None
        self._traces: dict[str, Any] = {}

    def set(self, name: str, value: Any) -> tuple[Any, Any]:
        """Changes a setting; returns the previous state, for `restore`."""
        settle_live()
        before = getattr(self, name), self._traces.get(name)
        self.restore(name, (value, current_trace()))
        return before

    def restore(self, name: str, before: tuple[Any, Any]) -> None:
        """Restores a setting."""
        settle_live()
        value, self._traces[name] = before
        setattr(self, name, value)

    def set_in_trace(self, name: str) -> bool:
        """Returns whether the setting was made by the program that is being traced, and not by the code around it."""
        trace = current_trace()
        return trace is not None and self._traces.get(name) is trace


def current_trace() -> Any:
    """The active trace of this library, the same one inside of its branches and loops; None outside of traces."""
    recorder = current().recorder
    return None if recorder is None else recorder.scope


class _Threads(threading.local):
    def __init__(self) -> None:
        self.context = SummaryContext()


_threads = _Threads()


def summary_context() -> SummaryContext:
    """The settings of the calling thread."""
    return _threads.context


@exported("summary.experimental.get_step")
def get_step() -> Any:
    """The default step of this thread, or None."""
    return summary_context().step


@exported("summary.experimental.set_step")
def set_step(step: Any) -> None:
    """Sets the default step of this thread; None removes it.

    A compiled program uses the step that is set when it is called. In TensorFlow a number stays what it was when the
    program was traced.
    """
    summary_context().set("step", step)


@exported("summary.record_if", v1=())
@contextlib.contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Restricts summaries in the body to when `condition` is true: a bool, a bool tensor, or a function that returns one.

    A function is called at every summary; what it computes from variables becomes a part of a compiled program.
    """
    before = summary_context().set("condition", condition)
    try:
        yield
    finally:
        summary_context().restore("condition", before)


def is_met(condition: Any) -> bool:
    """Returns whether a condition (None, a bool, a tensor or a function) allows recording."""
    value = condition() if callable(condition) else condition
    return value is None or bool(np.asarray(value))


def step_number(step: Any) -> int:
    """Converts a step to a Python integer.

    Raises:
        ValueError: it is None or not a scalar.
        TypeError: it is not a whole number.
    """
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    array = np.asarray(tensor(step) if is_tensor(step) else step)
    if array.ndim:
        raise ValueError(f"step is one number, got one of shape {array.shape}.")
    if array.dtype.kind not in "iuf" or array != np.floor(array):
        raise TypeError(f"step is a whole number, got {step!r}.")
    return int(array)
