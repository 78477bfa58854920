"""Decoding of files by any of TensorFlow's names: each takes files of most formats, and `decode_image` of all."""

import struct
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._core.step import host_function
from stratagem._ops._dtypes import as_dtype, uint8
from stratagem._ops.image_files._gif import gif_frames
from stratagem._ops.image_files._jpeg import jpeg_pixels
from stratagem._ops.image_files._libraries import contents_of, damage_is_an_error, format_of, sized_by_file
from stratagem._ops.image_files._png import png_pixels

_BMP_BYTES = {8: 1, 24: 3, 32: 4}  # of a pixel, by its bits


@exported("image.decode_jpeg", "io.decode_jpeg")
@host_function
@sized_by_file
def decode_jpeg(
    contents: Any, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1, dct_method: str = "", name: str | None = None,
) -> np.ndarray:  # fmt: skip
    """Decodes a JPEG file, a scalar string: (height, width, channels), uint8. PNG files and still GIF files are taken, too.

    channels: 1 or 3, or 0 for those of the file. ratio: 1, 2, 4 or 8, by which the image is made smaller.
    fancy_upscaling: interpolate colours between their samples. try_recover_truncated: what a cut off file lacks is
    gray; `acceptable_fraction` changes nothing, as in TensorFlow. dct_method: "INTEGER_FAST" (also "")
    or "INTEGER_ACCURATE".

    Raises:
        InvalidArgumentError: other arguments, a damaged file or one of another format.
    """
    what = "tf.io.decode_jpeg"
    data = contents_of(contents, what)
    _refuse_channels(channels, what)
    if format_of(data, what) == "jpeg":
        return jpeg_pixels(data, what, channels, ratio, fancy_upscaling, try_recover_truncated, dct_method)
    return _still(data, channels, what, "uint8")


@exported("image.decode_png", "io.decode_png")
@host_function
@sized_by_file
def decode_png(contents: Any, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None) -> np.ndarray:
    """Decodes a PNG file, a scalar string: (height, width, channels). JPEG files and GIF files of one frame are taken, too.

    channels: 1 (gray), 3 (colours), 4 (with opacity), or 0 for those of the file. dtype: uint8 or uint16.

    Raises:
        InvalidArgumentError: other arguments, a damaged file or one of another format.
    """
    what = "tf.io.decode_png"
    kind = as_dtype(dtype).name
    if kind not in ("uint8", "uint16"):
        raise InvalidArgumentError(f"{what}: dtype is uint8 or uint16, got {kind}. `tf.io.decode_image` has others.")
    _refuse_channels(channels, what)
    return _still(contents_of(contents, what), channels, what, kind)


@exported("image.decode_gif", "io.decode_gif")
@host_function
@sized_by_file
def decode_gif(contents: Any, name: str | None = None) -> np.ndarray:
    """Decodes a GIF file, a scalar string: (frames, height, width, 3), uint8. JPEG and PNG files have one frame.

    Raises:
        InvalidArgumentError: a damaged file or one of another format.
    """
    what = "tf.io.decode_gif"
    data = contents_of(contents, what)
    if format_of(data, what) == "gif":
        return gif_frames(data, what)
    return _still(data, 3, what, "uint8")[None]


@exported("image.decode_bmp", "io.decode_bmp")
@host_function
@sized_by_file
def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> np.ndarray:
    """Decodes a BMP file, a scalar string: (height, width, channels), uint8. Numbers of a palette stay numbers.

    channels: 3, 4, or 0 for those of the file.

    Raises:
        InvalidArgumentError: other arguments, a damaged file or one of another format.
    """
    what = "tf.io.decode_bmp"
    data = contents_of(contents, what)
    found = format_of(data, what)
    if found != "bmp":
        raise InvalidArgumentError(
            f"{what}: Trying to decode {found.upper()} format using DecodeBmp op. Use `decode_{found}` or `decode_image` "
            "instead."
        )
    _refuse_channels(channels, what)
    return _bmp(data, channels, what)


@exported("image.decode_image", "io.decode_image")
@host_function
@sized_by_file
def decode_image(
    contents: Any, channels: int | None = None, dtype: DTypeLike = uint8, name: str | None = None,
    expand_animations: bool = True,
) -> np.ndarray:  # fmt: skip
    """Decodes a JPEG, PNG, GIF or BMP file, a scalar string: (height, width, channels), of GIF (frames, height, width, 3).

    channels: as the function of the format has them. dtype: that of the result, whose numbers are scaled: floating point
    from 0 to 1, integers to their range. expand_animations: False takes the first frame of a GIF file, without the first
    dimension.

    Raises:
        InvalidArgumentError: other arguments, a damaged file or one of another format.
    """
    what = "tf.io.decode_image"
    data, wanted = contents_of(contents, what), channels or 0
    kind = as_dtype(dtype)
    if not (kind.is_floating or kind.is_integer):
        raise InvalidArgumentError(f"{what}: dtype must be either floating point or integer, got {kind.name}.")
    _refuse_channels(wanted, what)
    found = format_of(data, what)
    # 255 is 1.0 in float32, and 65280 / 65535 in other floating point, which TensorFlow goes to by way of 16 bits.
    narrow = kind.name == "uint8" or (kind.name == "float32" and found != "png")
    depth = "uint8" if narrow else "uint16"
    if found == "gif":
        _refuse_gif_channels(wanted, what)
        frames = gif_frames(data, what, only_first=not expand_animations)
        pixels = _deepened(frames if expand_animations else frames[0], depth)
    elif found == "bmp":
        pixels = _deepened(_bmp(data, wanted, what), depth)
    else:
        pixels = _still(data, wanted, what, depth)
    return scaled(pixels, kind.dtype)


