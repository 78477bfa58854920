"""Objects of `tf.train.experimental.PythonState` are saved and restored with the variables beside them."""

import io
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf


class Array(tf.train.experimental.PythonState):
    """A NumPy array that checkpoints hold, as TensorFlow's documentation has it."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def serialize(self) -> bytes:
        file = io.BytesIO()
        np.save(file, self.array, allow_pickle=False)
        return file.getvalue()

    def deserialize(self, string_value: bytes) -> None:
        self.array = np.load(io.BytesIO(string_value), allow_pickle=False)


class Text(tf.train.experimental.PythonState):
    """A text."""

    def __init__(self, text: object) -> None:
        self.text = text

    def serialize(self) -> str:
        return self.text  # type: ignore[return-value]

    def deserialize(self, string_value: bytes) -> None:
        self.text = string_value


def test_state_comes_back_with_the_variables(tmp_path: Path) -> None:
    root = tf.train.Checkpoint(numpy=Array(np.array([1.0, np.nan])), v=tf.Variable(2.0), text=Text("ü"))
    path = root.save(str(tmp_path / "c"))
    root.numpy.array, root.text.text = np.zeros(3), "changed"
    root.restore(path).assert_consumed()
    np.testing.assert_array_equal(root.numpy.array, [1.0, np.nan])
    assert root.text.text == "ü".encode()  # bytes, as in TensorFlow


def test_state_below_other_objects_is_found_when_they_are_made(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(parts=[{"a": Array(np.arange(3))}]).write(str(tmp_path / "c"))
    later = tf.train.Checkpoint()
    status = later.read(path)
    later.parts = [{"a": Array(np.zeros(0))}]
    status.assert_consumed()
    assert later.parts[0]["a"].array.tolist() == [0, 1, 2]


def test_the_class_is_abstract_and_what_is_no_string_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="abstract"):
        tf.compat.v1.train.experimental.PythonState()  # type: ignore[abstract]
    with pytest.raises(ValueError, match=r"Text\.serialize\(\) has to return a string or bytes, got int"):
        tf.train.Checkpoint(text=Text(3)).write(str(tmp_path / "c"))


class Counter:
    """An object whose state is JSON."""

    def get_state(self) -> dict[str, int]:
        return {"count": 1}

    def set_state(self, state: dict[str, int]) -> None:
        raise AssertionError(state)


def test_the_state_of_another_kind_of_object_is_refused(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(x=Counter()).write(str(tmp_path / "c"))
    with pytest.raises(ValueError, match="the state of an object that is no PythonState"):
        tf.train.Checkpoint(x=Text("")).read(path)
