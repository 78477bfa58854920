"""`tf.io` and `tf.image` on files of images: those of `tests/ops/image_files`, and parts of them."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.ops.drawn.draws import Draw, Function

FOLDER = Path(__file__).parents[2] / "image_files"
JPEGS = ("gray.jpg", "rgb_444.jpg", "rgb_422.jpg", "rgb_420.jpg", "progressive.jpg", "cmyk.jpg")
PNGS = (
    "gray.png", "rgb.png", "rgba.png", "gray_opacity.png", "bits.png", "palette.png", "transparent_palette.png",
    "transparent_colour.png", "gray_16.png", "gray_opacity_16.png", "rgb_16.png", "rgba_16.png",
)  # fmt: skip
GIFS = ("one.gif", "three.gif")
BMPS = ("gray.bmp", "rgb.bmp", "rgba.bmp", "bits.bmp")
DTYPES = ("uint8", "uint16", "float32", "int32", "int8", "float64", "float16", "bool")
_EDGE = "at the edges of a window TensorFlow interpolates colours otherwise than inside of the image"
_LACKING = "what a cut off file lacks is gray here, and in TensorFlow what missing bits of 0 happen to mean"
_OPACITY = "a palette of few colours is opaque here; TensorFlow's opacity is the largest number of its bits, 15 of 255"


def _file(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def _in_turn(draw: Draw, names: tuple[str, ...]) -> bytes:
    return _file(names[draw.number % len(names)])


def _jpeg(draw: Draw) -> Any:
    options: dict[str, Any] = {"channels": draw.choice((0, 0, 1, 3))}
    if draw.number >= len(JPEGS):
        options |= {"ratio": draw.choice((1, 2, 4, 8)), "fancy_upscaling": draw.flag()}
        options["dct_method"] = draw.choice(("", "INTEGER_FAST", "INTEGER_ACCURATE"))
    return [_in_turn(draw, JPEGS)], options


def _broken_jpeg(draw: Draw) -> Any:
    if draw.number >= 8:
        return _jpeg(draw)
    data = _file("rgb_420.jpg")
    cut = (len(data) - 2, len(data) - 40, len(data) - 2, len(data) - 40, 300, len(data), len(data), len(data))[
        draw.number
    ]
    options: dict[int, dict[str, Any]] = {2: {}, 3: {}, 5: {"channels": 2}, 6: {"ratio": 3}, 7: {"dct_method": "FLOAT"}}
    recovered = {"try_recover_truncated": True, "acceptable_fraction": 0.3}
    return [data[:cut]], options.get(draw.number, recovered)


def _other_format(draw: Draw) -> Any:
    names = ("rgb.png", "one.gif", "rgb_16.png", "three.gif", "rgb.bmp", "transparent_palette.png")
    return [_in_turn(draw, names)], {"channels": draw.choice((0, 3))}


def _cropped(draw: Draw) -> Any:
    windows = [[0, 0, 9, 19], [0, 0, 4, 6], [2, 16, 7, 3], [0, 0, 10, 2], [-1, 0, 2, 2], [0, 0, 0, 0], [3, 5, 4, 6]]
    window = windows[draw.number % len(windows)]
    name = "rgb_444.jpg" if draw.number < len(windows) else "rgb_420.jpg"
    return [_file(name), window], {"channels": draw.choice((0, 1, 3))}


def _png(draw: Draw) -> Any:
    channels = 0 if draw.number < len(PNGS) else draw.choice((1, 3, 4))
    return [_in_turn(draw, PNGS)], {"channels": channels, "dtype": draw.choice(("uint8", "uint16"))}


def _broken_png(draw: Draw) -> Any:
    if draw.number >= 8:
        return _png(draw)
    name = ("rgb.png", "rgb_16.png")[draw.number % 2]
    data = _file(name)
    changed = (data, data, data[:-20], data[:-20], data[:30], b"", b"nothing that is an image", data)[draw.number]
    return [changed], {"channels": 2 if draw.number == 7 else 0}


def _gif(draw: Draw) -> Any:
    names = ("one.gif", "three.gif", "rgb.png", "rgb_444.jpg", "gray_16.png", "rgb.bmp")
    return [_in_turn(draw, names) if draw.number < len(names) else _file("three.gif")[:-30]], {}


def _bmp(draw: Draw) -> Any:
    data = _in_turn(draw, BMPS)
    channels = 0 if draw.number < len(BMPS) else draw.choice((0, 1, 3, 4))
    return [data[:-5] if draw.number == 9 else data], {"channels": channels}


def _image(draw: Draw) -> Any:
    names = (*GIFS, "rgb_16.png", "gray.jpg", "rgb.bmp", "rgba.png", "gray.bmp")
    options = {"dtype": DTYPES[draw.number % len(DTYPES)], "expand_animations": draw.flag()}
    return [_in_turn(draw, names)], options | {"channels": draw.choice((None, 0, 3))}


def _pixels(draw: Draw, channels: int, low: int = 4) -> np.ndarray:
    return draw.array((draw.integer(low, 9), draw.integer(low, 9), channels), "uint8", 0, 255)


def _to_jpeg(draw: Draw) -> Any:
    options: tuple[dict[str, Any], ...] = (
        {}, {"quality": 40}, {"progressive": True}, {"optimize_size": True}, {"chroma_downsampling": False},
        {"density_unit": "cm", "x_density": 10, "y_density": 700}, {"xmp_metadata": "words"}, {"format": "rgb"},
        {"format": "grayscale"}, {"quality": 101},
    )  # fmt: skip
    return [_pixels(draw, draw.choice((1, 3)))], options[draw.number]


def _to_png(draw: Draw) -> Any:
    channels = draw.number % 5 + 1
    shape = (*draw.shape(0, 2, 1, 2), draw.integer(1, 3), draw.integer(1, 3), channels)
    pixels = draw.array(shape, draw.choice(("uint8", "uint16")), 0, 255)
    return [pixels * (257 if pixels.dtype == np.uint16 else 1)], {"compression": draw.choice((-1, 0, 9, 10))}


def _worse(draw: Draw) -> Any:
    pixels = _pixels(draw, draw.choice((1, 3)))
    dtype = ("uint8", "float32", "float64", "int32", "uint16")[draw.number % 5]
    image = (pixels / 200).astype(dtype) if dtype.startswith("float") else pixels.astype(dtype)
    return [image, draw.integer(0, 101)], {}


def _randomly_worse(draw: Draw) -> Any:
    low = draw.integer(-1, 90)
    return [_pixels(draw, 3), low, low + draw.integer(0, 10), [draw.number, 7]], {}


def _bytes(tf: Any, result: Any, *tensors: Any) -> Any:
    """How many bytes a file has, their sum, and their sum with weights that tell their places."""
    data = tf.cast(tf.io.decode_raw(result, tf.uint8), tf.int32)
    return [tf.size(data), tf.reduce_sum(data), tf.reduce_sum(data * (tf.range(tf.size(data)) % 251))]


def _read_again(tf: Any, result: Any, *tensors: Any) -> Any:
    """The pixels of files, whose bytes depend on how well zlib compresses."""
    files = tf.reshape(result, [-1])
    return [tf.io.decode_png(files[i], dtype=tf.uint16) for i in range(files.shape[0])]


FUNCTIONS = [
    Function("io.decode_jpeg", _jpeg, 16),
    Function("image.decode_jpeg", _broken_jpeg, 12, differ={1: _LACKING}),
    Function("io.decode_image", _image, 16, within={"float32": 2e-7, "float64": 1e-15, "float16": 1e-3}),
    Function("image.decode_image", _other_format, 6),
    Function("io.decode_and_crop_jpeg", _cropped, 12, differ={9: _EDGE}),
    Function("io.decode_png", _png, 30, differ={17: _OPACITY, 29: _OPACITY}),
    Function("image.decode_png", _broken_png, 12),
    Function("io.decode_gif", _gif, 7),
    Function("io.decode_bmp", _bmp, 10),
    Function("io.encode_jpeg", _to_jpeg, 10, compared=_bytes),
    Function("io.encode_png", _to_png, 12, compared=_read_again),
    Function("io.extract_jpeg_shape", lambda draw: ([_in_turn(draw, (*JPEGS, "rgb.png"))], {}), 7),
    Function("io.is_jpeg", lambda draw: ([[_in_turn(draw, (*JPEGS, "rgb.png")), b""]], {}), 7),
    Function("image.adjust_jpeg_quality", _worse, 10),
    Function("image.stateless_random_jpeg_quality", _randomly_worse, 10),
]
