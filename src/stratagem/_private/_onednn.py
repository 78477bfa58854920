"""Convolutions by oneDNN, which jaxlib holds for x86 CPUs but does not use by itself: a primitive with JAX's derivatives.

XLA's CPU compiler runs a call named `__onednn$convolution` by oneDNN's kernel, and reads the call's description
(`xla/service/cpu/onednn_config.proto`, `onednn_convolution.cc`). No documentation promises this, and a wrong description ends
the process, so only versions of jaxlib that were tested are given one; with all others XLA computes the convolution.
"""

import functools
import importlib.metadata
import itertools
import json
import math
import platform
import sys
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax.extend import core as xc
from jax.interpreters import ad, batching, mlir
from jaxlib.mlir import ir

from stratagem._base.types import Value

# Those with which tests/core/step/test_convolutions.py and test_products.py pass.
_TESTED: Final = ("0.10.2",)
_CALLS: Final = "__onednn$"
_TARGET: Final = f"{_CALLS}convolution"
_XLA: Final = jax.lax.conv_general_dilated_p

onednn_convolution_p = xc.Primitive("onednn_convolution")


@functools.cache
def has_onednn() -> bool:
    """Returns whether this process's jaxlib has oneDNN, that of Linux on x86, and is one that was tested with it."""
    return (
        sys.platform == "linux" and platform.machine() == "x86_64" and importlib.metadata.version("jaxlib") in _TESTED
    )


def calls_onednn(module: Any) -> bool:
    """Returns whether a lowered program has a call of oneDNN."""
    found = False

    def look(operation: Any) -> ir.WalkResult:
        nonlocal found
        found = operation.name == "stablehlo.custom_call" and _CALLS in str(operation.attributes["call_target_name"])
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    module.operation.walk(look)
    return found


def convolve_by_onednn(x: jax.Array, w: jax.Array, **params: Value) -> jax.Array:
    """Returns a convolution, by oneDNN where this process can.

    Args:
        x: (batch, places..., channels in), with one to three dimensions of places.
        w: (window..., channels in / groups, channels out).
        params: those of `jax.lax.conv_general_dilated_p`: in TensorFlow's order of dimensions, or with the channels in and out
            of w exchanged, without dilation of x, without groups of the batch, with a padding that is not negative.
    """
    return onednn_convolution_p.bind(x, w, **params)


def _by_xla(x: jax.Array, w: jax.Array, **params: Any) -> jax.Array:
    return _XLA.bind(x, w, **params)


def _by_onednn(x: jax.Array, w: jax.Array, **params: Any) -> jax.Array:
    shape = jax.eval_shape(lambda x, w: _by_xla(x, w, **params), x, w)
    call: Any = jax.ffi.ffi_call(
        _TARGET, shape, custom_call_api_version=1, legacy_backend_config=_description(x.ndim, params)
    )
    return call(x, w)


def _description(rank: int, params: Any) -> str:
    """Returns what XLA tells oneDNN: which dimension is what, and the window."""
    places = list(range(1, rank - 1))
    data = {"dims": rank, "data": {"batch_dim": 0, "feature_dim": rank - 1, "spatial_dims": places}}
    channels_out, channels_in, *window = params["dimension_numbers"].rhs_spec
    filters = {"input_feature_dim": channels_in, "output_feature_dim": channels_out, "spatial_dims": window}
    return json.dumps(
        {
            "onednn_conv_config": {
                "dims": rank,
                "input": data,
                "kernel": {"dims": rank, "filter": filters},
                "output": data,
                "window": {
                    "strides": list(params["window_strides"]),
                    "pad_left": [low for low, _ in params["padding"]],
                    "pad_right": [high for _, high in params["padding"]],
                    "window_dilations": list(params["rhs_dilation"]),
                },
                "feature_groups": params["feature_group_count"],
            }
        }
    )


# --- Derivatives -----------------------------------------------------------------------------------------------------------


