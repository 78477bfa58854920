"""`tf.print`: prints in TensorFlow's format when the program runs, even inside a compiled step."""

import functools
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.paths import local_path
from stratagem._core.context import current
from stratagem._core.step import TracedStrings
from stratagem._core.values import as_text
from stratagem._ops._convert import is_tensor, is_traced, tensor


@exported("print")
def print(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> Any:
    """Prints tensors and other objects, by default to the standard error stream.

    Inside a compiled step it prints on every run, once per replica; several prints of one run may come in any order.
    In a graph that sessions run it is an operation, which is returned.

    output_stream: a file object, a function that takes the text (`logging.info`), or "file:///path" to append to.
    summarize: how many entries of each dimension's start and end are shown; -1 shows all.
    """
    leaves, structure = jax.tree.flatten(inputs, is_leaf=lambda v: v is None)
    places = [i for i, leaf in enumerate(leaves) if is_tensor(leaf)]
    if strings := [leaf for leaf in leaves if isinstance(leaf, TracedStrings)]:
        strings[0].numpy()  # which only Python has
    arrays = [tensor(leaves[i]) for i in places]

    def show(*values: Any) -> None:
        mine = list(leaves)  # replicas print at the same time
        for place, value in zip(places, values, strict=True):
            mine[place] = np.asarray(value)
        parts = jax.tree.unflatten(structure, mine)
        _write(sep.join(as_text(p, summarize) for p in parts) + end, output_stream)

    if current().recorder is None and not is_traced(arrays):
        return show(*arrays)
    graph = current().graph
    later = functools.partial(jax.debug.callback, show, *arrays)
    return later() if graph is None else graph.deferred("PrintV2", later)


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
