"""`tf.image`: conversion of dtypes, colors, and random changes whose numbers depend on a seed alone."""

from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, Draw, Function

CLOSE = {"float32": 1e-5, "float64": 1e-6}  # float64 is computed in float32
KINDS = ("uint8", "int32", "float32", "float64")
NUMBERS = ("uint8", "int8", "int16", "uint16", "int32", "float16", "float32", "float64")


def colors(draw: Draw, kinds: Any = KINDS, channels: int = 3, **options: Any) -> np.ndarray:
    """An image or a batch between 0 and 1."""
    shape = [draw.integer(1, 2), draw.integer(1, 3), draw.integer(1, 3), channels]
    kind = draw.choice(kinds)
    high = min(np.iinfo(kind).max, 100000) if np.dtype(kind).kind in "iu" else 1
    return draw.array(shape[-draw.integer(3, 4) :], kind, 0, high, special=False, **options)


def of_conversions(draw: Draw) -> Any:
    kind = draw.choice(NUMBERS)
    whole = np.dtype(kind).kind in "iu"
    low, high = (np.iinfo(kind).min, np.iinfo(kind).max) if whole else (0, 1)
    saturate = draw.flag()
    array = draw.array((2, 2, 1), kind, low, high if not saturate or whole else 3, special=False)
    return [array, draw.choice(NUMBERS), saturate], {}


def of_one(draw: Draw) -> Any:
    return [colors(draw)], {}


def of_any_channels(draw: Draw) -> Any:
    return [colors(draw, channels=3 - (draw.number == 3))], {}


def of_gray(draw: Draw) -> Any:
    return [colors(draw, channels=1 + (draw.number == 3))], {}


def of_floats(draw: Draw) -> Any:
    return [colors(draw, (*FLOATS, *FLOATS, "float16", "int32") if draw.number == 2 else FLOATS)], {}


def of_numbers(draw: Draw) -> Any:
    return [draw.array((2, 2, 3), draw.choice(FLOATS), -1, 2)], {}


def by(low: float, high: float) -> Any:
    """An image, and a number between these."""

    def call(draw: Draw) -> Any:
        return [colors(draw), draw.real(low, high)], {}

    return call


def of_gammas(draw: Draw) -> Any:
    return [colors(draw), draw.choice((1, 0.5, 2.0, -1.0))], {"gain": draw.choice((1, 1.5))}


def seed(draw: Draw) -> Any:
    """Two numbers: a list or a tensor."""
    return [3, 5 + draw.number] if draw.flag() else draw.array((2,), "int32", 0, 1000)


def up_to(most: float) -> Any:
    """An image, the largest change, a seed."""

    def call(draw: Draw) -> Any:
        return [colors(draw), draw.choice((most / 2, most, -1.0)), seed(draw)], {}

    return call


def between(draw: Draw) -> Any:
    low, high = draw.choice(((0.5, 1.5), (0.2, 0.9), (0.9, 0.2)))
    return [colors(draw), low, high, seed(draw)], {}


def of_flips(draw: Draw) -> Any:
    return [colors(draw), seed(draw)], {}


def of_crops(draw: Draw) -> Any:
    array = draw.array((4, 5, 3), draw.choice(KINDS), 0, 100, special=False)
    return [array, [draw.integer(1, 4), draw.integer(1, 5), 3 + (draw.number == 3)], seed(draw)], {}


FUNCTIONS: list[Function] = [
    Function("image.convert_image_dtype", of_conversions, 16, CLOSE | {"float16": 1e-3}),
    Function("image.per_image_standardization", of_one, 4, CLOSE, quick=()),
    Function("image.rgb_to_grayscale", of_any_channels, 5, CLOSE),
    Function("image.grayscale_to_rgb", of_gray, 5, quick=()),
    Function("image.rgb_to_hsv", of_floats, 5, gradients=True),
    Function("image.hsv_to_rgb", of_floats, 5),
    Function("image.rgb_to_yiq", of_numbers, 4, gradients=True),
    Function("image.yiq_to_rgb", of_numbers, 4, quick=()),
    Function("image.rgb_to_yuv", of_numbers, 4, quick=()),
    Function("image.yuv_to_rgb", of_numbers, 4, quick=()),
    Function("image.adjust_brightness", by(-1, 1), 6, CLOSE),
    Function("image.adjust_contrast", by(-2, 2), 6, CLOSE, quick=()),
    Function("image.adjust_gamma", of_gammas, 8, CLOSE, quick=()),
    Function("image.adjust_hue", by(-1.1, 1.1), 6, CLOSE),
    Function("image.adjust_saturation", by(0, 2), 6, CLOSE),
    Function("image.stateless_random_brightness", up_to(0.5), 6, CLOSE),
    Function("image.stateless_random_contrast", between, 6, CLOSE, quick=()),
    Function("image.stateless_random_hue", up_to(0.5), 6, CLOSE, quick=()),
    Function("image.stateless_random_saturation", between, 6, CLOSE, quick=()),
    Function("image.stateless_random_flip_left_right", of_flips, 6, quick=()),
    Function("image.stateless_random_flip_up_down", of_flips, 6, quick=()),
    Function("image.stateless_random_crop", of_crops, 6),
]
