"""The TFRecord format: every record follows its length, and both are checked with a masked CRC-32C."""

from typing import final

import numpy as np

from stratagem._base.framing import CHECKSUM, FRAME_BYTES, HEADER, LENGTH_BYTES, masked_crc, masked_crcs
from stratagem._data.files._format import Damage, Format, FoundRecords, RecordPosition, joined_strings


@final
class TFRecords(Format):
    """Records of any length.

    A damaged record whose length is intact can be skipped. TensorFlow gives up the rest of the file at any damage, and
    accepts a file that ends within the 12 bytes before a record as complete; here that is an error too.
    """

    _KNOWN_LENGTHS = 1 << 14
    # Checksums are compared when there are so many records, and again whenever these have doubled. The records behind a
    # damaged one are cut again later; so they are fewer than the records before it, or than this number.
    _FIRST_CHECKED = 16
    # After so many records with one header in a row, all that follow with it are found at once.
    _RUN_BEGINS = 8

    def __init__(self) -> None:
        # Lengths repeat: a header that has been checked once need not be checked again.
        self._lengths: dict[bytes, int] = {}

    def cut(self, data: bytes, place: RecordPosition, *, last: bool) -> FoundRecords:
        records: list[bytes] = []
        ends: list[int] = []
        at, needs, size, checked = 0, 0, len(data), 0
        due, before, alike = self._FIRST_CHECKED, b"", 0
        damage: Damage | None = None
        while size - at >= HEADER.size:
            header = data[at : at + HEADER.size]
            length = self._lengths.get(header, -1)
            if length < 0 and (length := self._checked_length(header)) < 0:
                damage = _bad_length(place.on(len(records), at))
                break
            frame = FRAME_BYTES + length
            if at + frame > size:
                needs = frame
                break
            alike, before = alike + 1 if header == before else 1, header
            count = 1
            if alike > self._RUN_BEGINS:
                count = min(_run(data, at, frame, header), due - len(records))
            begins = range(at, at + count * frame, frame)
            records += [data[i + HEADER.size : i + frame - CHECKSUM.size] for i in begins]
            at += count * frame
            ends += [i + frame for i in begins]
            if len(records) == due:
                checked += _first_damaged(data, records[checked:], ends[checked:])
                if checked < due:
                    break
                due *= 2
        sizes = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
        bad = checked + _first_damaged(data, records[checked:], ends[checked:])
        if bad < len(records):
            lost = place.on(bad, ends[bad] - sizes[bad]).lost("Corrupted data (its checksum differs)")
            damage, needs = Damage(lost, sizes[bad]), 0
        if last and at < size and damage is None:
            damage = Damage(place.on(len(records), at).lost("The file is truncated: it ends within a record"))
        return FoundRecords(joined_strings(records[:bad]), sizes[:bad], damage, needs)

    def _checked_length(self, header: bytes) -> int:
        """The length in a header, or -1 if its checksum differs."""
        length, checksum = HEADER.unpack(header)
        if masked_crc(header[:LENGTH_BYTES]) != checksum:
            return -1
        if len(self._lengths) >= self._KNOWN_LENGTHS:
            self._lengths.clear()
        self._lengths[header] = length
        return int(length)


def _run(data: bytes, at: int, frame: int, header: bytes) -> int:
    """Returns how many frames of this size and with this header follow one another; the first is known to be one."""
    count = (len(data) - at) // frame
    headers = np.ndarray((count,), np.dtype((np.void, HEADER.size)), data, at, (frame,))
    others = np.flatnonzero(headers != np.void(header))
    return int(others[0]) if len(others) else count


def _first_damaged(data: bytes, records: list[bytes], ends: list[int]) -> int:
    """The number of the first record whose checksum is not the one before its end in the data; that of all if none is."""
    if not records:
        return 0
    stored = np.ndarray((len(data) - CHECKSUM.size + 1,), "<u4", data, strides=(1,))[np.array(ends) - CHECKSUM.size]
    return int(np.append(np.flatnonzero(stored != masked_crcs(records)), len(records))[0])


def _bad_length(place: RecordPosition) -> Damage:
    hint = " Is this even a TFRecord file, and compressed as said?" if place.offset == 0 else ""
    error = place.lost("Corrupted length, so nothing behind it can be read")
    return Damage(type(error)(f"{error}{hint}"))
