"""CheckpointOptions: callbacks after a checkpoint is written, and what changes nothing."""

import copy
import os
from pathlib import Path

import pytest

import stratagem as tf


def made() -> tf.train.Checkpoint:
    """A checkpoint of one variable. No fixture, which would keep it, and with it the owner of its directory, alive."""
    return tf.train.Checkpoint(v=tf.Variable(1.0))


def test_callbacks_are_called_in_turn_once_the_checkpoint_is_complete(tmp_path: Path) -> None:
    checkpoint = made()
    calls: list[object] = []

    def with_path(path: str) -> None:
        calls.append((path, tf.train.latest_checkpoint(os.path.dirname(path))))

    options = tf.train.CheckpointOptions(experimental_write_callbacks=[with_path, lambda: calls.append("no argument")])
    saved = checkpoint.save(str(tmp_path / "s" / "c"), options=options)
    assert calls == [(saved, saved), "no argument"]
    calls.clear()
    written = checkpoint.write(str(tmp_path / "w"), options)
    assert calls == [(written, None), "no argument"]
    calls.clear()
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path / "m"), max_to_keep=1)
    kept = manager.save(options=options)
    assert calls == [(kept, kept), "no argument"]
    calls.clear()
    checkpoint.restore(saved, options=options).assert_consumed()
    checkpoint.read(written, options=options)
    assert calls == []


def test_both_names_of_saving_in_the_background_are_one() -> None:
    assert tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True).enable_async
    assert tf.train.CheckpointOptions(enable_async=True).experimental_enable_async_checkpoint
    assert not tf.train.CheckpointOptions().enable_async


def test_the_device_of_files_is_accepted_and_changes_nothing(tmp_path: Path) -> None:
    checkpoint = made()
    options = tf.compat.v1.train.CheckpointOptions(experimental_io_device="/job:localhost")
    assert options.experimental_io_device == "/job:localhost"
    checkpoint.read(checkpoint.write(str(tmp_path / "c"), options), options).assert_consumed()


def test_a_copy_has_callbacks_of_its_own() -> None:
    options = tf.train.CheckpointOptions(experimental_write_callbacks=[len])
    copied = copy.copy(options)
    assert copied.experimental_write_callbacks == [len]
    assert copied.experimental_write_callbacks is not options.experimental_write_callbacks


def test_wrong_options_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    checkpoint = made()
    with pytest.raises(AssertionError, match="takes the path of the checkpoint or nothing"):
        tf.train.CheckpointOptions(experimental_write_callbacks=[lambda a, b: None])
    with pytest.raises(TypeError, match=r"must be a tf\.train\.CheckpointOptions"):
        checkpoint.save(str(tmp_path / "c"), options={"enable_async": True})  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
    assert checkpoint.save_counter.numpy() == 0
