"""Reading what strangers wrote in another process first, where nothing that it does to the reader matters.

The readers are compiled libraries that were not made for enemies: some bytes make them write where they must not, end their
process, take all memory, or run for ever. `answers` sends requests to such a process, `serve` is its main function.
"""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from stratagem._base.programs import command, search_path

_STATM: Final = Path("/proc/self/statm")
# Libraries of linear algebra reserve memory for each of their threads.
_ONE_THREAD: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_LATER: Final = 5  # seconds after which a process that nobody waits for any more ends


@final
@dataclass(frozen=True)
class Limits:
    """A reader's process may take so much for all its requests. seconds: of a clock; memory: bytes beside its own."""

    seconds: float
    memory: int


def answers(
    program: str, requests: Sequence[bytes], limits: Limits, *, handles: Sequence[int] = ()
) -> Iterator[bytes | str]:
    """Yields what a program that `serve`s answers to each request, or, as text, why there is no answer.

    All requests after one that ends the process have none, too.

    program: such as "_private/_program_reader.py". handles: numbers of open files that it finds under the same numbers.
    """
    if not requests:
        return
    output, end = _output(program, requests, limits, handles)
    at = 0
    for _ in requests:
        size = int.from_bytes(output[at : at + 8])
        answer = output[at + 8 : at + 8 + size]
        at += 8 + size
        if not answer or len(answer) < size:
            yield end
        else:
            yield answer[1:] if answer[:1] == b"+" else answer[1:].decode(errors="replace")


def _output(program: str, requests: Sequence[bytes], limits: Limits, handles: Sequence[int]) -> tuple[bytes, str]:
    """Returns the answers of a process, perhaps not to all requests, and what its end says."""
    sent = b"".join(len(each).to_bytes(8) + each for each in requests)
    line = command(program, limits.memory, round(limits.seconds) + _LATER, path=search_path())
    try:
        done = subprocess.run(
            line,
            input=sent,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limits.seconds,
            check=False,
            env=os.environ | _ONE_THREAD,
            pass_fds=handles,
        )
    except subprocess.TimeoutExpired as error:
        return error.output or b"", f"it was not read within {limits.seconds:.0f} s"
    return done.stdout, f"it ended the process that read it, with {_status(done.returncode)}"


def _status(code: int) -> str:
    known = {int(each): each.name for each in signal.Signals}
    return known.get(-code, f"signal {-code}") if code < 0 else f"status {code}"


def serve(read: Callable[[bytes], bytes]) -> int:
    """Answers each request of the standard input with what `read` returns, or with the exception that it raises."""
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
    return 0


def _limit(what: int, size: int) -> None:
    _, most = resource.getrlimit(what)
    resource.setrlimit(what, (size if most == resource.RLIM_INFINITY else min(size, most), most))


def _used() -> int:
    """The bytes of memory that this process has reserved, where the system says."""
    return int(_STATM.read_text().split()[0]) * resource.getpagesize() if _STATM.exists() else 0
