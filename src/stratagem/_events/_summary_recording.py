"""Records a summary: at once, or each time that the compiled program containing the call runs."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._core.context import current, recording
from stratagem._core.mesh import AXIS
from stratagem._events._summary_barrier import note
from stratagem._events._summary_context import SummaryContext, is_met, step_number, summary_context
from stratagem._events._summary_settings import trace_inputs
from stratagem._events._writer import SummaryFileWriter, writer_of
from stratagem._ops import is_tensor, tensor

Prepare = Callable[[], Any]  # returns a tensor; may be called inside a trace
Encode = Callable[[np.ndarray], bytes]  # returns a serialized Summary of the value


def record(prepare: Prepare, encode: Encode, step: Any, *, traced: bool) -> Any:
    """Writes `encode(prepare())` if there is a writer and the condition holds; returns a bool tensor that says whether.

    traced: `prepare` returns a value that is not known yet. In a trace made by JAX itself the result is always False, because
    whether it is written is known only when the program runs.

    Raises:
        ValueError: there is a writer and no step.
    """
    if current().recorder is not None:
        return _in_program(prepare, encode, step)
    if traced or is_traced(step):
        return _in_foreign_trace(prepare, encode, step)
    now = summary_context()
    if now.writer is None or not is_met(now.condition):
        return bool_tensor(False)
    number = step_number(now.step if step is None else step)
    now.writer.write(number, encode(np.asarray(prepare())))
    return bool_tensor(True)


@exported("summary.should_record_summaries", v1=())
def should_record_summaries() -> Any:
    """A bool tensor: whether there is a default writer and the condition holds. Inside replicas, True only in the first one."""
    if current().recorder is not None:
        return _TracedRecordCondition(summary_context()).wanted
    now = summary_context()
    return bool_tensor(now.writer is not None and is_met(now.condition))


@functools.cache
def bool_tensor(value: bool) -> Any:
    """Converts a bool to a tensor."""
    return tensor(np.asarray(value))


def is_traced(value: Any) -> bool:
    """Returns whether `value` is a tensor whose value is known only when the program runs."""
    return is_tensor(value) and isinstance(tensor(value), jax.core.Tracer)


class _TracedRecordCondition:
    """A tracer that says whether the program being traced will record, from the program's own settings and its inputs."""

    def __init__(self, now: SummaryContext) -> None:
        self.source, inputs = trace_inputs()
        self.number, self.default_step = inputs[0], inputs[1]
        self.own_writer = now.writer if now.set_in_trace("writer") else None
        self.allowed = (
            True  # False if the program's own condition forbids it; the traced program is the same either way
        )
        parts = [] if now.set_in_trace("writer") else [self.number >= 0]
        condition = now.condition() if callable(now.condition) else now.condition
        if is_traced(condition):
            parts.append(tensor(condition).reshape(()))
            self.source.asks_functions = False
        elif now.set_in_trace("condition"):
            self.allowed = is_met(condition)
        self.wanted = functools.reduce(jnp.logical_and, [*parts, _is_writing_replica()])


def _is_writing_replica() -> Any:
    """Returns whether this replica writes: inside replicas the first of all, elsewhere the first of every worker."""
    context = current()
    mesh = recording().mesh
    if mesh.num_replicas == 1:
        return True
    replica = jax.lax.axis_index(AXIS)
    if context.replica is not None:
        return replica == 0
    processes = [device.process_index for device in mesh.devices]
    first = [processes.index(process) == place for place, process in enumerate(processes)]
    return jnp.asarray(first)[replica]


def _in_program(prepare: Prepare, encode: Encode, step: Any) -> Any:
    """Records a summary inside one of our own traces."""
    now = summary_context()
    decision = _TracedRecordCondition(now)
    if step is None and (now.set_in_trace("step") or is_tensor(now.step)):
        step = now.step
    if step is None:
        decision.source.needs_step = True
    at = decision.default_step if step is None else _as_number(step)
    note(live=False)

    def write(number: Any, at: Any, *values: Any) -> None:
        writer: Any = decision.own_writer or writer_of(int(number))
        if not isinstance(writer, SummaryFileWriter) or not decision.allowed:
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
    """Records a summary inside a trace made by JAX itself, such as plain Keras'. The settings are read while it runs."""
    now = summary_context()
    if now.writer is not None and step is None and now.step is None:
        step_number(None)
    condition = now.condition() if callable(now.condition) else now.condition
    decided = tensor(condition) if is_traced(condition) else None
    at = now.step if step is None and is_traced(now.step) else step
    note(live=True)

    def write(value: Any, *inputs: Any) -> None:
        given = iter(inputs)
        wanted = is_met(now.condition) if decided is None else bool(next(given))
        if now.writer is None or not wanted:
            return
        number = step_number(now.step) if at is None else int(next(given))
        now.writer.write(number, encode(np.asarray(value)))

    inputs = [] if decided is None else [decided]
    inputs += [] if at is None else [_as_number(at)]
    value = prepare()
    if is_traced(value):
        jax.debug.callback(write, jax.lax.stop_gradient(tensor(value)), *inputs)
    else:
        jax.debug.callback(functools.partial(write, np.asarray(tensor(value))), *inputs)
    return bool_tensor(False)


def _as_number(step: Any) -> Any:
    """Converts a step to a 64-bit integer tensor."""
    return tensor(step).astype(np.int64) if is_traced(step) else tensor(np.asarray(step_number(step), np.int64))
