"""`tf.quantization`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, Draw, Function

Drawn = tuple[Sequence[Any], Mapping[str, Any]]


def options(draw: Draw) -> dict[str, Any]:
    """A number of bits, in one call of six too few, and whether the range is narrow."""
    return {"num_bits": 1 if draw.number == 5 else draw.integer(2, 8), "narrow_range": draw.flag()}


def ends(draw: Draw) -> tuple[float, float]:
    """A range with and without 0."""
    low, high = draw.choice([(-1.0, 1.0), (0.0, 2.0), (0.5, 1.5), (-2.0, -0.5), (-0.75, 2.0)])
    return low, high


def of_args(draw: Draw) -> Drawn:
    low, high = ends(draw)
    if draw.number == 4:
        low, high = high, low
    return [draw.array(draw.shape(0, 2), "float32")], {**options(draw), "min": low, "max": high}


def of_args_gradient(draw: Draw) -> Drawn:
    (inputs,), kwargs = of_args(draw)
    return [draw.array(inputs.shape, "float32"), inputs], kwargs


def of_vars(draw: Draw) -> Drawn:
    low, high = (0.0, 0.0) if draw.number == 3 else ends(draw)
    inputs = draw.array(draw.shape(0, 2), "float32")
    return [inputs, np.float32(low).reshape(()), np.float32(high).reshape(())], options(draw)


def of_vars_gradient(draw: Draw) -> Drawn:
    args, kwargs = of_vars(draw)
    return [draw.array(args[0].shape, "float32", special=False), *args], kwargs


def of_channels(draw: Draw) -> Drawn:
    inputs = draw.array(draw.shape(1, 3, min_size=1), "float32")
    low, high = (draw.array(inputs.shape[-1:], "float32", a, a + 2, special=False) for a in (-2, 0.125))
    return [inputs, low, high], options(draw)


def of_channels_gradient(draw: Draw) -> Drawn:
    args, kwargs = of_channels(draw)
    return [draw.array(args[0].shape, "float32", special=False), *args], kwargs


def of_scale(draw: Draw) -> Drawn:
    dtype, shape = draw.choice(FLOATS), draw.shape(1, 2, min_size=1)
    axis = None if draw.number == 4 else draw.choice([None, draw.axis(len(shape))])
    ranges = () if axis is None else (shape[axis],)
    exchanged = draw.number == 4
    low, high = (draw.array(ranges, dtype, a, a + 1, special=False) for a in ((1, -2) if exchanged else (-2, 0.5)))
    kwargs = {"num_bits": draw.integer(3, 8), "signed_input": draw.flag(), "range_given": exchanged or draw.flag()}
    kwargs |= {"round_mode": draw.choice(["HALF_TO_EVEN", "HALF_UP"]), "narrow_range": draw.flag(), "axis": axis}
    return [draw.array(shape, dtype), low, high], kwargs


def row(name: str, call: Any, count: int = 6, **more: Any) -> Function:
    return Function(f"quantization.{name}", call, count, gradients="gradient" not in name, **more)


FUNCTIONS: list[Function] = [
    row("fake_quant_with_min_max_args", of_args, quick=()),
    row("fake_quant_with_min_max_args_gradient", of_args_gradient, quick=()),
    row("fake_quant_with_min_max_vars", of_vars, 4),
    row("fake_quant_with_min_max_vars_gradient", of_vars_gradient, quick=()),
    row("fake_quant_with_min_max_vars_per_channel", of_channels, 3, quick=()),
    row("fake_quant_with_min_max_vars_per_channel_gradient", of_channels_gradient, 3, quick=()),
    row("quantize_and_dequantize", of_scale, 8, quick=()),
    row("quantize_and_dequantize_v2", of_scale, 3),
]
