"""Elements are nests of tuples, named tuples and dicts; their leaves are NumPy arrays inside the pipeline.

A leaf is never written to, so that it may be shared by a source, a cache, a buffer and a batch. What comes from
user code is copied on the way in unless nobody can write to it; what user code may write to is copied on the way out.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from stratagem.pipeline._spec import TensorSpec

Array = NDArray[Any]
Nest = Any


def leaves(nest: Nest) -> list[Any]:
    """The leaves of a nest; a list is one leaf, as it stands for a tensor."""
    return jax.tree.leaves(nest, is_leaf=_is_list)


def convert(nest: Nest) -> Nest:
    """What user code gave, as a nest of arrays that nobody can write to."""
    return jax.tree.map(lambda leaf: frozen(to_numpy(leaf)), nest, is_leaf=_is_list)


def to_numpy(value: Any) -> Array:
    """TensorFlow's conversion: Python ints become int32, floats float32, strings bytes; arrays keep their dtype."""
    array = np.asarray(value)
    if array.dtype.kind in "US":
        return _as_bytes(array)
    if array.dtype == object:
        if not all(isinstance(v, bytes | str) for v in array.flat):
            raise TypeError(
                f"A value of type {type(value).__name__} cannot become a tensor: {value!r:.200}. "
                "Give numbers, booleans, strings or arrays of them, of equal lengths."
            )
        return _as_bytes(array)
    return _narrow(array) if _is_plain(value) else array


def frozen(array: Array) -> Array:
    """The array itself when nobody can write to its memory, else a copy that nobody can write to."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            copy = np.array(array)
            copy.setflags(write=False)
            return copy
        owner = owner.base
    return array


def to_jax(nest: Nest) -> Nest:
    """The nest with jax.Arrays of exactly the same dtypes; strings stay NumPy."""
    return jax.tree.map(lambda leaf: leaf if leaf.dtype == object else jnp.asarray(leaf, dtype=leaf.dtype), nest)


def to_own_numpy(nest: Nest) -> Nest:
    """The nest with arrays that the receiver may write to, and NumPy scalars for scalars."""
    return jax.tree.map(_owned, nest)


def spec_of(nest: Nest) -> Nest:
    """The specs of the arrays of a nest."""
    return jax.tree.map(TensorSpec.from_tensor, nest)


def rows_of(nest: Nest) -> list[Nest]:
    """The rows of a nest of arrays with equal first dimensions, as views."""
    arrays, structure = jax.tree.flatten(nest)
    if len(arrays) == 1:
        return [jax.tree.unflatten(structure, (row,)) for row in _rows(arrays[0])]
    return [jax.tree.unflatten(structure, rows) for rows in zip(*map(_rows, arrays), strict=True)]


def _rows(array: Array) -> list[Array]:
    return [array[i, ...] for i in range(len(array))]


def _owned(leaf: Array) -> Any:
    if leaf.ndim == 0:
        return leaf[()]
    return leaf if leaf.flags.owndata and leaf.flags.writeable else leaf.copy()


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_plain(value: Any) -> bool:
    """True for Python scalars and lists of them; `np.float64` is a float, but it knows its dtype."""
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return type(value) in (int, float, bool, complex)


def _narrow(array: Array) -> Array:
    if array.dtype == np.float64:
        return array.astype(np.float32)
    if array.dtype == np.int64:
        limits = np.iinfo(np.int32)
        fits = array.size == 0 or (array.min() >= limits.min and array.max() <= limits.max)
        return array.astype(np.int32) if fits else array
    return array.astype(np.complex128) if array.dtype.kind == "c" else array


def _as_bytes(array: Array) -> Array:
    result = np.empty(array.shape, dtype=object)
    flat = result.reshape(-1)
    for i, text in enumerate(array.reshape(-1)):
        flat[i] = text.encode() if isinstance(text, str) else bytes(text)
    return result
