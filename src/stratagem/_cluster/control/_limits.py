"""How long a job waits for what."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import final

from stratagem._base.errors import ClusterError

_LEAST = {"heartbeat": 1.0}  # supervisors are heard four times a second at best
_MOST = 365 * 24 * 3600.0


@final
@dataclass(frozen=True)
class Limits:
    """Seconds.

    join: for all tasks to be there. heartbeat: without a sign of a task or its machine. collective: for a task that does
    not do its part in an all-reduce or agreement. compile: for one that compiles meanwhile. leave: for a task to end
    after the job has failed. rejoin: for a lost worker of a job with parameter servers, or its successor, to be there again
    (as in TensorFlow's coordinator, an hour).
    """

    join: float = 600.0
    heartbeat: float = 10.0
    collective: float = 300.0
    compile: float = 3600.0
    leave: float = 30.0
    rejoin: float = 3600.0

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Limits":
        """The defaults, changed by STRATAGEM_JOIN_SECONDS, STRATAGEM_HEARTBEAT_SECONDS and so on.

        Raises:
            ClusterError: one of them is no number of seconds, too short or longer than a year.
        """
        found = {}
        for field in fields(cls):
            name = f"STRATAGEM_{field.name.upper()}_SECONDS"
            if name in environ:
                found[field.name] = _seconds(name, environ[name], _LEAST.get(field.name, 0.1))
        return cls(**found)


def _seconds(name: str, text: str, least: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not least <= number <= _MOST:
        raise ClusterError(
            f"{name} has to be a number of seconds from {least:g} to {_MOST:.0f} (a year), got {text!r}."
        )
    return number
