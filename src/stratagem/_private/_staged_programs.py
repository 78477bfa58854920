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

from stratagem._base.types import Value
from stratagem._private._captured_values import CapturedTensor, CapturedValue, CapturedVariable, parent_trace
from stratagem._private._recording_trace import RecordingTrace


def recordings_below(trace: Value) -> Iterator[RecordingTrace]:
    """The traces of eager tapes below this one, nearest first, which hand operations down."""
    while (trace := parent_trace(trace)) is not None:
        if type(trace) is RecordingTrace:
            yield trace


_of_traces: WeakKeyDictionary[Any, dict[int, CapturedVariable]] = WeakKeyDictionary()


def captured_variable(
    variable: keras.Variable, trace: Value, read: Callable[[keras.Variable], jax.Array]
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
    init = stages.Traced.__init__

    def new_init(self: Any, meta_tys_flat: Any, params: Any, in_tree: Any, out_tree: Any, consts: Any) -> None:
        if consts and all(isinstance(c, CapturedValue) for c in consts):
            first = len(consts)
            closed, of_arguments = params["jaxpr"], ("in_shardings", "in_layouts", "donated_invars")
            jaxpr = closed.jaxpr
            inside = jaxpr.replace(constvars=[*jaxpr.constvars, *jaxpr.invars[:first]], invars=jaxpr.invars[first:])
            numbers = ClosedJaxpr(inside, [*closed.consts, *(c.full_lower() for c in consts)])
            params = params | {name: params[name][first:] for name in of_arguments} | {"jaxpr": numbers}
            meta_tys_flat, consts = meta_tys_flat[first:], []
        init(self, meta_tys_flat, params, in_tree, out_tree, consts)  # type: ignore[no-untyped-call]

    stages.Traced.__init__ = new_init  # type: ignore[method-assign]
