"""UnknownSizes: the shape of a tensor in the trace of a function that is exported, whose sizes may be symbols."""

from collections.abc import Iterator, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from stratagem._base.types import DTypeLike
from stratagem._core.values import map_structure


def is_symbolic(size: Any) -> bool:
    """Returns whether a size is unknown, as in exports: a symbol, with which JAX computes."""
    return bool(export.is_symbolic_dim(size))


@final
class UnknownSizes:
    """A 1-D tensor of sizes of which some are symbols. Taken from it, they can be parts of other shapes.

    dtype: that of the tensor.
    """

    def __init__(self, sizes: Sequence[Any], dtype: DTypeLike) -> None:
        self._sizes, self.dtype = tuple(sizes), np.dtype(dtype)

    @property
    def shape(self) -> tuple[int]:
        """The shape of the tensor."""
        return (len(self._sizes),)

    @property
    def ndim(self) -> int:
        """1."""
        return 1

    def __len__(self) -> int:
        return len(self._sizes)

    def __iter__(self) -> Iterator[Any]:
        """Yields the sizes."""
        return iter(self._sizes)

    def __getitem__(self, key: Any) -> Any:
        """Returns one size, or several."""
        found = self._sizes[key]
        return UnknownSizes(found, self.dtype) if isinstance(found, tuple) else found

    def __jax_array__(self) -> jax.Array:
        return jnp.stack([jnp.asarray(size, self.dtype) for size in self._sizes])


def with_tensors(result: Any) -> Any:
    """Returns a function's result with tensors in place of unknown sizes."""
    leaves = jax.tree.leaves(result)
    if not any(isinstance(leaf, UnknownSizes) or is_symbolic(leaf) for leaf in leaves):
        return result
    return map_structure(_as_tensor, result)


def _as_tensor(leaf: Any) -> Any:
    if isinstance(leaf, UnknownSizes):
        return leaf.__jax_array__()
    return jnp.asarray(leaf, np.int32) if is_symbolic(leaf) else leaf
