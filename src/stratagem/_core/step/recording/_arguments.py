"""Arguments: what a program takes of a call, flat, and the shapes of its inputs."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.tree_util import PyTreeDef

from stratagem._base.types import DTypeLike
from stratagem._core.step.host._host_prefix import PrefixValues, is_strings
from stratagem._core.values import Stacked, is_per_replica


@dataclass(frozen=True)
class Arguments:
    """A call's arguments and drawn elements, flat: tensors are inputs of the program, everything else is part of it.

    Strings are neither: the host computes with them. nest: what the leaves are of: positional and keyword arguments, elements
    drawn, and what the host has computed. own: the leaves with one value for each replica. shared: those with the same value on
    all replicas. host: what the host has computed, whose numbers are the last leaves.
    """

    leaves: tuple[Any, ...]
    nest: Any
    own: Sequence[Any]
    shared: Sequence[Any]
    host: PrefixValues | None = None

    @classmethod
    def of(
        cls,
        args: Any,
        kwargs: Any,
        drawn: Any,
        host: PrefixValues | None = None,
        given: Sequence[Any] | None = None,
    ) -> "Arguments":
        """Flattens the positional and keyword arguments, the elements drawn for this call, and what the host has computed.

        given: the leaves of the arguments, if they are known.
        """
        computed = () if host is None else host.inputs
        given = jax.tree.leaves((args, kwargs)) if given is None else given
        more = jax.tree.leaves((drawn, computed)) if drawn or computed else ()
        leaves, own, shared = (*given, *more), [], []
        for leaf in leaves:
            if isinstance(leaf, jax.Array):  # most are, and every step comes here
                shared.append(leaf)
            elif is_own(leaf):
                own.append(leaf)
            elif is_tensor(leaf):
                shared.append(leaf)
        return cls(leaves, (args, kwargs, drawn, computed), own, shared, host)

    @functools.cached_property
    def structure(self) -> PyTreeDef:
        """The structure of `nest`."""
        return jax.tree.structure(self.nest)

    def filled(self, own: Sequence[Any], shared: Sequence[Any], traced: Callable[[int, Any, Any], Any]) -> Any:
        """Returns (args, kwargs, drawn, computed) with `own` and `shared` in place of the tensors.

        traced: called for every leaf but those computed, with its position, itself and its value; returns what to put there.
        """
        mine, common = iter(own), iter(shared)
        leaves = [next(mine) if is_own(v) else next(common) if is_tensor(v) else v for v in self.leaves]
        given = len(leaves) - (0 if self.host is None else len(self.host.inputs))
        found = list(map(traced, range(given), self.leaves, leaves))
        return jax.tree.unflatten(self.structure, [*found, *leaves[given:]])


def is_tensor(leaf: Any) -> bool:
    """Returns whether a leaf becomes an input of the program with one value for all replicas."""
    return isinstance(leaf, jax.Array) or (isinstance(leaf, np.ndarray | np.generic) and leaf.dtype != object)


def is_own(leaf: Any) -> bool:
    """Returns whether a leaf becomes an input of the program with one value for each replica."""
    return is_per_replica(leaf) and not is_strings(leaf)


def input_spec(shape: Sequence[int], dtype: DTypeLike) -> jax.core.ShapedArray:
    """Returns an abstract input. (For a ShapeDtypeStruct JAX would trace 32 bits instead of 64.)"""
    return jax.core.ShapedArray(tuple(shape), np.dtype(dtype))


def own_specs(own: Sequence[Any], replica: int = 0) -> list[jax.core.ShapedArray]:
    """Returns the shapes and dtypes of one replica's own inputs."""
    return [
        input_spec(v.array.shape[1:], v.array.dtype)
        if isinstance(v, Stacked)
        else input_spec(v.shapes[replica], v.values[0].dtype)
        for v in own
    ]
