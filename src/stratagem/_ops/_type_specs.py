"""`tf.type_spec_from_value`: the static description of any value that TensorFlow has one for."""

from typing import Any

import keras
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.values import TensorSpec, TypeSpec, VariableSpec
from stratagem._ops._convert import is_tensor, tensor
from stratagem._private import KerasVariable

_CONVERTED = (bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)


@exported("type_spec_from_value")
def type_spec_from_value(value: Any) -> TypeSpec:
    """Returns the spec of a tensor, a variable, or of another value that has one; what becomes a tensor has that tensor's.

    Raises TypeError for all else, also for None and for symbolic tensors of Keras.
    """
    own = getattr(value, "_type_spec", None)
    if isinstance(own, TypeSpec):
        return own
    if isinstance(value, KerasVariable):
        return VariableSpec(value.shape, value.dtype, value.trainable)
    if is_tensor(value) and not isinstance(value, keras.KerasTensor):
        return TensorSpec.from_tensor(tensor(value))
    if isinstance(value, _CONVERTED):
        try:
            return TensorSpec.from_tensor(tensor(value))
        except (TypeError, ValueError, InvalidArgumentError) as error:
            raise _unsupported(value) from error
    raise _unsupported(value)


def _unsupported(value: Any) -> TypeError:
    return TypeError(
        f"Could not build a TypeSpec for {value!r:.100} of unsupported type {type(value)}. A tensor, a variable, a dataset, an "
        "iterator, an Optional, a TensorArray or an IndexedSlices has one."
    )
