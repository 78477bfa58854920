"""Calls in converted code: the user's functions are converted as well, and Python's own take tensors."""

import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from malt.operators.py_builtins import (
    eval_in_original_context,
    globals_in_original_context,
    locals_in_original_context,
    super_in_original_context,
)

from stratagem import _ops as ops
from stratagem._autograph._operators import as_module
from stratagem._autograph._rounds import as_round, is_driven
from stratagem._autograph._staging import is_open
from stratagem._autograph._tensor_range import TensorRange
from stratagem._autograph._transpiler import Transpiler
from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.context import current, entered
from stratagem._core.step import Function
from stratagem._ops.flow import foldl, foldr, map_fn, scan, while_loop

_UNCONVERTED = "__stratagem_unconverted__"  # an attribute of functions that are called as they are
# Packages that decide nothing on tensors of a trace, or that know JAX's own ways.
_LIBRARIES = (frozenset(sys.stdlib_module_names) - {"__main__"}) | {
    *(
        "stratagem",
        "keras",
        "jax",
        "jaxlib",
        "numpy",
        "ml_dtypes",
        "malt",
        "optax",
        "flax",
        "grain",
        "orbax",
        "tensorstore",
    ),
    *("ray", "absl", "scipy", "pandas", "torch", "matplotlib", "PIL", "h5py", "rich", "click", "pytest", "_pytest"),
}


def converted(function: UserFunction) -> UserFunction:
    """Returns a callable that runs the function, in a trace with the decisions of tensors as parts of the program.

    Outside of traces, and where AutoGraph is off, it calls the function itself.
    """
    if isinstance(function, Function) or hasattr(function, _UNCONVERTED):
        return function

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        return converted_call(function, args, kwargs) if _converts() else function(*args, **kwargs)

    return mark(call)


def mark(function: UserFunction) -> UserFunction:
    """Notes that this function is called as it is, without a conversion."""
    setattr(function, _UNCONVERTED, True)
    return function


