"""`tf.print`: prints when the program runs, also from inside a compiled step, in TensorFlow's format."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

from stratagem import _context
from stratagem._paths import local_path
from stratagem.ops._convert import is_tensor, is_traced, tensor


def print(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> None:
    """Print tensors and anything else, on the standard error stream if no other is given.

    Inside a compiled step it prints on every run, once a replica; several prints of one run may come in any order.
    output_stream: a file object, a function that takes the text (`logging.info`), or "file:///path" to append to.
    summarize: how many entries of each dimension's start and end are shown; -1 shows all.
    """
    leaves, structure = jax.tree.flatten(inputs, is_leaf=lambda v: v is None)
    places = [i for i, leaf in enumerate(leaves) if is_tensor(leaf)]
    arrays = [tensor(leaves[i]) for i in places]

    def show(*values: Any) -> None:
        mine = list(leaves)  # replicas print at the same time
        for place, value in zip(places, values, strict=True):
            mine[place] = np.asarray(value)
        parts = jax.tree.unflatten(structure, mine)
        _write(sep.join(as_text(p, summarize) for p in parts) + end, output_stream)

    if _context.current().recorder is not None or is_traced(arrays):
        jax.debug.callback(show, *arrays)
    else:
        show(*arrays)


def _write(text: str, stream: Any) -> None:
    if isinstance(stream, str):
        with Path(local_path(stream)).open("a", encoding="utf-8") as file:
            file.write(text)
    elif callable(stream):
        stream(text)
    else:
        terminal = sys.stderr if stream is None else stream
        terminal.write(text)
        terminal.flush()


def as_text(value: Any, summarize: int = 3) -> str:
    """One argument of `tf.print` as text: tensors by TF's rules, structures of them, anything else by `str`."""
    if isinstance(value, np.ndarray | np.generic):
        return _array(np.asarray(value), summarize, 0)

    def inner(part: Any) -> str:
        return repr(part) if isinstance(part, str) else as_text(part, summarize)

    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {inner(v)}" for key, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inner, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(inner, value)) + ("," if len(value) == 1 else "") + ")"
    return str(value)


def _array(array: np.ndarray, summarize: int, depth: int) -> str:
    if not array.ndim:
        return _element(array[()])
    count = len(array)
    shown: list[int | None] = list(range(count))
    if summarize >= 0 and 2 * summarize < count:
        shown = [*range(summarize), None, *range(count - summarize, count)]
    parts = ["..." if i is None else _array(array[i, ...], summarize, depth + 1) for i in shown]
    between = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (depth + 1)
    return "[" + between.join(parts) + "]"


def _element(value: Any) -> str:
    if isinstance(value, bytes):
        return f'"{value.decode(errors="replace")}"'
    if isinstance(value, np.bool_):
        return str(int(value))
    if not jax.numpy.issubdtype(np.asarray(value).dtype, np.floating):
        return str(value)
    # TF shows the few digits that suffice for most numbers, and all of them where they do not.
    wide: Callable[[Any], Any] = np.float64 if isinstance(value, np.float64) else np.float32
    few, all_digits = (15, 17) if wide is np.float64 else (6, 9)
    text = f"{float(value):.{few}g}"
    return text if wide(text) == wide(value) or np.isnan(value) else f"{float(value):.{all_digits}g}"
