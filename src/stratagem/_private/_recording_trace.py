"""RecordingTrace: makes JAX compute every operation at once and hand it to a recorder; what an eager tape stands on."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

import jax
import keras
from jax._src import core as jax_core
from jax._src.ad_util import stop_gradient_p
from jax._src.array import ArrayImpl
from jax._src.dispatch import device_put_p
from jax._src.linear_util import StoreException

from stratagem._private._captured_values import resolved
from stratagem._private._known_programs import with_known_programs


@dataclass(frozen=True, slots=True)
class EagerOperation:
    """One operation of JAX.

    compute: returns the results for operands, one array or a list of them. key: equal for operations that compute the
    same; None if that is not known. told: where a function with its own derivative tells its caller the structure of its
    results when it is traced. owner: the object that the operation is part of, and with which what is known of it is
    dropped. told_twice: where the same is told once more if it is differentiated, too; JAX wants only one.
    """

    compute: Callable[..., Any]
    key: Hashable
    told: tuple[Any, ...] = ()
    told_twice: tuple[Any, ...] = ()
    owner: Any = None


class OperationRecorder(Protocol):
    """Receives the operations of a recording trace."""

    def run(self, operation: EagerOperation, operands: Sequence[Any]) -> Any:
        """Computes an operation on the trace below, and records it if a tape needs it."""

    def tracks(self, operands: Sequence[Any]) -> bool:
        """Returns whether a tape needs what is computed from one of these values."""

    def note_call(
        self,
        operands: Sequence[Any],
        results: Sequence[Any],
        reverse: Callable[[Sequence[Any]], Sequence[Any]],
    ) -> None:
        """Notes what Python computed: from the cotangents of `results`, `reverse` returns those of `operands`."""

    def refuse(self, results: Sequence[Any], message: str) -> None:
        """Notes that these results cannot be differentiated: a gradient of them is an error with this message."""

    def read(self, variable: keras.Variable, value: Callable[[], Any]) -> Any:
        """Returns what tapes know a variable's value as. value: returns it, if it was not read before."""

    def note_scoped(self, variable: keras.Variable, value: Any) -> None:
        """Notes what a variable was read as in the scope of a step. In one of the user's, what is read is a tensor."""


