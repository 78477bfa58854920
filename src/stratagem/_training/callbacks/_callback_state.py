"""The state of a callback over the epochs, in a form that a checkpoint can hold."""

import os
from collections.abc import Iterable
from typing import Any, final

import keras
import numpy as np

from stratagem._core.context import entered
from stratagem._core.values import Variable
from stratagem._private import CALLBACK_STATE
from stratagem._training.callbacks._json import from_json, to_json


class StatefulCallback:
    """A callback with its own `get_state()` and `set_state(state)`; the state must be JSON.

    variables: arrays that are saved beside the state.
    """

    def __init__(self, callback: Any) -> None:
        self._callback = callback
        self.variables: list[Variable] = []

    def get_state(self) -> Any:
        """The state of the callback."""
        return self._callback.get_state()

    def set_state(self, state: Any) -> None:
        """Restores the state of the callback."""
        self._callback.set_state(state)

    def capture(self) -> None:
        """Copies the callback's arrays into the variables, before a backup."""

    def apply(self) -> None:
        """Copies the restored variables back into the callback."""


class _Attributes(StatefulCallback):
    """A callback of Keras, whose state is in some of its attributes."""

    def __init__(self, callback: Any, names: tuple[str, ...]) -> None:
        super().__init__(callback)
        self._names = names

    def get_state(self) -> Any:
        return {name: to_json(getattr(self._callback, name, None)) for name in self._names}

    def set_state(self, state: Any) -> None:
        for name in self._names:
            setattr(self._callback, name, from_json(state[name]))


@final
class _EarlyStopping(_Attributes):
    """Saves the best weights as well, once there are some."""

    def __init__(self, callback: Any, names: tuple[str, ...]) -> None:
        super().__init__(callback, names)
        self._has_weights = False
        self._places: list[int] = []
        if callback.restore_best_weights:
            weights = callback.model.get_weights()
            self._places = [place for place, value in enumerate(weights) if not value.dtype.hasobject]
            self.variables = host_variables(weights[place] for place in self._places)

    def get_state(self) -> Any:
        return {**super().get_state(), "has_weights": self._callback.best_weights is not None}

    def set_state(self, state: Any) -> None:
        super().set_state(state)
        self._has_weights = state["has_weights"]

    def capture(self) -> None:
        if self._callback.best_weights is not None:
            for place, variable in zip(self._places, self.variables, strict=True):
                variable.assign(self._callback.best_weights[place])

    def apply(self) -> None:
        if self.variables:
            best = self._callback.model.get_weights()  # words are the model's, and training does not change them
            for place, variable in zip(self._places, self.variables, strict=True):
                best[place] = np.asarray(variable.value)
            self._callback.best_weights = best if self._has_weights else None


@final
class _CsvLogger(StatefulCallback):
    """Saves the lines of the file that this training wrote, so that lines of repeated epochs are dropped."""

    def __init__(self, callback: Any) -> None:
        super().__init__(callback)
        callback.csv_file.flush()
        self._begin = os.path.getsize(callback.filename)

    def get_state(self) -> Any:
        self._callback.csv_file.flush()
        with open(self._callback.filename, "rb") as file:
            file.seek(self._begin)
            return {"begin": self._begin, "text": file.read().decode(), "keys": self._callback.keys}

    def set_state(self, state: Any) -> None:
        callback = self._callback
        callback.csv_file.close()
        with open(callback.filename, "r+b") as file:
            file.truncate(state["begin"])
            file.seek(0, os.SEEK_END)
            file.write(state["text"].encode())
        self._begin = state["begin"]
        callback.csv_file = open(callback.filename, "a")  # noqa: SIM115  # the callback closes it
        callback.keys, callback.writer = state["keys"], None
        callback.append_header = not state["text"]


def stateful_callbacks(callbacks: Iterable[Any]) -> dict[str, StatefulCallback]:
    """The state of every callback that has one, by its class and its index among the callbacks of that class."""
    found: dict[str, StatefulCallback] = {}
    for callback in callbacks:
        made = _stateful_callback(callback)
        if made is not None:
            name, number = type(callback).__name__, 0
            while (key := f"{name} {number}") in found:
                number += 1
            found[key] = made
    return found


def _stateful_callback(callback: Any) -> StatefulCallback | None:
    if all(callable(getattr(callback, name, None)) for name in ("get_state", "set_state")):
        return StatefulCallback(callback)
    if isinstance(callback, keras.callbacks.CSVLogger):
        return _CsvLogger(callback)
    names = next((names for cls, names in CALLBACK_STATE.items() if isinstance(callback, cls)), None)
    if names is None:
        return None
    early = isinstance(callback, keras.callbacks.EarlyStopping)
    return _EarlyStopping(callback, names) if early else _Attributes(callback, names)


def host_variables(values: Iterable[np.ndarray]) -> list[Variable]:
    """Makes variables without a strategy that hold these arrays."""
    with entered(strategy=None, replica=None, crossing=False):
        return [Variable(value, trainable=False, dtype=str(value.dtype)) for value in values]
