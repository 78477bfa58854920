"""The types that hooks exchange with the loop around a step: fetches, results, and the request to stop."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, final

from stratagem._base.exports import exported


class StepSession(Protocol):
    """The session of a hook: what it may request outside of a step."""

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Returns the current values of variables and metrics, and the values of the model's tensors in the last step.

        Operations that a hook has made are run first.
        """

    def load(self, variable: Any, value: Any) -> None:
        """Sets a variable's value."""

    @property
    def graph(self) -> Any:
        """The graph of the model."""

    @property
    def events(self) -> Any:
        """The writers of event files."""

    @property
    def summaries(self) -> list[tuple[str, str, Any]]:
        """The model's summaries: (kind, tag, tensor)."""

    def global_step(self) -> int:
        """Returns the current global step."""

    def settle(self) -> int:
        """Waits until no step is running. Returns the global step of the variables."""

    def save(self, directory: str, name: str, step: int) -> None:
        """Writes the checkpoint `<directory>/<name>-<step>`."""


@exported("estimator.SessionRunArgs", v1=["estimator.SessionRunArgs", "train.SessionRunArgs"])
class SessionRunArgs(NamedTuple):
    """The values that a hook fetches from the next step: a structure of tensors, variables and names.

    feed_dict and options are refused: a compiled step takes its inputs from the dataset only.
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


@exported("estimator.SessionRunValues", v1=["estimator.SessionRunValues", "train.SessionRunValues"])
class SessionRunValues(NamedTuple):
    """The values that a hook gets after a step, in the structure of its fetches."""

    results: Any
    options: Any = None
    run_metadata: Any = None


@final
@dataclass(frozen=True)
class OriginalArgs:
    """The fetches of the step itself, independent of the hooks."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


@exported("estimator.SessionRunContext", v1=["estimator.SessionRunContext", "train.SessionRunContext"])
@final
class SessionRunContext:
    """A step as hooks see it: the session, and a way to end the loop after it."""

    def __init__(self, original_args: Any, session: StepSession) -> None:
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    @property
    def original_args(self) -> Any:
        """The fetches of the step itself."""
        return self._original_args

    @property
    def session(self) -> StepSession:
        """The session, for current values."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """True after a hook has requested a stop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Ends the loop after this step."""
        self._stop_requested = True