@final
class RecordingTrace(jax_core.Trace):
    """Hands every operation to a recorder. Its values are ordinary arrays, or those of the trace below."""

    __slots__ = ("parent_trace", "recorder")

    def __init__(self, recorder: OperationRecorder, parent: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.requires_low = False
        self.recorder, self.parent_trace = recorder, parent

    def process_primitive(self, primitive: Any, args: Any, params: Any, /) -> Any:
        args = resolved(args, self)
        if primitive is device_put_p:  # a compiled program would leave the values where they are
            return self._moved(args, params)
        if primitive is stop_gradient_p:
            with jax_core.set_current_trace(self.parent_trace):
                return twin(args[0]) if isinstance(args[0], ArrayImpl) else primitive.bind(*args, **params)
        if params.get("compiler_options_kvs"):  # those of a reverse; a function inside of another has none of its own
            params = {**params, "compiler_options_kvs": ()}
        params = with_known_programs(primitive, params)
        key = (primitive, *params.values())
        return self._run(EagerOperation(lambda *operands: primitive.bind(*operands, **params), key), args)

    def process_custom_jvp_call(self, primitive: Any, fun: Any, jvp: Any, args: Any, /, **params: Any) -> Any:
        def compute(*operands: Any) -> Any:
            return primitive.bind(*operands, subfuns=(fun, jvp), **params)

        # The transformations of `jvp` say what those of `fun` do, and where this call finds the structure of its results.
        key = ("custom_jvp", fun.f, fun.transforms, fun.params, jvp.f, *params.values())
        return self._run(EagerOperation(compute, key, fun.stores, jvp.stores), args)

    def process_custom_vjp_call(self, primitive: Any, fun: Any, fwd: Any, bwd: Any, args: Any, /, **params: Any) -> Any:
        def compute(*operands: Any) -> Any:
            return primitive.bind(*operands, subfuns=(fun, fwd, bwd), **params)

        # Its reverse may close over values of this call, so that no other call computes the same.
        return self._run(EagerOperation(compute, None, told_twice=fun.stores), args)

    def process_call(self, primitive: Any, f: Any, args: Any, params: Any, /) -> Any:
        return self._run(EagerOperation(lambda *operands: primitive.bind(f, *operands, **params), None), args)

    def process_shard_map(self, primitive: Any, fun: Any, args: Any, /, **params: Any) -> Any:
        return self._run(
            EagerOperation(lambda *operands: primitive.bind(*operands, subfuns=(fun,), **params), None), args
        )

    def stage_value(self, value: Any) -> Any:
        if isinstance(value, jax.Array):
            return value
        with jax_core.set_current_trace(self.parent_trace):
            return self.parent_trace.stage_value(value)

    def cur_qdd(self, value: Any) -> Any:
        return self.parent_trace.cur_qdd(value)

    def _moved(self, args: Any, params: Any) -> Any:
        with jax_core.set_current_trace(self.parent_trace):
            moved = device_put_p.bind(*args, **params)
        places = [getattr(x, "sharding", None) for x in args]

        def back(cotangents: Any) -> Any:
            pairs = zip(cotangents, places, strict=True)
            return [None if c is None else jax.device_put(c, place) for c, place in pairs]

        self.recorder.note_call(args, moved, back)
        return moved

    def _run(self, operation: EagerOperation, args: Any) -> Any:
        context = jax_core.trace_ctx
        before = context.trace
        context.set_trace(self.parent_trace)
        try:
            return self.recorder.run(operation, args)
        finally:
            context.set_trace(before)


def current_recording() -> RecordingTrace | None:
    """Returns the trace that records the present code eagerly, or None."""
    trace = jax_core.trace_ctx.trace
    return trace if type(trace) is RecordingTrace else None


def note_moved(
    operands: Sequence[Any],
    results: Sequence[Any],
    reverse: Callable[[Sequence[Any]], Sequence[Any]],
) -> None:
    """Tells eager tapes of values that were moved between devices, which is no operation of JAX.

    reverse: moves the cotangents of the results, of which some are None, back to the operands.
    """
    trace = current_recording()
    if trace is not None:
        trace.recorder.note_call(operands, results, reverse)


def new_recording(recorder: OperationRecorder) -> RecordingTrace:
    """Returns a trace that hands operations to a recorder, and computes them on the present trace."""
    return RecordingTrace(recorder, jax_core.trace_ctx.trace)


def resume_recording(trace: RecordingTrace) -> None:
    """Hands operations of this thread to the trace's recorder from now on."""
    jax_core.trace_ctx.set_trace(trace)


def runs_at_once() -> bool:
    """Returns whether JAX computes the present code's operations at once, for a tape or not."""
    trace = jax_core.trace_ctx.trace
    while type(trace) is RecordingTrace:
        trace = trace.parent_trace
    return trace is jax_core.eval_trace


def end_recording(trace: RecordingTrace) -> None:
    """Ends what `resume_recording` began. Raises RuntimeError inside a transformation of JAX that began later."""
    if jax_core.trace_ctx.trace is not trace:
        raise RuntimeError("A gradient tape is closed inside a jax transformation that began after it was opened.")
    jax_core.trace_ctx.set_trace(trace.parent_trace)


def twin(array: jax.Array) -> jax.Array:
    """Returns another object for the same buffers, which identity tells from the first."""
    if not isinstance(array, ArrayImpl):
        return jax.numpy.copy(array)
    return ArrayImpl(array.aval, array.sharding, array._arrays, array._committed, _skip_checks=True)


def abstract_value(value: Any) -> Any:
    """Returns shape, dtype and weak type of an operand."""
    return jax_core.typeof(value)


def structures_told(operation: EagerOperation) -> tuple[Any, ...]:
    """Returns what a traced function with its own derivative has told; takes back what was told twice."""
    found = tuple(map(_told, operation.told))
    for store in operation.told_twice:
        if store is not None:
            store.reset()
    return found


def tell_structures(operation: EagerOperation, values: Sequence[Any]) -> None:
    """Tells the caller what an equal function has told that was traced before."""
    for store, value in zip(operation.told, values, strict=True):
        if store is not None and value is not None and _told(store) is None:
            store.store(value)


def _told(store: Any) -> Any:
    try:
        return None if store is None else store.val
    except StoreException:  # empty
        return None
