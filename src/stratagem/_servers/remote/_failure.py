"""RemoteFailure: an exception on its way from a task to who called it, even if it cannot be pickled, or made of its pickle."""

import pickle
import traceback
from dataclasses import dataclass
from typing import Any, final

from stratagem._base.errors import OutOfRangeError, UnavailableError, UnknownError


@final
@dataclass(frozen=True)
class RemoteFailure:
    """In place of a result.

    pickled: the exception; None if that could not be done. text: its type and what it says. stack: where it was raised.
    """

    pickled: bytes | None
    text: str
    stack: str

    @classmethod
    def of(cls, error: BaseException) -> "RemoteFailure":
        """What the caller of this function has caught."""
        import ray

        # The user's class may be in the program itself, which no other process imports.
        dumps: Any = ray.cloudpickle.dumps
        raised = error.__traceback__
        facts = traceback.TracebackException(type(error), error, raised and raised.tb_next)
        facts.__notes__ = None  # they travel with the error
        stack = "".join(facts.format())
        text = "".join(traceback.format_exception_only(error)).strip()
        try:
            return cls(dumps(error), text, stack)
        except Exception:  # whatever a user's class does when it is pickled: its text arrives
            return cls(None, text, stack)

    def error(self, task: str) -> BaseException:
        """The exception, with a note on where the task has raised it. UnknownError if it cannot be had here."""
        error = self._loaded()
        if error is None:
            error = UnknownError(
                f"{task} raised {self.text}\n(It arrives as UnknownError, for it cannot be made again of its pickle: an "
                "exception can, if its __init__ takes just what it hands on to super().__init__.)"
            )
        if not isinstance(error, OutOfRangeError | UnavailableError):  # which no line of the user's has raised
            error.add_note(f"{task} raised it:\n{self.stack.strip()}")
        return error

    def _loaded(self) -> BaseException | None:
        if self.pickled is None:
            return None
        try:
            error = pickle.loads(self.pickled)
        except Exception:  # whatever a user's __init__ does with the wrong arguments
            return None
        return error if isinstance(error, BaseException) else None
