"""Nested structures under the names of `tf.nest`: lists, tuples and dictionaries of anything; None is a leaf."""

from collections.abc import Callable, Sequence
from typing import Any

import jax


def _leaf(value: Any) -> bool:
    return value is None


def _shape(structure: Any) -> Any:
    return jax.tree.structure(structure, is_leaf=_leaf)


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves in order, dictionaries by sorted key."""
    return jax.tree.leaves(structure, is_leaf=_leaf)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """The structure of `func` of the corresponding leaves. Raises ValueError for different structures."""
    return jax.tree.map(func, *structure, is_leaf=_leaf)


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False) -> Any:
    """The leaves in the structure. Raises ValueError for another number of them."""
    shape = _shape(structure)
    if shape.num_leaves != len(flat_sequence):
        raise ValueError(f"{len(flat_sequence)} values for a structure of {shape.num_leaves} leaves: {structure}.")
    return jax.tree.unflatten(shape, flat_sequence)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raises ValueError unless both have the same structure."""
    first, second = _shape(nest1), _shape(nest2)
    if first != second:
        raise ValueError(f"The two structures don't have the same nested structure: {first} and {second}.")


def is_nested(seq: Any) -> bool:
    """True for lists, tuples and dictionaries (anything that JAX calls a tree)."""
    return not jax.tree_util.all_leaves([seq], is_leaf=_leaf)
