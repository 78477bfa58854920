"""The list `checkpoint` is gone or wrong beside good checkpoints: they are found, and none is lost without a word."""

import logging
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from stratagem._core.values import Variable
from stratagem.train import (
    Checkpoint,
    CheckpointManager,
    CheckpointOptions,
    checkpoints_iterator,
    get_checkpoint_state,
    latest_checkpoint,
)
from tests.checkpoints.models import read


@pytest.fixture(autouse=True)
def warnings(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING)
    return caplog


def manager(directory: Path, value: float = 0.0, keep: int | None = 3) -> CheckpointManager:
    return CheckpointManager(Checkpoint(v=Variable(value)), directory, keep)


def train(directory: Path, steps: int, keep: int | None = 3) -> list[float]:
    """A program that goes on from its latest checkpoint: adds one and saves, so many times; what it saved."""
    kept = manager(directory, keep=keep)
    kept.restore_or_initialize()
    values = []
    for _ in range(steps):
        kept.checkpoint.v.assign_add(1.0)
        kept.save()
        values.append(float(read(kept.checkpoint.v)))
    return values


def delete(file: Path) -> None:
    file.unlink()


def empty(file: Path) -> None:
    file.write_text("")


def only_a_comment(file: Path) -> None:
    file.write_text("# nothing\n")


def of_what_is_gone(file: Path) -> None:
    """As a list that was copied from elsewhere, or is older than what is there."""
    file.write_text('model_checkpoint_path: "ckpt-0"\nall_model_checkpoint_paths: "ckpt-0"\n')


def another_directory(file: Path) -> None:
    file.write_text('model_checkpoint_path: "../elsewhere/ckpt-3"\n')


def impossible_name(file: Path) -> None:
    file.write_text('model_checkpoint_path: "ckpt\0-3"\n')


def endless_name(file: Path) -> None:
    file.write_text(f'model_checkpoint_path: "ckpt-3"\nall_model_checkpoint_paths: "{"a" * 300}"\n')


LOST = [delete, empty, only_a_comment, of_what_is_gone, another_directory, impossible_name, endless_name]


