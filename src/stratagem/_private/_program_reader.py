"""A process that reads StableHLO programs of strangers and writes them again, so that nothing which they do to it matters.

XLA's reader of these bytes is not made for enemies: some make it write where it must not, end its process, or keep it for
ever. What comes from here was written by XLA's own writer, of a program that its verifier has accepted.
"""

import re
from typing import Final

from stratagem._base.reader_main import serve
from stratagem._private._program_context import deserialized, program_context, serialized

# After four bytes and a version of MLIR's, which version of StableHLO a program is written for.
_PRODUCER: Final = re.compile(rb"ML\xefR.StableHLO_v(\d{1,4}\.\d{1,4}\.\d{1,4})\0", re.DOTALL)


def main() -> int:
    """Answers each program of the standard input, as `stratagem._private.rewritten_programs` sends it."""
    return serve(_again)


def _again(code: bytes) -> bytes:
    version = _PRODUCER.match(code)
    if version is None:
        raise ValueError("it is not of StableHLO's format")
    with program_context() as context:
        module = deserialized(code, context)
        module.operation.verify()
        return serialized(module, version[1].decode())
