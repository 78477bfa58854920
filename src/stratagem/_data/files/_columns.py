"""Columns of serialized Examples: values of all records at once, by slices, where records are laid out alike.

Most files of records are written by one program: every record has the same features in the same order, and many of the same
size. Then only the values differ, and a matrix of bytes, a row a record, has them in the same columns.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from stratagem._data.elements._nest import Array
from stratagem._data.files._layout import KnownLayouts, RecordLayout, Slot

_FEWEST = 4  # records of one layout for which slices are faster than messages
_MOST_BYTES = 10  # of a number in protobuf's wire format
_LAYOUTS = KnownLayouts()  # batch after batch comes from the same files
_SHIFTS = np.arange(0, 7 * _MOST_BYTES, 7, dtype=np.uint64)


class Column(NamedTuple):
    """The values of one feature in all records, one after the other.

    holder: the field of the Feature in which they are. rows: the number of records. sizes: how many values each record has,
    one number if all have equally many.
    """

    holder: str
    values: Array
    rows: int
    sizes: Array | int

    @property
    def lengths(self) -> Array:
        """Returns the number of values of each record, (rows,) int64."""
        return np.full(self.rows, self.sizes) if isinstance(self.sizes, int) else self.sizes

    def has_rows_of(self, size: int) -> bool:
        """Returns whether each record has so many values."""
        return self.sizes == size if isinstance(self.sizes, int) else bool((self.sizes == size).all())


class _Rows(NamedTuple):
    """Records of one layout: their numbers in the batch, and their bytes, also as a matrix with a row for each."""

    layout: RecordLayout
    numbers: Array
    records: Sequence[bytes]
    matrix: Array


def columns_of(records: Sequence[bytes], keys: Iterable[str]) -> dict[str, Column] | None:
    """The columns of these features, but of those that no record has; None if the records must be parsed one by one.

    These are records in another form than protobuf's code writes, damaged ones, ones of many layouts or sizes,
    and ones that have not all of a feature.
    """
    groups = _groups(records)
    if groups is None:
        return None
    found = {}
    order = _order(groups) if len(groups) > 1 else None
    for key in keys:
        slots = [rows.layout.slots.get(key) for rows in groups]
        if not any(slots):
            continue
        if not all(slots) or len({slot.holder for slot in slots if slot}) > 1:
            return None
        parts = [_part(rows, slot) for rows, slot in zip(groups, slots, strict=True) if slot]
        whole = [part for part in parts if part is not None]
        if len(whole) < len(parts):
            return None
        found[key] = _merged(whole, order) if order is not None else whole[0]
    return found


def _order(groups: Sequence[_Rows]) -> Array:
    """The places that the records, in their own order, have in all groups one after the other."""
    return np.argsort(np.concatenate([rows.numbers for rows in groups] or [np.empty(0, np.int64)]))


def _groups(records: Sequence[bytes]) -> list[_Rows] | None:
    """The records by their layout, None if a layout has few of them."""
    sizes = list(map(len, records))
    distinct = set(sizes)
    if len(distinct) * _FEWEST > len(records):
        return None
    array = np.array(sizes)
    groups: list[_Rows] = []
    for size in distinct:
        numbers = np.flatnonzero(array == size)
        while len(numbers):
            if (len(groups) + 1) * _FEWEST > len(records):
                return None
            rows = _alike(records, numbers, size)
            if rows is None:
                return None
            groups.append(rows)
            if len(rows.numbers) == len(numbers):
                break
            numbers = np.setdiff1d(numbers, rows.numbers, assume_unique=True)
    return groups


def _alike(records: Sequence[bytes], numbers: Array, size: int) -> _Rows | None:
    """The numbered records, which have one size, that are laid out as the first; None if it has no known layout."""
    chosen = records if len(numbers) == len(records) else [records[i] for i in numbers.tolist()]
    matrix = np.frombuffer(b"".join(chosen), np.uint8).reshape(len(chosen), size)
    layout = _LAYOUTS.of_size(size)
    alike = None if layout is None else _laid_out(matrix, layout)
    if alike is None or not alike[0]:
        layout = _LAYOUTS.layout_of(chosen[0])
        alike = None if layout is None else _laid_out(matrix, layout)
    if layout is None or alike is None:
        return None
    if not alike.all():
        chosen = [record for record, good in zip(chosen, alike.tolist(), strict=True) if good]
        numbers, matrix = numbers[alike], matrix[alike]
    return _Rows(layout, numbers, chosen, matrix)


def _laid_out(matrix: Array, layout: RecordLayout) -> Array:
    """Returns which records, rows of bytes of the layout's size, are laid out so."""
    alike: Array = (matrix[:, layout.fixed] == layout.fixed_bytes).all(axis=1)
    return alike


def _part(rows: _Rows, slot: Slot) -> Column | None:
    """The values of a feature in records of one layout; None for damaged numbers."""
    count = len(rows.numbers)
    if slot.holder == "bytes_list":
        values = np.empty((count, len(slot.places)), object)
        for i, (begin, end) in enumerate(slot.places):
            values[:, i] = [record[begin:end] for record in rows.records]
        return Column(slot.holder, values.ravel(), count, len(slot.places))
    begin, end = slot.places[0] if slot.places else (0, 0)
    part = np.ascontiguousarray(rows.matrix[:, begin:end])
    if slot.holder == "float_list":
        return Column(slot.holder, part.ravel().view("<f4"), count, (end - begin) // 4)
    return _integers(part)


def _integers(part: Array) -> Column | None:
    """Numbers of 7 bits a byte, the least first, whose last byte is below 128; a row of `part` has those of a record."""
    count, width = part.shape
    if width == 0:
        return Column("int64_list", np.empty(0, np.int64), count, 0)
    ends = part < 0x80
    if not ends[:, -1].all():
        return None
    if width == 1:
        return Column("int64_list", part.ravel().astype(np.int64), count, 1)
    if width <= _MOST_BYTES and not ends[:, :-1].any():  # one number each
        digits = (part & 0x7F).astype(np.uint64) << _SHIFTS[:width]
        return Column("int64_list", np.bitwise_or.reduce(digits, axis=1).view(np.int64), count, 1)
    lengths = ends.sum(axis=1)
    last = np.flatnonzero(ends.ravel())
    first = np.concatenate([[0], last[:-1] + 1])
    sizes = last - first + 1
    longest = int(sizes.max())
    if longest > _MOST_BYTES:
        return None
    flat = np.concatenate([part.ravel() & 0x7F, np.zeros(longest, np.uint8)]).astype(np.uint64)
    values = flat[first]
    for i in range(1, longest):
        values |= np.where(sizes > i, flat[first + i], 0) << np.uint64(7 * i)
    return Column("int64_list", values.view(np.int64), count, lengths)


def _merged(parts: Sequence[Column], order: Array) -> Column:
    """The columns of several groups as one, in the order of the records."""
    values = np.concatenate([part.values for part in parts])
    count, first = sum(part.rows for part in parts), parts[0].sizes
    if isinstance(first, int) and all(part.has_rows_of(first) for part in parts):
        return Column(parts[0].holder, values.reshape(count, first)[order].ravel(), count, first)
    lengths = np.concatenate([part.lengths for part in parts])
    begins = np.cumsum(lengths) - lengths
    sizes = lengths[order]
    shifts = np.repeat(begins[order] - (np.cumsum(sizes) - sizes), sizes)
    return Column(parts[0].holder, values[np.arange(len(values)) + shifts], count, sizes)
