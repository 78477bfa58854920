"""RestoredProgram: an exported program in this process, after another has read it, and after a look at what it calls."""

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from jax import export

from stratagem._base.errors import DataLossError
from stratagem._private import RewrittenProgram, called_outside, rewritten_programs

_known: set[bytes] = (
    set()
)  # digests of programs that this process has exported, or that came unchanged from another reader


def know(code: bytes) -> bytes:
    """Notes that this process has made a program, which it may read again without precaution. Returns it."""
    _known.add(_digest(code))
    return code


def _digest(code: bytes) -> bytes:
    return hashlib.sha256(code).digest()


@final
@dataclass(frozen=True)
class RestoredProgram:
    """An exported program in this process."""

    program: export.Exported

    @classmethod
    @contextlib.contextmanager
    def reading(cls, codes: Mapping[str, bytes]) -> "Iterator[Callable[[], dict[str, RestoredProgram]]]":
        """Reads `ExportedFunction.code` of several functions while the body runs; calling what is yielded waits for them.

        What this process did not write is read by another first, which bytes that XLA's reader is not made for may end.
        Equal ones are one program.

        codes: by where each is from, for messages; so is what the call returns. It raises DataLossError for what is no program,
        and for one that calls functions of the process which JAX's own exports do not call: it is somebody else's work.
        """
        digests = {file: _digest(code) for file, code in codes.items()}
        different = {digest: codes[file] for file, digest in digests.items()}
        strange = {digest: code for digest, code in different.items() if digest not in _known}

        with rewritten_programs([*strange.values()]) if strange else contextlib.nullcontext(list) as rewritten:

            def restored() -> dict[str, RestoredProgram]:
                again = dict(zip(strange, rewritten(), strict=True))
                made: dict[bytes, RestoredProgram] = {}
                for file, digest in digests.items():
                    if digest not in made:
                        made[digest] = cls._restored(different[digest], again.get(digest), file)
                return {file: made[digest] for file, digest in digests.items()}

            yield restored

    @classmethod
    def _restored(cls, code: bytes, read: RewrittenProgram | str | None, file: str) -> "RestoredProgram":
        """Returns the program that has these bytes. read: what another process made of them; None if they are known."""
        if isinstance(read, str):
            raise DataLossError(f"{file}: this is no exported program: {read}")
        program = export.deserialize(bytearray(code)) if read is None else read.program
        _check_calls(program, file)
        if read is not None and not read.changed:
            know(code)
        return cls(program)

    def __call__(self, values: Sequence[Any], tensors: Sequence[Any]) -> list[Any]:
        """Computes: takes values of variables and tensors, returns the tensors of the result, and then new values.

        Raises: ValueError for sizes that it was not exported for.
        """
        found: list[Any] = self.program.call(list(values), list(tensors))
        return found


def _check_calls(program: export.Exported, file: str) -> None:
    """Raises DataLossError for a program that calls functions of the process, or whose names are no texts."""
    try:
        called = called_outside(program)
    except Exception as error:  # of a parser of bytes, whatever it trips over
        raise DataLossError(f"{file}: this is no exported program: {error}") from error
    if called:
        raise DataLossError(
            f"{file}: the program calls {', '.join(called)}, which no export of this library does. It was not loaded."
        )
