"""EagerReplicaTrace: makes JAX compute every operation of one replica at once, and meet the others for collectives."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, final

import jax
from jax._src import core as jax_core
from keras.src.backend.common import global_state

from stratagem._private._captured_values import resolved
from stratagem._private._traces import OutsideOfTraces, sub_jaxprs

# computed(program, operands) returns this replica's results of a program with collectives, for its operands.
Collective = Callable[[Callable[..., Any], Sequence[Any]], Any]


@final
class EagerReplicaTrace(jax_core.Trace):
    """Computes operations at once, on ordinary arrays; one that uses the axis of replicas is computed for all of them."""

    __slots__ = ("_axis", "_collective", "_replica")

    def __init__(self, axis: str, replica: int, collective: Collective) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.requires_low = False
        self._axis, self._replica, self._collective = axis, replica, collective

    def process_primitive(self, primitive: Any, args: Any, params: Any, /) -> Any:
        if primitive.name == "axis_index" and params["axis_name"] == self._axis:
            return jax.numpy.int32(self._replica)
        args = resolved(args, self)
        with OutsideOfTraces():
            if self._is_collective(params):
                return self._collective(lambda *operands: primitive.bind(*operands, **params), args)
            return primitive.bind(*args, **params)

    def process_custom_jvp_call(self, primitive: Any, fun: Any, jvp: Any, args: Any, /, **_: Any) -> Any:
        return fun.call_wrapped(*args)

    def process_custom_vjp_call(self, primitive: Any, fun: Any, fwd: Any, bwd: Any, args: Any, /, **_: Any) -> Any:
        return fun.call_wrapped(*args)

    def process_call(self, primitive: Any, f: Any, args: Any, params: Any, /) -> Any:
        return f.call_wrapped(*args)

    def stage_value(self, value: Any) -> Any:
        with OutsideOfTraces():
            return jax_core.eval_trace.stage_value(value)

    def cur_qdd(self, value: Any) -> Any:
        return jax_core.eval_trace.cur_qdd(value)

    def _is_collective(self, params: Any) -> bool:
        names = (params.get("axes"), params.get("axis_name"))
        if any(self._axis == n or (isinstance(n, tuple) and self._axis in n) for n in names):
            return True
        effect = jax_core.NamedAxisEffect(self._axis)
        return any(effect in jaxpr.effects for jaxpr in sub_jaxprs(params))


@contextlib.contextmanager
def in_replica_trace(axis: str, replicas: int, replica: int, collective: Collective) -> Iterator[None]:
    """Computes the body's operations as those of one replica of an axis."""
    context = jax_core.trace_ctx
    before = context.trace
    with jax_core.extend_axis_env_nd([(axis, replicas)]):
        context.set_trace(EagerReplicaTrace(axis, replica, collective))
        try:
            yield
        finally:
            context.set_trace(before)


def keras_settings() -> dict[str, Any]:
    """Returns Keras' settings of this thread, such as the global dtype policy."""
    return dict(vars(global_state.GLOBAL_STATE_TRACKER))


def set_keras_settings(settings: dict[str, Any]) -> None:
    """Gives this thread the settings that another one has."""
    vars(global_state.GLOBAL_STATE_TRACKER).update(settings)
