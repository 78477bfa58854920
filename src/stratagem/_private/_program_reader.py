"""A process that reads StableHLO programs of strangers and writes them again, so that nothing which they do to it matters.

XLA's reader of these bytes is not made for enemies: some make it write where it must not, end its process, or keep it for
ever. What comes from here was written by XLA's own writer, of a program that its verifier has accepted.
"""

import io
import re
from typing import Final

from jaxlib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, mpmd, sdy, stablehlo

from stratagem._base.reader_process import serve

# After four bytes and a version of MLIR's, which version of StableHLO a program is written for.
_PRODUCER: Final = re.compile(rb"ML\xefR.StableHLO_v(\d{1,4}\.\d{1,4}\.\d{1,4})\0", re.DOTALL)


def main() -> int:
    """Answers each program of the standard input, as `stratagem._private.rewritten_programs` sends it."""
    return serve(_again)


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
