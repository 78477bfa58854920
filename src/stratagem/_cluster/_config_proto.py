"""ConfigProto and its siblings: settings that TensorFlow 1 programs pass to servers and sessions; they have no effect here."""

import abc
import logging
from collections.abc import Iterable
from typing import Any, final

from stratagem._base.exports import exported

_log = logging.getLogger("stratagem.cluster")

_logged: set[str] = set()


def _log_ignored(names: Iterable[str]) -> None:
    """Logs, once in a process for every name, that it is ignored."""
    new = [name for name in dict.fromkeys(names) if name not in _logged]
    _logged.update(new)
    if new:
        _log.info("Settings of sessions: ignored, because JAX has no such setting: %s", ", ".join(new))


class IgnoredSettings(abc.ABC):  # noqa: B024
    """Base of messages that accept any field, as argument or attribute, and ignore it; the log says so once for each.

    A field that was not set is an empty one, which has fields, entries and members of its own.
    """

    def __init__(self, **fields: object) -> None:
        vars(self).update(fields)
        _log_ignored(fields)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        _log_ignored([name])

    def __getattr__(self, name: str) -> "IgnoredField":
        if name.startswith("__"):
            raise AttributeError(name)
        field = vars(self)[name] = IgnoredField(name)
        return field

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


@exported(v1=["ConfigProto"])
@final
class ConfigProto(IgnoredSettings):
    """The settings of a session or server, as `tf.compat.v1.ConfigProto`: ignored."""


@exported(v1=["GPUOptions"])
@final
class GPUOptions(IgnoredSettings):
    """Settings of GPUs, as `tf.compat.v1.GPUOptions`: ignored. `tf.config` limits memory."""


@exported(v1=["GraphOptions"])
@final
class GraphOptions(IgnoredSettings):
    """Settings of graphs, as `tf.compat.v1.GraphOptions`: ignored."""


@exported(v1=["OptimizerOptions"])
@final
class OptimizerOptions(IgnoredSettings):
    """Settings of what makes graphs faster, as `tf.compat.v1.OptimizerOptions`: ignored, since XLA compiles every program."""

    L1, L0 = 0, -1
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2


@exported(v1=["RunOptions"])
@final
class SessionRunOptions(IgnoredSettings):
    """Settings of a run, as `tf.compat.v1.RunOptions`: ignored. `tf.profiler.experimental` shows where the time goes."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)


@exported(v1=["RunMetadata"])
@final
class RunMetadata(IgnoredSettings):
    """The message that a run of TensorFlow 1 fills, as `tf.compat.v1.RunMetadata`: here it stays empty."""


@final
class IgnoredField(dict[Any, Any]):
    """A field of a ConfigProto that was not set: accepts values by name, by key and by `append`."""

    def __init__(self, path: str) -> None:
        super().__init__()
        super().__setattr__("_path", path)

    def __getattr__(self, name: str) -> "IgnoredField":
        if name.startswith("__"):
            raise AttributeError(name)
        return self.setdefault(name, IgnoredField(f"{self._path}.{name}"))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        _log_ignored([f"{self._path}.{name}"])

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        _log_ignored([str(self._path)])

    def append(self, value: Any) -> None:
        """Appends a member."""
        self[len(self)] = value

    def extend(self, values: Iterable[Any]) -> None:
        """Appends members."""
        for value in values:
            self.append(value)
