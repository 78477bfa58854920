"""Convolutions by oneDNN, which jaxlib holds for x86 CPUs but does not use by itself, and gradients of their filters.

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
from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax.extend import core as xc
from jax.interpreters import ad, batching, mlir
from jaxlib.mlir import ir

from stratagem._base.processor import has_avx512

# Those with which tests/core/step/test_convolutions.py and test_products.py pass.
_TESTED: Final = ("0.10.2",)
_CALLS: Final = "__onednn$"
_TARGET: Final = f"{_CALLS}convolution"
_XLA: Final = jax.lax.conv_general_dilated_p
_HALF_A_REGISTER: Final = 8  # of AVX-512, of float32

onednn_convolution_p = xc.Primitive("onednn_convolution")
onednn_filter_gradient_p = xc.Primitive("onednn_filter_gradient")


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


def convolve_by_onednn(x: jax.Array, w: jax.Array, **params: Any) -> jax.Array:
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
    if not _has_summing_call(x, cotangent, w.aval.shape, params):
        return _by_rule_of_jax(cotangent, x, ad.UndefinedPrimal(w.aval), **params)
    return onednn_filter_gradient_p.bind(x, cotangent, shape=w.aval.shape, **params)


def _by_rule_of_jax(cotangent: jax.Array, x: Any, w: Any, **params: Any) -> jax.Array:
    """Returns the transpose in the operand that is not there."""
    of_x, of_w = ad.primitive_transposes[_XLA](cotangent, x, w, **params)
    return of_w if of_x is None else of_x


# --- The gradient of filters ------------------------------------------------------------------------------------------------


def _has_summing_call(x: jax.Array, cotangent: jax.Array, shape: tuple[int, ...], params: Any) -> bool:
    """Returns whether a gradient of filters is one that oneDNN may be given, and computes faster than XLA on some CPUs.

    With AVX-512 it takes 0.49 to 1.13 of the time, half of the time 0.82 or less (two cores, 48 shapes; some are in
    `benchmarks/convolutions.py`), with fewer channels than half of a register 0.6 to 1.7. oneDNN convolves up to three
    dimensions, and the channels are one. Where padding is so wide that no window at a weight meets the images, the call would
    be given none.
    """
    return (
        x.ndim <= 4
        and params["feature_group_count"] == 1
        and min(x.shape[-1], cotangent.shape[-1]) >= _HALF_A_REGISTER
        and 0 not in (*x.shape, *cotangent.shape)
        and all(
            n + high > 0
            for n, (_, high) in zip(x.shape[1:-1], _padding_of_sums(x, cotangent, shape, params), strict=True)
        )
    )


def _padding_of_sums(x: jax.Array, cotangent: jax.Array, shape: tuple[int, ...], params: Any) -> list[tuple[int, int]]:
    """Returns what the convolution that sums has around the images: before them, and after them up to where windows read.

    A negative number after them is of elements past the last window.
    """
    axes = (x.shape[1:-1], shape[:-2], cotangent.shape[1:-1])
    windows = (params["window_strides"], params["rhs_dilation"], params["padding"])
    return [
        (low, (m - 1) * s + (k - 1) * d + 1 - n - low) for n, k, m, s, d, (low, _) in zip(*axes, *windows, strict=True)
    ]


def _sums_by_xla(x: jax.Array, cotangent: jax.Array, *, shape: tuple[int, ...], **params: Any) -> jax.Array:
    filters = ad.UndefinedPrimal(jax.core.ShapedArray(shape, x.dtype))
    return _by_rule_of_jax(cotangent, x, filters, **params)


def _sums_by_a_convolution(x: jax.Array, cotangent: jax.Array, *, shape: tuple[int, ...], **params: Any) -> jax.Array:
    """Returns the gradient of filters as a convolution of the images by the cotangents.

    It sums over the batch, which becomes the images' channels. These become a last dimension of places, with windows of one: as
    a batch of their own they would leave oneDNN results no wider than the filters, for which it has no fast kernel.
    """
    rank, padding = x.ndim - 2, _padding_of_sums(x, cotangent, shape, params)
    exchanged = params["dimension_numbers"].rhs_spec[0] != len(shape) - 1
    seen = [slice(0, n + min(high, 0)) for (_, high), n in zip(padding, x.shape[1:-1], strict=True)]
    images = jax.lax.transpose(x[(slice(None), *seen)], (*range(1, rank + 2), 0))[None]
    data = (0, rank + 2, *range(1, rank + 2))
    how = {
        **params,
        "dimension_numbers": jax.lax.ConvDimensionNumbers(data, (rank + 2, 0, *range(1, rank + 2)), data),
        "padding": (*((low, max(high, 0)) for low, high in padding), (0, 0)),
        "window_strides": (*params["rhs_dilation"], 1),
        "rhs_dilation": (*params["window_strides"], 1),
        "lhs_dilation": (1,) * (rank + 1),
    }
    gradient = _by_onednn(images, jnp.expand_dims(cotangent, -2), **how)[0]
    return jnp.swapaxes(gradient, -1, -2) if exchanged else gradient


def _gradient_of_summed_images(cotangent: jax.Array, x: Any, of_result: jax.Array, *, shape: Any, **params: Any) -> Any:
    """Returns the transpose in x: the gradient of the images, of the convolution by these filters."""
    return _gradient_of_input(of_result, x, cotangent, **params)


def _gradient_of_cotangent(cotangent: jax.Array, x: jax.Array, of_result: Any, *, shape: Any, **params: Any) -> Any:
    """Returns the transpose in the convolution's cotangent: the convolution by these filters."""
    return convolve_by_onednn(x, cotangent, **params)


