"""Faults of saving and restoring, each a few times; `make soak` runs the same scenarios many times."""

import errno
import logging
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stratagem._core.values import Variable
from stratagem.train import Checkpoint, CheckpointManager, get_checkpoint_state, latest_checkpoint
from tests import prepared
from tests.checkpoints import scenarios
from tests.checkpoints.models import read
from tests.checkpoints.saving import ROOT, Savers, checkpoint, step_of
from tests.thorough import thorough_but


@pytest.fixture(scope="module")
def savers() -> Iterator[Savers]:
    program = Savers()
    yield program
    program.close()


@pytest.mark.parametrize("seed", thorough_but(range(2), range(5)))
def test_a_job_killed_while_it_saves_goes_on_from_the_newest_complete_step(
    tmp_path: Path, savers: Savers, seed: int
) -> None:
    scenarios.killed_while_saving(seed, tmp_path / "ckpts", savers)


@pytest.mark.parametrize("seed", thorough_but(range(2), range(5)))
def test_a_job_killed_while_it_saves_in_the_background_loses_no_earlier_step(
    tmp_path: Path, savers: Savers, seed: int
) -> None:
    scenarios.killed_while_saving(seed, tmp_path / "ckpts", savers, background=True)


@pytest.mark.parametrize("format", ["stratagem", "tensorflow"])
@pytest.mark.parametrize("background", [False, True])
def test_of_killed_saves_nothing_is_left_by_later_ones(
    tmp_path: Path, savers: Savers, background: bool, format: str
) -> None:
    scenarios.killed_often(7, tmp_path / "ckpts", savers, background=background, format=format)


@pytest.mark.parametrize("seed", thorough_but(range(6), range(20)))
def test_one_flipped_bit_is_detected_and_named_and_the_step_before_is_used(tmp_path: Path, seed: int) -> None:
    scenarios.flipped_bit(seed, tmp_path)


@pytest.mark.parametrize("damage", scenarios.DAMAGES)
def test_a_damaged_step_is_named_and_the_step_before_is_used(tmp_path: Path, damage: str) -> None:
    scenarios.damaged(1, tmp_path, damage)


@pytest.mark.parametrize("seed", thorough_but(range(6), range(30)))
def test_damage_to_any_file_of_any_kind_is_noticed_and_the_file_named(tmp_path: Path, seed: int) -> None:
    scenarios.any_file_damaged(seed, tmp_path / "ckpts")


def test_what_killed_processes_left_disturbs_nothing_and_goes(tmp_path: Path) -> None:
    scenarios.stale_traces(1, tmp_path)


def test_a_second_job_in_the_directory_is_refused_with_the_owners_number(tmp_path: Path, savers: Savers) -> None:
    scenarios.second_job(1, tmp_path / "ckpts", savers)


@pytest.mark.parametrize("seed", range(4))
def test_a_disk_that_fails_leaves_the_older_step_and_the_next_save_works(tmp_path: Path, seed: int) -> None:
    scenarios.failing_disk(seed, tmp_path)


def test_a_damaged_step_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    scenarios.saved(tmp_path)
    file = scenarios.flip_a_bit(tmp_path / "ckpt-2", 3)
    for _ in range(3):
        assert latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-1")
    manager = CheckpointManager(checkpoint(), tmp_path, 3)
    manager.restore_or_initialize()
    told = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(told) == 1
    assert "ckpt-2" in told[0]
    assert file in told[0]


def test_a_step_that_decays_after_it_was_looked_at_is_passed_over(tmp_path: Path) -> None:
    scenarios.saved(tmp_path)
    objects = checkpoint()
    manager = CheckpointManager(objects, tmp_path, 3)
    assert manager.latest_checkpoint == str(tmp_path / "ckpt-2")
    scenarios.flip_a_bit(tmp_path / "ckpt-2", 5)
    assert manager.restore_or_initialize() == str(tmp_path / "ckpt-1")
    assert step_of(objects) == 1


def test_a_file_that_the_disk_cannot_read_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenarios.saved(tmp_path)
    bad = max(scenarios.files_of(tmp_path / "ckpt-2"), key=lambda file: file.stat().st_size)
    number = bad.stat().st_ino

    def failing(read: Callable[..., Any]) -> Callable[..., Any]:
        def new(handle: int, *wanted: Any) -> Any:
            if os.fstat(handle).st_ino == number:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return read(handle, *wanted)

        return new

    monkeypatch.setattr(os, "read", failing(os.read))
    monkeypatch.setattr(os, "preadv", failing(os.preadv))
    scenarios.passed_over(tmp_path, bad.name)


