"""Keras' files of whole models, which are archives: damage and bombs are found before Keras reads them.

Where a checksum is wrong, Keras 3.15 goes on with a way of reading that compares none, and takes the damaged weights. The
checksums of an archive's parts do not cover what is between them, so those that we write have a seal of the whole: the
archive's comment, its last bytes, which all programs that read archives know and none needs. A program that adds a part keeps
the comment; the number of bytes in it tells that it is an older archive's, and then the parts' own checksums count.
"""

import errno
import lzma
import os
import struct
import zipfile
import zlib
from typing import Any, Final

import h5py

from stratagem._base.errors import DataLossError
from stratagem._private import opened_hdf5
from stratagem._training.saving._seals import Seal, checksum, damaged, last_bytes

# A part that is larger than both is a bomb: Keras stores its parts, and compression of weights gains little.
_SMALL: Final = 1 << 28  # bytes
_EXPANSION: Final = 100

_SEAL: Final = Seal(b"stratagem: the CRC32C of the 0x%012x bytes before this is %08x", (12, 8))
_END: Final = struct.Struct("<4s16xH")  # the archive's last record; its comment follows
_END_MARK: Final = b"PK\5\6"

_WEIGHTS: Final = ".h5"
# What zipfile raises for damaged archives, beside an OSError of the decompression.
_DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, NotImplementedError, RuntimeError, ValueError),
)


def seal_archive(path: str | os.PathLike[str]) -> None:
    """Adds the seal to an archive that was just written."""
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = _SEAL.of(0, 0)
    with open(path, "r+b") as file:
        size = os.path.getsize(path) - _SEAL.length
        file.write(_SEAL.of(size, checksum(file, size)))


def verify_archive(path: str) -> None:
    """Compares all that is in a model's archive with its checksums. A path that leads to no file is left to Keras.

    Raises DataLossError for a file that is damaged, or no archive, or would unfold to far more than its size.
    """
    if not os.path.isfile(path):
        return
    is_whole = _agrees_with_seal(path)
    try:
        with zipfile.ZipFile(path) as archive:
            bombs = [each for each in archive.infolist() if each.file_size > _limit(each)]
            bad = None if bombs or is_whole else archive.testzip()
    except (*_DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (
            None,
            errno.EINVAL,
        ):  # a place before the file's beginning
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
    if is_whole is False:
        raise damaged(path)


def values_in_archive(path: str) -> int:
    """Returns how many values the weights in a model's archive have, by the shapes of its data sets. Raises OSError."""
    count = 0

    def add(name: str, item: Any) -> None:
        nonlocal count
        count += item.size or 0 if isinstance(item, h5py.Dataset) else 0

    with zipfile.ZipFile(path) as archive:
        for name in (name for name in archive.namelist() if name.endswith(_WEIGHTS)):
            with archive.open(name) as part, opened_hdf5(part) as file:
                file.visititems(add)
    return count


def _agrees_with_seal(path: str) -> bool | None:
    """Returns whether an archive is as its seal says; None if it has none, or that of the archive before a part was added.

    Raises DataLossError for an archive whose last bytes are missing.
    """
    with open(path, "rb") as file:
        end = last_bytes(file, _END.size + _SEAL.length)
        seal = end[-_SEAL.length :]
        if not _SEAL.is_one(seal):
            at = end.rfind(_END_MARK, 0, len(end) - _END.size + len(_END_MARK))
            if at >= 0 and _END.unpack_from(end, at)[1] > len(end) - at - _END.size:
                raise DataLossError(f"{path!r} is damaged: its last bytes are missing.")
            return None
        size = file.tell() - _SEAL.length
        expected = _SEAL.of(size, crc := checksum(file, size))
    if seal == expected:
        return True
    was_changed = f"0x{size:012x}".encode() not in seal and f"{crc:08x}".encode() not in seal
    return None if was_changed else False


def _limit(part: zipfile.ZipInfo) -> int:
    return max(_SMALL, _EXPANSION * part.compress_size)
