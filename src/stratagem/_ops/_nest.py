"""Functions of `tf.nest`, for nested lists, tuples and dictionaries of anything; None and shapes are leaves."""

from collections.abc import Callable, Sequence
from typing import Any

import jax

from stratagem._base.exports import exported
from stratagem._core.values import TensorShape


def _leaf(value: Any) -> bool:
    return value is None or type(value) is TensorShape


def _shape(structure: Any) -> Any:
    return jax.tree.structure(structure, is_leaf=_leaf)


@exported("nest.flatten")
def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves in order, those of dictionaries by sorted key."""
    return jax.tree.leaves(structure, is_leaf=_leaf)


@exported("nest.map_structure")
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: object) -> Any:
    """Applies `func` to corresponding leaves; returns the results in the same structure. Raises ValueError if they differ."""
    return jax.tree.map(func, *structure, is_leaf=_leaf)


@exported("nest.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False) -> Any:
    """Arranges the leaves in the structure. Raises ValueError if their number is wrong."""
    shape = _shape(structure)
    if shape.num_leaves != len(flat_sequence):
        raise ValueError(f"{len(flat_sequence)} values for a structure of {shape.num_leaves} leaves: {structure}.")
    return jax.tree.unflatten(shape, flat_sequence)


@exported("nest.assert_same_structure")
def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raises ValueError unless both have the same structure."""
    first, second = _shape(nest1), _shape(nest2)
    if first != second:
        raise ValueError(f"The two structures don't have the same nested structure: {first} and {second}.")


@exported("nest.is_nested")
def is_nested(seq: Any) -> bool:
    """Returns whether `seq` is a list, tuple or dictionary (anything that JAX calls a tree)."""
    return not jax.tree_util.all_leaves([seq], is_leaf=_leaf)
