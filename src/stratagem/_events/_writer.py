"""Summary writers: where summaries are written to."""

import abc
import itertools
import os
import weakref
from types import TracebackType
from typing import Any, final

from stratagem._base.errors import ContextError
from stratagem._base.exports import exported
from stratagem._base.storage import checked_path
from stratagem._core.context import current
from stratagem._events._file import EventFile
from stratagem._events._summary_barrier import settle
from stratagem._events._summary_context import summary_context

_MAX_WAITING = 10
_FLUSH_MILLIS = 120_000
_SUFFIX = ".v2"


@exported("summary.SummaryWriter", v1=())
class SummaryWriter(abc.ABC):
    """The destination of summaries."""

    @abc.abstractmethod
    def set_as_default(self, step: Any = None) -> None:
        """Makes this the default writer of the thread; with a step, sets the default step too."""

    @abc.abstractmethod
    def as_default(self, step: Any = None) -> Any:
        """A context manager: in its body, this is the default writer of the thread. At its end summaries are flushed."""

    @abc.abstractmethod
    def init(self) -> None:
        """Does nothing: a writer is ready when it is made."""

    @abc.abstractmethod
    def flush(self) -> None:
        """Writes the waiting summaries to the file, after waiting for programs that still have some to hand over."""

    @abc.abstractmethod
    def close(self) -> None:
        """Flushes and closes the writer. Closing twice has no effect."""


@final
class SummaryFileWriter(SummaryWriter):
    """Writes an event file. Summaries that still wait when the program ends are written then."""

    def __init__(self, file: EventFile) -> None:
        self._file = file
        self._closed = False
        self.number = next(_numbers)
        _writers[self.number] = self
        weakref.finalize(self, file.close)

    def set_as_default(self, step: Any = None) -> None:
        self.as_default(step).__enter__()

    def as_default(self, step: Any = None) -> "_DefaultWriterScope":
        self.check_open()
        return _DefaultWriterScope(self, step)

    def init(self) -> None:
        self.check_open()

    def write(self, step: int, summary: bytes) -> None:
        """Appends a serialized Summary.

        Raises:
            RuntimeError: the writer is closed.
        """
        self.check_open()
        self._file.add(step, summary)

    def write_through(self, step: int, summary: bytes) -> None:
        """Writes and flushes: for a program that contains its writer, and whose end nobody notices."""
        self.write(step, summary)
        self._file.flush()

    def flush(self) -> None:
        settle()
        self._file.flush()

    def write_waiting(self) -> None:
        """Flushes, except that a remote file is not uploaded every time."""
        settle()
        self._file.write()

    def close(self) -> None:
        if current().recorder is not None:
            raise ContextError("A summary writer was closed inside a compiled step. Close it after the last step.")
        settle()
        self._closed = True
        self._file.close()

    def check_open(self) -> None:
        """Raises RuntimeError if the writer is closed."""
        if self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")


_numbers = itertools.count()
# A compiled program refers to the default writer by its number.
_writers: weakref.WeakValueDictionary[int, SummaryFileWriter] = weakref.WeakValueDictionary()


def writer_of(number: int) -> SummaryFileWriter | None:
    """The writer with this number; None if it no longer exists."""
    return _writers.get(number)


@final
class _DefaultWriterScope:
    """Makes a writer the thread's default until the context exits. A class: `set_as_default` enters one and never exits it."""

    def __init__(self, writer: SummaryFileWriter, step: Any) -> None:
        self._writer = writer
        self._settings = {"writer": writer} | ({} if step is None else {"step": step})
        self._before: dict[str, Any] = {}

    def __enter__(self) -> SummaryFileWriter:
        self._before = {name: summary_context().set(name, value) for name, value in self._settings.items()}
        return self._writer

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            self._writer.write_waiting()
        finally:
            for name, before in self._before.items():
                summary_context().restore(name, before)


@final
class NoopWriter(SummaryWriter):
    """Does nothing, and never becomes the default writer."""

    def set_as_default(self, step: Any = None) -> None:
        pass

    def as_default(self, step: Any = None) -> "NoopWriter":
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass

    def init(self) -> None:
        pass

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


@exported("summary.create_noop_writer", v1=())
def create_noop_writer() -> SummaryWriter:
    """Returns a writer that does nothing."""
    return NoopWriter()


@exported("summary.create_file_writer", v1=())
def create_file_writer(
    logdir: str | os.PathLike[str],
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: object = None,
) -> SummaryWriter:
    """Returns a writer of a new event file in the folder `logdir`, which is created if necessary.

    max_queue: summaries that may wait in memory (10). flush_millis: the longest time between two writes (120 000).
    filename_suffix: ".v2". Whether to write is checked when a summary arrives, not by a thread.

    Raises:
        ValueError: `logdir` is None.
        ContextError: called inside a compiled step, which would make a file at every trace.
        OSError: the folder or the file cannot be created.
    """
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    if current().recorder is not None:
        raise ContextError("A summary writer was created inside a compiled step. Create it before the first step.")
    max_waiting = _MAX_WAITING if max_queue is None else int(max_queue)
    seconds = (_FLUSH_MILLIS if flush_millis is None else int(flush_millis)) / 1000
    suffix = _SUFFIX if filename_suffix is None else filename_suffix
    return SummaryFileWriter(EventFile(checked_path(logdir), max_waiting, seconds, suffix))


@exported("summary.flush", v1=())
def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Flushes a writer, by default the default one; no effect if there is none.

    Raises:
        ValueError: `writer` is not a SummaryWriter.
    """
    chosen = summary_context().writer if writer is None else writer
    if chosen is None:
        return
    if not isinstance(chosen, SummaryWriter):
        raise ValueError(f"Invalid argument to flush(): {writer!r}")
    chosen.flush()