@exported("autograph.experimental.do_not_convert")
def do_not_convert(func: UserFunction | None = None) -> UserFunction:
    """Returns the function as one that AutoGraph leaves as it is, with everything that it calls; also a decorator."""
    if func is None:
        return do_not_convert

    @functools.wraps(func, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        with entered(autograph=False):
            return func(*args, **kwargs)

    return mark(call)


def code_of(function: UserFunction) -> str:
    """Returns the text of what a function is converted to. Raises ValueError if that cannot be done: without source, say."""
    target, _ = _code_bearing(getattr(function, "python_function", function))
    if target is None:
        raise ValueError(f"{function!r:.100} is no Python function, and AutoGraph converts nothing else.")
    return _transpiler.code_of(target)


def converted_call(
    function: UserFunction,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    scope: Any = None,
    options: object = None,
) -> Any:
    """Calls `function(*args, **kwargs)` as converted code does. scope: of the converted function that calls."""
    kwargs = kwargs or {}
    if isinstance(function, type | types.BuiltinFunctionType):
        return _call_builtin(function, args, kwargs, scope)
    if isinstance(function, jax.Array) and not args and not kwargs:
        return function  # `variable.value()`: outside of converted code, that property looks at the call
    if not _converts() or hasattr(function, _UNCONVERTED):
        return function(*args, **kwargs)
    if isinstance(function, functools.partial):
        return converted_call(function.func, (*function.args, *args), {**function.keywords, **kwargs}, scope)
    target, bound = _code_bearing(function)
    if target is None:
        return function(*args, **kwargs)
    library = _package(target)
    if library not in _LIBRARIES:
        made = _transpiler.converted(target)
        return function(*args, **kwargs) if made is None else made(*bound, *args, **kwargs)
    if library == "stratagem":
        if function is ops.range and any(is_open(ops.tensor(a)) for a in args if ops.is_tensor(a)):
            return TensorRange.of_range(*args, **kwargs)
        if not is_driven():  # there the function itself is the key of a program
            args, kwargs = [_argument(a) for a in args], {k: _argument(v) for k, v in kwargs.items()}
        elif function in _LOOPS:
            args, kwargs = [_round(a) for a in args], {k: _round(v) for k, v in kwargs.items()}
    return function(*args, **kwargs)


def _converts() -> bool:
    """Returns whether the present code is part of a trace, or drives programs, so that its functions are converted."""
    context = current()
    return is_driven() or (context.autograph and context.recorder is not None and not context.recorder.eager)


def _package(function: types.FunctionType) -> str:
    return str(function.__globals__.get("__name__", "")).partition(".")[0]


def _code_bearing(function: Any) -> tuple[types.FunctionType | None, tuple[Any, ...]]:
    """Returns the Python function behind a callable, and the arguments that are bound to it; None if there is none."""
    if isinstance(function, types.FunctionType):
        return function, ()
    if isinstance(function, types.MethodType):
        inner, bound = _code_bearing(function.__func__)
        return inner, (function.__self__, *bound)
    call = inspect.getattr_static(type(function), "__call__", None)
    return (call, (function,)) if isinstance(call, types.FunctionType) else (None, ())


def _argument(value: Any) -> Any:
    """Returns a user's function that is passed to this library as one that converts itself; also in lists and dicts."""
    if isinstance(value, types.FunctionType | types.MethodType):
        target, _ = _code_bearing(value)
        return value if target is None or _package(target) in _LIBRARIES else converted(value)
    if type(value) in (list, tuple):
        items = [_argument(v) for v in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)
    if type(value) is dict:
        entries = {k: _argument(v) for k, v in value.items()}
        return value if all(entries[k] is value[k] for k in value) else entries
    return value


def _round(value: Any) -> Any:
    """Returns a user's function that a loop of this library calls as one that runs as a program; anything else as it is."""
    if not isinstance(value, types.FunctionType | types.MethodType):
        return value
    return as_round(lambda *args: converted_call(value, args))


def _call_builtin(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], scope: Any) -> Any:
    if function in _IN_CONTEXT and scope is not None:
        return _IN_CONTEXT[function](function, args, scope)
    if function is range and is_driven() and any(map(ops.is_tensor, args)):
        return ops.range(*args)
    if function in _FOR_TENSORS and any(map(is_open, jax.tree.leaves(list(args)))):
        return _FOR_TENSORS[function](*args, **kwargs)
    return function(*args, **kwargs)


def _extreme(reduce: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: reduce(args[0] if len(args) == 1 else ops.stack(args), axis=0)


def _print(*values: Any, **options: Any) -> None:
    """Prints when the program runs, as Python's `print` does there, with the values of tensors."""
    leaves, structure = jax.tree.flatten(values)
    places = [i for i, leaf in enumerate(leaves) if is_open(leaf)]

    def show(*arrays: Any) -> None:
        shown = list(leaves)  # replicas print at the same time
        for place, array in zip(places, arrays, strict=True):
            shown[place] = np.asarray(array)
        print(*jax.tree.unflatten(structure, shown), **options)

    jax.debug.callback(show, *(leaves[i] for i in places))


_LOOPS = {while_loop, map_fn, scan, foldl, foldr}
_IN_CONTEXT: dict[Any, Callable[..., Any]] = {
    super: super_in_original_context,
    eval: eval_in_original_context,
    globals: lambda function, args, scope: globals_in_original_context(scope),
    locals: lambda function, args, scope: locals_in_original_context(scope),
}
_FOR_TENSORS: dict[Any, Callable[..., Any]] = {
    range: TensorRange.of_range,
    print: _print,
    int: lambda x: ops.cast(x, "int32"),
    float: lambda x: ops.cast(x, "float32"),
    bool: lambda x: ops.cast(x, "bool"),
    min: _extreme(ops.reduce_min),
    max: _extreme(ops.reduce_max),
}
_transpiler = Transpiler(as_module(converted_call, mark))
