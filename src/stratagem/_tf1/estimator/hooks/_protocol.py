"""What hooks give and get around a step: fetches, results, and the way to ask for the end."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, final


class Session(Protocol):
    """What a hook may ask outside of a step."""

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """The present values of variables and metrics, and those that tensors of the model had in the last step."""

    @property
    def graph(self) -> Any:
        """The graph of the model."""

    @property
    def events(self) -> Any:
        """Writes to event files."""

    @property
    def summaries(self) -> list[tuple[str, str, Any]]:
        """What the model summarizes: (kind, tag, tensor)."""

    def global_step(self) -> int:
        """The present global step."""

    def settle(self) -> int:
        """Wait until no step is under way. Returns the global step that the variables are at."""

    def save(self, directory: str, name: str, step: int) -> None:
        """Write the checkpoint `<directory>/<name>-<step>`."""


class SessionRunArgs(NamedTuple):
    """What a hook wants to be told about the step that comes: a structure of tensors, variables and names.

    feed_dict and options are refused: a compiled step has its inputs from the data set alone.
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What a hook is told after a step: results in the structure of its fetches."""

    results: Any
    options: Any = None
    run_metadata: Any = None


@final
@dataclass(frozen=True)
class OriginalArgs:
    """What the step itself computes, whatever the hooks ask for."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


@final
class SessionRunContext:
    """A step, as hooks see it: the session, and a way to end the loop after it."""

    def __init__(self, original_args: Any, session: Session) -> None:
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    @property
    def original_args(self) -> Any:
        """What the step itself computes."""
        return self._original_args

    @property
    def session(self) -> Session:
        """Where present values are asked for."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """True once a hook has asked for the end."""
        return self._stop_requested

    def request_stop(self) -> None:
        """End the loop after this step."""
        self._stop_requested = True
