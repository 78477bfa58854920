"""The settings that a compiled program's summaries receive at every call: the writer and the default step."""

import functools
import weakref
from typing import Any, final

import jax
import numpy as np

from stratagem._core.context import entered
from stratagem._events._summary_context import current_trace, is_met, step_number, summary_context
from stratagem._events._writer import SummaryFileWriter
from stratagem._ops import tensor
from stratagem._private import OutsideOfTraces

NO_WRITER = -1


@functools.lru_cache(maxsize=8)  # often the same from call to call
def _element(writer: int, step: int) -> jax.Array:
    return tensor(np.asarray([writer, step], np.int64))


@final
class SummaryInputs:
    """A source that a program draws from before every call: int64 (2,), the writer's number and the default step.

    The program itself does not depend on these settings: another writer needs no new trace, and the workers of a job, of
    which often only one writes, run the same program.
    """

    def __init__(self) -> None:
        self.needs_step = False
        self.asks_functions = True

    def peek(self) -> jax.Array:
        """The element that the program is traced with."""
        return _element(NO_WRITER, 0)

    def __next__(self) -> jax.Array:
        now = summary_context()
        evaluate = self.asks_functions or not callable(now.condition)
        if not isinstance(now.writer, SummaryFileWriter) or (evaluate and not is_met(now.condition)):
            return _element(NO_WRITER, 0)
        now.writer.check_open()
        return _element(now.writer.number, step_number(now.step) if self.needs_step else 0)


# Sources by trace: all summaries of one program share one element.
_drawn: weakref.WeakKeyDictionary[Any, tuple[SummaryInputs, jax.Array]] = weakref.WeakKeyDictionary()


def trace_inputs() -> tuple[SummaryInputs, jax.Array]:
    """The source of the program that is being traced, and the tracer of its element."""
    trace = current_trace()
    found = _drawn.get(trace)
    if found is None:
        source = SummaryInputs()
        # Drawing is for cross-replica code; this element is the same on all replicas.
        with entered(replica=None), OutsideOfTraces():
            found = _drawn[trace] = source, trace.draw(source)
    return found
