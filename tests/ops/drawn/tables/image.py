"""`tf.image`: resizing, geometry, windows, measures. Colors and chance are in `image_colors`, boxes in `image_boxes`."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.ops.drawn.draws import FLOATS, Draw, Function

Drawn = tuple[Sequence[Any], Mapping[str, Any]]
KINDS = ("uint8", "int32", *FLOATS)
CLOSE = {"float32": 1e-5, "float64": 1e-12}
METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")
# Of TensorFlow 1, which has gradients of these three.
PLACED = ("resize_bilinear", "resize_bicubic", "resize_nearest_neighbor")


def pixels(
    draw: Draw, kinds: Sequence[str] = KINDS, *, rank: int | None = None, size: int = 4, special: bool = False
) -> Any:
    """An image or a batch, seldom with another rank."""
    ranks = (3, 4, 3, 4, 3, 4, 2) if rank is None else (rank,)
    shape = [draw.integer(1, 2), draw.integer(1, size), draw.integer(1, size), draw.integer(1, 2)]
    kind = draw.choice(kinds)
    return draw.array(shape[-draw.choice(ranks) :], kind, 0, 255 if kind[0] in "ui" else 1, special=special)


def of_one(draw: Draw) -> Drawn:
    return [pixels(draw, special=True)], {}


def of_rotations(draw: Draw) -> Drawn:
    return [pixels(draw), draw.integer(-1, 4)], {}


def of_fractions(draw: Draw) -> Drawn:
    return [pixels(draw, size=7), draw.choice((0.1, 0.3, 0.5, 0.75, 1.0, 1.5))], {}


def of_crops(draw: Draw) -> Drawn:
    return [pixels(draw, size=5), *(draw.integer(0, 1) for _ in range(2)), *(draw.integer(1, 2) for _ in range(2))], {}


def of_pads(draw: Draw) -> Drawn:
    return [pixels(draw, size=3), *(draw.integer(0, 1) for _ in range(2)), *(draw.integer(2, 4) for _ in range(2))], {}


def of_targets(draw: Draw) -> Drawn:
    return [pixels(draw), draw.integer(0 if draw.number == 5 else 1, 6), draw.integer(1, 6)], {}


def of_resizes(draw: Draw) -> Drawn:
    options = {"method": METHODS[draw.number % len(METHODS)], "antialias": draw.flag()}
    array = pixels(draw, rank=None if draw.number == 20 else draw.integer(3, 4), size=7)
    if draw.flag():
        options["preserve_aspect_ratio"] = draw.flag()
    return [array, [draw.integer(1, 6), draw.integer(1, 6)]], options


def of_linear_resizes(draw: Draw) -> Drawn:
    method = draw.choice(("bilinear", "nearest", "bicubic", "lanczos3", "gaussian"))
    array = pixels(draw, ("float32",), rank=4, size=5)
    return [array, [draw.integer(1, 6), draw.integer(1, 6)], method], {"antialias": draw.flag()}


def of_padded_resizes(draw: Draw) -> Drawn:
    array = pixels(draw, rank=draw.integer(3, 4), size=6)
    return [array, draw.integer(2, 6), draw.integer(2, 6), draw.choice(METHODS)], {"antialias": draw.flag()}


def of_first_resizes(draw: Draw) -> Drawn:
    array = pixels(draw, ("uint8", "float32"), rank=draw.integer(3, 4), size=5)
    size = list(array.shape[-3:-1]) if draw.number == 3 else [draw.integer(1, 6), draw.integer(1, 6)]
    return [array, size], {"method": draw.number % 4, "align_corners": draw.flag()}


def of_first_pads(draw: Draw) -> Drawn:
    array = pixels(draw, ("uint8", "float32"), rank=draw.integer(3, 4), size=5)
    return [array, draw.integer(2, 6), draw.integer(2, 6), draw.number % 4], {"align_corners": draw.flag()}


def of_placed_resizes(draw: Draw) -> Drawn:
    kinds = (
        {},
        {"align_corners": True},
        {"half_pixel_centers": True},
        {"align_corners": True, "half_pixel_centers": True},
    )
    array = pixels(draw, ("float32",), rank=4, size=5)
    return [array, [draw.integer(1, 6), draw.integer(1, 6)]], kinds[draw.number % 4]


def of_areas(draw: Draw) -> Drawn:
    array = pixels(draw, ("uint8", "float32"), rank=4, size=5)
    return [array, [draw.integer(1, 6), draw.integer(1, 6)]], {"align_corners": draw.flag()}


def of_boxes(draw: Draw) -> Drawn:
    array = pixels(draw, ("float32",) if draw.number % 4 else ("uint8", "float32"), rank=4)
    count = draw.integer(1, 3)
    boxes = draw.array((count, 4), "float32", -0.2, 1.2, special=False)
    owners = draw.array((count,), "int32", 0, array.shape[0] - 1) + (draw.number == 6) * 2
    size = [draw.integer(1, 3), draw.integer(1, 3)]
    return [array, boxes, owners, size, draw.choice(("bilinear", "nearest"))], {"extrapolation_value": 0.5}


def of_patches(draw: Draw) -> Drawn:
    sizes, steps, rates = ([1, draw.integer(1, 2), draw.integer(1, 2), 1] for _ in range(3))
    return [pixels(draw, FLOATS, rank=4), sizes, steps, rates, draw.choice(("SAME", "VALID"))], {}


def of_glimpses(draw: Draw) -> Drawn:
    array = pixels(draw, ("float32",), rank=4, size=5)
    centered, normalized = draw.flag(), draw.flag()
    low, high = (-1, 1) if normalized else (-2, 3)
    offsets = draw.array((array.shape[0], 2), "float32", low, high, special=False)
    return [array, [draw.integer(1, 3), draw.integer(1, 3)], offsets, centered, normalized], {"noise": "zero"}


def of_first_glimpses(draw: Draw) -> Drawn:
    """Glimpses that lie within the images, whatever the noise."""
    array = draw.array((2, 5, 5, 1), "float32")
    centered, normalized = draw.flag(), draw.flag()
    scale = (0.2, 0.2) if normalized else (1.0, 0.9)
    low, high = (-scale[0], scale[1]) if centered else (0.4 if normalized else 2.0, 0.6 if normalized else 3.0)
    return [array, [2, 2], draw.array((2, 2), "float32", low, high, special=False), centered, normalized], {}


def of_gradients(draw: Draw) -> Drawn:
    return [pixels(draw, ("int32", *FLOATS), rank=3 if draw.number == 3 else 4)], {}


def of_edges(draw: Draw) -> Drawn:
    shape = (draw.integer(1, 2), draw.integer(2, 4), draw.integer(2, 4), draw.integer(1, 2))
    return [draw.array(shape, draw.choice(FLOATS), special=False)], {}


def of_variations(draw: Draw) -> Drawn:
    return [pixels(draw, ("int32", *FLOATS))], {}


def two(draw: Draw, size: int) -> Any:
    """Two images of one size, in batches that broadcast."""
    kind, shape = draw.choice(("uint8", "float32", "float64")), [size, size + 1, draw.integer(1, 2)]
    high = 255 if kind == "uint8" else 1
    heads = draw.choice((((), ()), ((2,), (2,)), ((2,), (1,)), ((), (2,))))
    arrays = [draw.array((*head, *shape), kind, 0, high, special=False) for head in heads]
    return arrays, high


def of_noise(draw: Draw) -> Drawn:
    arrays, high = two(draw, 3)
    return [*arrays, high], {}


def of_similarities(draw: Draw) -> Drawn:
    arrays, high = two(draw, 4)
    return [*arrays, high], {"filter_size": draw.integer(2, 4 + (draw.number == 4)), "return_index_map": draw.flag()}


def of_scales(draw: Draw) -> Drawn:
    arrays, high = two(draw, draw.integer(4, 5))
    return [*arrays, high], {
        "filter_size": 2 + 2 * (draw.number == 4),
        "power_factors": draw.choice(((0.4, 0.6), (1.0,))),
    }


FUNCTIONS: list[Function] = [
    Function("image.flip_left_right", of_one, 4, gradients=True),
    Function("image.flip_up_down", of_one, 4, gradients=True, quick=()),
    Function("image.rot90", of_rotations, 6, quick=()),
    Function("image.transpose", of_one, 4, quick=()),
    Function("image.central_crop", of_fractions, 8, quick=()),
    Function("image.crop_to_bounding_box", of_crops, 6, gradients=True),
    Function("image.pad_to_bounding_box", of_pads, 6, gradients=True),
    Function("image.resize_with_crop_or_pad", of_targets, 6, gradients=True, quick=()),
    Function("image.resize", of_resizes, 24, CLOSE, quick=(5,)),
    Function("image.resize_with_pad", of_padded_resizes, 6, CLOSE, quick=()),
    Function("image.crop_and_resize", of_boxes, 8, CLOSE, gradients=True),
    Function("image.extract_patches", of_patches, 4, gradients=True),
    Function("image.extract_glimpse", of_glimpses, 8, quick=()),
    Function("image.image_gradients", of_gradients, 4, quick=()),
    Function("image.sobel_edges", of_edges, 4, CLOSE, gradients=True),
    Function("image.total_variation", of_variations, 6, CLOSE, quick=()),
    Function("image.psnr", of_noise, 6, CLOSE, quick=()),
    Function("image.ssim", of_similarities, 6, {"float32": 1e-4}),
    Function("image.ssim_multiscale", of_scales, 6, {"float32": 1e-4}, quick=()),
    Function("compat.v1.image.resize_images", of_first_resizes, 8, CLOSE),
    Function("compat.v1.image.resize_image_with_pad", of_first_pads, 4, CLOSE, quick=()),
    *(Function(f"compat.v1.image.{name}", of_placed_resizes, 8, CLOSE, gradients=True, quick=()) for name in PLACED),
    Function("compat.v1.image.resize_area", of_areas, 4, CLOSE, quick=()),
    Function("compat.v1.image.extract_glimpse", of_first_glimpses, 6, quick=()),
]
