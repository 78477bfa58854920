"""tf1.layers: pooling."""

from collections.abc import Callable
from typing import Any, ClassVar, final

from stratagem._base.exports import exported
from stratagem._ops import Tensor
from stratagem._ops.nn import avg_pool, max_pool
from stratagem._tf1.graph.layers._convolution import channels, each
from stratagem._tf1.graph.layers._layer import Layer, as_function


class _Pooling(Layer):
    """Base of the pooling layers, which reduce each window of the inputs to one number."""

    rank: ClassVar[int]
    reduce: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = each(pool_size, self.rank, "pool_size")
        self.strides = self.pool_size if strides is None else each(strides, self.rank, "strides")
        self.padding, self.format = padding.upper(), channels(data_format, self.rank)

    def call(self, inputs: Any) -> Tensor:
        """Returns the output."""
        if inputs.ndim != self.rank + 2:
            raise ValueError(f"{self.name}: expected an input of rank {self.rank + 2}, got the shape {inputs.shape}.")
        return type(self).reduce(inputs, self.pool_size, self.strides, self.padding, self.format)


@exported(v1=["layers.MaxPooling1D"])
@final
class MaxPooling1D(_Pooling):
    """The maximum of each window of (n, w, c)."""

    rank, reduce = 1, staticmethod(max_pool)


@exported(v1=["layers.MaxPooling2D"])
@final
class MaxPooling2D(_Pooling):
    """The maximum of each window of (n, h, w, c)."""

    rank, reduce = 2, staticmethod(max_pool)


@exported(v1=["layers.MaxPooling3D"])
@final
class MaxPooling3D(_Pooling):
    """The maximum of each window of (n, d, h, w, c)."""

    rank, reduce = 3, staticmethod(max_pool)


@exported(v1=["layers.AveragePooling1D"])
@final
class AveragePooling1D(_Pooling):
    """The mean of each window of (n, w, c)."""

    rank, reduce = 1, staticmethod(avg_pool)


@exported(v1=["layers.AveragePooling2D"])
@final
class AveragePooling2D(_Pooling):
    """The mean of each window of (n, h, w, c)."""

    rank, reduce = 2, staticmethod(avg_pool)


@exported(v1=["layers.AveragePooling3D"])
@final
class AveragePooling3D(_Pooling):
    """The mean of each window of (n, d, h, w, c)."""

    rank, reduce = 3, staticmethod(avg_pool)


max_pooling1d = exported(v1=["layers.max_pooling1d"])(as_function(MaxPooling1D, "max_pooling1d"))
max_pooling2d = exported(v1=["layers.max_pooling2d"])(as_function(MaxPooling2D, "max_pooling2d"))
max_pooling3d = exported(v1=["layers.max_pooling3d"])(as_function(MaxPooling3D, "max_pooling3d"))
average_pooling1d = exported(v1=["layers.average_pooling1d"])(as_function(AveragePooling1D, "average_pooling1d"))
average_pooling2d = exported(v1=["layers.average_pooling2d"])(as_function(AveragePooling2D, "average_pooling2d"))
average_pooling3d = exported(v1=["layers.average_pooling3d"])(as_function(AveragePooling3D, "average_pooling3d"))
