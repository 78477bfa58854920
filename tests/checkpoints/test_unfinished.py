"""Of a directory of checkpoints, the next process removes what killed saves have left there, and nothing else."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stratagem._core.values import Variable
from stratagem.train import Checkpoint, CheckpointManager, CheckpointOptions
from tests.checkpoints.owners import NAME, owned_by, process

FORMATS = ["stratagem", "tensorflow"]


def manager(directory: Path, keep: int | None = 1, **options: Any) -> CheckpointManager:
    return CheckpointManager(Checkpoint(v=Variable(1.0)), directory, keep, **options)


def killed_owner(directory: Path, *saving: object) -> None:
    """A process that is gone says that it was saving these."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as gone:
        owner = process(gone.pid)
        gone.communicate(b"\n")
    owned_by(directory, {**owner, "saving": [*saving]})


def contents(directory: Path) -> dict[str, bytes]:
    """All files, and folders without any."""
    found = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*")}
    return {
        name: path.read_bytes() if path.is_file() else b"folder"
        for name, path in found.items()
        if path.name not in (NAME, "checkpoint")
    }


@pytest.mark.parametrize("format", FORMATS)
def test_checkpoints_that_are_kept_for_ever_stay(tmp_path: Path, format: str) -> None:
    options = CheckpointOptions(format=format)
    for number in range(1, 4):
        one = manager(tmp_path, keep_checkpoint_every_n_hours=1e-9)
        one.save(number, options=options)
        one.save(10 * number, options=options)  # the first one is preserved
        names = [f"ckpt-{n}" for i in range(1, number + 1) for n in (i, 10 * i)]
        killed_owner(tmp_path, *names)
    kept = {name.partition(".")[0].partition("/")[0] for name in contents(tmp_path)}
    manager(tmp_path).save(100, options=options)
    left = {name.partition(".")[0].partition("/")[0] for name in contents(tmp_path)}
    assert kept - left == {"ckpt-30"}


@pytest.mark.parametrize("format", FORMATS)
def test_what_others_write_there_stays(tmp_path: Path, format: str) -> None:
    options = CheckpointOptions(format=format)
    Checkpoint(v=Variable(2.0)).write(tmp_path / "ckpt-900", options)
    Checkpoint(v=Variable(2.0)).write(tmp_path / "best", options)
    (tmp_path / "ckpt-12").mkdir()
    (tmp_path / ".4ba78e5e.ckpt-901.data-00000-of-00001").write_bytes(b"of a writer that is at it")
    (tmp_path / "ckpt-13.data-00000-of-00001").write_bytes(b"uploaded by somebody")
    (tmp_path / "ckpt-8" / "0123456789abcdef").mkdir(parents=True)
    (tmp_path / "ckpt-8" / "0123456789abcdef" / "photo").write_bytes(b"mine")
    before = contents(tmp_path)
    killed_owner(
        tmp_path, "ckpt-8", "best", *["ckpt-900"] * (format == "stratagem")
    )  # which says that it is in no list
    one = manager(tmp_path)
    for number in (1, 2, 3):
        one.save(number, options=options)
    after = contents(tmp_path)
    assert {name: after.get(name) for name in before} == before


def test_files_of_others_beside_a_checkpoint_that_is_deleted_stay(tmp_path: Path) -> None:
    one = manager(tmp_path)
    one.save()
    theirs = tmp_path / "ckpt-1.data-00000-of-00001"
    theirs.write_bytes(b"uploaded by somebody")
    one.save()
    deleted, stays = not (tmp_path / "ckpt-1").exists(), theirs.exists()
    del one  # its thread ends, also where the test fails
    assert deleted
    assert stays


@pytest.mark.parametrize(
    "saving", [["../other"], ["/other"], [".."], ["a/b"], [5], {"ckpt-1": 1}, "ckpt-1", None, [""]]
)
def test_an_owners_file_of_a_stranger_removes_nothing_else(tmp_path: Path, saving: Any) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    for name in ("other", "inside/photos"):
        (tmp_path / name / "0123456789abcdef").mkdir(parents=True)
        (tmp_path / name / "0123456789abcdef" / "arrays").write_bytes(b"mine")
    (inside / "link").symlink_to(tmp_path / "other")
    before = contents(tmp_path)
    killed_owner(inside, "photos", "link")
    owner = json.loads((inside / NAME).read_text())
    manager(inside).save(1)
    shutil.rmtree(inside / "ckpt-1")
    (inside / NAME).write_text(json.dumps({**owner, "saving": saving}))
    manager(inside).save(1)
    shutil.rmtree(inside / "ckpt-1")
    assert contents(tmp_path) == before
