"""`tf.function` and `tf.vectorized_map`: Python code that runs as one compiled program."""

from collections.abc import Callable
from typing import Any, overload

from stratagem._autograph._calls import converted, do_not_convert
from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.context import current
from stratagem._core.step import Function
from stratagem._ops import flow
from stratagem._private import runs_at_once


@overload
def function(
    func: UserFunction,
    input_signature: Any = ...,
    autograph: bool = ...,
    jit_compile: object = ...,
    reduce_retracing: object = ...,
    experimental_implements: object = ...,
    experimental_autograph_options: object = ...,
    experimental_attributes: object = ...,
    experimental_relax_shapes: object = ...,
    experimental_compile: object = ...,
    experimental_follow_type_hints: object = ...,
) -> Function: ...
@overload
def function(
    func: None = None,
    input_signature: Any = ...,
    autograph: bool = ...,
    jit_compile: object = ...,
    reduce_retracing: object = ...,
    experimental_implements: object = ...,
    experimental_autograph_options: object = ...,
    experimental_attributes: object = ...,
    experimental_relax_shapes: object = ...,
    experimental_compile: object = ...,
    experimental_follow_type_hints: object = ...,
) -> Callable[[UserFunction], Function]: ...
@exported("function")
def function(
    func: UserFunction | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: object = None,
    reduce_retracing: object = False,
    experimental_implements: object = None,
    experimental_autograph_options: object = None,
    experimental_attributes: object = None,
    experimental_relax_shapes: object = None,
    experimental_compile: object = None,
    experimental_follow_type_hints: object = None,
) -> Function | Callable[[UserFunction], Function]:
    """Makes `func` run as one compiled program, as `tf.function`; usable as decorator with and without arguments.

    input_signature: structure of TensorSpec; arguments that do not fit raise TypeError. autograph: whether tensors may
    decide in `if`, `while` and `for`. TensorFlow's other options are accepted and have no effect: everything is compiled.
    """
    if func is None:
        return lambda decorated: _function(decorated, input_signature, autograph)
    return _function(func, input_signature, autograph)


def _function(func: Any, input_signature: Any, autograph: bool) -> Function:
    return Function(func, input_signature, converted(func) if autograph else do_not_convert(func))


@exported("vectorized_map")
def vectorized_map(fn: UserFunction, elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """Returns the results of `fn` for every row, computed at once; as in TensorFlow, by a compiled function.

    A function that assigns variables is called row by row, or raises ValueError without `fallback_to_while_loop`.
    """
    if current().recorder is not None or not runs_at_once():
        return flow.vectorized_map(fn, elems, fallback_to_while_loop, warn)

    def rows(elems: Any) -> Any:
        return flow.vectorized_map(converted(fn), elems, fallback_to_while_loop, warn)

    return Function(rows)(flow.as_tensors(elems))
