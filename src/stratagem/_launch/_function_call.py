"""FunctionCall: a function and its arguments, as a task gets them, and what it sends back."""

import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any, final

import cloudpickle

from stratagem._base.errors import PeerFailedError
from stratagem._base.remote_failure import RemoteFailure

FUNCTION_TASK = Path(__file__).with_name("_function_task.py")  # the program of a task that makes a call


@final
@dataclass(frozen=True)
class FunctionResult:
    """The value that a call has returned."""

    value: Any


@final
@dataclass(frozen=True)
class FunctionCall:
    """A pickled function with its positional and keyword arguments. It is unpickled where its errors are sent back."""

    pickled: bytes

    def __call__(self, handle: int) -> None:
        """Calls the function, and writes a pickled FunctionResult or RemoteFailure to the file.

        What was raised is raised again. But if another task failed, one line names it: that task has told the rest.
        """
        try:
            fn, args, kwargs = pickle.loads(self.pickled)
            answer = _packed(fn(*args, **kwargs))
        except PeerFailedError as error:
            _write(handle, cloudpickle.dumps(RemoteFailure.of(error)))
            sys.exit(f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")
        except Exception as error:
            _write(handle, cloudpickle.dumps(RemoteFailure.of(error)))
            raise
        _write(handle, answer)


def _packed(value: Any) -> bytes:
    try:
        answer: bytes = cloudpickle.dumps(FunctionResult(value))
    except Exception as error:  # whatever pickling an object of the user's raises
        raise TypeError(
            f"launch: what the function returned, a {type(value).__name__}, cannot be sent to the process that waits for it: "
            f"{error} Return numbers, NumPy arrays, or a path."
        ) from error
    return answer


def code_of_file(name: str, make: Callable[..., CodeType], arguments: tuple[Any, ...]) -> CodeType:
    """Makes a code object with the name of its file, by which its source is found for tracebacks and for AutoGraph."""
    return make(*arguments).replace(co_filename=name)


def _write(handle: int, data: bytes) -> None:
    os.truncate(handle, 0)
    place = 0
    while place < len(data):
        place += os.pwrite(handle, data[place:], place)
