"""Writes TFRecord files."""

import io
import os
import weakref
import zlib
from types import TracebackType
from typing import Any, BinaryIO, ClassVar, final

from stratagem._base.errors import FailedPreconditionError
from stratagem._base.exports import exported
from stratagem._base.framing import framed
from stratagem._base.storage import file_system
from stratagem._base.types import PathLike
from stratagem._data.files._bytes import WINDOW_BITS, open_errors
from stratagem._data.stages._file_names import names_in


@exported("io.TFRecordOptions", v1=["io.TFRecordOptions", "python_io.TFRecordOptions"])
@final
class TFRecordOptions:
    """The compression of a `TFRecordWriter`: zlib's own parameters; None is zlib's default.

    compression_type: "", "GZIP" or "ZLIB", or its number in `compression_type_map`. The sizes of TensorFlow's buffers are
        accepted, without effect.

    Raises:
        ValueError: another compression_type.
    """

    compression_type_map: ClassVar = {0: "", 1: "ZLIB", 2: "GZIP"}

    def __init__(
        self,
        compression_type: str | int | None = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        names: dict[Any, str] = {None: "", "": "", **self.compression_type_map, **{kind: kind for kind in WINDOW_BITS}}
        if compression_type not in names:
            raise ValueError(f'Not a valid compression_type: "{compression_type}". Use "", "GZIP" or "ZLIB".')
        self.compression_type = names[compression_type]
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: "TFRecordOptions | str | int | None") -> str:
        """The compression of options, or of what stands for them: its name, or None.

        Raises:
            ValueError: there is no such compression.
        """
        return options.compression_type if isinstance(options, TFRecordOptions) else cls(options).compression_type


@exported("io.TFRecordWriter", v1=["io.TFRecordWriter", "python_io.TFRecordWriter"])
@final
class TFRecordWriter:
    """Writes records to a new file in the standard TFRecord format. Use it in a `with` block, or close it.

    A remote file is in a file of this machine until `flush` or `close` uploads all of it.

    options: a TFRecordOptions, or just the compression type.

    Raises:
        NotFoundError: the folder does not exist.
        FailedPreconditionError, PermissionDeniedError: `path` is a folder; writing is not allowed.
    """

    def __init__(self, path: PathLike, options: TFRecordOptions | str | int | None = None) -> None:
        (self._path,) = names_in(path)
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        self._compress = _compressor(options) if options.compression_type else None
        with open_errors(self._path, hint=". Make its folder first."):
            self._output = file_system(self._path).create(self._path)
            self._file: BinaryIO = io.BufferedWriter(self._output, 1 << 20)
        # A writer that is not closed is closed when it is deleted, at the latest at the program's end, as in TensorFlow.
        self._finish = weakref.finalize(self, _close_file, self._file, self._compress)

    def write(self, record: bytes | bytearray | str) -> None:
        """Appends a record.

        Raises:
            TypeError: it is neither bytes nor text.
            FailedPreconditionError: the writer is closed.
        """
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, bytes | bytearray):
            raise TypeError(f"A record is bytes, got {type(record).__name__}. Serialize it first: {record!r:.100}")
        self._refuse_closed()
        frame = framed(bytes(record))
        self._file.write(frame if self._compress is None else self._compress.compress(frame))

    def flush(self) -> None:
        """Passes all data so far to the system, in a form that can be read; uploads a remote file."""
        self._refuse_closed()
        if self._compress is not None:
            self._file.write(self._compress.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()
        self._output.publish()

    def close(self) -> None:
        """Writes the remaining data and closes the file; closing again has no effect."""
        self._finish()

    def __enter__(self) -> "TFRecordWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refuse_closed(self) -> None:
        if self._file.closed:
            raise FailedPreconditionError(f"The writer of {os.path.basename(self._path)} is closed already.")


def _close_file(file: BinaryIO, compress: Any) -> None:
    with file:
        if compress is not None:
            file.write(compress.flush())


def _compressor(options: TFRecordOptions) -> Any:
    """zlib's compressor for the options; 16 more window bits select gzip's header."""
    given: dict[str, Any] = {
        "level": options.compression_level,
        "method": options.compression_method,
        "memLevel": options.mem_level,
        "strategy": options.compression_strategy,
    }
    bits = WINDOW_BITS[options.compression_type]
    if options.window_bits is not None:
        bits += options.window_bits - zlib.MAX_WBITS
    return zlib.compressobj(wbits=bits, **{name: value for name, value in given.items() if value is not None})
