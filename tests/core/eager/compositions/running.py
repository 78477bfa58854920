"""Runs a program in one of its forms, and writes down what it gives."""

import math
from typing import Any

import numpy as np

from tests.core.eager.compositions.generate import Program

FORMS = ("eager", "function", "strategy")
SMALL = 0.1  # inputs are about 1: what is smaller is what sums have left
OTHER = {"float32": "float64", "float64": "float32"}


def forms(program: Program) -> tuple[str, ...]:
    """How a program can run."""
    return FORMS[:1] if program.decides else FORMS


def tolerance(program: Program) -> float:
    """How far its numbers may be from TensorFlow's."""
    return 1e-6 if program.main == "float32" or program.mixed else 1e-12


def run(tf: Any, program: Program, form: str, *, main: str | None = None, other: str | None = None) -> Any:
    """Returns what `program` gives with library `tf`. main, other: other dtypes than its own."""
    main = main or program.main
    names = {"tf": tf, "main": getattr(tf, main), "other": getattr(tf, other or OTHER[main])}
    exec(compile(program.text, f"<program {program.index}>", "exec"), names)
    function, inputs = names["program"], names["inputs"]
    match form:
        case "eager":
            return function(*inputs)
        case "function":
            return tf.function(function)(*inputs)
        case _:
            return tf.distribute.get_strategy().run(function, args=inputs)


def plain(result: Any) -> Any:
    """A result as JSON: structures with [dtype, shape, numbers] for tensors."""
    if result is None:
        return None
    if isinstance(result, dict):
        return {key: plain(value) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return {"items": [plain(value) for value in result]}
    array = np.asarray(result)
    return [array.dtype.name, list(array.shape), [_short(x, array.dtype) for x in array.ravel()]]


def _short(number: Any, dtype: Any) -> float | str:
    value = float(number)
    return float(f"{value:.9g}" if dtype == np.float32 else repr(value)) if math.isfinite(value) else str(value)


def leaves(answer: Any, path: str = "") -> list[tuple[str, Any]]:
    """The tensors and Nones of a plain result, each with its place in the structure."""
    if isinstance(answer, dict):
        items = enumerate(answer["items"]) if "items" in answer else answer.items()
        return [leaf for key, value in items for leaf in leaves(value, f"{path}/{key}")]
    return [(path, answer)]


def difference(found: Any, wanted: Any, within: float) -> str | None:
    """What differs between two plain results.

    Numbers may differ by `within` of themselves, or of the largest number of their tensor, which a sum may have lost.
    """
    ours, theirs = leaves(found), leaves(wanted)
    if [path for path, _ in ours] != [path for path, _ in theirs]:
        return f"structure {[path for path, _ in ours]}, not {[path for path, _ in theirs]}"
    for (path, one), (_, other) in zip(ours, theirs, strict=True):
        if one is None or other is None:
            if one is not other:
                return f"{path}: {_words(one)}, not {_words(other)}"
        elif one[:2] != other[:2]:
            return f"{path}: {one[:2]}, not {other[:2]}"
        elif said := _numbers_differ(one[2], other[2], within):
            return f"{path}: {said}"
    return None


def _words(leaf: Any) -> str:
    return "None" if leaf is None else f"{leaf[0]}{leaf[1]} {leaf[2][:4]}"


def _numbers_differ(one: list[Any], other: list[Any], within: float) -> str | None:
    ours, theirs = np.array(one, np.float64), np.array(other, np.float64)
    size = np.max(np.abs(theirs), initial=0.0, where=np.isfinite(theirs))
    if np.allclose(ours, theirs, rtol=within, atol=within * max(size, SMALL), equal_nan=True):
        return None
    with np.errstate(all="ignore"):
        worst = np.nanmax(np.abs(ours - theirs)) / max(size, SMALL)
    return f"{ours[:6]}, not {theirs[:6]} (off by {worst:.1e} of the size)"
