"""`tf.py_function` and `tf.numpy_function`: Python functions called from a compiled step."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np
from jax import lax

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._core.eager import conjugates
from stratagem._core.step import GradientTape, UnconnectedGradients
from stratagem._ops._convert import allow_x64, is_traced, on_host, tensor
from stratagem._ops._dtypes import as_dtype
from stratagem._private import of_host_words, of_words, to_host_words, to_words, words_spec


@exported("py_function")
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
    its graphs do not need shapes). Elsewhere in a `tf.function` it leads to host mode. The results have gradients: in a
    compiled step that asks for them, the reverse calls `func` again, under a tape, and variables that it reads have none.

    Raises:
        InvalidArgumentError: `func` returns another number of values than `Tout` has, or fractions for integers; strings
            in a compiled step; a compiled step without `result_shape`.
        Exception: what `func` raises, with its class, also from a compiled step.
    """
    return _applied(lambda f, *a: f(*map(tensor, a)), func, inp, Tout, result_shape, True)


@exported("numpy_function")
def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[Any] | None = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
    *,
    result_shape: Any = None,
) -> Any:
    """Calls `func(*inp)` in Python, with NumPy arrays; see `py_function`. The results have no gradient."""
    return _applied(lambda f, *a: f(*map(np.asarray, a)), func, inp, Tout, result_shape, False)


def _applied(call: Callable[..., Any], func: Any, inp: Any, dtypes: Any, shapes: Any, reverse: bool) -> Any:
    """Returns `call(func, *inp)` made in Python; without `inp` a function of it, without `func` a decorator."""
    if func is None:
        return lambda decorated: _applied(call, decorated, inp, dtypes, shapes, reverse)
    bound = functools.partial(call, func)
    if inp is None:
        return functools.wraps(func)(lambda *args: _call(bound, args, dtypes, shapes, reverse))
    return _call(bound, inp, dtypes, shapes, reverse)


def _call(func: Callable[..., Any], inp: Sequence[Any], dtypes: Any, shapes: Any, reverse: bool) -> Any:
    several = isinstance(dtypes, list | tuple)
    kinds = [as_dtype(d).dtype for d in (dtypes if several else [] if dtypes is None else [dtypes])]
    arrays = [tensor(i) for i in inp]

    def results(*values: Any) -> list[Any]:
        returned = func(*values)
        given = list(returned) if several and isinstance(returned, list | tuple) else [returned]
        if not kinds or returned is None:
            given = []
        if len(given) != len(kinds):
            raise InvalidArgumentError(
                f"A function of tf.py_function or tf.numpy_function returned {len(given)} value(s), but Tout has {len(kinds)}."
            )
        return [_as_kind(g, kind) for g, kind in zip(given, kinds, strict=True)]

    made: Sequence[Any]
    if current().recorder is None and not is_traced(arrays):
        made = [tensor(r) for r in results(*arrays)]
    elif kinds:
        made = _from_program(results, _specs(kinds, shapes, several), arrays, reverse)
    else:
        _refuse_strings(arrays)
        types = [a.dtype for a in arrays]
        jax.debug.callback(lambda *words: _without_result(results, words, types), *map(to_words, arrays))
        made = []
    return list(made) if several or dtypes is None else made[0]


def _as_kind(value: Any, kind: np.dtype) -> Any:
    """Returns a result as an array of this dtype: a tensor stays one, whose gradient a tape around the call knows."""
    array = value if isinstance(value, jax.Array) else on_host(value)
    for wider in (jnp.complexfloating, jnp.inexact):
        if jnp.issubdtype(array.dtype, wider) and not jnp.issubdtype(kind, wider):
            raise InvalidArgumentError(
                f"A function of tf.py_function or tf.numpy_function returned {array.dtype}, but Tout has {kind}. Use tf.cast."
            )
    if array.dtype == kind:
        return array
    with allow_x64(np.float64):
        return array.astype(kind)


def _specs(kinds: Sequence[np.dtype], shapes: Any, several: bool) -> list[Any]:
    """Returns the types of the results in a compiled program; leaves its trace, if that can be, where shapes are missing."""
    context = current()
    if shapes is None and context.recorder is not None and context.replica is None:
        context.recorder.need_host("it calls tf.py_function without result_shape")
    if shapes is None:
        raise InvalidArgumentError(
            "Inside a compiled step the shape of what tf.py_function returns must be known: pass result_shape=..., "
            "one shape for each of Tout."
        )
    sizes = shapes if several else [shapes]
    if len(sizes) != len(kinds):
        raise InvalidArgumentError(f"result_shape has {len(sizes)} shape(s), but Tout has {len(kinds)} dtype(s).")
    return [jax.ShapeDtypeStruct(tuple(s), k) for s, k in zip(sizes, kinds, strict=True)]


def _refuse_strings(values: Sequence[Any]) -> None:
    if any(v.dtype == object for v in values):
        raise InvalidArgumentError(
            "Strings cannot be in a compiled step, so tf.py_function and tf.numpy_function neither take nor return them there. "
            "Call it outside of the replica function, or in the function of a dataset."
        )


# --- In a compiled program ----------------------------------------------------------------------------------------------


class _Raised:
    """The first exception in calls from a program. Called, it returns that and forgets it."""

    def __init__(self) -> None:
        self._errors: list[BaseException] = []

    def note(self, error: BaseException) -> None:
        self._errors[:] = self._errors[:1] or [error]

    def __call__(self) -> BaseException | None:
        errors, self._errors = self._errors, []
        return errors[0] if errors else None


