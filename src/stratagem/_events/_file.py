"""An event file on disk: records are buffered and written whole, so that a reader finds complete ones at any moment."""

import itertools
import os
import socket
import threading
import time
from typing import final

from stratagem._base.framing import framed
from stratagem._base.storage import file_system
from stratagem._events._messages import Event

_VERSION = "brain.Event:2"
_WRITER = "stratagem"
_UPLOAD_SECONDS = 10.0
_numbers = itertools.count()  # numbers this process' files, as part of their names


@final
class EventFile:
    """A new event file in a folder, which is created if necessary. Any thread may add to it.

    max_waiting: events that may wait in memory. max_seconds: the longest time between two writes. A remote file is uploaded
    as a whole: when it is flushed and closed, at most every ten seconds otherwise.
    Raises OSError if the folder or the file cannot be created or written.
    """

    def __init__(self, folder: str, max_waiting: int, max_seconds: float, suffix: str) -> None:
        files = file_system(folder)
        files.make_directories(folder)
        # TensorBoard reads a folder's files in the order of their names: the order of creation, even within a second.
        unique = f"{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_numbers):06d}"
        self.path = os.path.join(folder, f"events.out.tfevents.{unique}{suffix}")
        self._max_waiting, self._max_seconds = max_waiting, max_seconds
        self._lock = threading.Lock()
        self._waiting: list[bytes] = []
        self._written = 0
        self._latest = time.monotonic()
        self._file = files.create(self.path, "x")
        self._published = time.monotonic()
        head = Event(wall_time=time.time(), file_version=_VERSION, source_metadata={"writer": _WRITER})
        self._waiting.append(framed(head.SerializeToString()))
        self.flush()

    def add(self, step: int, summary: bytes) -> None:
        """Appends an event with a serialized Summary; writes the buffer if too many events wait, or for too long."""
        record = framed(Event(wall_time=time.time(), step=step, summary=summary).SerializeToString())
        with self._lock:
            self._waiting.append(record)
            if len(self._waiting) > self._max_waiting or time.monotonic() - self._latest > self._max_seconds:
                self._write()

    def write(self) -> None:
        """Writes the waiting events, and uploads a remote file if that was not done within the last seconds."""
        with self._lock:
            self._write()
            if time.monotonic() - self._published > _UPLOAD_SECONDS:
                self._publish()

    def flush(self) -> None:
        """Writes the waiting events: from then on they survive this process, however it ends."""
        with self._lock:
            self._write()
            self._publish()

    def close(self) -> None:
        """Writes the waiting events and closes the file. Closing twice has no effect."""
        with self._lock:
            if not self._file.closed:
                try:
                    self._write()
                finally:
                    self._file.close()

    def _publish(self) -> None:
        if not self._file.closed:
            self._file.publish()
            self._published = time.monotonic()

    def _write(self) -> None:
        self._latest = time.monotonic()
        data = memoryview(b"".join(self._waiting))
        if not data or self._file.closed:
            return
        try:
            done = 0
            while done < len(data):
                done += self._file.write(data[done:])
        except OSError as error:
            self._file.truncate(self._written)  # a reader gives up at half a record, whatever follows it
            self._file.seek(self._written)
            error.add_note(f"{len(self._waiting)} summaries still wait to be written to {self.path}.")
            raise
        self._written += len(data)
        self._waiting.clear()
