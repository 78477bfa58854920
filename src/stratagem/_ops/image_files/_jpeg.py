"""JPEG files: decoded as TensorFlow decodes them, bit for bit, and encoded to the same bytes."""

import io
import struct
from typing import Any

import numpy as np

from stratagem._base.errors import InternalError, InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._core.step import entrywise, host_function
from stratagem._ops._convert import Tensor, on_device, on_host, static_int, tensor
from stratagem._ops._dtypes import as_dtype, int32
from stratagem._ops.image_files._libraries import (
    check_size,
    contents_of,
    damage_is_an_error,
    library,
    pixels_of,
    sized_by_file,
)

_METHODS = ("", "INTEGER_FAST", "INTEGER_ACCURATE")
_CMYK = ("CMYK", "YCCK")
_PREMATURE = "premature end"  # libjpeg's warning about a file that was cut off


def jpeg_pixels(
    data: bytes, what: str, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, dct_method: str = "",
) -> np.ndarray:  # fmt: skip
    """Returns the pixels of a JPEG file, (height, width, 1 or 3), uint8.

    Raises:
        InvalidArgumentError: arguments that TensorFlow refuses, a damaged file.
    """
    if channels == 4:
        raise InvalidArgumentError(f"{what}: JPEG does not support 4 channels, use 0, 1 or 3.")
    if ratio not in (1, 2, 4, 8):
        raise InvalidArgumentError(f"{what}: ratio must be 1, 2, 4, or 8, got {ratio}.")
    if dct_method not in _METHODS:
        raise InvalidArgumentError(f"{what}: dct_method must be one of {_METHODS}, got {dct_method!r}.")
    codec = library("simplejpeg", what)
    with damage_is_an_error(what, "JPEG", data):
        height, width, space, _ = codec.decode_jpeg_header(data, strict=False)
        check_size(what, "JPEG", -(-height // ratio), -(-width // ratio))
        if channels == 1 and space in _CMYK:
            raise InvalidArgumentError(f"{what}: a JPEG file in CMYK is not decoded to 1 channel: use 0 or 3.")
        options = {
            "colorspace": "CMYK"
            if space in _CMYK
            else "GRAY"
            if channels == 1 or (channels == 0 and space == "Gray")
            else "RGB",
            "fastdct": dct_method != "INTEGER_ACCURATE",
            "fastupsample": not fancy_upscaling,
            "min_height": -(-height // ratio) if ratio > 1 else 0,
            "min_width": -(-width // ratio) if ratio > 1 else 0,
        }
        pixels = _tolerant(codec, data, try_recover_truncated, options)
    return _without_black(pixels) if space in _CMYK else pixels


def _tolerant(codec: Any, data: bytes, recover: bool, options: dict[str, Any]) -> np.ndarray:
    """Decodes a file; what libjpeg only warns of is accepted, as in TensorFlow, apart from a missing end."""
    try:
        return codec.decode_jpeg(data, **options)
    except ValueError as error:
        if _PREMATURE in str(error).lower() and not recover:
            raise
    return codec.decode_jpeg(data, strict=False, **options)


def _without_black(inks: np.ndarray) -> np.ndarray:
    """RGB of inverted CMYK as Adobe's programs write it: every colour times black, in whole numbers."""
    wide = inks.astype(np.uint16)
    return (wide[..., :3] * wide[..., 3:] // 255).astype(np.uint8)


@exported("image.decode_and_crop_jpeg", "io.decode_and_crop_jpeg")
@host_function
@sized_by_file
def decode_and_crop_jpeg(
    contents: Any, crop_window: Any, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1, dct_method: str = "", name: str | None = None,
) -> np.ndarray:  # fmt: skip
    """Decodes the part of a JPEG file within `crop_window`: [top, left, height, width], in pixels after `ratio`.

    Returns (height, width, channels), uint8. The other arguments are those of `decode_jpeg`.

    Raises:
        InvalidArgumentError: no JPEG file, a window that is empty or reaches beyond the image, what `decode_jpeg` refuses.
    """
    what = "tf.io.decode_and_crop_jpeg"
    data = contents_of(contents, what)
    if not is_jpeg_data(data):
        raise InvalidArgumentError(f"{what}: decodes JPEG only; the file begins with {data[:8]!r}.")
    _refuse_channels(channels, what)
    pixels = jpeg_pixels(data, what, channels, ratio, fancy_upscaling, try_recover_truncated, dct_method)
    window = [static_int(v, "a tensor is an edge of a crop window") for v in on_host(crop_window).tolist()]
    if len(window) != 4:
        raise InvalidArgumentError(f"{what}: crop_window is [top, left, height, width], got {window}.")
    top, left, height, width = window
    inside = min(top, left) >= 0 and top + height <= pixels.shape[0] and left + width <= pixels.shape[1]
    if not inside or min(height, width) <= 0:
        raise InvalidArgumentError(f"{what}: the window {window} is not in an image of {list(pixels.shape[:2])}.")
    return np.ascontiguousarray(pixels[top : top + height, left : left + width])


def _refuse_channels(channels: int, what: str) -> None:
    if channels not in (0, 1, 3, 4):
        raise InvalidArgumentError(f"{what}: `channels` must be 0, 1, 3 or 4 but got {channels}.")


def is_jpeg_data(data: bytes) -> bool:
    """Returns whether a file begins as JPEG files do."""
    return data.startswith(b"\xff\xd8\xff")


@exported("image.is_jpeg", "io.is_jpeg")
@host_function
@entrywise
def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Returns for every string whether it begins as JPEG files do: bools in the shape of `contents`."""
    files = np.asarray(on_host(contents, "string"))
    return on_device(np.array([is_jpeg_data(data) for data in files.ravel().tolist()], bool).reshape(files.shape))


@exported("image.extract_jpeg_shape", "io.extract_jpeg_shape")
@host_function
def extract_jpeg_shape(contents: Any, output_type: DTypeLike = int32, name: str | None = None) -> Tensor:
    """Returns [height, width, channels] of a JPEG file, whose pixels are not decoded: int32, or int64 as asked for.

    Raises:
        InvalidArgumentError: no JPEG file.
    """
    what = "tf.io.extract_jpeg_shape"
    data = contents_of(contents, what)
    with damage_is_an_error(what, "JPEG", data):
        height, width, space, _ = library("simplejpeg", what).decode_jpeg_header(data, strict=False)
    channels = 4 if space in _CMYK else 1 if space == "Gray" else 3
    return on_device(np.array([height, width, channels], as_dtype(output_type).dtype))


@exported("image.encode_jpeg", "io.encode_jpeg")
@host_function
def encode_jpeg(
    image: Any, format: str = "", quality: int = 95, progressive: bool = False, optimize_size: bool = False,
    chroma_downsampling: bool = True, density_unit: str = "in", x_density: int = 300, y_density: int = 300,
    xmp_metadata: str = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """Encodes an image, (height, width, 1 or 3) of uint8, as a JPEG file: a scalar string.

    format: "grayscale", "rgb", or "" for what the channels say. quality: from 0 to 100. chroma_downsampling: a fourth of
    the colours (4:2:0). xmp_metadata: is written into the file.

    Raises:
        InvalidArgumentError: another shape, dtype, format, quality or unit. InternalError: an image without pixels.
    """
    what = "tf.io.encode_jpeg"
    pixels = pixels_of(image, ("uint8",), what)
    expected = {"": pixels.shape[-1:], "grayscale": (1,), "rgb": (3,)}.get(format)
    if expected is None or density_unit not in ("in", "cm"):
        raise InvalidArgumentError(
            f'{what}: format is "", "grayscale" or "rgb", density_unit "in" or "cm", got {format!r} and {density_unit!r}.'
        )
    if pixels.ndim == 3 and pixels.shape[-1:] != expected:
        raise InvalidArgumentError(f"{what}: format {format} expects {expected[0]} channels, got {list(pixels.shape)}.")
    options: dict[str, Any] = {"progressive": progressive, "optimize": optimize_size}
    if xmp_metadata:
        options["xmp"] = xmp_metadata.encode()
    data = jpeg_data(pixels, quality, what, chroma_downsampling, options)
    # JFIF's header is first: the unit of the density and the density are 13 bytes behind the file's beginning.
    header = struct.pack(">BHH", 1 if density_unit == "in" else 2, x_density, y_density)
    return tensor(data[:13] + header + data[18:])


def jpeg_data(
    pixels: np.ndarray, quality: int, what: str, downsampling: bool = True, options: dict[str, Any] | None = None
) -> bytes:
    """Returns pixels as a JPEG file. Raises InvalidArgumentError, or InternalError for an image without pixels."""
    if not 0 <= quality <= 100:
        raise InvalidArgumentError(f"{what}: quality must be in [0,100], got {quality}.")
    if pixels.ndim != 3 or pixels.shape[-1] not in (1, 3):
        raise InvalidArgumentError(
            f"{what}: image must be 3-dimensional with 1 or 3 channels, got shape {list(pixels.shape)}. `tf.map_fn` goes "
            "over several images."
        )
    if not pixels.size:
        raise InternalError(f"{what}: JPEG encoding failed, there are no pixels in {list(pixels.shape)}.")
    gray = pixels.shape[-1] == 1
    file = io.BytesIO()
    image = library("PIL.Image", what).fromarray(pixels[..., 0] if gray else pixels)
    sampling = 2 if downsampling and not gray else 0  # Pillow's names for 4:2:0 and 4:4:4
    image.save(file, "JPEG", quality=quality, subsampling=sampling, dpi=(300, 300), **(options or {}))
    return file.getvalue()
