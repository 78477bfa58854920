"""Reading what strangers wrote in another process first, where nothing that it does to the reader matters.

The readers are compiled libraries that were not made for enemies: some bytes make them write where they must not, end their
process, take all memory, or run for ever. A `Reading` is such a process, which starts and reads while this one does other work;
its main function is `serve` of `reader_main`.
"""

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self, final

from stratagem._base.programs import command, search_path

# Libraries of linear algebra reserve memory for each of their threads.
_ONE_THREAD: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_LATER: Final = 5  # seconds after which a process that nobody waits for any more ends


@final
@dataclass(frozen=True)
class Reader:
    """A program that reads.

    file: such as "_private/_program_reader.py". bare: packages whose own code does not run there, only that of the modules in
    them which it imports. absent: packages that it does not find, although they may be installed.
    """

    file: str
    bare: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class Limits:
    """A reader's process may take so much for all its requests. seconds: of a clock; memory: bytes beside its own."""

    seconds: float
    memory: int


@final
class Reading:
    """A process that reads, which has started when this is made, and ends with a `with` statement's body at the latest."""

    def __init__(self, reader: Reader, limits: Limits, *, handles: Sequence[int] = ()) -> None:
        """handles: numbers of open files that it finds under the same numbers."""
        self._limits = limits
        line = command(
            *(reader.file, limits.memory, round(limits.seconds) + _LATER),
            path=search_path(),
            bare=reader.bare,
            absent=reader.absent,
        )
        self._process = subprocess.Popen(
            line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | _ONE_THREAD,
            pass_fds=handles,
        )
        # Pipes hold little: somebody has to fill and empty them, while the caller does something else.
        self._exchange = ThreadPoolExecutor(1, "stratagem-reading")

    def ask(self, requests: Sequence[bytes]) -> Callable[[], list[bytes | str]]:
        """Sends the requests at once. Calling what it returns waits, and returns what `answers` does."""
        return self._exchange.submit(self.answers, requests).result

    def answers(self, requests: Sequence[bytes]) -> list[bytes | str]:
        """Sends the requests, and returns the answer to each, or, as text, why there is none. Called once, or `ask` is.

        All requests after one that ends the process have none, too.
        """
        output, end = self._output(b"".join(len(each).to_bytes(8) + each for each in requests))
        found: list[bytes | str] = []
        at = 0
        for _ in requests:
            size = int.from_bytes(output[at : at + 8])
            answer = output[at + 8 : at + 8 + size]
            at += 8 + size
            if not answer or len(answer) < size:
                found.append(end)
            else:
                found.append(answer[1:] if answer[:1] == b"+" else answer[1:].decode(errors="replace"))
        return found

    def _output(self, sent: bytes) -> tuple[bytes, str]:
        """Returns the answers of the process, perhaps not to all requests, and what its end says."""
        try:
            output, _ = self._process.communicate(sent, timeout=self._limits.seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            output, _ = self._process.communicate()
            return output, f"it was not read within {self._limits.seconds:.0f} s"
        return output, f"it ended the process that read it, with {_status(self._process.returncode)}"

    def close(self) -> None:
        """Ends the process, if it has not ended."""
        self._process.kill()
        self._exchange.shutdown()
        with self._process:
            pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def answers(
    reader: Reader, requests: Sequence[bytes], limits: Limits, *, handles: Sequence[int] = ()
) -> list[bytes | str]:
    """Returns what a reader answers to each request, or why there is no answer, as `Reading.answers` does."""
    if not requests:
        return []
    with Reading(reader, limits, handles=handles) as reading:
        return reading.answers(requests)


def _status(code: int) -> str:
    known = {int(each): each.name for each in signal.Signals}
    return known.get(-code, f"signal {-code}") if code < 0 else f"status {code}"
