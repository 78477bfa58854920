"""`Normalization`: Keras' layer, adapted as TensorFlow's."""

from typing import Any, final

import keras
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike
from stratagem._ops import as_dtype
from stratagem._preprocessing._adapting import AdaptedLayer
from stratagem._preprocessing._inputs import as_input


@exported("keras.layers.Normalization", "keras.layers.experimental.preprocessing.Normalization")
@final
@keras.saving.register_keras_serializable("stratagem")
class Normalization(AdaptedLayer, keras.layers.Normalization):  # type: ignore[misc]
    """`tf.keras.layers.Normalization`: numbers less their mean, divided by their standard deviation.

    axis: the dimensions of which each entry has its own mean. mean, variance: given ones; without them, `adapt`.
    invert: multiplies and adds instead. Raises ValueError for arguments that do not fit together.
    """

    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(axis=axis, mean=mean, variance=variance, invert=invert, **kwargs)
        self._taken_up: Any = []

    def add_weight(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a variable. The count is of int64, as in TensorFlow: data may have more than 2^31 numbers."""
        if kwargs.get("name") == "count":
            kwargs["dtype"] = "int64"
        return super().add_weight(*args, **kwargs)

    def update_state(self, data: Any) -> None:
        """Adds a batch to the mean and the variance. Raises ValueError if these were given, RuntimeError before `build`."""
        if self.input_mean is not None:
            raise ValueError(f"{self.name} cannot be adapted: it was made with a mean and a variance.")
        if not self.built:
            raise RuntimeError(f"{self.name}: `build` must be called before `update_state`.")
        array = as_input(data, self.compute_dtype)
        axes = self._reduce_axis
        mean = array.mean(axis=axes)
        count = int(np.prod([array.shape[axis] for axis in axes], dtype=int))
        self._add(count, mean, array.var(axis=axes))

    def _add(self, batch_count: int, batch_mean: Any, batch_variance: Any) -> None:
        """Adds the moments of further numbers: those of all by those of the parts (Chan, Golub and LeVeque 1983)."""
        count, mean, variance = (np.asarray(v.value) for v in (self.count, self.adapt_mean, self.adapt_variance))
        kind = as_dtype(self.compute_dtype).dtype.type
        new = kind(batch_count) / kind(max(int(count) + batch_count, 1))
        old = kind(1) - new
        total = mean * old + batch_mean * new
        self.adapt_mean.assign(total)
        self.adapt_variance.assign(
            (variance + (mean - total) ** 2) * old + (batch_variance + (batch_mean - total) ** 2) * new
        )
        self.count.assign(int(count) + batch_count)

    def reset_state(self) -> None:
        """Forgets the mean and the variance that were learned; what `call` uses stays until `finalize_state`."""
        if self.input_mean is None and self.built:
            self.adapt_mean.assign(np.zeros(self.adapt_mean.shape))
            self.adapt_variance.assign(np.ones(self.adapt_variance.shape))
            self.count.assign(0)
        self._is_adapted = False

    def finalize_state(self) -> None:
        """Makes the mean and the variance that `call` uses."""
        keras.layers.Normalization.finalize_state(self)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables."""
        keras.layers.Normalization.build(self, input_shape)
        if self._taken_up:
            self.take_up(self._taken_up)

    def kept(self) -> Any:
        """Returns the number, mean and variance of what was seen: variables have them, too, but not what `call` uses."""
        return self.learned() if self.input_mean is None else []

    def take_up(self, state: Any) -> None:
        """Makes these the mean and the variance, now or when the layer is built."""
        self._taken_up = state
        if state and self.built and self.input_mean is None:
            self.merge([state])
            self.finalize_state()

    def learned(self) -> Any:
        """Returns the number, mean and variance of what this worker has seen."""
        if not self.built:
            return []
        return [np.asarray(v.value).tolist() for v in (self.count, self.adapt_mean, self.adapt_variance)]

    def merge(self, states: list[Any]) -> None:
        """Replaces the mean and the variance by those of all that the workers have seen."""
        kind = as_dtype(self.compute_dtype).dtype
        self.reset_state()
        for count, mean, variance in filter(None, states):
            self._add(count, np.array(mean, kind), np.array(variance, kind))
