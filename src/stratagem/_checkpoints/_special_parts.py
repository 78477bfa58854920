"""Kinds of objects that say themselves what a checkpoint keeps of them."""

import abc
import logging
from collections.abc import Callable
from typing import Any, final

import numpy as np

_log = logging.getLogger("stratagem.checkpoint")


class Tracked(abc.ABC):
    """An object that lists the parts to be saved with it."""

    @abc.abstractmethod
    def tracked_parts(self, parts: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """The parts by name. parts: names the parts of an object whose parts count as this one's."""


class HostArray(abc.ABC):
    """An array that no variable holds, and that TensorFlow's format keeps as if one did."""

    @property
    @abc.abstractmethod
    def value(self) -> np.ndarray:
        """The array."""

    @abc.abstractmethod
    def restore(self, saved: np.ndarray, path: str) -> None:
        """Takes what a checkpoint has at this path."""


class Supplement(abc.ABC):
    """The state of an object that TensorFlow's checkpoints lack: one without it matches the program, too."""

    @abc.abstractmethod
    def get_state(self) -> Any:
        """Returns it, for a checkpoint."""

    @abc.abstractmethod
    def set_state(self, state: Any) -> None:
        """Takes up what a checkpoint has."""


class Finalized(abc.ABC):
    """A layer that computes what it uses of values, which a checkpoint may bring, and has some beside its variables."""

    @abc.abstractmethod
    def host_arrays(self) -> dict[str, HostArray]:
        """Returns the values beside variables that TensorFlow's format keeps, by their names there."""

    @abc.abstractmethod
    def finalize_state(self) -> None:
        """Computes what the layer uses."""


@final
class FixedValue(HostArray):
    """A value that a format keeps and no variable holds: it is written, and restored into nothing.

    name: the setting that it is; None if a restored value may differ without any harm.
    """

    def __init__(self, value: np.ndarray, name: str | None) -> None:
        self._value, self.name = value, name

    @property
    def value(self) -> np.ndarray:
        return self._value

    def restore(self, saved: np.ndarray, path: str) -> None:
        """Warns if a setting was another one when the checkpoint was saved."""
        if self.name is not None and not np.allclose(saved, self.value):
            _log.warning(
                "%s was saved with %s=%s, and this program's optimizer has %s, which stays.",
                path, self.name, saved, self.value,
            )  # fmt: skip
