"""A process that reads StableHLO programs of strangers and writes them again, so that nothing which they do to it matters.

XLA's reader of these bytes is not made for enemies: some make it write where it must not, end its process, or keep it for
ever. What comes from here was written by XLA's own writer, of a program that its verifier has accepted.
"""

import io
import re
import resource
import sys
from typing import Final

from jaxlib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, mpmd, sdy, stablehlo

# After four bytes and a version of MLIR's, which version of StableHLO a program is written for.
_PRODUCER: Final = re.compile(rb"ML\xefR.StableHLO_v(\d{1,4}\.\d{1,4}\.\d{1,4})\0", re.DOTALL)
_MEMORY: Final = 4 << 30  # bytes, for any program
_UNFOLDED: Final = 64  # and so many for each of its bytes


def main() -> int:
    """Answers each program of the standard input, as `stratagem._private.rewritten_programs` sends it."""
    limit = _MEMORY
    while head := sys.stdin.buffer.read(8):
        code = sys.stdin.buffer.read(int.from_bytes(head))
        limit += _UNFOLDED * len(code)
        _limit_memory(limit)
        try:
            answer = b"+" + _again(code)
        except Exception as error:  # of a parser of bytes, whatever it trips over
            answer = f"-{type(error).__name__}: {error}".encode()
        sys.stdout.buffer.write(len(answer).to_bytes(8) + answer)
        sys.stdout.buffer.flush()
    return 0


def _limit_memory(size: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size if most == resource.RLIM_INFINITY else min(size, most), most))


def _again(code: bytes) -> bytes:
    version = _PRODUCER.match(code)
    if version is None:
        raise ValueError("it is not of StableHLO's format")
    with _context():
        module = _jax.mlir.deserialize_portable_artifact(code)
        module.operation.verify()
        plain = io.BytesIO()
        module.operation.write_bytecode(file=plain)
        written: bytes = _jax.mlir.serialize_portable_artifact(plain.getvalue(), version[1].decode(), True)
    return written


def _context() -> ir.Context:
    """Returns a context of MLIR's with the dialects that JAX's exports have."""
    registry, context = ir.DialectRegistry(), _Context()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for dialect in (sdy, mpmd, chlo, stablehlo):
        dialect.register_dialect(context)
    return context


class _Context(ir.Context):
    """A context without all the dialects that are in the library, which its own class loads."""

    def __init__(self) -> None:
        super(ir.Context, self).__init__()
