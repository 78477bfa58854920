"""SplicedFile: a file to read in which some ranges are those of another one, without a copy."""

import bisect
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, order=True)
class Excerpt:
    """A range of a file whose bytes are in another one. at, size: where it is; source: where they are there."""

    at: int
    size: int
    source: int


@final
class SplicedFile(io.RawIOBase):
    """The bytes of one open file, and in its place those of another for every excerpt.

    Positions of the two files are neither used nor changed. It keeps handles of its own.
    """

    def __init__(self, file: int, other: int, excerpts: Sequence[Excerpt], *, size: int | None = None) -> None:
        """file, other: numbers of open files. excerpts: of the other; they do not overlap. size: that of the file, or less."""
        self._size = os.fstat(file).st_size if size is None else size
        self._excerpts = sorted(excerpts)
        self._starts = [each.at for each in self._excerpts]
        self._position = 0
        self._handles = (os.dup(file), os.dup(other))

    def close(self) -> None:
        if not self.closed:
            for handle in self._handles:
                os.close(handle)
        super().close()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._position = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence] + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fills the buffer, as far as there are bytes. Raises OSError if the other file ends before an excerpt does."""
        view, done = memoryview(buffer).cast("B"), 0
        while done < len(view) and (count := self._read_range(view[done:])):
            self._position += count
            done += count
        return done

    def _read_range(self, view: memoryview) -> int:
        """Reads from the position on what is in the same file, perhaps less."""
        at = self._position
        number = bisect.bisect_right(self._starts, at)
        excerpt = self._excerpts[number - 1] if number else Excerpt(0, 0, 0)
        if at < excerpt.at + excerpt.size:
            count = os.preadv(
                self._handles[1], [view[: excerpt.at + excerpt.size - at]], excerpt.source + at - excerpt.at
            )
            if count == 0:
                raise OSError("The file became shorter while it was read.")
            return count
        following = self._starts[number] if number < len(self._starts) else self._size
        return os.preadv(self._handles[0], [view[: max(0, following - at)]], at)
