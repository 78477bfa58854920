"""True division (`x / y`) of tensors, with TensorFlow's dtypes."""

import jax
import jax.numpy as jnp
import numpy as np


def quotient(x: jax.Array, y: jax.Array) -> jax.Array:
    """Returns `x / y` of equal dtypes. Integers become floating point as in TF: 8 and 16 bits float32, wider ones float64."""
    if not jnp.issubdtype(x.dtype, np.inexact):
        wide = np.float32 if x.dtype.itemsize < 4 else np.float64
        x, y = x.astype(wide), y.astype(wide)
    return jnp.true_divide(x, y)
