"""TensorSpec: the static description of a tensor."""

from collections.abc import Sequence
from typing import Any, final

import jax
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.values._tensor_shape import TensorShape
from stratagem._core.values._type_spec import TypeSpec, dtype_text


@exported("TensorSpec")
@final
class TensorSpec(TypeSpec):
    """The shape, dtype and name of a tensor. Strings have NumPy's object dtype."""

    def __init__(self, shape: ShapeLike | None, dtype: DTypeLike = np.float32, name: str | None = None) -> None:
        self.shape = TensorShape(shape)
        self.dtype = np.dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> "TensorSpec":
        """The spec of exactly this tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    @property
    def value_type(self) -> type[jax.Array]:
        """The class of tensors."""
        return jax.Array

    def _parts(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.name

    def is_subtype_of(self, other: Any) -> bool:
        """Returns whether every tensor of this spec is one of the other. If this spec has a name, both need the same one."""
        if not isinstance(other, TensorSpec) or self.name not in (None, other.name):
            return False
        return self.dtype == other.dtype and self.shape.is_subtype_of(other.shape)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> "TensorSpec | None":
        """Returns the spec with this dtype and what the shapes have in common; None if dtypes or names differ."""
        if not all(isinstance(other, TensorSpec) and other.dtype == self.dtype for other in others):
            return None
        if any(other.name != self.name for other in others):
            return None
        shape = self.shape.most_specific_common_supertype([other.shape for other in others])
        return None if shape is None else TensorSpec(shape, self.dtype, self.name)

    def is_compatible_with(self, value: Any) -> bool:
        """Returns whether a tensor or spec has this dtype and a shape that fits."""
        return np.dtype(value.dtype) == self.dtype and self.shape.is_compatible_with(value.shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return (self.shape, self.dtype, self.name) == (other.shape, other.dtype, other.name)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.name))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={dtype_text(self.dtype)}, name={self.name!r})"
