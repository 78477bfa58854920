"""RestoredProgram: an exported program in this process, after another has read it, and after a look at what it calls."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from jax import export

from stratagem._base.errors import DataLossError
from stratagem._base.types import Nest
from stratagem._private import called_outside, rewritten_programs

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
    def all_of(cls, codes: Mapping[str, bytes]) -> "dict[str, RestoredProgram]":
        """Reads `ExportedFunction.code` of several functions. codes: by where each is from, for messages; so is the result.

        What this process did not write is read by another first, which bytes that XLA's reader is not made for may end.

        Raises: DataLossError for what is no program, and for one that calls functions of the process which JAX's own exports
            do not call: it is somebody else's work.
        """
        strange = {file: code for file, code in codes.items() if _digest(code) not in _known}
        again = dict(zip(strange, rewritten_programs(list(strange.values())), strict=True)) if strange else {}
        found = {}
        for file, code in codes.items():
            read = again.get(file)
            if isinstance(read, str):
                raise DataLossError(f"{file}: this is no exported program: {read}")
            program = export.deserialize(bytearray(code)) if read is None else read.program
            _check_calls(program, file)
            if read is not None and not read.changed:
                know(code)
            found[file] = cls(program)
        return found

    def __call__(self, values: Sequence[Nest], tensors: Sequence[Nest]) -> list[Nest]:
        """Computes: takes values of variables and tensors, returns the tensors of the result, and then new values.

        Raises: ValueError for sizes that it was not exported for.
        """
        found: list[Nest] = self.program.call(list(values), list(tensors))
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
