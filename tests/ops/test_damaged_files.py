"""Files of images that are damaged or claim to be enormous: TensorFlow's class of error, soon and without taking memory."""

import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf

FILES = Path(__file__).parent / "image_files"
SIDE = 46342  # its square is more than 2**31
PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))


def file(name: str) -> bytes:
    """A file of the other tests."""
    return (FILES / name).read_bytes()


def chunk(kind: bytes, content: bytes) -> bytes:
    """A part of a PNG file."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(
    width: int, height: int, bits: int = 8, colours: int = 2, interlaced: int = 0, rows: bytes = bytes(10)
) -> bytes:
    """A PNG file that says that it has these sizes."""
    header = struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, interlaced)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def jpeg(width: int, height: int) -> bytes:
    """A JPEG file that says that it has these sizes."""
    data = bytearray(file("rgb_444.jpg"))
    place = data.index(b"\xff\xc0") + 5
    data[place : place + 4] = struct.pack(">HH", height, width)
    return bytes(data)


def gif(screen: int, frame: int | None = None) -> bytes:
    """A GIF file whose whole has this width and height and, if it is given, its frame, too."""
    data = bytearray(file("one.gif"))
    data[6:10] = struct.pack("<HH", screen, screen)
    place = data.index(b"\x2c", 13 + 3 * 2 ** ((data[10] & 7) + 1)) + 5
    if frame is not None:
        data[place : place + 4] = struct.pack("<HH", frame, frame)
    return bytes(data)


def bmp(width: int, height: int) -> bytes:
    """A BMP file that says that it has these sizes."""
    data = file("rgb.bmp")
    return data[:18] + struct.pack("<ii", width, height) + data[26:]


def flipped(data: bytes, place: int) -> bytes:
    """A file with another byte in one place."""
    return data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]


# TensorFlow 2.15.1 raises InvalidArgumentError for each of them.
DAMAGED = {
    "nothing": b"",
    "no image": b"hello",
    "half a JPEG": file("rgb_444.jpg")[:400],
    "a JPEG's beginning": file("rgb_444.jpg")[:30],
    "a huge JPEG": jpeg(SIDE, SIDE),
    "a JPEG without width": jpeg(0, 5),
    "a PNG's beginning": file("rgb.png")[:60],
    "a huge PNG": png(SIDE, SIDE),
    "a huge PNG of 16 bits": png(SIDE, SIDE, 16),
    "the largest PNG": png(2**31 - 1, 2**31 - 1),
    "a PNG of one long row": png(2**31 - 1, 1),
    "a PNG of an unknown kind": png(2, 2, 16, 5),
    "a palette of 16 bits": png(2, 2, 16, 3),
    "a PNG with few rows": png(40, 40),
    "a PNG of 16 bits with few rows": png(40, 40, 16),
    "a PNG with a wrong checksum": flipped(file("rgb.png"), file("rgb.png").index(b"IDAT") + 6),
    "a GIF's beginning": file("one.gif")[:40],
    "a GIF with a huge frame": gif(4, 65535),
    "a huge BMP": bmp(SIDE, SIDE),
    "a BMP of the lowest height": bmp(4, -(2**31)),
    "a BMP of a negative width": bmp(-4, 3),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_an_error_of_tensorflows_class(name: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"^tf\.io\.decode_image: "):
        tf.io.decode_image(DAMAGED[name])


def test_a_gif_is_as_large_as_its_largest_frame() -> None:
    np.testing.assert_array_equal(tf.io.decode_gif(gif(65535)), tf.io.decode_gif(file("one.gif")))


def test_what_comes_after_the_last_row_is_not_read() -> None:
    rows = b"".join(bytes([0]) + struct.pack(">6H", *range(i, i + 6)) for i in (0, 7))
    found = tf.io.decode_png(png(2, 2, 16, rows=rows + bytes(10**6)), dtype=tf.uint16)
    assert np.asarray(found).reshape(2, 6).tolist() == [list(range(6)), list(range(7, 13))]


@pytest.mark.parametrize(("height", "width"), [(11, 7), (1, 1), (3, 2), (8, 9)])
@pytest.mark.parametrize(("channels", "kind"), [(1, 0), (3, 2), (4, 6)])
def test_an_interlaced_file_of_16_bits_is_read(height: int, width: int, channels: int, kind: int) -> None:
    pixels = np.random.default_rng(height).integers(0, 2**16, (height, width, channels)).astype(np.uint16)
    coded = pixels.astype(">u2").view(np.uint8).reshape(height, width, 2 * channels)
    rows = [b"\0" + row.tobytes() for y, x, dy, dx in PASSES if x < width for row in coded[y::dy, x::dx]]
    data = png(width, height, 16, kind, 1, b"".join(rows))
    np.testing.assert_array_equal(tf.io.decode_png(data, dtype=tf.uint16), pixels)


def test_a_map_raises_it_at_its_element() -> None:
    files = tf.data.Dataset.from_tensor_slices([file("rgb.png"), DAMAGED["a PNG's beginning"]])
    images = iter(files.map(tf.io.decode_png))
    assert next(images).shape == (4, 3, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid PNG data, size 60"):
        next(images)


@pytest.mark.thorough
def test_a_damaged_file_takes_no_memory() -> None:
    program = """
import resource
from tests.ops.test_damaged_files import DAMAGED, tf
tf.io.decode_image(DAMAGED["nothing"] or open("tests/ops/image_files/rgb.png", "rb").read())
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 2**28,) * 2)
for data in DAMAGED.values():
    try:
        tf.io.decode_image(data)
    except tf.errors.InvalidArgumentError:
        pass
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2], timeout=250)