def _gradient_of_input(cotangent: jax.Array, x: Any, w: jax.Array, **params: Any) -> jax.Array:
    """Returns the transpose in x: a convolution with the filters turned round, which oneDNN computes too.

    With strides, zeros stand between the cotangents. XLA skips these in its own kernel, which is faster but for groups, wide
    windows and small images.
    """
    strides, groups = params["window_strides"], params["feature_group_count"]
    reach = [(size - 1) * d for size, d in zip(w.shape[:-2], params["rhs_dilation"], strict=True)]
    padding = [(r - low, r - high) for r, (low, high) in zip(reach, params["padding"], strict=True)]
    strided = any(s != 1 for s in strides)
    if strided and groups == 1 and _is_slow_by_xla(cotangent, w, params):
        return _gradient_by_phases(cotangent, x, w, **params)
    if strided and groups == 1:
        return _by_rule_of_jax(cotangent, ad.UndefinedPrimal(x.aval), w, **params)
    if strided or any(min(pair) < 0 for pair in padding):
        sizes = [size + r for size, r in zip(x.aval.shape[1:-1], reach, strict=True)]
        cotangent = _spread(cotangent, sizes, [low for low, _ in padding], strides)
        padding = [(0, 0)] * len(reach)
    turned = {**params, "padding": tuple(padding), "window_strides": (1,) * len(reach)}
    return _by_filters_turned_round(cotangent, w, turned)


def _is_slow_by_xla(cotangent: jax.Array, w: jax.Array, params: Any) -> bool:
    """Returns whether the phases of a strided gradient are faster than XLA's kernel.

    Windows wider than the image of cotangents go to a naive loop in XLA: the phases take 0.03 to 0.1 of its time. Windows of
    twice the stride or more: 0.2 to 1.1 of it; narrower ones 0.7 to 1.5, which stay with XLA (`benchmarks/convolutions.py`).
    """
    sizes = list(zip(w.shape[:-2], cotangent.shape[1:-1], params["window_strides"], strict=True))
    wide = any(k > n for k, n, _ in sizes) or all(k >= 2 * s for k, _, s in sizes)
    return wide and all(d == 1 for d in params["rhs_dilation"]) and math.prod(cotangent.shape) > 0


