"""OpenTrace: a trace of JAX's that stays open while code runs, and gets inputs when the code first needs them."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, final

import jax
from jax._src import core as jax_core
from jax._src import dtypes, source_info_util
from jax._src.api_util import debug_info
from jax._src.interpreters import partial_eval
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Var

from stratagem._base.types import DTypeLike


class OpenTrace(partial_eval.DynamicJaxprTrace):
    """A trace that grows inputs. JAX's own know all of theirs before the code runs."""

    __slots__ = ()

    def new_input(self, shape: Sequence[Any], dtype: DTypeLike) -> Any:
        """Returns a new input, also inside of a branch or loop. shape: of numbers, or symbols for unknown sizes."""
        var = self.frame.newvar(jax_core.ShapedArray(tuple(shape), jax.numpy.dtype(dtype)))
        self.frame.invars.append(var)
        return self.var_to_tracer(var, source_info_util.current())  # type: ignore[no-untyped-call]

    def end(self) -> None:
        """Drops what the trace has recorded."""
        self.invalidate()  # type: ignore[no-untyped-call]

    @contextlib.contextmanager
    def current(self, axes: Sequence[tuple[str, int]] = ()) -> Iterator[None]:
        """Computes the body in this trace. axes: those of the mesh, by name and size."""
        context = jax_core.trace_ctx
        before, axes_before = context.trace, context.axis_env
        context.set_trace(self)
        context.set_axis_env(jax_core.top_axis_env.extend_pure(list(axes)))
        try:
            with source_info_util.reset_name_stack():
                yield
        finally:
            context.set_axis_env(axes_before)
            context.set_trace(before)

    def so_far(self) -> Sequence[JaxprEqn]:
        """Returns the equations as they are now."""
        return self.frame.get_eqns()

    def variable_of(self, tensor: Any) -> Var:
        """Returns what stands for a tensor of this trace in its program."""
        return tensor.val


@final
class StepTrace(OpenTrace):
    """The trace of one step."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(_DEBUG)

    def closed(self, results: Sequence[Any], inputs: Sequence[Any]) -> ClosedJaxpr:
        """Returns the program. inputs: all of its inputs, in the order that the program has them in."""
        source = source_info_util.current()
        with self.current():
            tracers = [self.to_jaxpr_tracer(dtypes.canonicalize_value(result), source) for result in results]
        jaxpr, constants = self.frame.to_jaxpr(self, tracers, _DEBUG, source)
        ordered = [self.variable_of(tracer) for tracer in inputs]
        assert {*ordered} == {*jaxpr.invars}, "every input of a step is known to its recorder"
        return ClosedJaxpr(jaxpr.replace(invars=ordered), constants)


def recorded_so_far(results: Sequence[Any]) -> Jaxpr | None:
    """Returns what the present trace has recorded, as a program with these results; None for traces of no program."""
    trace = jax_core.trace_ctx.trace
    if not isinstance(trace, partial_eval.DynamicJaxprTrace) or any(
        getattr(v, "_trace", None) is not trace for v in results
    ):
        return None
    return trace.frame.to_jaxpr(trace, list(results), _DEBUG, source_info_util.current())[0]


def current_axes() -> list[tuple[str, int]]:
    """Returns the axes of the mesh that the present code is for, by name and size."""
    return list(jax_core.trace_ctx.axis_env.axis_sizes.items())


def input_variable(tracer: Any) -> Var:
    """Returns what stands for an input of a trace in its program."""
    return tracer.val


# As it reads in JAX's errors: "while tracing the function that is compiled for a step".
_DEBUG = debug_info("a step", lambda: None, (), {})._replace(func_src_info="that is compiled", result_paths=None)
