"""Arguments: a call's arguments and drawn elements, flat, and the shapes of a program's inputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.tree_util import PyTreeDef

from stratagem._base.types import DTypeLike, Nest
from stratagem._core.values import Stacked, is_per_replica


@dataclass(frozen=True)
class Arguments:
    """A call's arguments and drawn elements, flat: tensors are inputs of the program, everything else is part of it."""

    leaves: tuple[Nest, ...]
    structure: PyTreeDef

    @classmethod
    def of(cls, args: Nest, kwargs: Nest, drawn: Nest) -> "Arguments":
        """Flattens the positional and keyword arguments and the elements drawn for this call."""
        leaves, structure = jax.tree.flatten((args, kwargs, drawn), is_leaf=is_per_replica)
        return cls(tuple(leaves), structure)

    @property
    def own(self) -> list[Nest]:
        """The leaves with one value for each replica."""
        return [v for v in self.leaves if is_per_replica(v)]

    @property
    def shared(self) -> list[Nest]:
        """The leaves with the same value on all replicas."""
        return [v for v in self.leaves if is_tensor(v)]

    def filled(self, own: Sequence[Nest], shared: Sequence[Nest]) -> Nest:
        """Returns (args, kwargs, drawn) with other values in place of the tensors."""
        mine, common = iter(own), iter(shared)
        leaves = [next(mine) if is_per_replica(v) else next(common) if is_tensor(v) else v for v in self.leaves]
        return jax.tree.unflatten(self.structure, leaves)


def is_tensor(leaf: Any) -> bool:
    """Returns whether a leaf becomes an input of the program with one value for all replicas."""
    return isinstance(leaf, jax.Array | np.ndarray | np.generic) and leaf.dtype != object


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
