"""PNG files: Pillow reads and writes those with 8 bits a channel; those with 16, which Pillow cuts to 8, are read here."""

import io
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from stratagem._base.errors import InternalError, InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import host_function
from stratagem._ops._convert import Tensor, on_device
from stratagem._ops.image_files._libraries import check_size, damage_is_an_error, library, pixels_of

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = ">IIBBBBB"  # width, height, bits, color type, compression, filter, interlacing
# Of an interlaced image: the first row and column of each of its parts, and the steps to the next (specification, 8.2).
_PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}  # by PNG's color type; 3, a palette, has 8 bits at most
# libpng's weights of red, green and blue in 32768ths: 0.299 and 0.587 cut off, and what is left of 1.
_GRAY = np.array([9797, 19234, 3737], np.uint32)


def png_pixels(data: bytes, what: str, channels: int = 0, dtype: str = "uint8") -> np.ndarray:
    """Returns the pixels of a PNG file, (height, width, channels), uint8 or uint16.

    channels: 1 (gray), 3 (colours), 4 (colours with opacity), or 0 for those of the file.

    Raises:
        InvalidArgumentError: a damaged file, or 2**29 pixels and more.
    """
    with damage_is_an_error(what, "PNG", data):
        width, height, bits = struct.unpack_from(">IIB", data, 16)
        check_size(what, "PNG", height, width)
        pixels = _wide_pixels(data) if bits == 16 else _narrow_pixels(data, what, channels)
    pixels = _with_channels(pixels, channels)
    if dtype == "uint8":
        return (pixels >> 8).astype(np.uint8) if bits == 16 else pixels
    return pixels if bits == 16 else pixels.astype(np.uint16) * 257


def _narrow_pixels(data: bytes, what: str, channels: int) -> np.ndarray:
    """At most 8 bits a channel. A transparent colour counts where opacity is asked for, that of a palette also otherwise."""
    for _ in _chunks(data):
        pass  # Pillow reads files whose end is damaged, which libpng refuses
    image: Any = library("PIL.Image", what).open(io.BytesIO(data), formats=["PNG"])
    see_through = "transparency" in image.info
    if channels == 4 and see_through:
        image = image.convert("RGBA")
    elif image.mode == "P":
        image = image.convert("RGBA" if see_through and channels == 0 else "RGB")
    elif image.mode not in ("L", "LA", "RGB", "RGBA"):
        image = image.convert("L")
    pixels = np.asarray(image)
    return pixels[..., None] if pixels.ndim == 2 else pixels


def _with_channels(pixels: np.ndarray, channels: int) -> np.ndarray:
    found = pixels.shape[-1]
    if channels in (0, found):
        return pixels
    colours, opacity = (pixels[..., :-1], pixels[..., -1:]) if found in (2, 4) else (pixels, None)
    if channels == 1:
        return _gray(colours) if colours.shape[-1] == 3 else colours
    colours = np.broadcast_to(colours, (*colours.shape[:-1], 3))
    if channels == 3:
        return np.ascontiguousarray(colours)
    full = np.full_like(pixels[..., :1], np.iinfo(pixels.dtype).max)
    return np.concatenate([colours, full if opacity is None else opacity], -1)


