"""The main function of a process that reads what strangers wrote: within limits, it answers requests.

It imports little: a load of a model waits until such a process has started.
"""

import os
import resource
import sys
from collections.abc import Callable
from typing import Final

_STATM: Final = "/proc/self/statm"


def serve(read: Callable[[bytes], bytes]) -> int:
    """Answers each request of the standard input with what `read` returns, or with the exception that it raises.

    Does not return when all are answered: the process ends at once, and leaves it to the system to tidy up.
    """
    memory, seconds = map(int, sys.argv[1:3])
    _limit(resource.RLIMIT_AS, _used() + memory)
    _limit(resource.RLIMIT_CPU, seconds)
    while head := sys.stdin.buffer.read(8):
        request = sys.stdin.buffer.read(int.from_bytes(head))
        try:
            answer = b"+" + read(request)
        except Exception as error:  # of a parser of bytes, whatever it trips over
            answer = f"-{type(error).__name__}: {error}".encode(errors="replace")
        sys.stdout.buffer.write(len(answer).to_bytes(8) + answer)
        sys.stdout.buffer.flush()
    os._exit(0)


def _limit(what: int, size: int) -> None:
    _, most = resource.getrlimit(what)
    resource.setrlimit(what, (size if most == resource.RLIM_INFINITY else min(size, most), most))


def _used() -> int:
    """The bytes of memory that this process has reserved, where the system says."""
    if not os.path.exists(_STATM):
        return 0
    with open(_STATM) as file:
        return int(file.read().split()[0]) * resource.getpagesize()
