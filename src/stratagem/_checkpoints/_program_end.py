"""ProgramEnd: lets a program finish its saves before it ends, by itself or by SIGTERM."""

import atexit
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, final

_log = logging.getLogger("stratagem.checkpoint")


@final
class ProgramEnd:
    """Finishes work when the program ends.

    finish: waits for the work, and returns the errors that nobody was told of. Called in the main thread.

    At a regular end the errors are printed, and the exit code is 120, Python's own for data that could not be written at the
    end. SIGTERM ends the program as it would have done, once the work is finished; a program that handles SIGTERM itself does
    what it does.
    """

    def __init__(self, finish: Callable[[], list[BaseException]]) -> None:
        self._finish = finish
        self._registered = False

    def watch(self) -> None:
        """Finishes work at the end of the program, from now on."""
        if not self._registered:
            self._registered = True
            # Now, not earlier: what was registered before, such as leaving the job, has to come after it.
            atexit.register(self._at_exit)
        main = threading.current_thread() is threading.main_thread()  # others cannot set handlers
        if main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._on_signal)

    def release(self) -> None:
        """Lets SIGTERM end the program at once again: there is nothing to finish."""
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGTERM) == self._on_signal:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _at_exit(self) -> None:
        errors = self._finish()
        for error in errors:
            sys.excepthook(type(error), error, error.__traceback__)
        if errors and sys.stderr is not None:
            sys.stderr = _Unflushed(sys.stderr)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        for error in self._finish():
            _log.error("A save failed, and SIGTERM ends the program: %s", error, exc_info=error)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


@final
class _Unflushed:
    """A stream that Python cannot flush at the end, wherefore its exit code is 120. An atexit function cannot set one."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def flush(self) -> None:
        """Flushes the stream, and raises OSError."""
        self._stream.flush()
        raise OSError("A checkpoint was not saved.")
