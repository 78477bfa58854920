"""TimeLimits: the time limits of a job."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import final

from stratagem._base.errors import ClusterError

_MIN = {"heartbeat": 1.0}  # supervisors send at most four messages a second
_MAX = 365 * 24 * 3600.0


@final
@dataclass(frozen=True)
class TimeLimits:
    """Time limits in seconds.

    join: until all tasks have joined. heartbeat: without a sign of life of a task or its machine. collective: for a
    task that does not take part in an all-reduce or agreement. compile: the same while it compiles. leave: for a task
    to end after the job has failed. rejoin: for a lost worker of a job with parameter servers, or its replacement, to
    rejoin (an hour, as in TensorFlow's coordinator).
    """

    join: float = 600.0
    heartbeat: float = 10.0
    collective: float = 300.0
    compile: float = 3600.0
    leave: float = 30.0
    rejoin: float = 3600.0

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "TimeLimits":
        """Returns the defaults, changed by STRATAGEM_JOIN_SECONDS, STRATAGEM_HEARTBEAT_SECONDS and so on.

        Raises:
            ClusterError: one of them is no number of seconds, or too small, or more than a year.
        """
        found = {}
        for field in fields(cls):
            name = f"STRATAGEM_{field.name.upper()}_SECONDS"
            if name in environ:
                found[field.name] = _seconds(name, environ[name], _MIN.get(field.name, 0.1))
        return cls(**found)


def _seconds(name: str, text: str, least: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not least <= number <= _MAX:
        raise ClusterError(f"{name} has to be a number of seconds from {least:g} to {_MAX:.0f} (a year), got {text!r}.")
    return number
