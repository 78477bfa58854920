"""A reader of programs that answers each request with the names of the modules that its process has."""

import sys

from stratagem._base.reader_main import serve

# Private: what reads programs. Its imports are what the answer shows.
from stratagem._private import _program_reader as _program_reader


def main() -> int:
    return serve(_modules)


def _modules(request: bytes) -> bytes:
    return " ".join(name for name, module in sys.modules.items() if module is not None).encode()
