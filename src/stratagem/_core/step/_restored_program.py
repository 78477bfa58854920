"""RestoredProgram: an exported program in this process, after a look at what it calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from jax import export

from stratagem._base.errors import DataLossError
from stratagem._base.types import Nest
from stratagem._private import called_outside


@final
@dataclass(frozen=True)
class RestoredProgram:
    """An exported program in this process."""

    program: export.Exported

    @classmethod
    def of(cls, code: bytes, file: str) -> "RestoredProgram":
        """Reads `ExportedFunction.code`. file: where it is from, for messages.

        Raises: DataLossError for what is no program, and for one that calls functions of the process which JAX's own exports
            do not call: it is somebody else's work.
        """
        try:
            found = export.deserialize(bytearray(code))
            called = called_outside(found)
        except Exception as error:  # of a parser of bytes, whatever it trips over
            raise DataLossError(f"{file}: this is no exported program: {type(error).__name__}: {error}") from error
        if called:
            raise DataLossError(
                f"{file}: the program calls {', '.join(called)}, which no export of this library does. It was not loaded."
            )
        return cls(found)

    def __call__(self, values: Sequence[Nest], tensors: Sequence[Nest]) -> list[Nest]:
        """Computes: takes values of variables and tensors, returns the tensors of the result, and then new values.

        Raises: ValueError for sizes that it was not exported for.
        """
        found: list[Nest] = self.program.call(list(values), list(tensors))
        return found
