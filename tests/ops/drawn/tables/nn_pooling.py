"""Pooling of `tf.nn`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.ops.drawn.draws import FLOATS, Draw, Function
from tests.ops.drawn.tables.nn_convolution import numbers, padding

Drawn = tuple[Sequence[Any], Mapping[str, Any]]


def windows(rank: int, *, explicit: bool = False) -> Callable[[Draw], Drawn]:
    """The arguments of a pooling. One call in eight has an input of another rank."""

    def call(draw: Draw) -> Drawn:
        dtype = "float32" if rank == 3 else draw.choice(FLOATS)  # TensorFlow pools no others over three dimensions
        ksize, stride = draw.integer(1, 3), draw.integer(1, 3)
        sizes = [ksize + draw.integer(0, 2) for _ in range(rank - (draw.number == 7))]
        array = draw.array([draw.integer(1, 2), *sizes, draw.integer(1, 2)], dtype)
        pads = padding(draw, rank, explicit=explicit and ksize == 3)
        return [array, numbers(draw, ksize, rank), numbers(draw, stride, rank), pads], {}

    return call


def general(rank: int, *, explicit: bool) -> Callable[[Draw], Drawn]:
    """The arguments of `max_pool` and `avg_pool`, with layouts; the former also takes padding in numbers."""

    def call(draw: Draw) -> Drawn:
        args, kwargs = windows(rank, explicit=explicit)(draw)
        return args, {**kwargs, "data_format": draw.choice([None, "NHWC"])}

    return call


def pool(draw: Draw) -> Drawn:
    rank, dtype = draw.integer(1, 2), draw.choice(FLOATS)
    window, gap = draw.integer(1, 2), draw.integer(1, 2)
    sizes = [3 + draw.integer(0, 1) for _ in range(rank)]
    array = draw.array([1, *sizes, 2], dtype)
    kwargs = {"strides": [1] * rank if gap > 1 else draw.choice([None, [1] * rank, [2] * rank])}
    kwargs["padding"] = draw.choice(["SAME", "VALID"]) if gap == 1 else "VALID"  # TensorFlow has no other
    kwargs["dilations"] = [gap] * rank
    return [array, [window] * rank, draw.choice(["MAX", "AVG", "MAX", "MIN" if draw.number == 5 else "AVG"])], kwargs


def with_argmax(draw: Draw) -> Drawn:
    ksize, stride = draw.integer(1, 3), draw.integer(1, 2)
    shape = [draw.integer(1, 2), ksize + draw.integer(0, 1), ksize + draw.integer(0, 1), draw.integer(1, 2)]
    array = draw.array(shape, draw.choice(("float32", "int32")), special=False)
    kwargs = {"include_batch_in_index": draw.flag(), "output_dtype": draw.choice(["int32", "int64"])}
    return [array, [ksize, ksize], [stride, stride], draw.choice(["SAME", "VALID"])], kwargs


NAN = (
    "a NaN is the largest entry of its window; TensorFlow's CPU kernel skips it, and has no answer for a window of NaNs"
)


def row(name: str, call: Callable[[Draw], Drawn], count: int = 8, **options: Any) -> Function:
    return Function(f"nn.{name}", call, count, gradients=True, **options)


FUNCTIONS: list[Function] = [
    row("max_pool", general(2, explicit=True), 6, differ={5: NAN}),
    row("avg_pool", general(2, explicit=False), 4),
    row("max_pool1d", windows(1), quick=()),
    row("max_pool2d", windows(2, explicit=True), quick=(), differ={1: NAN}),
    row("max_pool3d", windows(3), 4, quick=(), differ={2: NAN}),
    row("avg_pool1d", windows(1), quick=()),
    row("avg_pool2d", windows(2), quick=()),
    row("avg_pool3d", windows(3), 4, quick=()),
    row("pool", pool, 3),
    row("max_pool_with_argmax", with_argmax, 3),
]
