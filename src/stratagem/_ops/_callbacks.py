"""`tf.py_function` and `tf.numpy_function`: Python functions called from a compiled step."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.experimental
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.context import current
from stratagem._ops._convert import is_traced, on_host, tensor
from stratagem._ops._dtypes import as_dtype


def py_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[Any] | None = None,
    Tout: Any = None,
    name: str | None = None,
    *,
    result_shape: Any = None,
) -> Any:
    """Calls `func(*inp)` in Python, with tensors. `Tout` is one dtype or a list of them (empty for no result).

    Without `inp` returns a function that makes such calls, without `func` a decorator.

    Inside a replica's compiled step also pass `result_shape`, one shape or a list of them (TF has no such argument:
    its graphs do not need shapes). The result has no gradient. Elsewhere in a `tf.function` it leads to host mode.
    """
    return _applied(lambda f, *a: f(*map(tensor, a)), func, inp, Tout, result_shape)


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[Any] | None = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
    *,
    result_shape: Any = None,
) -> Any:
    """Calls `func(*inp)` in Python, with NumPy arrays; see `py_function`."""
    return _applied(lambda f, *a: f(*map(np.asarray, a)), func, inp, Tout, result_shape)


def _applied(call: Callable[..., Any], func: Any, inp: Any, dtypes: Any, shapes: Any) -> Any:
    """Returns `call(func, *inp)` made in Python; without `inp` a function of it, without `func` a decorator."""
    if func is None:
        return lambda decorated: _applied(call, decorated, inp, dtypes, shapes)
    if inp is None:
        return functools.wraps(func)(lambda *args: _call(functools.partial(call, func), args, dtypes, shapes))
    return _call(functools.partial(call, func), inp, dtypes, shapes)


def _call(func: Callable[..., Any], inp: Sequence[Any], dtypes: Any, shapes: Any) -> Any:
    several = isinstance(dtypes, list | tuple)
    kinds = [as_dtype(d).dtype for d in (dtypes if several else [] if dtypes is None else [dtypes])]
    arrays = [tensor(i) for i in inp]

    def results(*values: Any) -> list[np.ndarray]:
        returned = func(*values)
        given = list(returned) if several and kinds else [returned] if kinds else []
        return [_as_numpy(g, kind) for g, kind in zip(given, kinds, strict=True)]

    def run(*values: Any) -> None:
        results(*values)

    made: Sequence[Any]
    if current().recorder is None and not is_traced(arrays):
        made = [tensor(r) for r in results(*arrays)]
    elif kinds:
        made = jax.experimental.io_callback(results, _specs(kinds, shapes, several), *arrays)
    else:
        jax.debug.callback(run, *arrays)
        made = []
    return list(made) if several or dtypes is None else made[0]


def _as_numpy(value: Any, kind: np.dtype) -> np.ndarray:
    array = np.asarray(value) if isinstance(value, jax.Array) else on_host(value)
    return array.astype(kind)


def _specs(kinds: Sequence[np.dtype], shapes: Any, several: bool) -> list[jax.ShapeDtypeStruct]:
    context = current()
    if shapes is None and context.recorder is not None and context.replica is None:
        context.recorder.need_host("it calls tf.py_function")
    if shapes is None:
        raise InvalidArgumentError(
            "Inside a compiled step the shape of what tf.py_function returns must be known: pass result_shape=..., "
            "one shape for each of Tout."
        )
    return [jax.ShapeDtypeStruct(tuple(s), k) for s, k in zip(shapes if several else [shapes], kinds, strict=True)]
