"""`RandomHeight` and `RandomWidth`: images of another height or width, which is drawn for each batch in training."""

import abc
from typing import Any, ClassVar, final

import keras

from stratagem._base.exports import exported
from stratagem._ops.images import resize
from stratagem._private import accept_any_input

_METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")


class RandomSize(keras.Layer, abc.ABC):  # type: ignore[misc]
    """The base of layers that resize images along one dimension, by a factor that is drawn in training.

    The size of the result is a number of Python: a compiled step, whose program has one size, cannot draw it.
    """

    _axis: ClassVar[int]

    def __init__(self, factor: Any, interpolation: str = "bilinear", seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        accept_any_input(self)
        lower, upper = factor if isinstance(factor, tuple | list) else (-factor, factor)
        if upper < lower:
            raise ValueError(f"`factor` argument cannot have an upper bound lower than the lower bound, got {factor}.")
        if lower < -1.0:
            raise ValueError(f"`factor` argument must have values larger than -1, got {factor}.")
        if interpolation not in _METHODS:
            raise ValueError(f"`interpolation` is one of {', '.join(_METHODS)}, got {interpolation!r}.")
        self.factor, self.interpolation, self.seed = factor, interpolation, seed
        self._range = (1.0 + lower, 1.0 + upper)
        self._source = keras.random.SeedGenerator(seed)

    def call(self, inputs: Any, training: bool = True) -> Any:
        """Returns images, (height, width, channels) or a batch of them, of the layer's dtype.

        training: whether the size changes. Raises TracedDecisionError in a replica's step.
        """
        images = keras.ops.convert_to_tensor(inputs)
        if not training:
            return images
        size: list[Any] = list(images.shape[-3:-1])
        drawn = float(keras.random.uniform((), *self._range, seed=self._source))
        size[self._axis + 3] = int(drawn * size[self._axis + 3])
        return keras.ops.cast(resize(images, size, self.interpolation), self.compute_dtype)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Returns the shape of the output: one size is unknown."""
        shape = [*input_shape]
        shape[self._axis] = None
        return tuple(shape)

    def compute_output_spec(self, inputs: Any, training: bool = True) -> Any:
        """Returns the symbolic output for a symbolic input."""
        return keras.KerasTensor(self.compute_output_shape(inputs.shape), dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {**super().get_config(), "factor": self.factor, "interpolation": self.interpolation, "seed": self.seed}


@exported("keras.layers.RandomHeight", "keras.layers.experimental.preprocessing.RandomHeight")
@final
@keras.saving.register_keras_serializable("stratagem")
class RandomHeight(RandomSize):
    """`tf.keras.layers.RandomHeight`: images whose height changes by a part of it that is drawn in training.

    factor: the smallest and the largest part, such as (-0.2, 0.3), or one number for both directions. interpolation: a method
    of `tf.image.resize`. seed: of the numbers that are drawn. Raises ValueError for factors below -1 and unknown methods.
    """

    _axis = -3

    def __init__(self, factor: Any, interpolation: str = "bilinear", seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(factor, interpolation, seed, **kwargs)
        self.height_lower, self.height_upper = (bound - 1.0 for bound in self._range)


@exported("keras.layers.RandomWidth", "keras.layers.experimental.preprocessing.RandomWidth")
@final
@keras.saving.register_keras_serializable("stratagem")
class RandomWidth(RandomSize):
    """`tf.keras.layers.RandomWidth`: images whose width changes by a part of it that is drawn in training.

    See RandomHeight for the arguments.
    """

    _axis = -2

    def __init__(self, factor: Any, interpolation: str = "bilinear", seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(factor, interpolation, seed, **kwargs)
        self.width_lower, self.width_upper = (bound - 1.0 for bound in self._range)
