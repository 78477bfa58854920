"""The error for a TensorFlow name that is not provided: it names the nearest function of JAX or Keras."""

import sys
from types import ModuleType

import jax
import jax.image
import jax.numpy as jnp

from stratagem._errors import NotProvidedError

# Names of TF that JAX has under another name, where no rule finds it.
_RENAMED = {
    "acos": "arccos", "asin": "arcsin", "atan": "arctan", "bessel_i0": "i0", "cumulative_prod": "cumprod",
    "histogram_fixed_width": "histogram", "invert_permutation": "argsort", "matrix_transpose": "matrix_transpose",
    "reverse": "flip", "strided_slice": "s_", "batch_gather": "take_along_axis", "lstsq": "lstsq",
}  # fmt: skip

# What JAX has nothing for.
_ELSEWHERE = {
    ("io", name): "numpy.asarray(PIL.Image.open(io.BytesIO(contents))) in a function given to `map`"
    for name in ("decode_image", "decode_jpeg", "decode_png", "decode_bmp", "decode_gif")
} | {
    ("io", "parse_sequence_example"): "tf.io.parse_single_sequence_example",
    ("io", "SparseFeature"): "tf.io.VarLenFeature, one for the indices and one for the values",
}


def not_provided(namespace: str, name: str) -> NotProvidedError:
    """The error to raise for `tf.<namespace>.<name>` (namespace "" for `tf` itself)."""
    full = f"tf.{namespace}.{name}" if namespace else f"tf.{name}"
    instead = _replacement(namespace, name)
    advice = f"use {instead}" if instead else "see docs/tensor_functions.md for what there is"
    return NotProvidedError(f"{full} is not provided; {advice}.")


def _replacement(namespace: str, name: str) -> str | None:
    if (namespace, name) in _ELSEWHERE:
        return _ELSEWHERE[namespace, name]
    places: list[tuple[str, ModuleType]] = [("jax.numpy", jnp), ("jax.nn", jax.nn), ("jax.lax", jax.lax)]
    own = {"linalg": jnp.linalg, "nn": jax.nn, "random": jax.random, "signal": jnp.fft, "image": jax.image}
    if namespace in own:
        places.insert(0, (own[namespace].__name__, own[namespace]))
    keras = sys.modules.get("keras")  # looking a name up is no reason to load it
    if keras is not None:
        places.append(("keras.ops", keras.ops))
    candidates = [_RENAMED.get(name, name), name.removeprefix("reduce_").removeprefix("unsorted_")]
    for label, module in places:
        found = next((c for c in candidates if not c.startswith("_") and c in vars(module)), None)
        if found is not None:
            return f"{label}.{found}"
    return None