def _refuse_channels(channels: int, what: str) -> None:
    if channels not in (0, 1, 3, 4):
        raise InvalidArgumentError(f"{what}: `channels` must be 0, 1, 3 or 4 but got {channels}.")


def _refuse_gif_channels(channels: int, what: str) -> None:
    if channels not in (0, 3):
        raise InvalidArgumentError(f"{what}: channels must be 0 or 3 for GIF, got {channels}.")


def _still(data: bytes, channels: int, what: str, dtype: str) -> np.ndarray:
    """Returns the pixels of a file with one image, (height, width, channels). dtype: "uint8" or "uint16"."""
    found = format_of(data, what)
    if found == "png":
        return png_pixels(data, what, channels, dtype)
    if found == "jpeg":
        return _deepened(jpeg_pixels(data, what, channels), dtype)
    if found == "bmp":
        raise InvalidArgumentError(
            f"{what}: Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead."
        )
    _refuse_gif_channels(channels, what)
    frames = gif_frames(data, what)
    if len(frames) != 1:
        raise InvalidArgumentError(
            f"{what}: Got {len(frames)} frames, but animated gifs can only be decoded by tf.io.decode_gif or "
            "tf.io.decode_image."
        )
    return _deepened(frames[0], dtype)


def _deepened(pixels: np.ndarray, dtype: str) -> np.ndarray:
    """8 bits as the upper ones of 16, which is how TensorFlow widens what is no PNG file."""
    return pixels if dtype == "uint8" else pixels.astype(np.uint16) * 256


def scaled(pixels: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Returns pixels in another dtype: floating point from 0 to 1, integers from 0 to their largest number.

    Numbers outside become the nearest one that the dtype has.
    """
    if pixels.dtype == dtype:
        return pixels
    whole, to_whole = pixels.dtype.kind in "iu", dtype.kind in "iu"
    if not to_whole:
        return (pixels / np.float64(np.iinfo(pixels.dtype).max)).astype(dtype) if whole else pixels.astype(dtype)
    most = int(np.iinfo(dtype).max)
    if not whole:
        return np.clip(pixels.astype(np.float32) * np.float32(most + 0.5), 0, most).astype(dtype)
    steps, wanted = int(np.iinfo(pixels.dtype).max) + 1, most + 1
    if steps > wanted:
        return np.clip(pixels // (steps // wanted), np.iinfo(dtype).min, most).astype(dtype)
    return pixels.astype(dtype) * dtype.type(wanted // steps)


def _bmp(data: bytes, channels: int, what: str) -> np.ndarray:
    """Returns the pixels of a BMP file: rows from below, unless its height is negative, each filled up to 4 bytes; BGR.

    Source: Microsoft's BITMAPFILEHEADER and BITMAPINFOHEADER.
    """
    if channels == 1:
        raise InvalidArgumentError(f"{what}: `channels` must be 0, 3 or 4 for BMP, but got 1.")
    with damage_is_an_error(what, "BMP", data):
        (begin,) = struct.unpack_from("<I", data, 10)
        width, height, _, bits = struct.unpack_from("<iiHH", data, 18)
    size = _BMP_BYTES.get(bits)
    if size is None or channels not in (0, size, 3 if size == 1 else size, 4):
        raise InvalidArgumentError(f"{what}: the file has {bits} bits a pixel, and {channels} channels were asked for.")
    row = -(-width * size // 4) * 4
    if width <= 0 or len(data) < begin + row * abs(height):
        raise InvalidArgumentError(
            f"{what}: {abs(height)} rows of {width} pixels of {bits} bits do not fit into {len(data)} bytes."
        )
    rows = np.frombuffer(data, np.uint8, row * abs(height), begin).reshape(abs(height), row)
    pixels = rows[:: -1 if height > 0 else 1, : width * size].reshape(abs(height), width, size)
    if size >= 3:
        pixels = pixels[..., [2, 1, 0, 3][:size]]
    if channels > size:
        opaque = np.full((*pixels.shape[:2], 1), 255, np.uint8)
        colours = np.broadcast_to(pixels, (*pixels.shape[:2], 3))
        pixels = colours if channels == 3 else np.concatenate([colours, opaque], -1)
    return np.ascontiguousarray(pixels)
