"""ConfigProto: the settings of TensorFlow's runtime, which TensorFlow 1 programs pass to servers; they have no effect here."""

import logging
from collections.abc import Iterable
from typing import Any, final

from stratagem._base.types import Unused

_log = logging.getLogger("stratagem.cluster")

_logged: set[str] = set()


def _log_ignored(names: Iterable[str]) -> None:
    """Logs, once in a process for every name, that it is ignored."""
    new = [name for name in dict.fromkeys(names) if name not in _logged]
    _logged.update(new)
    if new:
        _log.info("ConfigProto: ignored, because JAX has no such setting: %s", ", ".join(new))


@final
class ConfigProto:
    """Accepts any field, as argument or attribute, and ignores it; the log says so once for each.

    A field that was not set is an empty one, which has fields, entries and members of its own.
    """

    def __init__(self, **fields: Unused) -> None:
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
        return f"ConfigProto({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


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
