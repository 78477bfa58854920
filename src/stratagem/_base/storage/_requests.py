"""Requests to remote file systems: repeated when they fail in passing, and given up when there is no answer."""

import errno
import queue
import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from stratagem._base.errors import DeadlineExceededError, StratagemError, UnavailableError
from stratagem._base.paths import without_secrets

T = TypeVar("T")

UNANSWERED = (
    UnavailableError,
    DeadlineExceededError,
)  # what it means to know nothing of a file: not even that it is damaged

ATTEMPTS = 6
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0  # seconds between two attempts; doubled each time
_ANSWER_SECONDS = 120.0  # the longest wait for one answer,
_LEAST_RATE = 1 << 20  # and for each so many bytes that it moves, a second more
_LAST_ATTEMPT_SECONDS = 300.0  # no attempt begins later than this

# What the next attempt would only find again.
_LASTING = (
    *(FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError),
    *(NotImplementedError, ImportError, TypeError, AttributeError, MemoryError, StratagemError),
)


def answered(request: Callable[[], T], path: str, nbytes: int = 0) -> T:
    """The result of a request, which is repeated if it fails in a way that may pass.

    path: what it is about. nbytes: how many bytes it moves. Raises what the request raises if that is lasting, such as
    FileNotFoundError; when all attempts have failed, UnavailableError or, without answers in time, DeadlineExceededError, both
    of which are OSErrors.
    """
    begun = time.monotonic()
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _in_time(request, _ANSWER_SECONDS + nbytes / _LEAST_RATE)
        except _LASTING:
            raise
        except Exception as error:
            if attempt == ATTEMPTS or time.monotonic() - begun > _LAST_ATTEMPT_SECONDS:
                raise _given_up(error, path, attempt, time.monotonic() - begun) from error
        time.sleep(min(_FIRST_PAUSE * 2 ** (attempt - 1), _LONGEST_PAUSE) * random.uniform(0.5, 1.0))
    raise AssertionError("the last attempt returns or raises")


def _given_up(error: Exception, path: str, attempts: int, seconds: float) -> DeadlineExceededError | UnavailableError:
    said = without_secrets(f"{type(error).__name__}: {error}".rstrip(": "))[:300]
    message = f"The file system of {path!r} has failed {attempts} times in {seconds:.0f} s: {said}"
    return DeadlineExceededError(message) if isinstance(error, TimeoutError) else UnavailableError(message)


def _in_time(request: Callable[[], T], seconds: float) -> T:
    """The result of a request that may take so long. One that takes longer goes on in a thread that nobody waits for."""
    answers: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put((request(), None))
        except BaseException as error:
            answers.put((None, error))

    thread = threading.Thread(target=ask, name="request to a remote file system", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the interpreter is about to end
        return request()
    try:
        result, error = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(errno.ETIMEDOUT, f"no answer within {seconds:.0f} s") from None
    thread.join()
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # None only where T has it
