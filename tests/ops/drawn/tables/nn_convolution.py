"""Convolution of `tf.nn`: plain, depthwise, separable, transposed, and the gradients that are functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.ops.drawn.draws import FLOATS, Draw, Function

Drawn = tuple[Sequence[Any], Mapping[str, Any]]
WITHIN = {"float32": 1e-5, "float64": 1e-12}


def size(padding: Any, size: int, window: int, stride: int) -> int:
    """How many windows there are along one dimension, for words of padding."""
    return -(-size // stride) if padding == "SAME" else max(0, -(-(size - window + 1) // stride))


def numbers(draw: Draw, value: int, rank: int) -> Any:
    """A number for each spatial dimension, in one of TensorFlow's forms; for three dimensions it takes one form only."""
    full = [1, *[value] * rank, 1]
    return full if rank == 3 else draw.choice([value, [value] * rank, full])


def padding(draw: Draw, rank: int, *, explicit: bool) -> Any:
    """SAME, VALID, or pairs."""
    pairs = [[0, 0], *([draw.integer(0, 2), draw.integer(0, 1)] for _ in range(rank)), [0, 0]]
    return draw.choice(["SAME", "VALID", "SAME", "VALID", pairs if explicit else "SAME"])


def steps(draw: Draw, number: int) -> tuple[int, int]:
    """A stride and a dilation, of which TensorFlow wants one to be 1."""
    return (draw.integer(1, 3), 1) if number % 2 else (1, draw.integer(1, 2))


def plain(rank: int) -> Callable[[Draw], Drawn]:
    """The arguments of `conv1d`, `conv2d` or `conv3d`. One call in eight does not fit."""

    def call(draw: Draw) -> Drawn:
        dtype, channels, groups = draw.choice(FLOATS), draw.integer(1, 2), 1
        stride, dilation = steps(draw, draw.number)
        batch = [draw.integer(0 if draw.number == 5 else 1, 2)]
        kernel = [draw.integer(1, 2 if rank == 3 else 3) for _ in range(rank)]
        sizes = [dilation * (n - 1) + draw.integer(1, 2 if rank == 3 else 3) for n in kernel]
        own = channels + (draw.number == 7)
        array = draw.array([*batch, *sizes, channels * groups], dtype)
        filters = draw.array([*kernel, own, draw.integer(1, 2)], dtype, special=False)
        kwargs = {"dilations": numbers(draw, dilation, rank)} if dilation > 1 or draw.flag() else {}
        return [array, filters, numbers(draw, stride, rank), padding(draw, rank, explicit=rank == 2)], kwargs

    return call


def grouped(draw: Draw) -> Drawn:
    """A convolution in groups, for filters of fewer channels than the input."""
    groups, own = draw.integer(2, 3), draw.integer(1, 2)
    array = draw.array([1, 3, 3, groups * own], "float32", special=False)
    filters = draw.array([2, 2, own, groups * draw.integer(1, 2)], "float32", special=False)
    return [array, filters], {"padding": draw.choice(["SAME", "VALID"]), "strides": draw.choice([None, 1, 2])}


def atrous(draw: Draw) -> Drawn:
    dtype, channels = draw.choice(FLOATS), draw.integer(1, 2)
    array = draw.array([1, draw.integer(3, 5), draw.integer(3, 4), channels], dtype)
    filters = draw.array([2, draw.integer(1, 2), channels, 2], dtype, special=False)
    return [array, filters, draw.integer(1, 2), draw.choice(["SAME", "VALID"])], {}


def depthwise(draw: Draw) -> Drawn:
    dtype, channels = draw.choice(FLOATS), draw.integer(1, 3) + (draw.number == 7)
    stride, dilation = steps(draw, draw.number)
    kernel = [draw.integer(1, 2), draw.integer(1, 3)]
    sizes = [dilation * (n - 1) + draw.integer(1, 2) for n in kernel]
    filters = draw.array([*kernel, channels - (draw.number == 7), draw.integer(1, 2)], dtype, special=False)
    array = draw.array([draw.integer(1, 2), *sizes, channels], dtype)
    pads = padding(draw, 2, explicit=dilation == 1)
    return [array, filters, [1, stride, stride, 1], pads], {"dilations": [dilation, dilation]} if dilation > 1 else {}


def separable(draw: Draw) -> Drawn:
    dtype, channels, each = draw.choice(FLOATS), draw.integer(1, 2), draw.integer(1, 2)
    stride, dilation = steps(draw, draw.number)
    array = draw.array([1, dilation + 2, dilation + draw.integer(1, 2), channels], dtype, special=False)
    first = draw.array([2, 2, channels, each], dtype, special=False)
    second = draw.array([1, 1, channels * each + (draw.number == 7), 2], dtype, special=False)
    kwargs = {"dilations": [dilation, dilation]} if dilation > 1 else {}
    return [array, first, second, [1, stride, stride, 1], draw.choice(["SAME", "VALID"])], kwargs


