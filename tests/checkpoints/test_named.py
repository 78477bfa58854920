"""Variables that are saved by their names alone, beside a checkpoint of objects."""

from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from stratagem._base.errors import CheckpointError
from stratagem._checkpoints import NamedCheckpoint


def saved(folder: Path, variables: dict[str, Any], **parts: Any) -> str:
    """The path of a checkpoint with these variables by name and these objects."""
    checkpoint = NamedCheckpoint(lambda: variables, tf.train.Checkpoint(**parts))
    path: str = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1).save()
    return path


def test_what_is_beside_the_names_is_restored_with_them(tmp_path: Path) -> None:
    path = saved(tmp_path, {"dense/kernel": tf.Variable([1.0, 2.0])}, part=tf.Variable(3.0))
    kernel, part = tf.Variable([0.0, 0.0]), tf.Variable(0.0)
    NamedCheckpoint(lambda: {"dense/kernel": kernel}, tf.train.Checkpoint(part=part)).restore(path)
    assert kernel.numpy().tolist() == [1.0, 2.0]
    assert float(part.numpy()) == 3.0


def test_nothing_changes_if_what_is_beside_does_not_fit(tmp_path: Path) -> None:
    path = saved(tmp_path, {"kernel": tf.Variable([1.0, 2.0])}, part=tf.Variable(3.0))
    kernel, part = tf.Variable([0.0, 0.0]), tf.Variable([0.0])
    with pytest.raises(CheckpointError, match="part"):
        NamedCheckpoint(lambda: {"kernel": kernel}, tf.train.Checkpoint(part=part)).restore(path)
    assert kernel.numpy().tolist() == [0.0, 0.0]


def test_two_values_of_one_name_are_refused(tmp_path: Path) -> None:
    step = tf.Variable(4)
    saved(tmp_path / "same", {"step": step}, step=step)
    with pytest.raises(CheckpointError, match="Two values are called 'step'"):
        saved(tmp_path / "others", {"step": step}, step=tf.Variable(5))
