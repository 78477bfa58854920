"""The base of composite tensors, which are made of several tensors: ragged and sparse ones."""

import abc
from collections.abc import Callable
from typing import Any, Self

import jax

from stratagem._core.values._type_spec import TypeSpec


class CompositeTensor(abc.ABC):
    """A value that is made of tensors, all of which are leaves of its JAX tree: a RaggedTensor or a SparseTensor.

    For datasets it is one leaf of an element, and for gradients one tensor: its values. `_type_spec` is its static description.
    """

    __slots__ = ()
    __array_ufunc__ = None  # `array * composite` is left to this class
    __hash__ = None  # type: ignore[assignment]  # as that of other tensors

    _type_spec: TypeSpec

    @property
    @abc.abstractmethod
    def _differentiable(self) -> jax.Array:
        """The values, whose gradient is that of the whole."""

    @abc.abstractmethod
    def _with_differentiable(self, values: jax.Array) -> Self:
        """Returns the same with other values."""

    @abc.abstractmethod
    def _with_parts(self, function: Callable[[Any], Any]) -> Self:
        """Returns the composite tensor of what a function makes of each tensor or NumPy array that this one is made of."""

    def __len__(self) -> int:
        """Raises TypeError, as in TensorFlow; without this, NumPy would take a composite tensor for a list."""
        raise TypeError(f"object of type '{type(self).__name__}' has no len()")

    def __bool__(self) -> bool:
        """Raises TypeError, as in TensorFlow."""
        raise TypeError(f"`bool()` of a {type(self).__name__} is not defined. Reduce it first, as by tf.reduce_all.")
