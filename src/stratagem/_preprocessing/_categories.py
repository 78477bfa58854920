"""`CategoryEncoding`: numbers of categories as vectors."""

import logging
from typing import Any, final

import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops import Assert, as_dtype
from stratagem._preprocessing._composites import Encoded, encoded_composite, is_composite
from stratagem._preprocessing._encoding import checked_mode, encoded, encoded_shape
from stratagem._preprocessing._inputs import as_input, is_known
from stratagem._private import accept_any_input

_log = logging.getLogger("stratagem")


@exported("keras.layers.CategoryEncoding", "keras.layers.experimental.preprocessing.CategoryEncoding")
@final
@keras.saving.register_keras_serializable("stratagem")
class CategoryEncoding(keras.Layer):  # type: ignore[misc]
    """`tf.keras.layers.CategoryEncoding`: numbers of categories as vectors, also inside of compiled steps.

    num_tokens: the number of categories. output_mode: one_hot, multi_hot or count. Raises ValueError for other arguments.
    """

    def __init__(
        self, num_tokens: int | None = None, output_mode: str = "multi_hot", sparse: bool = False, **kwargs: Any
    ) -> None:
        if "max_tokens" in kwargs:
            _log.warning("CategoryEncoding: max_tokens is deprecated, use num_tokens instead.")
            num_tokens = kwargs.pop("max_tokens")
        super().__init__(**kwargs)
        accept_any_input(self)
        mode = checked_mode("CategoryEncoding", output_mode, ("count", "one_hot", "multi_hot"), False)
        if num_tokens is None or num_tokens < 1:
            raise ValueError(
                f"CategoryEncoding: `num_tokens` must be positive, got {num_tokens}. If it is not known, use IntegerLookup."
            )
        self.num_tokens, self.output_mode, self.sparse = num_tokens, mode, sparse

    def call(self, inputs: Any, count_weights: Any = None) -> Encoded:
        """Returns vectors, (num_tokens,) or (rows, num_tokens), of numbers from 0 to num_tokens - 1.

        count_weights: of the shape of `inputs`, for the mode count. Raises InvalidArgumentError for other numbers, and
        ValueError for weights in another mode.
        """
        if count_weights is not None and self.output_mode != "count":
            raise ValueError(f"{self.name}: `count_weights` is for output_mode='count', not {self.output_mode!r}.")
        if is_composite(inputs):
            weights = None if count_weights is None else _flat_weights(count_weights)
            mode, size, dtype = self.output_mode, self.num_tokens, self.compute_dtype
            return encoded_composite(inputs, self._ids, mode, size, dtype, weights=weights, sparse=self.sparse)
        ids = self._ids(inputs)
        weights = None if count_weights is None else as_input(count_weights, self.compute_dtype)
        mode, size, dtype = self.output_mode, self.num_tokens, self.compute_dtype
        return encoded(ids, mode, size, dtype, count_weights=weights, sparse=self.sparse)

    def _ids(self, inputs: Any) -> Any:
        ids = as_input(inputs)
        if not as_dtype(ids.dtype).is_integer:
            ids = ids.astype(np.int32)
        self._check(ids)
        return ids

    def _check(self, ids: Any) -> None:
        text = f"{self.name}: Input values must be in the range 0 <= values < num_tokens with num_tokens={self.num_tokens}."
        if not is_known(ids):
            Assert(jnp.all((ids >= 0) & (ids < self.num_tokens)), [text])
        elif ids.size and not (ids.min() >= 0 and ids.max() < self.num_tokens):
            raise InvalidArgumentError(f"{text} Got {ids.min()} to {ids.max()}.")

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Returns the shape of the output."""
        return encoded_shape(input_shape, self.output_mode, self.num_tokens)

    def compute_output_spec(self, inputs: Any, count_weights: Any = None) -> Any:
        """Returns the symbolic output for a symbolic input."""
        return keras.KerasTensor(self.compute_output_shape(inputs.shape), dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        names = ("num_tokens", "output_mode", "sparse")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


def _flat_weights(weights: Any) -> np.ndarray:
    """The weights of ragged or sparse numbers, in the order of these."""
    return np.asarray(weights.flat_values if hasattr(weights, "flat_values") else weights.values)