def _gray(colours: np.ndarray) -> np.ndarray:
    """Brightness as libpng computes it: rounded for 16 bits, cut off for 8."""
    total = (colours.astype(np.uint32) * _GRAY).sum(-1, keepdims=True, dtype=np.uint32)
    return ((total + (16384 if colours.dtype == np.uint16 else 0)) >> 15).astype(colours.dtype)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields (kind, content) of every chunk. Raises ValueError where a checksum is wrong or the file ends early."""
    place = len(_SIGNATURE)
    while place < len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        content = data[place + 8 : place + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, place + 8 + length)
        if checksum != zlib.crc32(kind + content) and kind[:1].isupper():  # others are not needed, as small letters say
            raise ValueError(f"the checksum of chunk {kind!r} is wrong")
        yield kind, content
        if kind == b"IEND":
            return
        place += 12 + length
    raise ValueError("the file ends before its last chunk")


def _wide_pixels(data: bytes) -> np.ndarray:
    """16 bits a channel: the file's own channels, uint16."""
    chunks = list(_chunks(data))
    width, height, _, kind, _, _, interlaced = struct.unpack(_HEADER, chunks[0][1])
    size = 2 * _CHANNELS[kind]
    passes = _PASSES if interlaced else ((0, 0, 1, 1),)
    # Without those of an interlaced image that is too small for them.
    steps = [step for step in passes if step[0] < height and step[1] < width]
    shapes = [(-(-(height - y) // dy), -(-(width - x) // dx)) for y, x, dy, dx in steps]
    needed = sum(rows * (1 + columns * size) for rows, columns in shapes)
    packed = b"".join(content for name, content in chunks if name == b"IDAT")
    coded = np.frombuffer(zlib.decompressobj().decompress(packed, needed), np.uint8)  # what comes after it is no pixel
    pixels = np.empty((height, width, size), np.uint8)
    place = 0
    for (y, x, dy, dx), (rows, columns) in zip(steps, shapes, strict=True):
        end = place + rows * (1 + columns * size)
        lines = coded[place:end].reshape(rows, 1 + columns * size)
        pixels[y::dy, x::dx] = _unfiltered(lines[:, 0], lines[:, 1:].reshape(rows, columns, size))
        place = end
    return pixels.view(">u2").astype(np.uint16)


def _unfiltered(filters: np.ndarray, coded: np.ndarray) -> np.ndarray:
    """Undoes PNG's filters of rows of pixels, (height, width, bytes): what is coded is a byte less what its neighbours predict.

    A pixel needs its left, upper and upper left neighbours, so all pixels of a diagonal are computed at once.
    Source: the PNG specification, 9.2 and 9.4.
    """
    height, width, size = coded.shape
    found = np.zeros((height + 1, width + 1, size), np.int32)  # with a row above and a column before, which are 0
    for diagonal in range(height + width - 1):
        y = np.arange(max(0, diagonal - width + 1), min(height, diagonal + 1))
        x = diagonal - y
        left, up, corner = found[y + 1, x], found[y, x + 1], found[y, x]
        to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
        nearest = np.where(to_up <= to_corner, up, corner)
        nearest = np.where((to_left <= to_up) & (to_left <= to_corner), left, nearest)
        predicted = np.choose(filters[y, None], [np.zeros_like(left), left, up, (left + up) // 2, nearest])
        found[y + 1, x + 1] = (coded[y, x] + predicted) & 255
    return found[1:, 1:].astype(np.uint8)


@exported("image.encode_png", "io.encode_png")
@host_function
def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """Encodes images, (..., height, width, channels) of uint8 or uint16, as PNG files: strings, a file each.

    channels: 1 (gray), 2 (with opacity), 3 (colours), 4 (with opacity). compression: from 0 (none) to 9, -1 for zlib's own.

    Raises:
        InvalidArgumentError: another rank, dtype, number of channels or compression. InternalError: images without pixels.
    """
    what = "tf.io.encode_png"
    pixels = pixels_of(image, ("uint8", "uint16"), what)
    if not -1 <= compression <= 9:
        raise InvalidArgumentError(f"{what}: compression should be in [-1,9], got {compression}.")
    if pixels.ndim < 3 or pixels.shape[-1] not in (1, 2, 3, 4):
        raise InvalidArgumentError(
            f"{what}: images are (..., height, width, channels) with 1, 2, 3 or 4 channels, got {list(pixels.shape)}."
        )
    if 0 in pixels.shape[-3:]:
        raise InternalError(f"{what}: PNG encoding failed, there are no pixels in {list(pixels.shape)}.")
    batch = pixels.reshape(-1, *pixels.shape[-3:])
    files = np.empty(len(batch), object)
    files[:] = [
        _wide_file(each, compression) if each.itemsize == 2 else _file(each, compression, what) for each in batch
    ]
    return on_device(files.reshape(pixels.shape[:-3]))


def _file(pixels: np.ndarray, compression: int, what: str) -> bytes:
    file = io.BytesIO()
    image = library("PIL.Image", what).fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels)
    image.save(file, "PNG", compress_level=6 if compression == -1 else compression)
    return file.getvalue()


def _wide_file(pixels: np.ndarray, compression: int) -> bytes:
    height, width, channels = pixels.shape
    kind = next(kind for kind, count in _CHANNELS.items() if count == channels)
    rows = np.zeros((height, 1 + width * channels * 2), np.uint8)  # every row begins with its filter, 0: none
    rows[:, 1:] = pixels.astype(">u2").reshape(height, -1).view(np.uint8)
    parts = {
        b"IHDR": struct.pack(_HEADER, width, height, 16, kind, 0, 0, 0),
        b"IDAT": zlib.compress(rows.tobytes(), compression),
        b"IEND": b"",
    }
    chunks = (struct.pack(">I", len(p)) + k + p + struct.pack(">I", zlib.crc32(k + p)) for k, p in parts.items())
    return _SIGNATURE + b"".join(chunks)
