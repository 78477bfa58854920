"""Runs the calls of host functions that a traced function begins with, for one element."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np

from stratagem._core.step import HostCall, HostPrefix, HostValue, SizedByContents, static_key

_LEAF = jax.tree.structure(0)


@final
@dataclass(frozen=True)
class HostRun:
    """The results of the calls for one element: the leaves of the results, by call, and the kinds of these.

    kind: what the trace depends on, apart from sizes that only contents tell.
    """

    leaves: Sequence[Any]
    results: list[list[Any]]
    kind: Hashable

    def of(self, value: HostValue) -> Any:
        """Returns a value by its name: a leaf of the element, or of a result."""
        return self.leaves[value.leaf] if value.call < 0 else self.results[value.call][value.leaf]


def run(prefix: HostPrefix, leaves: Sequence[Any], *, sized: bool) -> HostRun:
    """Calls the host functions with an element's leaves. sized: sizes that only contents tell are no part of the kind.

    Raises what they raise.
    """
    made = HostRun(leaves, [], None)
    kinds: list[Hashable] = []
    for call in prefix.calls:
        open_sizes = sized and isinstance(call.function, SizedByContents)
        found, structure = _called(call, made)
        made.results.append(found)
        kinds.append((structure, *(_kind(leaf, open_sizes) for leaf in found)))
    shaped = tuple(np.shape(made.of(v)) for v in prefix.shaped)
    sizes = tuple(np.asarray(made.of(v)).tobytes() for v in prefix.sizes)
    return HostRun(leaves, made.results, (tuple(kinds), shaped, sizes))


def _called(call: HostCall, made: HostRun) -> tuple[list[Any], Hashable]:
    result = call.made_of(made.of, as_numpy=True)
    if isinstance(result, np.ndarray | jax.Array):
        return [result], _LEAF
    return jax.tree.flatten(result)


def _kind(leaf: Any, open_sizes: bool) -> Hashable:
    if not isinstance(leaf, np.ndarray | np.generic | jax.Array):  # in the order of what it costs to find out
        return static_key(leaf)
    if leaf.dtype == object:
        return "strings"
    return (leaf.dtype.str, *open_shape(np.shape(leaf), open_sizes))


def open_shape(shape: Sequence[int], open_sizes: bool) -> tuple[int | None, ...]:
    """Returns a shape with None for what only contents tell: all sizes but the last."""
    return (*(None for _ in shape[:-1]), *shape[-1:]) if open_sizes else tuple(shape)
