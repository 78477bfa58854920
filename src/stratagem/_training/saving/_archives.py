"""Keras' files of whole models, which are archives: damage and bombs are found before Keras reads them.

Where a checksum is wrong, Keras 3.15 goes on with a way of reading that compares none, and takes the damaged weights.
"""

import lzma
import os
import struct
import zipfile
import zlib
from typing import Final

from stratagem._base.errors import DataLossError

# A part that is larger than both is a bomb: Keras stores its parts, and compression of weights gains little.
_SMALL: Final = 1 << 28  # bytes
_EXPANSION: Final = 100

# What zipfile raises for damaged archives, beside an OSError of the decompression.
_DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, NotImplementedError, RuntimeError, ValueError),
)


def verify_archive(path: str) -> None:
    """Compares all that is in a model's archive with its checksums. A path that leads to no file is left to Keras.

    Raises DataLossError for a file that is damaged, or no archive, or would unfold to far more than its size.
    """
    if not os.path.isfile(path):
        return
    try:
        with zipfile.ZipFile(path) as archive:
            bombs = [each for each in archive.infolist() if each.file_size > _limit(each)]
            bad = None if bombs else archive.testzip()
    except (*_DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DataLossError(
            f"{path!r} is damaged: a model's file of Keras' format is an archive, which this is not: {error}"
        ) from error
    if bombs:
        raise DataLossError(
            f"{path!r} is refused: its part {bombs[0].filename!r} would unfold from {bombs[0].compress_size} to "
            f"{bombs[0].file_size} bytes, which no model's does."
        )
    if bad is not None:
        raise DataLossError(f"{path!r} is damaged: its part {bad!r} has another checksum than when it was written.")


def _limit(part: zipfile.ZipInfo) -> int:
    return max(_SMALL, _EXPANSION * part.compress_size)
