"""The specs of variables and of rows: VariableSpec, IndexedSlicesSpec."""

from typing import Any, final

import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.values._tensor_shape import TensorShape
from stratagem._core.values._type_spec import TypeSpec, dtype_text
from stratagem._core.values._variable import IndexedSlices
from stratagem._private import KerasVariable


@final
class VariableSpec(TypeSpec):
    """The shape and dtype of a variable, and whether it is trainable; `tf.type_spec_from_value` gives it."""

    def __init__(self, shape: ShapeLike | None, dtype: DTypeLike = np.float32, trainable: bool = True) -> None:
        self.shape, self.dtype, self.trainable = TensorShape(shape), np.dtype(dtype), trainable

    @property
    def value_type(self) -> type:
        """The class of variables, Keras' too."""
        return KerasVariable

    def _parts(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.trainable

    def __repr__(self) -> str:
        dtype = dtype_text(self.dtype)
        return f"VariableSpec(shape={self.shape}, dtype={dtype}, trainable={self.trainable}, alias_id=None)"


@exported("IndexedSlicesSpec")
@final
class IndexedSlicesSpec(TypeSpec):
    """The shape and dtypes of an `IndexedSlices`, as `tf.IndexedSlicesSpec`.

    shape: of the tensor whose rows they are. indices_shape: the number of rows, in a list. dense_shape_dtype: None for
    IndexedSlices without a dense shape.
    """

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = np.float32,
        indices_dtype: DTypeLike = np.int64,
        dense_shape_dtype: DTypeLike | None = None,
        indices_shape: ShapeLike | None = None,
    ) -> None:
        self.shape, self.dtype, self.indices_dtype = TensorShape(shape), np.dtype(dtype), np.dtype(indices_dtype)
        self.dense_shape_dtype = None if dense_shape_dtype is None else np.dtype(dense_shape_dtype)
        self.indices_shape = TensorShape([None] if indices_shape is None else indices_shape)

    @property
    def value_type(self) -> type[IndexedSlices]:
        """IndexedSlices."""
        return IndexedSlices

    def _parts(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.indices_dtype, self.dense_shape_dtype, self.indices_shape


def _of_slices(slices: IndexedSlices) -> IndexedSlicesSpec:
    values, indices, dense = slices.values, slices.indices, slices.dense_shape
    shape: Any = (None, *values.shape[1:]) if dense is None else tuple(int(size) for size in dense)
    dense_dtype = None if dense is None else getattr(dense, "dtype", np.int32)
    return IndexedSlicesSpec(shape, values.dtype, getattr(indices, "dtype", np.int32), dense_dtype, values.shape[:1])


# Here, because variables, in whose file the class is, are below specs.
IndexedSlices._type_spec = property(_of_slices)  # type: ignore[attr-defined]
