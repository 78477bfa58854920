"""PythonState: objects of the user's that are saved in checkpoints as a string of bytes."""

import abc
import base64
from typing import Any

from stratagem._base.errors import CheckpointError
from stratagem._base.exports import exported


@exported("train.experimental.PythonState")
class PythonState(abc.ABC):
    """The base of classes whose objects `tf.train.Checkpoint` saves, as `tf.train.experimental.PythonState`."""

    @abc.abstractmethod
    def serialize(self) -> str | bytes:
        """Returns the state to save."""

    @abc.abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Takes up the state that `serialize` returned, as bytes."""


def encoded(value: PythonState) -> Any:
    """The state of an object as JSON. Raises CheckpointError if `serialize` returns no string."""
    state: Any = value.serialize()
    if not isinstance(state, str | bytes):
        raise CheckpointError(
            f"{type(value).__name__}.serialize() has to return a string or bytes, got {type(state).__name__}."
        )
    raw = state.encode() if isinstance(state, str) else state
    return {"serialized": base64.b64encode(raw).decode("ascii")}


def take_up(value: PythonState, state: Any) -> None:
    """Gives an object the state that `encoded` has made. Raises CheckpointError for the state of another kind of object."""
    if not isinstance(state, dict) or not isinstance(state.get("serialized"), str):
        raise CheckpointError(
            f"The checkpoint holds, in the place of a {type(value).__name__}, the state of an object that is no PythonState."
        )
    value.deserialize(base64.b64decode(state["serialized"]))
