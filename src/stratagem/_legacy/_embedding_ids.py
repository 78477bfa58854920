"""Ids that an embedding's table does not have: TensorFlow's error where they are known, NaN in compiled steps."""

from typing import Any

import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import is_remote
from stratagem._ops import is_traced, tensor
from stratagem._private import before_embedding


def attach_embeddings() -> None:
    """Let embeddings refuse ids that they do not have; Keras answers NaN, and counts negative ones from the end."""
    before_embedding(_checked)


def _checked(layer: keras.layers.Embedding, ids: Any) -> Any:
    """Returns ids of a layer, integers. Raises InvalidArgumentError for known ones out of range; in a step they give NaN."""
    found = tensor(ids)
    if found.dtype not in (jnp.int32, jnp.int64):
        found = found.astype(jnp.int32)
    if is_traced(found):
        # A server tells by itself which ids it does not have.
        return found if is_remote(layer._embeddings) else jnp.where(found < 0, layer.input_dim, found)
    numbers = np.asarray(found)
    wrong = numbers[(numbers < 0) | (numbers >= layer.input_dim)]
    if wrong.size:
        raise InvalidArgumentError(
            f"Layer {layer.name!r}: the id {wrong[0]} is not in [0, {layer.input_dim}). Make `input_dim` as large as the "
            "vocabulary, with the numbers of unknown words and of the mask."
        )
    return found
