"""Recording a summary: at once, or whenever the compiled program runs that the call is a part of."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._core.context import current, recording
from stratagem._core.mesh import AXIS
from stratagem._events._pending import note
from stratagem._events._summary_context import SummaryContext, holds, summary_context, whole
from stratagem._events._trace_inputs import trace_inputs
from stratagem._events._writer import FileWriter, writer_of
from stratagem._ops import is_tensor, tensor

Prepare = Callable[[], Any]  # gives a tensor, also inside a trace
Encode = Callable[[np.ndarray], bytes]  # a serialized Summary of its value


def record(prepare: Prepare, encode: Encode, step: Any, *, traced: bool) -> Any:
    """Write `encode(prepare())` if there is a writer and the condition holds; a bool tensor says whether.

    traced: `prepare` gives a value that is not known yet. In a trace of JAX's own the result is always False: what it will
    be is known only when the program runs.

    Raises:
        ValueError: there is a writer and no step.
    """
    if current().recorder is not None:
        return _in_program(prepare, encode, step)
    if traced or is_traced(step):
        return _in_foreign_trace(prepare, encode, step)
    now = summary_context()
    if now.writer is None or not holds(now.condition):
        return answer(False)
    number = whole(now.step if step is None else step)
    now.writer.write(number, encode(np.asarray(prepare())))
    return answer(True)


def should_record_summaries() -> Any:
    """A bool tensor: there is a default writer and the condition holds. In a replica: and it is the first one."""
    if current().recorder is not None:
        return _Decision(summary_context()).wanted
    now = summary_context()
    return answer(now.writer is not None and holds(now.condition))


@functools.cache
def answer(value: bool) -> Any:
    """A bool tensor."""
    return tensor(np.asarray(value))


def is_traced(value: Any) -> bool:
    """True for a tensor whose value is known only when the program runs."""
    return is_tensor(value) and isinstance(tensor(value), jax.core.Tracer)


class _Decision:
    """Whether a program that is being traced will record, as a tracer: what it decides itself and what it is told."""

    def __init__(self, now: SummaryContext) -> None:
        self.source, told = trace_inputs()
        self.number, self.told_step = told[0], told[1]
        self.own_writer = now.writer if now.made_here("writer") else None
        self.allowed = True  # by what the program itself has fixed; the same program must come of it either way
        parts = [] if now.made_here("writer") else [self.number >= 0]
        condition = now.condition() if callable(now.condition) else now.condition
        if is_traced(condition):
            parts.append(tensor(condition).reshape(()))
            self.source.asks_functions = False
        elif now.made_here("condition"):
            self.allowed = holds(condition)
        self.wanted = functools.reduce(jnp.logical_and, [*parts, _first_here()])


def _first_here() -> Any:
    """True on the one replica whose program writes: in replicas the first of all, else the first of every worker."""
    context = current()
    mesh = recording().mesh
    if mesh.num_replicas == 1:
        return True
    here = jax.lax.axis_index(AXIS)
    if context.replica is not None:
        return here == 0
    processes = [device.process_index for device in mesh.devices]
    first = [processes.index(process) == place for place, process in enumerate(processes)]
    return jnp.asarray(first)[here]


def _in_program(prepare: Prepare, encode: Encode, step: Any) -> Any:
    """Inside one of our own traces."""
    now = summary_context()
    decision = _Decision(now)
    if step is None and (now.made_here("step") or is_tensor(now.step)):
        step = now.step
    if step is None:
        decision.source.needs_step = True
    at = decision.told_step if step is None else _as_number(step)
    note(live=False)

    def write(number: Any, at: Any, *values: Any) -> None:
        writer: Any = decision.own_writer or writer_of(int(number))
        if not isinstance(writer, FileWriter) or not decision.allowed:
            return
        summary = encode(np.asarray(values[0] if values else constant[0]))
        if decision.own_writer is None:
            writer.write(int(at), summary)
        else:
            writer.write_through(int(at), summary)

    constant: list[Any] = []

    def recorded() -> None:
        value = tensor(prepare())
        if value.dtype == object:
            constant.append(value)  # JAX has no strings
        operands = [] if value.dtype == object else [jax.lax.stop_gradient(value)]
        jax.debug.callback(write, decision.number, at, *operands)

    jax.lax.cond(decision.wanted, recorded, lambda: None)
    return decision.wanted


def _in_foreign_trace(prepare: Prepare, encode: Encode, step: Any) -> Any:
    """Inside a trace of JAX's own, such as plain Keras makes: the program asks for the settings while it runs."""
    now = summary_context()
    if now.writer is not None and step is None and now.step is None:
        whole(None)
    condition = now.condition() if callable(now.condition) else now.condition
    decided = tensor(condition) if is_traced(condition) else None
    at = now.step if step is None and is_traced(now.step) else step
    note(live=True)

    def write(value: Any, *told: Any) -> None:
        given = iter(told)
        wanted = holds(now.condition) if decided is None else bool(next(given))
        if now.writer is None or not wanted:
            return
        number = whole(now.step) if at is None else int(next(given))
        now.writer.write(number, encode(np.asarray(value)))

    told = [] if decided is None else [decided]
    told += [] if at is None else [_as_number(at)]
    value = prepare()
    if is_traced(value):
        jax.debug.callback(write, jax.lax.stop_gradient(tensor(value)), *told)
    else:
        jax.debug.callback(functools.partial(write, np.asarray(tensor(value))), *told)
    return answer(False)


def _as_number(step: Any) -> Any:
    """A step as a tensor of 64 bits."""
    return tensor(step).astype(np.int64) if is_traced(step) else tensor(np.asarray(whole(step), np.int64))
