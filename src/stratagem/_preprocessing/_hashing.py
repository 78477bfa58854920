"""`Hashing` and `HashedCrossing`: numbers of buckets of strings and integers, and of their combinations."""

from collections.abc import Sequence
from typing import Any, final

import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike
from stratagem._core.step import TracedStrings, host_function, host_function_if_needed
from stratagem._ops import Tensor, allow_x64, as_dtype, on_device, tensor
from stratagem._ops.sparse import SparseTensor
from stratagem._ops.text import (
    bucket_of_integers,
    crossed_buckets,
    fingerprints,
    to_hash_bucket_fast,
    to_hash_bucket_strong,
)
from stratagem._preprocessing._composites import Encoded, encoded_composite, is_composite
from stratagem._preprocessing._encoding import checked_mode, encoded, encoded_shape, output_dtype
from stratagem._preprocessing._inputs import as_input, is_known
from stratagem._private import accept_any_input


@exported("keras.layers.Hashing", "keras.layers.experimental.preprocessing.Hashing")
@final
@keras.saving.register_keras_serializable("stratagem")
class Hashing(keras.Layer):  # type: ignore[misc]
    """`tf.keras.layers.Hashing`: the bucket of each string or integer by FarmHash, int64, or vectors of buckets.

    num_bins: the number of buckets. mask_value: what has bucket 0 for itself. salt: one number or two, with which SipHash is
    used. output_mode: int, one_hot, multi_hot or count. Integers are hashed inside of compiled steps, too. Raises
    ValueError for arguments that do not fit together.
    """

    def __init__(
        self,
        num_bins: int,
        mask_value: Any = None,
        salt: int | Sequence[int] | None = None,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if num_bins is None or num_bins <= 0:
            raise ValueError(f"Hashing: `num_bins` must be positive, got {num_bins}.")
        mode = checked_mode("Hashing", output_mode, ("int", "one_hot", "multi_hot", "count"), sparse)
        kwargs["dtype"] = integers_if_int(mode, kwargs.get("dtype"))
        super().__init__(**kwargs)
        accept_any_input(self)
        self.num_bins, self.mask_value, self.output_mode, self.sparse = num_bins, mask_value, mode, sparse
        if salt is not None and not isinstance(salt, int) and not (isinstance(salt, list | tuple) and len(salt) == 2):
            raise ValueError(f"Hashing: `salt` is one integer or two, got {salt!r}.")
        self.salt = [salt, salt] if isinstance(salt, int) else salt

    def call(self, inputs: Any) -> Encoded:
        """Returns the bucket of each string or integer, or vectors. Raises TypeError for other inputs."""
        return host_function_if_needed(self._prepared)(inputs)

    def _prepared(self, inputs: Any) -> Encoded:
        if is_composite(inputs):
            return encoded_composite(
                inputs,
                lambda values: self._buckets(as_input(values)),
                self.output_mode,
                self.num_bins,
                self.compute_dtype,
                sparse=self.sparse,
            )
        array = as_input(inputs)
        return encoded(self._buckets(array), self.output_mode, self.num_bins, self.compute_dtype, sparse=self.sparse)

    def _buckets(self, array: Any) -> Any:
        masked = self.mask_value is not None and self.num_bins > 1
        count = self.num_bins - masked
        if array.dtype == object:
            found = to_hash_bucket_strong(array, count, self.salt) if self.salt else to_hash_bucket_fast(array, count)
        elif as_dtype(array.dtype).is_integer:
            found = bucket_of_integers(array, count, self.salt)
        else:
            raise TypeError(f"{self.name} takes strings or integers, got {array.dtype.name}: {array!r:.100}")
        if not masked:
            return np.asarray(found) if is_known(found) else found
        mask = self.mask_value.encode() if isinstance(self.mask_value, str) else self.mask_value
        with allow_x64(np.int64):
            choose = np.where if is_known(found) else jnp.where
            shifted = np.asarray(found) + 1 if is_known(found) else found + np.int64(1)
            return choose(array == mask, np.int64(0), shifted)

    def compute_output_shape(self, input_shape: ShapeLike) -> tuple[int | None, ...]:
        """Returns the shape of the output."""
        return encoded_shape(input_shape, self.output_mode, self.num_bins)

    def compute_output_spec(self, inputs: Any) -> Any:
        """Returns the symbolic output for a symbolic input."""
        return keras.KerasTensor(self.compute_output_shape(inputs.shape), dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        names = ("num_bins", "salt", "mask_value", "output_mode", "sparse")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


@exported("keras.layers.HashedCrossing", "keras.layers.experimental.preprocessing.HashedCrossing")
@final
@keras.saving.register_keras_serializable("stratagem")
class HashedCrossing(keras.Layer):  # type: ignore[misc]
    """`tf.keras.layers.HashedCrossing`: the bucket of a combination of features, int64, or vectors of buckets.

    num_bins: the number of buckets. output_mode: int or one_hot. Integers are crossed inside of compiled steps, too. Raises
    ValueError for arguments that do not fit together.
    """

    def __init__(self, num_bins: int, output_mode: str = "int", sparse: bool = False, **kwargs: Any) -> None:
        mode = checked_mode("HashedCrossing", output_mode, ("int", "one_hot"), False)
        kwargs["dtype"] = output_dtype("HashedCrossing", mode, kwargs.get("dtype"), keras.config.floatx())
        super().__init__(**kwargs)
        accept_any_input(self)
        self.num_bins, self.output_mode, self.sparse = num_bins, mode, sparse

    def __call__(self, inputs: Sequence[Any], **kwargs: Any) -> Tensor | SparseTensor:
        """Calls the layer with tensors: Keras takes no arrays beside them. Strings of a step become their fingerprints."""
        if isinstance(inputs, list | tuple) and not any(isinstance(x, keras.KerasTensor) for x in inputs):
            inputs = [words_of_strings(x) if isinstance(x, TracedStrings) else tensor(x) for x in inputs]
        return super().__call__(inputs, **kwargs)

    def call(self, inputs: Sequence[Any]) -> Tensor | SparseTensor:
        """Returns the bucket of each combination, or vectors.

        inputs: two features or more, strings or integers of one shape, (), (n,) or (n, 1). Raises ValueError for others.
        """
        if not isinstance(inputs, list | tuple) or len(inputs) < 2:
            raise ValueError(f"{self.name} takes a list of two features or more, got {inputs!r:.100}")
        columns = [as_input(feature) for feature in inputs]
        shape = columns[0].shape
        if len(shape) > 2 or (len(shape) == 2 and shape[1] != 1) or any(c.shape != shape for c in columns):
            raise ValueError(
                f"{self.name} takes features of one shape, (), (n,) or (n, 1), got {[list(c.shape) for c in columns]}."
            )
        if not all(as_dtype(c.dtype).is_integer or c.dtype == object for c in columns):
            raise ValueError(f"{self.name} takes strings and integers, got {[c.dtype.name for c in columns]}.")
        found = crossed_buckets(columns, self.num_bins)
        buckets: Any = np.asarray(found) if is_known(found) else found
        return encoded(buckets, self.output_mode, self.num_bins, self.compute_dtype, sparse=self.sparse)

    def compute_output_shape(self, input_shape: Sequence[ShapeLike]) -> tuple[int | None, ...]:
        """Returns the shape of the output."""
        return encoded_shape(input_shape[0], self.output_mode, self.num_bins)

    def compute_output_spec(self, inputs: Sequence[Any]) -> Any:
        """Returns the symbolic output for symbolic inputs."""
        return keras.KerasTensor(self.compute_output_shape([x.shape for x in inputs]), dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        names = ("num_bins", "output_mode", "sparse")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


def integers_if_int(output_mode: str, dtype: Any) -> Any:
    """Returns the dtype of a layer: fractions were accepted for integers by early versions, and mean int64."""
    name = getattr(dtype, "compute_dtype", dtype)
    if output_mode == "int" and (name is None or not as_dtype(name).is_integer):
        return "int64"
    return keras.config.floatx() if name is None else name


@host_function
def words_of_strings(strings: Any) -> Tensor:
    """Returns the fingerprints of strings, which stand for them in crosses."""
    return on_device(fingerprints(np.asarray(strings)))
