"""`tf.TensorArraySpec`: the static description of a TensorArray."""

from typing import Any, final

import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.values import TensorShape, TypeSpec
from stratagem._ops.flow._tensor_array import TensorArray


@exported("TensorArraySpec")
@final
class TensorArraySpec(TypeSpec):
    """The elements' shape and dtype, and the options, of a `tf.TensorArray`, as `tf.TensorArraySpec`."""

    def __init__(
        self,
        element_shape: ShapeLike | None = None,
        dtype: DTypeLike = np.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self.element_shape, self.dtype = TensorShape(element_shape), np.dtype(dtype)
        self.dynamic_size, self.infer_shape = dynamic_size, infer_shape

    @staticmethod
    def from_value(value: TensorArray) -> "TensorArraySpec":
        """Returns the spec of an array. Raises TypeError for what is none."""
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: `{type(value)}`")
        return TensorArraySpec(value.element_shape, value.dtype, value.dynamic_size, value.infer_shape)

    @property
    def value_type(self) -> type[TensorArray]:
        """TensorArray."""
        return TensorArray

    def _parts(self) -> tuple[Any, ...]:
        return self.element_shape, self.dtype, self.dynamic_size, self.infer_shape


# Here, because an array's file is below that of its spec.
TensorArray._type_spec = property(TensorArraySpec.from_value)  # type: ignore[attr-defined]
