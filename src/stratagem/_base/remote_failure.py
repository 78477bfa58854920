"""RemoteFailure: an exception that a task sends to its caller, also if it cannot be pickled or unpickled."""

import pickle
import traceback
from dataclasses import dataclass
from typing import final

import cloudpickle

from stratagem._base.errors import OutOfRangeError, UnavailableError, UnknownError


@final
@dataclass(frozen=True)
class RemoteFailure:
    """Takes the place of a result.

    pickled: the exception; None if it cannot be pickled. text: its type and message. stack: the stack trace where it was
    raised.
    """

    pickled: bytes | None
    text: str
    stack: str

    @classmethod
    def of(cls, error: BaseException) -> "RemoteFailure":
        """Returns the failure for an exception that was raised by a function that the caller of `of` called."""
        raised = error.__traceback__
        summary = traceback.TracebackException(type(error), error, raised and raised.tb_next)
        summary.__notes__ = None  # they are sent with the error
        stack = "".join(summary.format())
        text = "".join(traceback.format_exception_only(error)).strip()
        try:
            # The exception's class may be defined in the user's program, which no other process imports: it is sent, too.
            return cls(cloudpickle.dumps(error), text, stack)
        except Exception:  # pickling an object of a user's class may raise anything; then only the text is sent
            return cls(None, text, stack)

    def error(self, task: str) -> BaseException:
        """Returns the exception, with a note on where the task raised it; an UnknownError if it cannot be unpickled here."""
        error = self._loaded()
        if error is None:
            error = UnknownError(
                f"{task} raised {self.text}\n(It arrives as UnknownError, for it cannot be made again of its pickle: an "
                "exception can, if its __init__ takes just what it hands on to super().__init__.)"
            )
        if not isinstance(error, OutOfRangeError | UnavailableError):  # those are not raised by a line of the user's
            error.add_note(f"{task} raised it:\n{self.stack.strip()}")
        return error

    def _loaded(self) -> BaseException | None:
        if self.pickled is None:
            return None
        try:
            error = pickle.loads(self.pickled)
        except Exception:  # unpickling calls a user's __init__, perhaps with the wrong arguments
            return None
        return error if isinstance(error, BaseException) else None
