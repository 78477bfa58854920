"""GIF files: Pillow decodes them, on a canvas of TensorFlow's size, after the file was looked through for what it has."""

import io
import struct
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._ops.image_files._libraries import check_size, damage_is_an_error, library

_SCREEN = 6  # the place of the width and height of the whole
_TABLE = 0x80  # the bit that says that a table of colours follows
_IMAGE, _EXTENSION = 0x2C, 0x21  # what blocks begin with


def gif_frames(data: bytes, what: str, only_first: bool = False) -> np.ndarray:
    """Returns the frames of a GIF file, as they are seen, (frames, height, width, 3), uint8. A cut off file has those before.

    As in TensorFlow, the canvas has the size of the largest frame, whatever the file says of its own.
    Raises InvalidArgumentError for a damaged file, and for 2**29 pixels and more.
    """
    found: list[np.ndarray] = []
    with damage_is_an_error(what, "GIF", data):
        sizes = _sizes(data)
        if not sizes:
            raise InvalidArgumentError(f"{what}: Invalid GIF data (size {len(data)}), there is no frame in it.")
        width, height = (max(side) for side in zip(*sizes, strict=True))
        check_size(what, "GIF", height, width, 1 if only_first else len(sizes))
        screened = data[:_SCREEN] + struct.pack("<HH", width, height) + data[_SCREEN + 4 :]
        image: Any = library("PIL.Image", what).open(io.BytesIO(screened), formats=["GIF"])
        try:
            while not (only_first and found):
                image.seek(len(found))
                found.append(np.asarray(image.convert("RGB"))[:height, :width])
        except (EOFError, OSError, IndexError, struct.error):  # no further frame, or only a part of it
            if not found:
                raise
    return np.stack(found)


def _sizes(data: bytes) -> list[tuple[int, int]]:
    """The widths and heights of all frames, but those that a cut off file has not.

    Source: the GIF89a specification, of which only lengths of blocks are needed.
    """
    found = []
    try:
        place = 13 + _table(data[10])
        while data[place] in (_IMAGE, _EXTENSION):
            size = struct.unpack_from("<HH", data, place + 5)
            is_image = data[place] == _IMAGE
            place += 11 + _table(data[place + 9]) if is_image else 2
            while data[place]:
                place += 1 + data[place]
            place += 1
            if is_image:
                found.append(size)
    except (IndexError, struct.error):  # the file was cut off
        pass
    return found


def _table(flags: int) -> int:
    """The bytes of a table of colours."""
    return 3 << ((flags & 7) + 1) if flags & _TABLE else 0