def _gradient_by_phases(cotangent: jax.Array, x: Any, w: jax.Array, **params: Any) -> jax.Array:
    """Returns the transpose in x without the zeros between cotangents.

    Elements a stride apart, a phase of x, meet the same weights: their gradient is a convolution of the cotangents.

    Element p of the padded x is stride * q + phase, and meets weight phase + stride * t in the window of cotangent q - t.
    """
    strides, sizes = params["window_strides"], x.aval.shape[1:-1]
    before = [low for low, _ in params["padding"]]
    rows = [-(-(n + low) // s) for n, low, s in zip(sizes, before, strides, strict=True)]
    seen = cotangent[(slice(None), *map(slice, rows))]  # others see only padding
    phases = []
    for at in itertools.product(*map(range, strides)):
        weights = w[tuple(slice(a, None, s) for a, s in zip(at, strides, strict=True))]
        if math.prod(weights.shape) == 0:
            phases.append(jnp.zeros((x.aval.shape[0], *rows, w.shape[-2]), cotangent.dtype))
            continue
        padding = [(k - 1, q - n) for k, q, n in zip(weights.shape, rows, seen.shape[1:-1], strict=False)]
        how = {**params, "padding": tuple(padding), "window_strides": (1,) * len(rows)}
        phases.append(_by_filters_turned_round(seen, weights, how))
    full = _interleaved(phases, strides)
    return full[(slice(None), *(slice(low, low + n) for low, n in zip(before, sizes, strict=True)))]


def _interleaved(phases: Sequence[jax.Array], strides: Sequence[int]) -> jax.Array:
    """Returns the images whose every stride-th element, from that of the phase on, is one of `phases`, in row-major order."""
    rank, (batch, *rows, channels) = len(strides), phases[0].shape
    apart = jnp.stack(phases).reshape(*strides, batch, *rows, channels)
    places = [axis for n in range(rank) for axis in (rank + 1 + n, n)]
    sizes = [n * s for n, s in zip(rows, strides, strict=True)]
    return apart.transpose(rank, *places, 2 * rank + 1).reshape(batch, *sizes, channels)


def _spread(values: jax.Array, sizes: Sequence[int], before: Sequence[int], strides: Sequence[int]) -> jax.Array:
    """Returns values `strides` apart among zeros, the first after `before` zeros; a negative number cuts off so many."""
    had = [(n - 1) * s + 1 for n, s in zip(values.shape[1:-1], strides, strict=True)]
    places = [(b, size - b - h, s - 1) for b, size, h, s in zip(before, sizes, had, strides, strict=True)]
    return jax.lax.pad(values, jnp.zeros((), values.dtype), [(0, 0, 0), *places, (0, 0, 0)])


def _by_filters_turned_round(x: jax.Array, w: jax.Array, params: Any) -> jax.Array:
    """Returns the convolution with every window reversed and the channels in and out of each group exchanged.

    oneDNN, which brings filters into an order of its own for each call, is told that they are exchanged. To exchange those of
    3x3x512x512 before the call, and then let it do that, took a twentieth of the time of ResNet-18's whole step.
    """
    groups, turned = params["feature_group_count"], jax.lax.rev(w, range(w.ndim - 2))
    if groups == 1:
        numbers = params["dimension_numbers"]
        first, second, *others = numbers.rhs_spec
        exchanged = numbers._replace(rhs_spec=(second, first, *others))
        return convolve_by_onednn(x, turned, **{**params, "dimension_numbers": exchanged})
    *window, channels_in, channels_out = w.shape
    split = turned.reshape(*window, channels_in, groups, channels_out // groups)
    filters = jnp.swapaxes(split, -3, -1).reshape(*window, channels_out // groups, groups * channels_in)
    return convolve_by_onednn(x, filters, **params)


def _gradient_of_filters(cotangent: jax.Array, x: jax.Array, w: Any, **params: Any) -> jax.Array:
    return _by_rule_of_jax(cotangent, x, ad.UndefinedPrimal(w.aval), **params)


def _by_rule_of_jax(cotangent: jax.Array, x: Any, w: Any, **params: Any) -> jax.Array:
    """Returns the transpose in the operand that is not there."""
    of_x, of_w = ad.primitive_transposes[_XLA](cotangent, x, w, **params)
    return of_w if of_x is None else of_x


def _batched(operands: Any, dimensions: Any, **params: Any) -> tuple[jax.Array, int]:
    """Returns what `vmap` of JAX's own convolution gives."""
    return jax.vmap(lambda x, w: _by_xla(x, w, **params), in_axes=tuple(dimensions))(*operands), 0


def _lowered(context: Any, *operands: Any, **params: Any) -> Any:
    """Lowers to oneDNN's call; to XLA's convolution where there is none, and in exports, which other machines run."""
    here = has_onednn() and not context.module_context.lowering_parameters.for_export
    return mlir.lower_fun(_by_onednn if here else _by_xla, multiple_results=False)(context, *operands, **params)


setattr(onednn_convolution_p, "abstract_eval", _XLA.abstract_eval)  # noqa: B010
onednn_convolution_p.def_impl(lambda x, w, **params: jax.jit(lambda x, w: convolve_by_onednn(x, w, **params))(x, w))
ad.defbilinear(onednn_convolution_p, _gradient_of_input, _gradient_of_filters)
batching.primitive_batchers[onednn_convolution_p] = _batched
mlir.register_lowering(onednn_convolution_p, mlir.lower_fun(_by_xla, multiple_results=False))
mlir.register_lowering(onednn_convolution_p, _lowered, platform="cpu")
