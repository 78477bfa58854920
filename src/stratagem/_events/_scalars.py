"""Writes numbers to event files the way TensorFlow 1 does, outside of steps, and reads them again."""

import logging
import os
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from stratagem._base.framing import CHECKSUM, HEADER, LENGTH_BYTES, masked_crc
from stratagem._base.storage import file_system
from stratagem._base.tensor_proto import serialized_tensor
from stratagem._events._messages import Event, SummaryMessage
from stratagem._events._writer import SummaryFileWriter, SummaryWriter

_log = logging.getLogger("stratagem.summary")


def write_scalars(writer: SummaryWriter, step: int, values: dict[str, float]) -> None:
    """Writes float32 numbers by tag, in one event."""
    summary = SummaryMessage(value=[{"tag": tag, "simple_value": value} for tag, value in values.items()])
    _write(writer, step, summary)


def write_text(writer: SummaryWriter, step: int, tag: str, text: str) -> None:
    """Writes a string the way TensorFlow 1 does, as a tensor that no dashboard shows."""
    content = np.empty((), object)
    content[()] = text.encode()
    _write(writer, step, SummaryMessage(value=[{"tag": tag, "tensor": serialized_tensor(content)}]))


def read_scalars(folder: str) -> dict[int, dict[str, float]]:
    """The numbers that `write_scalars` (or TensorFlow 1) has written to the event files of a folder: by step, then by tag.

    A file that is damaged or still being written is read up to its last complete record.
    """
    found: dict[int, dict[str, float]] = defaultdict(dict)
    for file in _files_in(folder):
        for record in _records(file):
            event = Event.FromString(record)
            for value in SummaryMessage.FromString(event.summary).value:
                if value.WhichOneof("one_of_them") == "simple_value":
                    found[event.step][value.tag] = value.simple_value
    return dict(sorted(found.items()))


def write_summary(writer: SummaryWriter, step: int, message: bytes) -> None:
    """Writes a serialized message of the type Summary."""
    assert isinstance(writer, SummaryFileWriter)
    writer.write(step, message)


def _write(writer: SummaryWriter, step: int, summary: SummaryMessage) -> None:
    write_summary(writer, step, summary.SerializeToString())


def _files_in(folder: str) -> list[str]:
    """The event files of a folder, in the order in which they were begun; none where there is no folder."""
    try:
        names = file_system(folder).entries(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [os.path.join(folder, name) for name in sorted(names) if ".tfevents." in name]


def _records(file: str) -> Iterator[bytes]:
    data, start = file_system(file).read(file), 0
    while start + HEADER.size <= len(data):
        length, seal = HEADER.unpack_from(data, start)
        end = start + HEADER.size + length
        if masked_crc(data[start : start + LENGTH_BYTES]) != seal or end + CHECKSUM.size > len(data):
            break
        record = data[start + HEADER.size : end]
        if masked_crc(record) != CHECKSUM.unpack_from(data, end)[0]:
            break
        yield record
        start = end + CHECKSUM.size
    if start < len(data):
        _log.info("%s has an unfinished or damaged record at byte %d: the rest was not read.", file, start)
