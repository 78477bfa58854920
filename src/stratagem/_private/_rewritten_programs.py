"""Programs of strangers, of `jax.export`, as another process has read and rewritten them first."""

import contextlib
import dataclasses
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from jax import export
from jax._src.export import serialization_generated as ser_flatbuf

from stratagem._base.reader_process import Limits, Reader, Reading

# It needs MLIR's library alone. Importing NumPy, which MLIR's modules do where it is there, and what the packages' own modules
# import, would take three quarters of its time.
_READER: Final = Reader(
    "_private/_program_reader.py", bare=("stratagem", "stratagem._private", "jaxlib"), absent=("numpy",)
)
_OF_FIRST_CALL: Final = "jaxlib.mlir.dialects.mhlo"  # which JAX imports with the first program that it lowers
_LONGEST: Final = 60.0  # seconds for all programs of a SavedModel; a usual one takes 0.02
_MEMORY: Final = 4 << 30  # bytes, for any program
_UNFOLDED: Final = 64  # and so many for each of its bytes


@final
@dataclass(frozen=True)
class RewrittenProgram:
    """A program as another process wrote it. changed: whether its bytes are others than those that were given."""

    program: export.Exported
    changed: bool


@contextlib.contextmanager
def rewritten_programs(codes: Sequence[bytes]) -> Iterator[Callable[[], list[RewrittenProgram | str]]]:
    """Has another process read serialized programs while the body runs.

    What is yielded waits for it, and returns what each of them is, with its gradients, or why it is none. Their StableHLO is
    what the other process (`_program_reader`) wrote after it had read theirs, so that bytes which make XLA's reader fail end
    that process. All programs after such a one are none, too.
    """
    limits = Limits(_LONGEST, _MEMORY + _UNFOLDED * sum(map(len, codes)))
    with Reading(_READER, limits) as reading:
        found = [_deserialized(code) for code in codes]
        modules = [each.mlir_module_serialized for given in found if not isinstance(given, str) for each in given]
        different = [*dict.fromkeys(modules)]
        answers = reading.ask(different)

        def rewritten() -> list[RewrittenProgram | str]:
            importlib.import_module(_OF_FIRST_CALL)  # there is nothing to do here until the other process has answered
            answered = dict(zip(different, answers(), strict=True))
            return [given if isinstance(given, str) else _rewritten(given, answered) for given in found]

        yield rewritten


def _deserialized(code: bytes) -> list[export.Exported] | str:
    """Returns a program and its gradients, as Python reads them: their StableHLO is not looked at."""
    try:
        _check_placement(ser_flatbuf.Exported.GetRootAsExported(bytearray(code)))
        return list(_with_gradients(export.deserialize(bytearray(code))))
    except Exception as error:  # of a parser of bytes, whatever it trips over
        return f"{type(error).__name__}: {error}"


def _check_placement(fact: Any) -> None:
    """Raises ValueError for descriptions of devices, which C++ would read: programs for one device have none."""
    while fact is not None:
        given = [fact.InShardings(i) for i in range(fact.InShardingsLength())]
        given += [fact.OutShardings(i) for i in range(fact.OutShardingsLength())]
        named = fact.UniqueNamedShardingsLength() or fact.UniqueAbstractMeshesLength()
        if named or any(s.NamedSharding() is not None or not s.HloShardingProtoIsNone() for s in given):
            raise ValueError("it is for several devices, which no export of this library is")
        fact = fact.Vjp()


def _with_gradients(program: export.Exported) -> Iterator[export.Exported]:
    each: export.Exported | None = program
    while each is not None:
        yield each
        each = each.vjp() if each.has_vjp() else None


def _rewritten(given: Sequence[export.Exported], answered: Mapping[bytes, bytes | str]) -> RewrittenProgram | str:
    """Returns the first of these programs with the others as its gradients. The answer to its StableHLO replaces each one's."""
    made: export.Exported | None = None
    changed = False
    for each in reversed(given):
        module = answered[each.mlir_module_serialized]
        if isinstance(module, str):
            return module
        changed = changed or module != each.mlir_module_serialized
        gradient = None if made is None else _constant(made)
        made = dataclasses.replace(each, mlir_module_serialized=module, _get_vjp=gradient)
    assert made is not None, "there is one at least"
    return RewrittenProgram(made, changed)


def _constant(gradient: export.Exported) -> Any:
    return lambda _: gradient