def test_a_manager_whose_every_checkpoint_is_bad_initializes(tmp_path: Path) -> None:
    scenarios.saved(tmp_path)
    for step in ("ckpt-1", "ckpt-2"):
        scenarios.flip_a_bit(tmp_path / step, 1)
    called: list[int] = []
    manager = CheckpointManager(checkpoint(), tmp_path, 3, init_fn=lambda: called.append(1))
    assert manager.restore_or_initialize() is None
    assert called == [1]


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_in_the_list_of_checkpoints_loses_none(tmp_path: Path, seed: int) -> None:
    scenarios.saved(tmp_path, 3)
    before = get_checkpoint_state(tmp_path)
    file, rng = tmp_path / "checkpoint", random.Random(seed)
    content = bytearray(file.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    file.write_bytes(content)
    after = get_checkpoint_state(tmp_path)
    assert before is not None
    assert after is not None
    assert after.model_checkpoint_path == before.model_checkpoint_path
    assert after.all_model_checkpoint_paths == before.all_model_checkpoint_paths
    assert latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-3")
    assert CheckpointManager(checkpoint(), tmp_path, 3).save() is not None


@pytest.fixture
def public() -> Iterator[Path]:
    """A directory that every user can reach."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


FULL = """
import os, resource, sys
from stratagem.train import CheckpointManager, CheckpointOptions
from tests.checkpoints.saving import checkpoint, set_to
objects = checkpoint()
manager = CheckpointManager(objects, sys.argv[1], 3)
set_to(objects, 1)
manager.save(options=CheckpointOptions(format=sys.argv[3]))
set_to(objects, 2)
os.chdir(sys.argv[1])
exec(sys.argv[2])
try:
    CheckpointManager(objects, ".", 3).save(2, options=CheckpointOptions(format=sys.argv[3]))
except OSError as error:
    print(type(error).__name__, error.errno, error)
"""
LIMITED = "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))"
# Root may write anywhere: cease to be root.
READ_ONLY = "os.chmod('.', 0o555); os.getuid() == 0 and os.setuid(65534)"


@pytest.mark.parametrize("format", ["stratagem", "tensorflow"])
@pytest.mark.parametrize(
    ("fault", "said"), [(LIMITED, "OSError 27 [Errno 27] File too large"), (READ_ONLY, "PermissionError 13")]
)
def test_a_directory_that_takes_no_more_is_an_error_and_the_older_step_stays(
    public: Path, fault: str, said: str, format: str
) -> None:
    directory = public / "ckpts"
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    done = prepared.run(FULL, directory, fault, format, environment=os.environ | {"PYTHONPATH": path})
    directory.chmod(0o755)
    assert done.stdout.startswith(said), done.stdout + done.stderr
    assert fault is READ_ONLY or "ckpt-2" in done.stdout
    assert latest_checkpoint(directory) == str(directory / "ckpt-1")
    objects = checkpoint()
    objects.restore(latest_checkpoint(directory))
    assert step_of(objects) == 1
    assert not list(directory.glob("ckpt-2/*"))
    assert not list(directory.glob("*ckpt-2.*"))


def test_everything_is_on_disk_before_the_manifest_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[int] = set()
    unsynced: list[str] = []
    fsync, replace = os.fsync, os.replace

    def noted(handle: int) -> None:
        fsync(handle)
        synced.add(os.fstat(handle).st_ino)

    def checked(source: Path, target: Path) -> None:
        if Path(target).name == "manifest.json":
            step = Path(target).parent
            new = [tmp_path / "made", tmp_path / "made" / "too", step, *step.rglob("*")]
            unsynced.extend(str(path) for path in new if path.stat().st_ino not in synced)
            renamed.append(str(target))
            synced.clear()
        replace(source, target)

    renamed: list[str] = []
    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(os, "replace", checked)
    path = Checkpoint(v=Variable([1.0, 2.0])).save(tmp_path / "made" / "too" / "ckpt")
    assert renamed == [f"{path}/manifest.json"]
    assert unsynced == []
    assert {Path(path).stat().st_ino, Path(path).parent.stat().st_ino} <= synced, "the new names are not on disk"


def test_a_deleted_checkpoint_takes_nothing_else_along(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "thesis").write_text("three years")
    directory = tmp_path / "ckpts"
    objects = Checkpoint(v=Variable(1.0))
    manager = CheckpointManager(objects, directory, 1)
    manager.save()
    (directory / "ckpt-1" / "notes").write_text("mine")
    manager.save()
    assert [file.name for file in (directory / "ckpt-1").iterdir()] == ["notes"]
    shutil.rmtree(directory / "ckpt-2")
    (directory / "ckpt-2").symlink_to(outside)
    manager.save()
    assert not list(directory.glob("ckpt-2/*"))
    assert (outside / "thesis").exists()
    assert float(read(objects.v)) == 1.0
