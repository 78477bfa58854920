"""`tf.function`: Python code that runs as one compiled program."""

from collections.abc import Callable
from typing import Any

from stratagem._autograph._calls import converted, do_not_convert
from stratagem._base.types import Nest, Unused, UserFunction
from stratagem._core.step import Function


def function(
    func: UserFunction | None = None,
    input_signature: Nest = None,
    autograph: bool = True,
    jit_compile: Unused = None,
    reduce_retracing: Unused = False,
    experimental_implements: Unused = None,
    experimental_autograph_options: Unused = None,
    experimental_attributes: Unused = None,
    experimental_relax_shapes: Unused = None,
    experimental_compile: Unused = None,
    experimental_follow_type_hints: Unused = None,
) -> Function | Callable[[UserFunction], Function]:
    """Makes `func` run as one compiled program, as `tf.function`; usable as decorator with and without arguments.

    input_signature: structure of TensorSpec; arguments that do not fit raise TypeError. autograph: whether tensors may
    decide in `if`, `while` and `for`. TensorFlow's other options are accepted and have no effect: everything is compiled.
    """
    if func is None:
        return lambda decorated: _function(decorated, input_signature, autograph)
    return _function(func, input_signature, autograph)


def _function(func: Any, input_signature: Nest, autograph: bool) -> Function:
    return Function(func, input_signature, converted(func) if autograph else do_not_convert(func))