# --- What JAX is told -------------------------------------------------------------------------------------------------------


def _batched(by_xla: Any, operands: Any, dimensions: Any, **params: Any) -> tuple[jax.Array, int]:
    """Returns what `vmap` of JAX's own convolution gives."""
    return jax.vmap(functools.partial(by_xla, **params), in_axes=tuple(dimensions))(*operands), 0


def _lowered(
    is_fast: Callable[[], bool], by_onednn: Any, by_xla: Any, context: Any, *operands: Any, **params: Any
) -> Any:
    """Lowers to oneDNN's call; to XLA's convolution where that is not fast, and in exports, which other machines run.

    Only here a machine's CPU decides: a job compares what its workers traced.
    """
    here = is_fast() and not context.module_context.lowering_parameters.for_export
    return mlir.lower_fun(by_onednn if here else by_xla, multiple_results=False)(context, *operands, **params)


def _has_wide_onednn() -> bool:
    """Returns whether there is oneDNN with kernels for AVX-512. Those for AVX2 take 0.7 to 1.4 of XLA's time for such sums."""
    return has_onednn() and has_avx512()


def _tell_jax(
    primitive: xc.Primitive,
    is_fast: Callable[[], bool],
    by_onednn: Any,
    by_xla: Any,
    transposes: tuple[Any, Any],
) -> None:
    """Defines a primitive by two functions that compute the same.

    Args:
        primitive: takes two arrays and gives one.
        is_fast: whether `by_onednn` is the faster one on this machine.
        by_onednn: makes a call of oneDNN's.
        by_xla: has operations of JAX alone.
        transposes: in the two operands.
    """
    primitive.def_abstract_eval(lambda x, y, **params: _shape(by_xla, x, y, **params))
    primitive.def_impl(lambda x, y, **params: jax.jit(functools.partial(primitive.bind, **params))(x, y))
    ad.defbilinear(primitive, *transposes)
    batching.primitive_batchers[primitive] = functools.partial(_batched, by_xla)
    mlir.register_lowering(primitive, mlir.lower_fun(by_xla, multiple_results=False))
    mlir.register_lowering(primitive, functools.partial(_lowered, is_fast, by_onednn, by_xla), platform="cpu")


def _shape(by_xla: Any, *operands: Any, **params: Any) -> Any:
    found = jax.eval_shape(functools.partial(by_xla, **params), *operands)
    return jax.core.ShapedArray(found.shape, found.dtype)


_tell_jax(onednn_convolution_p, has_onednn, _by_onednn, _by_xla, (_gradient_of_input, _gradient_of_filters))
_tell_jax(
    onednn_filter_gradient_p,
    _has_wide_onednn,
    _sums_by_a_convolution,
    _sums_by_xla,
    (_gradient_of_summed_images, _gradient_of_cotangent),
)