def transposed(rank: int, **options: Any) -> Callable[[Draw], Drawn]:
    """The arguments of a transposed convolution: the shape of its result is drawn first. One call in eight does not fit."""

    def call(draw: Draw) -> Drawn:
        dtype, channels, out = draw.choice(FLOATS), draw.integer(1, 2), draw.integer(1, 2)
        stride, pads = draw.integer(1, 3), draw.choice(["SAME", "VALID"])
        kernel = [draw.integer(1, 2 if rank == 3 else 3) for _ in range(rank)]
        whole = [n + draw.integer(0, 1 if rank == 3 else 2) for n in kernel]
        sizes = [size(pads, n, window, stride) for n, window in zip(whole, kernel, strict=True)]
        array = draw.array([1, *sizes, channels], dtype, special=False)
        filters = draw.array([*kernel, out, channels], dtype, special=False)
        shape = [1, *(n + (draw.number == 7) * 4 for n in whole), out]
        return [array, filters, shape, numbers(draw, stride, rank)], {"padding": pads, **options}

    return call


def atrous_transposed(draw: Draw) -> Drawn:
    rate, channels, out = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
    pads, kernel = draw.choice(["SAME", "VALID"]), [2, draw.integer(1, 2)]
    whole = [rate * (n - 1) + draw.integer(2, 4) for n in kernel]
    sizes = [size(pads, n, rate * (w - 1) + 1, 1) for n, w in zip(whole, kernel, strict=True)]
    array = draw.array([1, *sizes, channels], "float32", special=False)
    filters = draw.array([*kernel, out, channels], "float32", special=False)
    return [array, filters, [1, *whole, out], rate, pads], {}


def depthwise_shapes(draw: Draw) -> tuple[list[int], list[int], list[int], int, str]:
    """The shapes of input, filters and result, with the stride and padding that join them."""
    channels, each, stride = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
    pads, kernel = draw.choice(["SAME", "VALID"]), [2, draw.integer(1, 3)]
    whole = [n + draw.integer(0, 2) for n in kernel]
    sizes = [size(pads, n, w, stride) for n, w in zip(whole, kernel, strict=True)]
    return [1, *whole, channels], [*kernel, channels, each], [1, *sizes, channels * each], stride, pads


def by_input(draw: Draw) -> Drawn:
    whole, kernel, result, stride, pads = depthwise_shapes(draw)
    filters, gradient = (draw.array(shape, "float32", special=False) for shape in (kernel, result))
    return [whole, filters, gradient, [1, stride, stride, 1], pads], {}


def by_filter(draw: Draw) -> Drawn:
    whole, kernel, result, stride, pads = depthwise_shapes(draw)
    array, gradient = (draw.array(shape, "float32", special=False) for shape in (whole, result))
    return [array, kernel, gradient, [1, stride, stride, 1], pads], {}


GAPS = "a gradient of a convolution with dilations, which TensorFlow's CPU kernels do not have"
CHANNELS = "XLA computes channels together, the filters of others being 0: an infinity in one is a NaN in all"


def row(name: str, call: Callable[[Draw], Drawn], count: int = 8, **options: Any) -> Function:
    return Function(f"nn.{name}", call, count, WITHIN, gradients=True, **options)


# What others have in them, or are cases of, is thorough.
FUNCTIONS: list[Function] = [
    row("conv1d", plain(1), quick=(), differ={6: GAPS}),
    row("conv2d", plain(2), 8),
    row("conv3d", plain(3), 6, quick=(), differ=dict.fromkeys((2, 4), GAPS)),
    row("convolution", grouped, 3),
    row("atrous_conv2d", atrous, 4, quick=()),
    row("depthwise_conv2d", depthwise, 4, differ={2: CHANNELS}),
    row("separable_conv2d", separable, 3, quick=()),
    row("conv1d_transpose", transposed(1), quick=()),
    row("conv2d_transpose", transposed(2), 5),
    row("conv3d_transpose", transposed(3), 4, quick=()),
    row("conv_transpose", transposed(2), 3, quick=()),
    row("atrous_conv2d_transpose", atrous_transposed, 3, quick=()),
    row("depthwise_conv2d_backprop_input", by_input, 3, quick=()),
    row("depthwise_conv2d_backprop_filter", by_filter, 3),
]