@pytest.mark.parametrize("lose", LOST)
def test_training_goes_on_from_the_newest_and_says_so(
    tmp_path: Path, lose: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    assert train(tmp_path, 3) == [1.0, 2.0, 3.0]
    lose(tmp_path / "checkpoint")
    assert latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-3")
    assert train(tmp_path, 2) == [4.0, 5.0]
    assert {path.name for path in tmp_path.glob("ckpt-*")} >= {"ckpt-3", "ckpt-4", "ckpt-5"}
    assert str(tmp_path / "checkpoint") in caplog.text or "ckpt-0" in caplog.text or "elsewhere" in caplog.text
    assert "Replaced" not in caplog.text
    assert latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-5")


def test_a_directory_in_the_lists_place_hides_no_checkpoint(tmp_path: Path) -> None:
    train(tmp_path, 2)
    (tmp_path / "checkpoint").unlink()
    (tmp_path / "checkpoint").mkdir()
    assert latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-2")


def test_a_missing_list_is_told_once_with_what_to_do_for_a_fresh_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    train(tmp_path, 3)
    (tmp_path / "checkpoint").unlink()
    for _ in range(3):
        latest_checkpoint(tmp_path)
    assert [re.sub(r"^.*/checkpoint", "checkpoint", message) for message in caplog.messages] == [
        "checkpoint is missing. Looked at the directory instead: 3 complete checkpoints, the newest ckpt-3. "
        "To start anew, delete these or use another directory."
    ]


@pytest.mark.parametrize(
    "left", ["nothing", "an unfinished checkpoint", "what write() made", "a folder", "no directory"]
)
def test_without_the_list_and_without_saved_checkpoints_there_is_none(
    tmp_path: Path, left: str, caplog: pytest.LogCaptureFixture
) -> None:
    here = tmp_path / "here"
    if left == "an unfinished checkpoint":
        train(here, 1)
        (here / "ckpt-1" / "manifest.json").unlink()
        (here / "checkpoint").unlink()
    elif left == "what write() made":
        Checkpoint(v=Variable(1.0)).write(here / "ckpt-1")
    elif left == "a folder":
        (here / "run-1").mkdir(parents=True)
    elif left == "nothing":
        here.mkdir()
    assert latest_checkpoint(here) is None
    assert get_checkpoint_state(here) is None
    assert manager(here).restore_or_initialize() is None
    assert caplog.messages == []


def test_a_damaged_newest_one_is_passed_over_without_the_list_too(tmp_path: Path) -> None:
    train(tmp_path, 3)
    (tmp_path / "checkpoint").unlink()
    (tmp_path / "ckpt-3" / "manifest.json").write_text("{}")
    assert latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-2")


def test_a_list_of_another_name_is_not_made_up(tmp_path: Path) -> None:
    train(tmp_path, 1)
    assert latest_checkpoint(tmp_path, "best") is None


def test_a_whole_list_counts_whatever_else_is_there(tmp_path: Path) -> None:
    """Somebody went back by hand, as TensorFlow's users do."""
    train(tmp_path, 3)
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "ckpt-2"\nall_model_checkpoint_paths: "ckpt-2"\n')
    assert latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-2")


def test_the_list_of_another_process_that_is_about_to_come_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An evaluator looks between a checkpoint and its list."""
    train(tmp_path, 2)
    text = (tmp_path / "checkpoint").read_text()
    (tmp_path / "checkpoint").unlink()
    (tmp_path / ".owner.json").write_text('{"host": "h", "pid": 1, "started": 1, "machine": "m"}')
    monkeypatch.setattr("time.sleep", lambda seconds: (tmp_path / "checkpoint").write_text(text))
    assert next(checkpoints_iterator(tmp_path)) == str(tmp_path / "ckpt-2")
    assert caplog.messages == []


def test_numbers_that_begin_again_replace_nothing_without_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    train(tmp_path, 3)
    for value in (8.0, 9.0):
        kept = manager(tmp_path, value)  # does not restore
        kept.save()
        assert len(caplog.messages) == 1
        assert f"Replaced the complete checkpoint '{tmp_path / 'ckpt-1'}'" in caplog.text
        assert "restore the latest checkpoint before the first save" in caplog.text
        caplog.clear()
    kept.save()
    assert "ckpt-2" in caplog.text  # also what it meets later


@pytest.mark.parametrize("by_manager", [False, True])
@pytest.mark.parametrize("options", [None, CheckpointOptions(format="tensorflow")])
def test_a_program_that_goes_on_replaces_what_came_after_without_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, *, by_manager: bool, options: CheckpointOptions | None
) -> None:
    """As one that was killed within an epoch, whose number it saves again, or that goes back to an earlier checkpoint."""
    first = manager(tmp_path)
    for number in (1, 2, 3):
        first.checkpoint.v.assign(float(number))
        first.save(checkpoint_number=number, options=options)
    kept = manager(tmp_path)
    if by_manager:
        kept.restore_or_initialize()
    else:
        kept.checkpoint.restore(str(tmp_path / "ckpt-2"))
    for number in (2, 3):
        kept.checkpoint.v.assign(10.0 * number)
        kept.save(checkpoint_number=number, options=options)
    assert caplog.messages == []
    manager(tmp_path, 9.0).save(checkpoint_number=3, options=options)
    assert "Replaced the complete checkpoint" in caplog.text


def test_later_steps_are_not_deleted_without_a_word(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    train(tmp_path, 7)
    manager(tmp_path, 9.0).save()
    assert "Deleted " in caplog.text
    assert "ckpt-5 as 3 were to be kept, although ckpt-1" in caplog.text


@pytest.mark.parametrize("method", ["save", "write"])
def test_a_checkpoint_that_another_program_made_is_not_replaced_without_a_word(
    tmp_path: Path, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    first = Checkpoint(v=Variable(1.0))
    path = getattr(first, method)(tmp_path / "w")
    first.v.assign(2.0)
    first.write(path)  # its own
    restored = Checkpoint(v=Variable(0.0))
    restored.read(path)
    restored.v.assign(3.0)
    restored.write(path)  # what it has restored
    Checkpoint(v=Variable(3.0)).write(path)  # nothing is lost
    shutil.rmtree(tmp_path / "w", ignore_errors=True)
    assert caplog.messages == []
    first.write(path)
    caplog.clear()
    getattr(Checkpoint(v=Variable(5.0)), method)(tmp_path / "w")
    assert "Replaced the complete checkpoint" in caplog.text


def test_an_estimator_goes_on_without_the_list(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tf1 = tf.compat.v1

    def model_fn(features: object, labels: object, mode: str) -> object:
        w = tf1.get_variable("w", ())
        return tf.estimator.EstimatorSpec(mode, loss=w * 1.0, train_op=tf1.assign_add(tf1.train.get_global_step(), 1))

    def data() -> object:
        return tf.data.Dataset.from_tensor_slices(np.zeros((8, 1), np.float32)).batch(1)

    tf.estimator.Estimator(model_fn, str(tmp_path)).train(data, steps=3)
    (tmp_path / "checkpoint").unlink()
    again = tf.estimator.Estimator(model_fn, str(tmp_path)).train(data, steps=2)
    assert again.get_variable_value("global_step") == 5
    assert "checkpoint is missing" in caplog.text
    assert "Replaced" not in caplog.text