def _from_program(
    results: Callable[..., list[Any]], specs: Sequence[Any], arrays: Sequence[Any], reverse: bool
) -> list[Any]:
    """Returns what a function returns when the program calls it. reverse: whether it has gradients."""
    _refuse_strings([*arrays, *specs])

    def checked(*values: Any) -> list[Any]:
        found = results(*values)
        for value, spec in zip(found, specs, strict=True):
            _check_shape(np.asarray(value), spec)
        return found

    what = "A function that tf.py_function or tf.numpy_function calls"
    _, made = called_by_program(checked, specs, arrays, what)
    if reverse and any(map(_is_floating, specs)) and any(map(_is_floating, arrays)):
        return _with_reverse(results, made, arrays)
    return made


def called_by_program(
    function: Callable[..., Sequence[Any]],
    specs: Sequence[jax.ShapeDtypeStruct],
    arrays: Sequence[jax.Array],
    what: str,
    after: jax.Array | None = None,
    *,
    ordered: bool = False,
) -> tuple[jax.Array, list[jax.Array]]:
    """Lets the program call a function of the host with NumPy arrays, which returns arrays of these specs.

    Returns a scalar that is there once the function has returned, and its results, without gradients. what: names the function
    where it raises an error in another process. after: a scalar before which it is not called. ordered: whether JAX keeps the
    order of such calls, on one device.
    """
    recorder, types, raised = current().recorder, [a.dtype for a in arrays], _Raised()

    def call(*words: Any) -> list[np.ndarray]:
        try:
            given = map(of_host_words, words[: len(types)], types)
            found = [np.asarray(r) for r in function(*given)]
        except Exception as error:
            if recorder is None:  # a program of the user's own `jax.jit`: JAX reports it
                raise
            raised.note(error)
            return [np.ones((), bool), *(np.zeros(s.shape, s.dtype) for s in map(words_spec, specs))]
        return [np.zeros((), bool), *map(to_host_words, found)]

    flag = jax.ShapeDtypeStruct((), np.bool_)
    operands = [to_words(lax.stop_gradient(a)) for a in arrays]
    operands += [] if after is None else [after]
    failed, *words = jax.experimental.io_callback(call, [flag, *map(words_spec, specs)], *operands, ordered=ordered)
    if recorder is not None:
        recorder.check(failed, f"{what} raised an error.", {}, raised)
    return failed, [of_words(w, s.dtype) for w, s in zip(words, specs, strict=True)]


def _without_result(results: Callable[..., list[Any]], words: Sequence[Any], types: Sequence[np.dtype]) -> None:
    results(*map(of_host_words, words, types))


def _check_shape(value: np.ndarray, spec: Any) -> None:
    if value.shape != spec.shape:
        raise InvalidArgumentError(
            f"A function of tf.py_function or tf.numpy_function returned the shape {value.shape}, but result_shape is "
            f"{spec.shape}."
        )


def _with_reverse(results: Callable[..., list[Any]], made: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
    """Returns the results with gradients with respect to floating-point arguments: the reverse calls the function again."""
    count, kinds = len(made), [(m.shape, m.dtype) for m in made]
    types = [a.dtype for a in arrays]
    places = [i for i, a in enumerate(arrays) if _is_floating(a)]

    def gradients(*words: Any) -> list[np.ndarray]:
        inputs = [tensor(of_host_words(w, t)) for w, t in zip(words, types, strict=False)]
        wanted = [tensor(of_host_words(w, k)) for w, (_, k) in zip(words[len(types) :], floating, strict=True)]
        with GradientTape(watch_accessed_variables=False) as tape:
            watched = [inputs[i] for i in places]
            tape.watch(watched)
            targets = [r for r in map(tensor, results(*inputs)) if _is_floating(r)]
        found = tape.gradient(
            targets, watched, output_gradients=wanted, unconnected_gradients=UnconnectedGradients.ZERO
        )
        return [to_host_words(np.asarray(f)) for f in found]

    floating = [(s, k) for s, k in kinds if jnp.issubdtype(k, jnp.inexact)]

    @jax.custom_vjp
    def connected(*values: Any) -> list[Any]:
        # Whoever asks what the results depend on has to find the arguments.
        return list(lax.optimization_barrier(values)[:count])

    def forward(*values: Any) -> tuple[list[Any], tuple[Any, ...]]:
        return list(values[:count]), values[count:]

    def backward(inputs: tuple[Any, ...], cotangents: Sequence[Any]) -> tuple[Any, ...]:
        own = conjugates([c for c, m in zip(cotangents, made, strict=True) if _is_floating(m)])
        specs = [words_spec(inputs[i]) for i in places]
        words = jax.pure_callback(gradients, specs, *map(to_words, [*inputs, *own]), vmap_method="sequential")
        slopes = conjugates([of_words(w, types[i]) for i, w in zip(places, words, strict=True)])
        found = dict(zip(places, slopes, strict=True))
        return (*[None] * count, *(found.get(i) for i in range(len(types))))

    connected.defvjp(forward, backward)
    return connected(*map(lax.stop_gradient, made), *arrays)


def _is_floating(value: Any) -> bool:
    return bool(jnp.issubdtype(value.dtype, jnp.inexact))
