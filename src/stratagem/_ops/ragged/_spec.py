"""`tf.RaggedTensorSpec`: the static description, or spec, of a RaggedTensor."""

from typing import Any, final

import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.values import TensorShape, TypeSpec
from stratagem._ops._dtypes import as_dtype
from stratagem._ops.ragged._ragged_tensor import RaggedTensor
from stratagem._ops.ragged._row_splits import splits_dtype


@exported("RaggedTensorSpec")
@final
class RaggedTensorSpec(TypeSpec):
    """The shape, the dtypes of values and row splits, and the number of ragged dimensions of a `tf.RaggedTensor`.

    ragged_rank: by default all dimensions of the shape but the first are ragged. Raises ValueError without shape and
    ragged_rank, for a `ragged_rank` that the shape does not have, and for flat values of another dtype.
    """

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = np.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = np.int64,
        flat_values_spec: TypeSpec | None = None,
    ) -> None:
        self.shape, self.row_splits_dtype = TensorShape(shape), splits_dtype(row_splits_dtype)
        spec: Any = flat_values_spec
        self.dtype = as_dtype(dtype).dtype if spec is None else np.dtype(spec.dtype)
        self.flat_values_spec = spec
        rank = self.shape.rank
        if ragged_rank is None and rank is None:
            raise ValueError("Must specify ragged_rank or a shape with a known rank for a RaggedTensorSpec.")
        self.ragged_rank = max(rank - 1, 0) if ragged_rank is None else int(ragged_rank)  # type: ignore[operator]
        if rank is not None and self.ragged_rank >= max(rank, 1):
            raise ValueError(f"ragged_rank {self.ragged_rank} is not less than the rank of {self.shape}.")

    @staticmethod
    def from_value(value: RaggedTensor) -> "RaggedTensorSpec":
        """Returns the spec of a ragged tensor. Raises TypeError for what is none."""
        if not isinstance(value, RaggedTensor):
            raise TypeError(f"Expected RaggedTensor, got {type(value).__name__}")
        return RaggedTensorSpec(value.shape, value.dtype, value.ragged_rank, value._splits.dtype)

    @property
    def value_type(self) -> type:
        """RaggedTensor."""
        return RaggedTensor

    def _parts(self) -> tuple[Any, ...]:
        found = self.shape, self.dtype, self.ragged_rank, self.row_splits_dtype
        return found if self.flat_values_spec is None else (*found, self.flat_values_spec)


# Here, because a tensor's file is below that of its spec.
RaggedTensor._type_spec = property(RaggedTensorSpec.from_value)  # type: ignore[assignment]
