"""One job a directory: who owns it, when an owner is gone, and what a refusal says."""

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stratagem._base.locks import locked
from stratagem._checkpoints import write_weights
from stratagem._core.values import Variable
from stratagem.errors import FailedPreconditionError
from stratagem.train import Checkpoint, CheckpointManager
from tests.checkpoints.owners import NAME, Owner, owned_by, owner_of, process
from tests.eventually import eventually

ME = process(os.getpid())


def objects() -> Checkpoint:
    return Checkpoint(v=Variable(1.0))


@pytest.fixture
def other() -> Iterator[Owner]:
    """A process that runs, on this machine."""
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process(other.pid)
    other.communicate()


def test_who_saves_owns_the_directory_while_it_has_the_means(tmp_path: Path) -> None:
    one, two = objects(), CheckpointManager(objects(), tmp_path, 2)
    one.save(tmp_path / "one")
    two.save()
    assert owner_of(tmp_path) == ME
    del one
    assert owner_of(tmp_path) == ME
    del two
    gc.collect()
    assert owner_of(tmp_path) is None


def test_restoring_does_not_own(tmp_path: Path, other: Owner) -> None:
    path = objects().save(tmp_path / "ckpt")
    owned_by(tmp_path, other)
    manager = CheckpointManager(objects(), tmp_path, 2)
    assert manager.restore_or_initialize() == path
    assert owner_of(tmp_path) == other


@pytest.mark.parametrize("name", ["save", "write"])
def test_a_running_process_is_not_pushed_aside(tmp_path: Path, other: Owner, name: str) -> None:
    directory = tmp_path if name == "save" else tmp_path / "ckpt"
    directory.mkdir(exist_ok=True)
    owned_by(directory, other)
    with pytest.raises(FailedPreconditionError, match=f"Process {other['pid']} on {other['host']}"):
        getattr(objects(), name)(tmp_path / "ckpt")
    assert [path.name for path in directory.iterdir()] == [NAME]


def test_a_number_that_was_given_to_another_process_does_not_count(tmp_path: Path, other: Owner) -> None:
    owned_by(tmp_path, other | {"started": other["started"] - 1})
    checkpoint = objects()
    checkpoint.save(tmp_path / "ckpt")
    assert owner_of(tmp_path) == ME


def test_a_directory_that_was_lost_to_another_job_is_not_written_again(tmp_path: Path, other: Owner) -> None:
    checkpoint = objects()
    checkpoint.save(tmp_path / "ckpt")
    owned_by(tmp_path, other)
    with pytest.raises(FailedPreconditionError):
        checkpoint.save(tmp_path / "ckpt")
    assert not (tmp_path / "ckpt-2").exists()
    del checkpoint
    assert owner_of(tmp_path) == other


@contextmanager
def touched(file: Path) -> Iterator[None]:
    """As an owner on another machine does."""
    stop = threading.Event()

    def touch() -> None:
        stamp = 1
        while not stop.wait(0.02):
            os.utime(file, ns=(stamp, stamp := stamp + 1))

    thread = threading.Thread(target=touch)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


AWAY = {"host": "tpu-17", "pid": 4242, "started": 5, "machine": "another"}


def test_an_owner_elsewhere_is_believed_while_it_touches_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Private: of a minute.
    monkeypatch.setattr("stratagem._checkpoints._owner.LAPSES_AFTER", 3.0)
    owned_by(tmp_path, AWAY)
    with (
        touched(tmp_path / NAME),
        pytest.raises(FailedPreconditionError, match=r"Process 4242 on tpu-17 .*active within the last minute"),
    ):
        objects().save(tmp_path / "ckpt")
    assert "belongs to process 4242 on tpu-17. Waiting up to" in caplog.text
    checkpoint = objects()
    checkpoint.save(tmp_path / "ckpt")  # it stopped
    assert owner_of(tmp_path) == ME


def test_an_owners_file_that_cannot_be_read_lapses_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Private: of a minute.
    monkeypatch.setattr("stratagem._checkpoints._owner.LAPSES_AFTER", 0.2)
    (tmp_path / NAME).write_text("{")
    checkpoint = objects()
    checkpoint.save(tmp_path / "ckpt")
    assert owner_of(tmp_path) == ME


def test_an_owner_touches_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Private: of 15 seconds.
    monkeypatch.setattr("stratagem._checkpoints._owner.TOUCH_EVERY", 0.02)
    checkpoint = objects()
    checkpoint.save(tmp_path / "ckpt")
    os.utime(tmp_path / NAME, (0, 0))
    eventually(lambda: (tmp_path / NAME).stat().st_mtime != 0)
    del checkpoint


def test_weights_have_no_owner_any_more_when_the_next_process_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three workers with one core, each of which wrote 400 times to one path, had been refused every third time."""
    owners = []

    @contextmanager
    def watched(lock: Path) -> Iterator[None]:
        with locked(lock):
            yield
            owners.append(owner_of(tmp_path))

    # Private: the lock that a process gives back when the next one may write.
    monkeypatch.setattr("stratagem._checkpoints._weights.locked", watched)
    write_weights(objects(), str(tmp_path / "w"))
    assert owners == [None]
