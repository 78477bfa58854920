"""Runs the calls of a table with a library, and writes their answers as JSON can hold them."""

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.drawn.draws import Built, Draw, Function


def answer(tf: Any, function: Function, number: int, *, compiled: bool = False) -> Any:
    """What a call returns, its gradients too if they are asked for, or `{"error": class}`."""
    args, kwargs = function.call(Draw(function.name, number))
    kwargs = {key: tf.as_dtype(v) if key == "dtype" and isinstance(v, str) else v for key, v in kwargs.items()}
    called = functools.partial(function.called, tf) if function.called else named(tf, function.name)
    arrays = list(arrays_of(list(args)))

    def run(*tensors: Any) -> Any:
        result = called(*with_tensors(tf, args, iter(tensors)), **kwargs)
        return function.compared(tf, result, *tensors) if function.compared else result

    def run_with_gradients(*tensors: Any) -> Any:
        watched = [t for t in tensors if tf.as_dtype(t.dtype).is_floating]
        with tf.GradientTape() as tape:
            tape.watch(watched)
            result = run(*tensors)
            sums = [tf.reduce_sum(leaf) for leaf in flat(result) if tf.as_dtype(leaf.dtype).is_floating]
            total = sum(sums)
        if not sums or not watched:
            return result
        found = tape.gradient(total, watched)
        return result, [g if g is None else tf.convert_to_tensor(g) for g in found]  # IndexedSlices become dense

    body = run_with_gradients if function.gradients else run
    try:
        return written((tf.function(body) if compiled else body)(*(tf.constant(v) for v in arrays)))
    except Exception as error:
        return {"error": type(error).__name__}


def named(tf: Any, name: str) -> Any:
    return functools.reduce(getattr, name.split("."), tf)


def arrays_of(args: Any) -> Iterator[np.ndarray]:
    """The arrays among arguments, also in lists and in what is `Built`."""
    if isinstance(args, np.ndarray):
        yield args
    elif isinstance(args, list | tuple | Built):
        for arg in args.args if isinstance(args, Built) else args:
            yield from arrays_of(arg)


def with_tensors(tf: Any, args: Any, tensors: Iterator[Any]) -> Any:
    """The arguments with tensors in place of the arrays."""
    if isinstance(args, Built):
        return named(tf, args.name)(*with_tensors(tf, args.args, tensors), **args.kwargs)
    if isinstance(args, list | tuple):
        return type(args)(with_tensors(tf, v, tensors) for v in args)
    return next(tensors) if isinstance(args, np.ndarray) else args


def flat(result: Any) -> list[Any]:
    """The tensors of a result, which may be a list or tuple; of a ragged or sparse one its values."""
    if hasattr(result, "flat_values"):
        return [result.flat_values]
    if hasattr(result, "dense_shape"):
        return [result.values]
    return [leaf for item in result for leaf in flat(item)] if isinstance(result, list | tuple) else [result]


def written(result: Any) -> Any:
    """A result as JSON: structures as lists, tensors as [dtype, shape, numbers]; ragged and sparse ones as their parts."""
    if result is None or isinstance(result, str):
        return result
    if isinstance(result, list | tuple):
        return {"items": [written(v) for v in result]}
    if hasattr(result, "_asdict"):
        return {"items": [written(v) for v in result]}
    if hasattr(result, "flat_values"):
        return {"items": [written(result.flat_values), *map(written, result.nested_row_splits)]}
    if hasattr(result, "dense_shape"):
        return {"items": [written(result.indices), written(result.values), written(result.dense_shape)]}
    array = np.asarray(result)
    return [array.dtype.name, list(array.shape), [_number(v) for v in array.ravel()]]


def _number(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, complex | np.complexfloating):
        return [_number(value.real), _number(value.imag)]
    if not math.isfinite(value):
        return str(float(value))
    return float(f"{value:.9g}") if np.asarray(value).dtype in (np.float32, np.float16) else float(repr(float(value)))


def difference(found: Any, wanted: Any, within: Any) -> str | None:
    """In words what differs between two written answers, or None."""
    if isinstance(found, dict) or isinstance(wanted, dict) or found is None or wanted is None:
        return _structures_differ(found, wanted, within)
    if found[:2] != wanted[:2]:
        return f"{found[:2]}, not {wanted[:2]}"
    ours, theirs = _array(found), _array(wanted)
    if ours.dtype.kind not in "fc":
        return None if ours.tolist() == theirs.tolist() else f"{ours.tolist()}, not {theirs.tolist()}"
    tolerance = within.get(wanted[0].replace("complex64", "float32").replace("complex128", "float64"), 1e-2)
    finite = np.abs(theirs[np.isfinite(theirs)])
    if np.allclose(ours, theirs, rtol=tolerance, atol=tolerance * np.max(finite, initial=0.0), equal_nan=True):
        return None
    return f"{ours.tolist()}, not {theirs.tolist()}"


def _structures_differ(found: Any, wanted: Any, within: Any) -> str | None:
    if isinstance(found, dict) and isinstance(wanted, dict) and found.keys() == wanted.keys():
        if "error" in found:
            return None  # tests of failures look at the classes
        if len(found["items"]) == len(wanted["items"]):
            pairs = zip(found["items"], wanted["items"], strict=True)
            return next((said for a, b in pairs if (said := difference(a, b, within))), None)
    return None if found == wanted else f"{found}, not {wanted}"


def _array(answer: Any) -> np.ndarray:
    dtype, shape, numbers = answer
    if dtype.startswith("complex"):
        numbers = [complex(float(re), float(im)) for re, im in numbers]
    elif dtype.startswith(("float", "bfloat")):
        numbers = [float(v) for v in numbers]
    else:
        return np.array(numbers, object if dtype == "object" else dtype).reshape(shape)
    return np.array(numbers, np.complex128 if dtype.startswith("complex") else np.float64).reshape(shape)
