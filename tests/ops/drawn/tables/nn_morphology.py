"""Windows without products: morphology, patches of volumes; isotonic regression; `tf.conv`."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.ops.drawn.draws import FLOATS, Draw, Function

Drawn = tuple[Sequence[Any], Mapping[str, Any]]


def of_filters(draw: Draw) -> Drawn:
    dtype, channels, stride, gap = draw.choice(FLOATS), draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
    array = draw.array((1, draw.integer(3, 4), 3, channels), dtype, special=False)
    filters = draw.array((2, draw.integer(1, 2), channels + (draw.number == 4)), dtype, special=False)
    pads = draw.choice(["SAME", "VALID"])
    return [array, filters, [1, stride, stride, 1], pads, "NHWC", [1, gap, gap, 1]], {}


def of_volumes(draw: Draw) -> Drawn:
    sizes, steps = ([1, *(draw.integer(1, 2) for _ in range(3)), 1] for _ in range(2))
    array = draw.array((1, 2, 2, draw.integer(2, 3), draw.integer(1, 2)), draw.choice((*FLOATS, "int32")))
    return [array, sizes, steps, draw.choice(["SAME", "VALID"])], {}


def of_sequences(draw: Draw) -> Drawn:
    dtype = draw.choice((*FLOATS, "int32"))
    shape = (draw.integer(1, 3), draw.integer(1, 6))
    return [draw.array(shape, dtype, special=False)], {"decreasing": draw.flag(), "axis": draw.choice([-1, 0, 1])}


def of_batches(draw: Draw) -> Drawn:
    rank, dims, channels = draw.integer(2, 3), draw.integer(1, 2), draw.integer(1, 2)
    array = draw.array([1] * dims + [3] * rank + [channels], "float32", special=False)
    filters = draw.array([2] * rank + [channels, 2], "float32", special=False)
    stride = draw.integer(1, 2)
    pads, kwargs = (
        draw.choice(["SAME", "VALID", "EXPLICIT" if rank == 2 else "SAME"]),
        {},
    )  # in 3-D TensorFlow's is empty
    if pads == "EXPLICIT":
        kwargs["explicit_paddings"] = [0, 0, *[1, 0] * rank, 0, 0]
    return [array, filters, [1, *[stride] * rank, 1], pads], {**kwargs, "batch_dims": dims}


FUNCTIONS: list[Function] = [
    Function("nn.dilation2d", of_filters, 5, gradients=True),
    Function("nn.erosion2d", of_filters, 5, gradients=True, quick=()),
    Function("extract_volume_patches", of_volumes, 4),
    Function("nn.isotonic_regression", of_sequences, 3, gradients=True),
    Function("conv", of_batches, 4, {"float32": 1e-5}),
]
