"""The event files of one Estimator: one writer for each folder, shared by all trainings and evaluations."""

from collections.abc import Callable
from typing import Any, final

from stratagem import _events as events
from stratagem._base.paths import absolute
from stratagem._events import SummaryWriter, create_file_writer


@final
class EventFolders:
    """Writers by folder, created on first use. allowed: False writes nothing, because another worker does."""

    def __init__(self, *, allowed: bool = True) -> None:
        self._allowed = allowed
        self._writers: dict[str, SummaryWriter] = {}

    def scalars(self, folder: str, step: int, values: dict[str, float]) -> None:
        """Writes numbers by tag, and flushes."""
        self._write(folder, lambda writer: events.write_scalars(writer, step, values))

    def text(self, folder: str, step: int, tag: str, text: str) -> None:
        """Writes a string, and flushes."""
        self._write(folder, lambda writer: events.write_text(writer, step, tag, text))

    def summaries(self, folder: str, step: int, found: list[tuple[str, str, Any]]) -> None:
        """Writes summaries (kind, tag, value), where a kind is a function name of `tf.summary`, and flushes."""

        def write(writer: SummaryWriter) -> None:
            numbers = {tag: float(value) for kind, tag, value in found if kind == "scalar"}
            if numbers:
                events.write_scalars(writer, step, numbers)
            with writer.as_default(step):
                for kind, tag, value in found:
                    if kind != "scalar":
                        _KINDS[kind](tag, value)

        self._write(folder, write)

    def _write(self, folder: str, write: Callable[[SummaryWriter], None]) -> None:
        if not self._allowed:
            return
        path = absolute(folder)
        if path not in self._writers:
            self._writers[path] = create_file_writer(path)
        write(self._writers[path])
        self._writers[path].flush()


_KINDS: dict[str, Callable[..., Any]] = {
    "histogram": events.histogram,
    "image": lambda tag, pictures: events.image(tag, pictures, max_outputs=len(pictures)),
    "text": events.text,
}
