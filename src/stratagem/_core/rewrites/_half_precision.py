"""Half precision: products and convolutions of 16-bit floats are computed in float32. XLA converts element by element.

Time of a step under `mixed_bfloat16` with these conversions to that without, on one core of an AVX-512 machine with
instructions for bfloat16: grouped convolutions 0.02, transposed ones 0.04, MobileNetV2 0.11, ResNet50 0.19, dense layers 0.39,
U-Net 0.54, VGG 0.57, an LSTM 0.78, a transformer 0.84. It is then 0.7 to 1.6 of the step in float32; of the LSTM 3.6, whose
functions of single elements XLA computes slowly in bfloat16.
"""

from collections.abc import Iterator
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax.extend import core as xc

from stratagem._core.rewrites._convolution import is_for_onednn
from stratagem._core.rewrites._inlined import inlined
from stratagem._private import map_equations

_HALF: Final = ("bfloat16", "float16")
_PRODUCTS: Final = ("dot_general", "conv_general_dilated")
# `jax.nn.dot_product_attention` asks for them. XLA for CPUs has no F16_F16_F32.
_FLOAT32_SUMS: Final = (jax.lax.DotAlgorithmPreset.BF16_BF16_F32, jax.lax.DotAlgorithmPreset.F16_F16_F32)


def with_halves_in_float32(jaxpr: xc.Jaxpr) -> xc.Jaxpr:
    """Returns a program in which 16-bit operands of products are converted to float32 and results are rounded once.

    Convolutions for which oneDNN has kernels of this type here stay as they are.
    """
    return map_equations(jaxpr, _equations)


def _equations(eqn: Any) -> Iterator[Any]:
    if not _is_of_halves(eqn) or (eqn.primitive.name == "conv_general_dilated" and is_for_onednn(eqn)):
        yield eqn
        return
    result = eqn.outvars[0].aval.dtype
    precision = None if eqn.params["precision"] in _FLOAT32_SUMS else eqn.params["precision"]
    params = eqn.params | {"preferred_element_type": jnp.dtype("float32"), "precision": precision}

    def product(x: jax.Array, y: jax.Array) -> jax.Array:
        return eqn.primitive.bind(x.astype("float32"), y.astype("float32"), **params).astype(result)

    yield from inlined(jax.make_jaxpr(product)(*(v.aval for v in eqn.invars)), eqn.invars, eqn.outvars)


def _is_of_halves(eqn: Any) -> bool:
    if eqn.primitive.name not in _PRODUCTS:
        return False
    x, y = (v.aval.dtype.name for v in eqn.invars)
    return x == y and x in _HALF and eqn.outvars[0].aval.dtype.name in (x, "float32") and _is_of_float32_sums(eqn)


def _is_of_float32_sums(eqn: Any) -> bool:
    """Returns whether sums in float32 are as precise as asked. An algorithm of a different kind is computed as it says."""
    precision = eqn.params["precision"]
    return not isinstance(precision, jax.lax.DotAlgorithm | jax.lax.DotAlgorithmPreset) or precision in _FLOAT32_SUMS
