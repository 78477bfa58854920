"""What a program gives, as JSON: the same for TensorFlow and for Stratagem."""

import collections
import functools
import inspect
import itertools
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

# Called with the library and its Dataset and, if it takes that, an empty folder; gives a dataset, or facts about one.
Program = Callable[..., Any]

MOST = 12  # elements that are looked at: some datasets never end


def answer(program: Program, tf: Any) -> dict[str, Any]:
    """The result, or the error's type; of a dataset its facts, and its elements up to the error."""
    with tempfile.TemporaryDirectory() as folder:
        needed = [p for p in inspect.signature(program).parameters.values() if p.default is p.empty]
        places = (folder,) if len(needed) == 3 else ()
        return _answer(functools.partial(program, tf, tf.data.Dataset, *places), tf)


def _answer(program: Callable[[], Any], tf: Any) -> dict[str, Any]:
    try:
        result = program()
    except Exception as error:
        return {"refused": type(error).__name__}
    if not isinstance(result, tf.data.Dataset):
        return {"result": plain(result)}
    found = {"spec": spec(result), "cardinality": int(result.cardinality()), "elements": []}
    try:
        for element in itertools.islice(result, MOST):
            found["elements"].append(plain(element))
    except Exception as error:
        found["error"] = type(error).__name__
    return found


def spec(dataset: Any) -> Any:
    """The element spec as JSON, or the type of the error that asking for it raises."""
    try:
        return plain(dataset.element_spec)
    except Exception as error:
        return {"error": type(error).__name__}


def plain(value: Any) -> Any:
    """A nest as JSON: arrays with their dtypes, bytes as Latin-1, datasets as their elements."""
    if isinstance(value, Mapping):
        # An ordinary dict has no order that counts: `tf.nest` sorts it.
        items = value.items() if isinstance(value, collections.OrderedDict) else sorted(value.items())
        return {type(value).__name__: [[key, plain(v)] for key, v in items]}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {type(value).__name__: [plain(v) for v in value]}
    if isinstance(value, tuple):
        return {"tuple": [plain(v) for v in value]}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, str | int | float) or value is None:
        return value
    if type(value).__name__ == "DatasetSpec":
        return {"dataset": plain(value.element_spec)}
    if type(value).__name__ == "TensorSpec":
        shape = None if value.shape.rank is None else value.shape.as_list()
        return {"spec": shape, "dtype": _name(value.dtype)}
    if hasattr(value, "as_numpy_iterator"):
        return {"elements": [plain(element) for element in itertools.islice(value, MOST)]}
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    if array.dtype.kind in "SO":
        flat = [text.decode("latin-1") for text in np.ravel(np.asarray(array, object)).tolist()]
        return {"dtype": "string", "shape": list(array.shape), "value": flat}
    flat = [str(v) for v in np.ravel(array).tolist()]  # as text: JSON knows no inf
    return {"dtype": array.dtype.name, "shape": list(array.shape), "value": flat}


def _name(dtype: Any) -> str:
    name = str(dtype.name)
    return "string" if name == "object" else name


def items(dataset: Any) -> list[Any]:
    """The elements as NumPy."""
    return list(dataset.as_numpy_iterator())


def numbers(dataset: Any) -> list[int]:
    """Elements that are scalars, as Python ints."""
    return [int(number) for number in dataset.as_numpy_iterator()]


def order(dataset: Any, length: int, buffer: int) -> dict[str, Any]:
    """What is sure about two epochs, of `length` numbers each from 0 on, of a dataset shuffled with a buffer."""
    epochs = [numbers(dataset), numbers(dataset)]
    inside = all(n % length < i % length + buffer for epoch in epochs for i, n in enumerate(epoch))
    return {
        "numbers": [sorted(epoch) for epoch in epochs],
        "same order": epochs[0] == epochs[1],
        "straight": epochs[0] == sorted(epochs[0]),
        "never before it was in the buffer": inside,
        "earliest": min(epochs[0][:length] or [0]),
    }


def outcome(call: Callable[[], Any]) -> Any:
    """A result, or the type of the error."""
    try:
        return call()
    except Exception as error:
        return {"error": type(error).__name__}
