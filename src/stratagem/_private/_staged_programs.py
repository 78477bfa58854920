"""Programs that JAX traces of code that runs at once: which traces are such, and what they capture from around them."""

from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import jax
import keras
from jax._src import pjit, stages
from jax._src.array import ArrayImpl
from jax._src.interpreters import partial_eval
from jax.extend.core import ClosedJaxpr

from stratagem._private._captured_values import CapturedTensor, CapturedValue, CapturedVariable, parent_trace
from stratagem._private._recording_trace import RecordingTrace


def recordings_below(trace: Any) -> Iterator[RecordingTrace]:
    """The traces of eager tapes below this one, nearest first, which hand operations down."""
    while (trace := parent_trace(trace)) is not None:
        if type(trace) is RecordingTrace:
            yield trace


_of_traces: WeakKeyDictionary[Any, dict[int, CapturedVariable]] = WeakKeyDictionary()


def captured_variable(
    variable: keras.Variable, trace: Any, read: Callable[[keras.Variable], jax.Array]
) -> CapturedVariable:
    """Returns what stands for a variable in a staged trace, the same for all of its reads there."""
    known = _of_traces.setdefault(trace, {})
    if id(variable) not in known:
        known[id(variable)] = CapturedVariable(variable, read)
    return known[id(variable)]


def keep_captured_values() -> None:
    """Let programs that JAX traces take captured values as operands.

    `jax.jit` hands them over at each call; a program that is lowered ahead of its calls has the present numbers in it. A
    tensor that a tape below the trace tracks is captured, too.
    """
    _capture_tracked_tensors()
    _hand_over_captured_values()
    _lower_present_values()


def _capture_tracked_tensors() -> None:
    new_const = partial_eval.DynamicJaxprTrace._new_const

    def new_new_const(self: Any, aval: Any, c: Any, source_info: Any) -> Any:
        if type(c) is not ArrayImpl:
            return new_const(self, aval, c, source_info)
        if not any(recording.recorder.tracks([c]) for recording in recordings_below(self)):
            return new_const(self, aval, c, source_info)
        tracer = new_const(self, aval, CapturedTensor(c), source_info)
        self.frame.constid_to_tracer[id(c)] = tracer
        return tracer

    partial_eval.DynamicJaxprTrace._new_const = new_new_const  # type: ignore[method-assign]


def _hand_over_captured_values() -> None:
    run = pjit._run_python_pjit

    def new_run(p: Any, args_flat: Any, fun: Any, args: Any, kwargs: Any) -> Any:
        if not any(isinstance(c, CapturedValue) for c in p.consts):
            return run(p, args_flat, fun, args, kwargs)
        out_flat = pjit.jit_p.bind(*args_flat, **p.params)
        results = jax.tree.unflatten(p.out_tree, out_flat)
        # Without an executable, which JAX's shortcut for the next call would hand the arguments alone.
        return results, out_flat, p.out_tree, args_flat, p.params["jaxpr"], None, None, []

    pjit._run_python_pjit = new_run


def _lower_present_values() -> None:
    traced: Any = stages.Traced
    init, lowered, call = traced.__init__, traced.lojax.fget, traced.__call__

    def new_init(self: Any, meta_tys_flat: Any, params: Any, in_tree: Any, out_tree: Any, consts: Any) -> None:
        # A program's constants are recognised by identity: of a captured tensor that of the array.
        constants = [c.present() if isinstance(c, CapturedTensor) else c for c in consts]
        init(self, meta_tys_flat, params, in_tree, out_tree, constants)

    def new_call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return call(_with_present_values(self), *args, **kwargs)

    traced.__init__, traced.__call__ = new_init, new_call
    traced.lojax = property(lambda self: lowered(_with_present_values(self)))


def _present_value(constant: Any) -> Any:
    return constant.full_lower() if isinstance(constant, CapturedValue) else constant


def _with_present_values(traced: Any) -> Any:
    """Returns a traced function with the present numbers in its program, whose captured values are operands."""
    first = len(traced._consts)
    if not first or not all(isinstance(c, CapturedValue | ArrayImpl) for c in traced._consts):
        return traced
    closed, of_arguments = traced.jaxpr, ("in_shardings", "in_layouts", "donated_invars")
    jaxpr = closed.jaxpr
    inside = jaxpr.replace(constvars=[*jaxpr.constvars, *jaxpr.invars[:first]], invars=jaxpr.invars[first:])
    numbers = ClosedJaxpr(inside, [*closed.consts, *map(_present_value, traced._consts)])
    params = traced._params | {name: traced._params[name][first:] for name in of_arguments} | {"jaxpr": numbers}
    made: Any = stages.Traced
    return made(traced._meta_tys_flat[first:], params, traced._in_tree, traced.out_tree, [])
