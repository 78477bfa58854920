"""The layout of a serialized Example: which of its bytes are values of features, and which say where these are."""

from typing import NamedTuple, final

import numpy as np

from stratagem._data.elements._nest import Array

_FIRST, _SECOND, _THIRD = 0x0A, 0x12, 0x1A  # tags in protobuf's wire format: fields 1, 2 and 3 of so many bytes
_HOLDERS = {_FIRST: "bytes_list", _SECOND: "float_list", _THIRD: "int64_list"}


class Slot(NamedTuple):
    """The places of a feature's values in a record: one of strings for each value, of numbers one for all or none.

    holder: the field of the Feature that has them.
    """

    holder: str
    places: list[tuple[int, int]]


class RecordLayout(NamedTuple):
    """The slots of all features by name, and the indices of all bytes that are not in slots, and these bytes."""

    slots: dict[str, Slot]
    fixed: Array
    fixed_bytes: Array


@final
class KnownLayouts:
    """The layouts of earlier records. A record that has the fixed bytes of one of them is laid out alike."""

    _MOST_SIZES = 128
    _MOST_FIXED = 1024  # bytes; a layout that has more is not kept

    def __init__(self) -> None:
        self._by_size: dict[int, RecordLayout] = {}

    def of_size(self, size: int) -> RecordLayout | None:
        """The layout of the last records of this size that were laid out anew; None if there were none."""
        return self._by_size.get(size)

    def layout_of(self, record: bytes) -> RecordLayout | None:
        """The layout of a record, as `layout_of` returns it, which is then known."""
        layout = layout_of(record)
        if layout is not None and len(layout.fixed) <= self._MOST_FIXED:
            if len(self._by_size) >= self._MOST_SIZES:
                self._by_size.clear()
            self._by_size[len(record)] = layout
        return layout


class _IrregularError(Exception):
    """A message that may be valid, but is not as protobuf's own code writes it."""


def layout_of(record: bytes) -> RecordLayout | None:
    """The layout of a record as protobuf's own code writes it; None for any other, which may be valid or damaged."""
    try:
        slots = _slots(record)
    except (_IrregularError, IndexError, UnicodeDecodeError):
        return None
    values = np.zeros(len(record), bool)
    for slot in slots.values():
        for begin, end in slot.places:
            values[begin:end] = True
    fixed = np.flatnonzero(~values)
    return RecordLayout(slots, fixed, np.frombuffer(record, np.uint8)[fixed])


def _slots(record: bytes) -> dict[str, Slot]:
    """Source: protobuf's wire format, and feature.proto: `Example.features.feature[key].<holder>.value`."""
    found: dict[str, Slot] = {}
    place, end = _whole(record, _FIRST, 0, len(record))
    while place < end:
        entry, entry_end = _block(record, _FIRST, place, end)
        name, name_end = _block(record, _FIRST, entry, entry_end)
        feature, feature_end = _whole(record, _SECOND, name_end, entry_end)
        key = record[name:name_end].decode()
        tag = record[feature] if feature < feature_end else None
        if key in found or tag not in _HOLDERS:
            raise _IrregularError
        values, values_end = _whole(record, tag, feature, feature_end)
        found[key] = Slot(_HOLDERS[tag], _places(record, tag, values, values_end))
        place = entry_end
    return found


def _places(record: bytes, tag: int, place: int, end: int) -> list[tuple[int, int]]:
    found = []
    while place < end:
        begin, place = _block(record, _FIRST, place, end)
        found.append((begin, place))
    size = sum(e - b for b, e in found)
    if tag != _FIRST and (len(found) > 1 or (found and not size) or (tag == _SECOND and size % 4)):
        raise _IrregularError
    return found


def _whole(record: bytes, tag: int, place: int, end: int) -> tuple[int, int]:
    """The contents of a field that takes all of these bytes."""
    begin, last = _block(record, tag, place, end)
    if last != end:
        raise _IrregularError
    return begin, last


def _block(record: bytes, tag: int, place: int, end: int) -> tuple[int, int]:
    """The first and the last place of the contents of the field there."""
    if record[place] != tag:
        raise _IrregularError
    size, shift, place = record[place + 1], 7, place + 2
    if size >= 0x80:
        size -= 0x80
        while (byte := record[place]) >= 0x80 and shift < 28:
            size |= (byte & 0x7F) << shift
            shift, place = shift + 7, place + 1
        size |= byte << shift
        place += 1
    if place + size > end:
        raise _IrregularError
    return place, place + size
