"""Plain formats: lines of text, and records of fixed length."""

from dataclasses import dataclass
from typing import final

from stratagem._base.errors import InvalidArgumentError
from stratagem._data.files._format import Damage, Format, FoundRecords, RecordPosition, joined_strings


@final
@dataclass(frozen=True)
class TextLineFormat(Format):
    """Lines without their ends. Carriage returns are removed everywhere, as in TensorFlow."""

    def cut(self, data: bytes, place: RecordPosition, *, last: bool) -> FoundRecords:
        lines = data.split(b"\n")
        rest = lines.pop()  # after the last line end
        sizes = [len(line) + 1 for line in lines]
        if last and rest:
            lines.append(rest)
            sizes.append(len(rest))
        if b"\r" in data:
            lines = [line.replace(b"\r", b"") for line in lines]
        return FoundRecords(joined_strings(lines), sizes)


@final
@dataclass(frozen=True)
class FixedLengthRecordFormat(Format):
    """Records of `size` bytes, between a header and a footer that are skipped.

    Raises:
        InvalidArgumentError: `size` is not positive, or another number is negative.
    """

    size: int
    header: int
    footer: int

    def __post_init__(self) -> None:
        if self.size <= 0:
            raise InvalidArgumentError(f"`record_bytes` must be > 0, got {self.size}.")
        if self.header < 0 or self.footer < 0:
            raise InvalidArgumentError(
                f"`header_bytes` and `footer_bytes` must be >= 0, got {self.header} and {self.footer}."
            )

    def cut(self, data: bytes, place: RecordPosition, *, last: bool) -> FoundRecords:
        start = max(0, self.header - place.offset)
        body = len(data) - start - self.footer
        if last and (body < 0 or body % self.size):
            what = f"The file has an end of {len(data)} bytes, which is no {_body(self)}"
            return FoundRecords([], [], Damage(place.lost(what)))
        ends = range(start + self.size, start + body + 1, self.size)
        sizes = [self.size] * len(ends)
        if sizes:
            sizes[0] += start  # the header goes with the first record
        return FoundRecords(joined_strings([data[end - self.size : end] for end in ends]), sizes)

    def check(self, file: str, size: int) -> None:
        body = size - self.header - self.footer
        if body < 0 or body % self.size:
            raise InvalidArgumentError(
                f"Excluding the header ({self.header} bytes) and footer ({self.footer} bytes), input file {file!r} has "
                f"body length {body} bytes, which is not an exact multiple of the record length ({self.size} bytes)."
            )


def _body(format: FixedLengthRecordFormat) -> str:
    return f"record of {format.size} bytes and a footer of {format.footer} bytes"
