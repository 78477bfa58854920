"""TensorSpec: the static description of a tensor."""

from typing import final

import numpy as np

from stratagem._base.types import DTypeLike, ShapeLike, TensorLike
from stratagem._core.values._tensor_shape import TensorShape


@final
class TensorSpec:
    """The shape, dtype and name of a tensor. Strings have NumPy's object dtype."""

    def __init__(self, shape: ShapeLike, dtype: DTypeLike = np.float32, name: str | None = None) -> None:
        self.shape = TensorShape(shape)
        self.dtype = np.dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: TensorLike, name: str | None = None) -> "TensorSpec":
        """The spec of exactly this tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, value: TensorLike) -> bool:
        """Returns whether a tensor or spec has this dtype and a shape that fits."""
        return np.dtype(value.dtype) == self.dtype and self.shape.is_compatible_with(value.shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return (self.shape, self.dtype, self.name) == (other.shape, other.dtype, other.name)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.name))

    def __repr__(self) -> str:
        dtype = "string" if self.dtype == object else self.dtype.name
        return f"TensorSpec(shape={self.shape}, dtype=tf.{dtype}, name={self.name!r})"
