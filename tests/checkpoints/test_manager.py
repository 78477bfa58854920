"""Numbers, what is kept, and a directory that others delete."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from stratagem._core.values import Variable
from stratagem.train import Checkpoint, CheckpointManager, get_checkpoint_state, latest_checkpoint
from tests.checkpoints.models import read


def manager(directory: Path, keep: int | None = 3, **options: Any) -> CheckpointManager:
    return CheckpointManager(Checkpoint(v=Variable(1.0)), directory, keep, **options)


def names(paths: list[str]) -> list[str]:
    return [Path(path).name for path in paths]


def test_the_newest_are_kept_and_the_others_deleted(tmp_path: Path) -> None:
    kept = manager(tmp_path / "tf_ckpts")
    paths = [kept.save() for _ in range(5)]
    assert paths[-1] == str(tmp_path / "tf_ckpts" / "ckpt-5") == kept.latest_checkpoint
    assert names(kept.checkpoints) == ["ckpt-3", "ckpt-4", "ckpt-5"]
    shown = sorted(p.name for p in (tmp_path / "tf_ckpts").glob("[!.]*"))
    assert shown == ["checkpoint", "ckpt-3", "ckpt-4", "ckpt-5"]


def test_none_keeps_all(tmp_path: Path) -> None:
    kept = manager(tmp_path, None)
    for _ in range(4):
        kept.save()
    assert len(kept.checkpoints) == 4


def test_the_checkpoint_file_names_them_relative_to_its_directory(tmp_path: Path) -> None:
    kept = manager(tmp_path / "a", 2)
    for _ in range(3):
        kept.save()
    lines = (tmp_path / "a" / "checkpoint").read_text().splitlines()
    assert lines[0] == 'model_checkpoint_path: "ckpt-3"'
    assert lines[1:3] == ['all_model_checkpoint_paths: "ckpt-2"', 'all_model_checkpoint_paths: "ckpt-3"']
    assert lines[3].startswith("all_model_checkpoint_timestamps: ")
    (tmp_path / "a").rename(tmp_path / "b")
    assert latest_checkpoint(tmp_path / "b") == str(tmp_path / "b" / "ckpt-3")


def test_a_manager_that_restored_continues_the_numbers(tmp_path: Path) -> None:
    kept = manager(tmp_path)
    for _ in range(4):
        kept.save()
    again = manager(tmp_path)
    assert again.restore_or_initialize() == str(tmp_path / "ckpt-4")
    assert names([str(again.save())]) == ["ckpt-5"]
    assert names(again.checkpoints) == ["ckpt-3", "ckpt-4", "ckpt-5"]


def test_a_manager_that_did_not_restore_starts_again_at_one(tmp_path: Path) -> None:
    kept = manager(tmp_path)
    for _ in range(2):
        kept.save()
    again = manager(tmp_path)
    assert names(again.checkpoints) == ["ckpt-1", "ckpt-2"]
    again.checkpoint.v.assign(9.0)
    assert names([str(again.save())]) == ["ckpt-1"]
    assert names(again.checkpoints) == ["ckpt-2", "ckpt-1"]
    assert latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-1")
    fresh = Checkpoint(v=Variable(0.0))
    fresh.restore(latest_checkpoint(tmp_path))
    assert read(fresh.v) == 9.0


def test_an_interval_saves_every_third_step(tmp_path: Path) -> None:
    step = Variable(0)
    kept = manager(tmp_path, None, step_counter=step, checkpoint_interval=3)
    saved = []
    for i in range(1, 7):
        step.assign(i)
        saved.append(kept.save() is not None)
    assert saved == [True, False, False, True, False, False]
    assert kept.checkpoint_interval == 3
    assert names([str(kept.save(check_interval=False))]) == ["ckpt-3"]
    assert kept.save(check_interval=False) is None  # never twice at one step


def test_an_interval_counts_from_the_restored_step(tmp_path: Path) -> None:
    step = Variable(0)
    checkpoint = Checkpoint(step=step)
    for i in (5, 6):
        step.assign(i)
        kept = CheckpointManager(checkpoint, tmp_path, 3, step_counter=step, checkpoint_interval=2)
        kept.restore_or_initialize()
        saved = kept.save()
        assert (saved is None) == (i == 6)  # restored at step 5: too early


def test_a_directory_deleted_between_saves_is_made_again(tmp_path: Path) -> None:
    kept = manager(tmp_path / "workertemp_1", 1)
    for number in (1, 2, 3):
        assert names([str(kept.save())]) == [f"ckpt-{number}"]
        shutil.rmtree(tmp_path / "workertemp_1")
    kept.save()
    assert latest_checkpoint(tmp_path / "workertemp_1") == str(tmp_path / "workertemp_1" / "ckpt-4")


def test_a_number_can_be_given(tmp_path: Path) -> None:
    kept = manager(tmp_path, checkpoint_name="model")
    assert names([str(kept.save(Variable(70)))]) == ["model-70"]
    assert names([str(kept.save(7))]) == ["model-7"]
    assert names([str(kept.save())]) == ["model-3"]


def test_one_is_preserved_every_so_many_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    kept = manager(tmp_path, 1, keep_checkpoint_every_n_hours=2)
    for _ in range(6):
        now += 3600
        kept.save()
    assert names(kept.checkpoints) == ["ckpt-6"]
    assert sorted(p.name for p in tmp_path.glob("ckpt-*")) == ["ckpt-2", "ckpt-4", "ckpt-6"]
    again = manager(tmp_path, 1)
    again.restore_or_initialize()
    now += 3600
    again.save()
    assert sorted(p.name for p in tmp_path.glob("ckpt-*")) == ["ckpt-2", "ckpt-4", "ckpt-7"]


def test_without_a_checkpoint_the_init_function_runs(tmp_path: Path) -> None:
    called: list[int] = []
    kept = manager(tmp_path, init_fn=lambda: called.append(1))
    assert kept.restore_or_initialize() is None
    kept.save()
    assert manager(tmp_path, init_fn=lambda: called.append(2)).restore_or_initialize() is not None
    assert called == [1]


@pytest.mark.parametrize("keep", [0, -1])
def test_keeping_less_than_one_is_refused(tmp_path: Path, keep: int) -> None:
    with pytest.raises(ValueError, match=f"positive integer or `None` for `max_to_keep`, got {keep}"):
        manager(tmp_path, keep)


def test_an_interval_needs_a_counter(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="`step_counter` should be passed"):
        manager(tmp_path, checkpoint_interval=3)


def test_an_empty_directory_has_no_state(tmp_path: Path) -> None:
    kept = manager(tmp_path / "nothing")
    assert (kept.latest_checkpoint, kept.checkpoints, kept.directory) == (None, [], str(tmp_path / "nothing"))
    assert get_checkpoint_state(tmp_path) is None
