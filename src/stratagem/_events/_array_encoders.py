"""Encoders of NumPy arrays in the formats that TensorBoard shows: histogram buckets, PNG pictures, WAV sound."""

import io
import struct
import wave
import zlib

import numpy as np

_COLORS = {1: 0, 2: 4, 3: 2, 4: 6}  # PNG's color type by channels: gray, gray with alpha, RGB, RGBA


def buckets(data: np.ndarray, count: int) -> np.ndarray:
    """A histogram with `count` equal buckets over the range of the numbers: rows (left edge, right edge, count), float64.

    If all numbers are equal, the last bucket holds them all. With NaN or infinite numbers all edges are NaN, and every bucket
    is empty.
    """
    values = np.asarray(data).reshape(-1).astype(np.float64)
    count = max(0, count)
    result = np.zeros((count, 3))
    if not values.size or not count:
        return result
    low, high = values.min(), values.max()
    if low == high:
        result[:, :2] = high
        result[-1, 2] = values.size
        return result
    if not np.isfinite(high - low):
        result[:, :2] = np.nan
        return result
    places = np.minimum(np.floor((values - low) / ((high - low) / count)).astype(np.int64), count - 1)
    edges = np.linspace(low, high, count + 1)
    result[:, 0], result[:, 1] = edges[:-1], edges[1:]
    result[:, 2] = np.bincount(places, minlength=count)
    return result


def pictures(pixels: np.ndarray, width: int, height: int) -> np.ndarray:
    """Encodes pictures of 8-bit numbers, (number, height, width, channels): an array of width, height and one PNG file each."""
    return _strings([str(width).encode(), str(height).encode(), *map(_png, pixels)])


def sounds(clips: np.ndarray, sample_rate: int) -> np.ndarray:
    """Encodes clips (number, frames, channels) from -1 to 1: strings (number, 2), each a 16-bit WAV file and an empty label."""
    files = [_wav(clip, sample_rate) for clip in clips]
    return _strings([part for file in files for part in (file, b"")]).reshape(len(files), 2)


def _strings(parts: list[bytes]) -> np.ndarray:
    array = np.empty(len(parts), object)
    array[:] = parts
    return array


def _png(pixels: np.ndarray) -> bytes:
    height, width, channels = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 8, _COLORS[channels], 0, 0, 0)
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # every row begins with its filter type, 0: no filter
    rows[:, 1:] = pixels.reshape(height, -1)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


def _wav(clip: np.ndarray, sample_rate: int) -> bytes:
    samples = np.clip(np.round(clip.astype(np.float32) * 32768), -32768, 32767).astype("<i2")
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(clip.shape[1])
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(samples.tobytes())
    return target.getvalue()
