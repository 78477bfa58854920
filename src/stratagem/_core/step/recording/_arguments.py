"""Arguments: what a program takes of a call, flat, and the shapes of its inputs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from stratagem._base.types import DTypeLike
from stratagem._core.step.host._host_prefix import PrefixValues, is_strings
from stratagem._core.values import Stacked, is_per_replica

# Shape and dtype of an input of a program.
InputSpec = tuple[tuple[Any, ...], np.dtype]


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

    @property
    def drawn(self) -> Sequence[Any]:
        """The elements that were drawn for the call."""
        return self.nest[2]

    @property
    def given(self) -> int:
        """The number of leaves of the positional and keyword arguments, which come first."""
        return len(jax.tree.leaves(self.nest[:2]))

    def recorded(self, leaf_of: Callable[[int, Any], Any]) -> Any:
        """Returns (args, kwargs) as the code gets them. leaf_of: returns what stands for a leaf, given its position and it."""
        leaves, structure = jax.tree.flatten(self.nest[:2])
        return jax.tree.unflatten(structure, map(leaf_of, range(len(leaves)), leaves))

    def specs(self, replica: int = 0) -> tuple[InputSpec, ...]:
        """Returns the shapes and dtypes of the inputs of one replica, its own first."""
        return input_specs([*self.own, *self.shared], replica)


def is_tensor(leaf: Any) -> bool:
    """Returns whether a leaf becomes an input of the program with one value for all replicas."""
    return isinstance(leaf, jax.Array) or (isinstance(leaf, np.ndarray | np.generic) and leaf.dtype != object)


def is_own(leaf: Any) -> bool:
    """Returns whether a leaf becomes an input of the program with one value for each replica."""
    return is_per_replica(leaf) and not is_strings(leaf)


def input_spec(shape: Sequence[int], dtype: DTypeLike) -> jax.core.ShapedArray:
    """Returns an abstract input. (For a ShapeDtypeStruct JAX would trace 32 bits instead of 64.)"""
    return jax.core.ShapedArray(tuple(shape), np.dtype(dtype))


def input_specs(leaves: Sequence[Any], replica: int = 0) -> tuple[InputSpec, ...]:
    """Returns the shapes and dtypes of one replica's inputs. leaves: tensors, or values that each replica has its own of."""
    return tuple(
        (tuple(v.array.shape[1:]), np.dtype(v.array.dtype))
        if isinstance(v, Stacked)
        else (tuple(v.shapes[replica]), np.dtype(v.values[0].dtype))
        if is_own(v)
        else (tuple(v.shape), np.dtype(v.dtype))
        for v in leaves
    )
