"""ConfigProto: the settings of TensorFlow's runtime, which programs for TensorFlow 1 pass to servers; there is none here."""

import logging
from collections.abc import Iterable
from typing import Any, final

_log = logging.getLogger("stratagem.cluster")

_told: set[str] = set()


def _tell(names: Iterable[str]) -> None:
    """Say, once in a process for every name, that it does nothing."""
    new = [name for name in dict.fromkeys(names) if name not in _told]
    _told.update(new)
    if new:
        _log.info("ConfigProto: ignored, because JAX has no such setting: %s", ", ".join(new))


@final
class ConfigProto:
    """Takes any field, as argument or attribute, and does nothing with it; the log says so once for each.

    A field that was not set is an empty one, which has fields, entries and members of its own.
    """

    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)
        _tell(fields)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        _tell([name])

    def __getattr__(self, name: str) -> "Field":
        if name.startswith("__"):
            raise AttributeError(name)
        field = vars(self)[name] = Field(name)
        return field

    def __repr__(self) -> str:
        return f"ConfigProto({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


@final
class Field(dict[Any, Any]):
    """A field of a ConfigProto that was not given a value: anything can be put in, by name, by key or at the end."""

    def __init__(self, path: str) -> None:
        super().__init__()
        super().__setattr__("_path", path)

    def __getattr__(self, name: str) -> "Field":
        if name.startswith("__"):
            raise AttributeError(name)
        return self.setdefault(name, Field(f"{self._path}.{name}"))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        _tell([f"{self._path}.{name}"])

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        _tell([str(self._path)])

    def append(self, value: Any) -> None:
        """One more member."""
        self[len(self)] = value

    def extend(self, values: Iterable[Any]) -> None:
        """More members."""
        for value in values:
            self.append(value)
