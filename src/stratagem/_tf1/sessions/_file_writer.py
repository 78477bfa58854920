"""`tf.compat.v1.summary.FileWriter`: event files that a program writes itself, and the messages that go into them."""

import os
from collections.abc import Sequence
from typing import Any, final

import numpy as np

from stratagem._base.exports import exported
from stratagem._base.paths import absolute
from stratagem._base.proto_messages import MessageClass
from stratagem._base.storage import checked_path
from stratagem._events import SummaryMessage, SummaryValue, create_file_writer, write_summary
from stratagem._tf1.graph import building_here, default_graph, outside_of_graphs


@exported(v1=["summary.FileWriter"])
@final
class FileWriter:
    """Writes summaries to an event file in a folder, as `tf.compat.v1.summary.FileWriter`.

    graph, session: ignored; a graph of this library is no message. flush_secs: in seconds. max_queue: how many events may wait.
    """

    def __init__(
        self,
        logdir: str | os.PathLike[str],
        graph: object = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        graph_def: object = None,
        filename_suffix: str | None = None,
        session: object = None,
    ) -> None:
        self._logdir = checked_path(logdir)
        self._settings = (max_queue, flush_secs * 1000, filename_suffix)
        self._writer: Any = None
        self.reopen()

    def get_logdir(self) -> str:
        """Returns the folder."""
        return self._logdir

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Writes a summary: what a session gave for one, or a `tf.compat.v1.Summary`. global_step: 0 by default.

        Raises RuntimeError after `close`, TypeError for anything else.
        """
        message = summary if isinstance(summary, bytes) else getattr(summary, "SerializeToString", lambda: None)()
        if not isinstance(message, bytes):
            raise TypeError(f"add_summary takes a serialized summary or a Summary, got {summary!r}.")
        if self._writer is None:
            raise RuntimeError(f"The FileWriter of {self._logdir} is closed. Call reopen() first.")
        with outside_of_graphs():
            write_summary(self._writer, 0 if global_step is None else _number(global_step), message)

    def add_graph(self, graph: object, global_step: object = None, graph_def: object = None) -> None:
        """Does nothing: a graph is a program of JAX's. The TensorBoard callback writes the layers of Keras models."""

    def add_meta_graph(self, meta_graph_def: object, global_step: object = None) -> None:
        """Does nothing, as `add_graph`."""

    def flush(self) -> None:
        """Waits until everything is in the file."""
        if self._writer is not None:
            with outside_of_graphs():
                self._writer.flush()

    def close(self) -> None:
        """Writes what waits and closes the file."""
        if self._writer is not None:
            with outside_of_graphs():
                self._writer.close()
            self._writer = None

    def reopen(self) -> None:
        """Begins another file in the same folder, after `close`."""
        if self._writer is None:
            with outside_of_graphs():
                self._writer = create_file_writer(self._logdir, *self._settings)

    def __enter__(self) -> "FileWriter":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _number(step: Any) -> int:
    return int(np.asarray(getattr(step, "value", step)))


@exported(v1=["summary.FileWriterCache"])
@final
class FileWriterCache:
    """One FileWriter for each folder, as `tf.compat.v1.summary.FileWriterCache`; they belong to the default graph."""

    @staticmethod
    def get(logdir: str | os.PathLike[str]) -> FileWriter:
        """Returns the writer of a folder."""
        writers, path = default_graph().building.writers, absolute(checked_path(logdir))
        if path not in writers:
            writers[path] = FileWriter(path)
        found: FileWriter = writers[path]
        return found

    @staticmethod
    def clear() -> None:
        """Closes all of them. Outside of a graph there are none."""
        building = building_here()
        for writer in [] if building is None else building.writers.values():
            writer.close()
        if building is not None:
            building.writers.clear()


@exported(v1=["Summary", "summary.Summary"])
@final
class Summary:
    """A message for an event file, as `tf.compat.v1.Summary`: made of `Summary.Value(tag=..., simple_value=...)`s."""

    Value = SummaryValue

    def __new__(cls, value: Sequence[Any] = ()) -> Any:
        """Returns the message."""
        return SummaryMessage(value=list(value))

    @staticmethod
    def FromString(data: bytes) -> MessageClass:
        """Returns the message of its bytes."""
        return SummaryMessage.FromString(data)
