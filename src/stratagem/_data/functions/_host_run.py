"""Runs the calls of host functions that a traced function begins with, for one element, or for many at once."""

from collections.abc import Hashable, Sequence
from typing import Any, final

import jax
import numpy as np
from jax.tree_util import PyTreeDef

from stratagem._core.step import (
    CallResult,
    HostCall,
    HostPrefix,
    HostResults,
    SizedByContents,
    joint_form,
    static_key,
)
from stratagem._data.elements._nest import Array


@final
class HostRun:
    """The results of the calls for one element.

    of: returns a value by its name, a leaf of the element, or of a result. kind: what the trace depends on, apart from sizes
    that only contents tell.
    """

    __slots__ = ("kind", "of")

    def __init__(self, results: HostResults, kind: Hashable) -> None:
        self.of, self.kind = results.of, kind


def run(prefix: HostPrefix, leaves: Sequence[Any], *, sized: bool) -> HostRun:
    """Calls the host functions with an element's leaves. sized: sizes that only contents tell are no part of the kind.

    Raises what they raise.
    """
    made, kind_of = HostResults(leaves), _kind_with_open_sizes if sized else _kind_of_result
    kinds = tuple(made.make(call, kind_of=kind_of, as_numpy=True).kind for call in prefix.calls)
    shaped = tuple(np.shape(made.of(v)) for v in prefix.shaped)
    sizes = tuple(np.asarray(made.of(v)).tobytes() for v in prefix.sizes)
    return HostRun(made, (kinds, shaped, sizes))


def _kind_of_result(call: HostCall, leaves: Sequence[Any], structure: PyTreeDef) -> Hashable:
    """Returns the facts of a result: its structure, and the shapes and dtypes of its tensors of numbers."""
    return structure, *[_kind(leaf, open_sizes=False) for leaf in leaves]


def _kind_with_open_sizes(call: HostCall, leaves: Sequence[Any], structure: PyTreeDef) -> Hashable:
    """The same without sizes that only contents tell."""
    open_sizes = isinstance(call.function, SizedByContents)
    return structure, *[_kind(leaf, open_sizes) for leaf in leaves]


def _kind(leaf: Any, open_sizes: bool) -> Hashable:
    if not isinstance(leaf, np.ndarray | np.generic | jax.Array):  # in the order of what it costs to find out
        return static_key(leaf)
    if leaf.dtype == object:
        return "strings"
    return (leaf.dtype.str, *open_shape(np.shape(leaf), open_sizes))


def open_shape(shape: Sequence[int], open_sizes: bool) -> tuple[int | None, ...]:
    """Returns a shape with None for what only contents tell: all sizes but the last."""
    return (*(None for _ in shape[:-1]), *shape[-1:]) if open_sizes else tuple(shape)


def is_joint(prefix: HostPrefix) -> bool:
    """Returns whether all calls can be made for many elements at once: each is given one tensor, as its first argument."""
    return bool(prefix.calls) and not prefix.sizes and all(map(_is_joint, prefix.calls))


def _is_joint(call: HostCall) -> bool:
    args, _ = jax.tree.unflatten(call.structure, call.leaves)
    named = call.named
    others = [leaf for leaf in call.leaves if isinstance(leaf, np.ndarray | jax.Array)]
    alone = len(named) == 1 and bool(args) and args[0] is named[0] and not any(map(np.ndim, others))
    return alone and joint_form(call.function) is not None


def run_joint(prefix: HostPrefix, leaves: Sequence[Array]) -> HostRun | None:
    """Calls the host functions, of which all are joint, for stacked elements. Returns stacked results, with the kind of one.

    None if an argument makes that impossible for all elements. Raises for elements that `run` must take one by one.
    """
    made, count = HostResults(leaves), len(leaves[0])
    for call in prefix.calls:
        args, kwargs = jax.tree.unflatten(call.structure, call.leaves)
        form = joint_form(call.function)
        found = None if form is None else form(made.of(args[0]), *args[1:], **kwargs)
        if found is None:
            return None
        results, structure = jax.tree.flatten(found)
        stacks = [np.asarray(each) for each in results]
        if any(stack.shape[:1] != (count,) for stack in stacks):
            raise LookupError("The results are no rows.")
        made.made(CallResult(stacks, _kind_of_result(call, [stack[0, ...] for stack in stacks], structure)))
    kinds = tuple(result.kind for result in made.results)
    shaped = tuple(np.shape(made.of(v))[1:] for v in prefix.shaped)
    return HostRun(made, (kinds, shaped, ()))
