"""Many processes of one job save: threads stand for the ranks."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stratagem._base.job import ALONE, enter_job

# Private: who writes, and on which machine a process is, when threads stand for processes.
from stratagem._checkpoints import _checkpoint_files, _together, is_good
from stratagem._core.context import entered
from stratagem._core.values import Variable
from stratagem.errors import AbortedError
from stratagem.train import Checkpoint, CheckpointManager, latest_checkpoint, list_variables
from tests.checkpoints.models import read
from tests.rendezvous import Rendezvous

RANKS = 3


def run(work: Callable[[int], Any], ranks: int = RANKS) -> list[Any]:
    """`work(rank)` on every rank at the same time: what each returned, or raised."""
    meeting = Rendezvous(ranks)
    jobs = [Rendezvous(ranks, rank, meeting) for rank in range(ranks)]
    results: list[Any] = [None] * ranks

    def member(rank: int) -> None:
        with entered(job=jobs[rank]):
            try:
                results[rank] = work(rank)
            except Exception as error:
                results[rank] = error

    threads = [threading.Thread(target=member, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(job.asked) for job in jobs}) == 1, "the ranks did not agree on the same things"
    return results


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The checkpoints that were written, in whatever rank."""
    paths: list[str] = []
    write_arrays = _checkpoint_files.write_arrays

    def counted(file: Path, arrays: Any) -> Any:
        paths.append(str(file.parent.parent))
        return write_arrays(file, arrays)

    monkeypatch.setattr(_checkpoint_files, "write_arrays", counted)
    return paths


def test_ranks_of_one_directory_write_it_once_and_all_return_when_it_is_there(
    tmp_path: Path, writes: list[str]
) -> None:
    def work(rank: int) -> float:
        manager = CheckpointManager(Checkpoint(v=Variable(3.0)), tmp_path / "ckpts", 2)
        for _ in range(3):
            path = manager.save()
            assert path is not None
            assert is_good(path)
            assert latest_checkpoint(tmp_path / "ckpts") == path
        assert [Path(path).name for path in manager.checkpoints] == ["ckpt-2", "ckpt-3"]
        again = Checkpoint(v=Variable(0.0))
        assert CheckpointManager(again, tmp_path / "ckpts", 2).restore_or_initialize() == path
        return float(read(again.v))

    assert run(work) == [3.0] * RANKS
    assert writes == [str(tmp_path / "ckpts" / f"ckpt-{n}") for n in (1, 2, 3)]
    assert sorted(path.name for path in (tmp_path / "ckpts").glob("ckpt-*")) == ["ckpt-2", "ckpt-3"]


def test_ranks_with_directories_of_their_own_each_write_theirs(tmp_path: Path, writes: list[str]) -> None:
    def work(rank: int) -> None:
        here = tmp_path if rank == 0 else tmp_path / f"workertemp_{rank}"
        checkpoint = Checkpoint(v=Variable(float(rank)))
        path = checkpoint.save(here / "ckpt")
        again = Checkpoint(v=Variable(-1.0))
        again.restore(path)
        assert float(read(again.v)) == rank

    assert run(work) == [None] * RANKS
    assert sorted(writes) == sorted(
        [str(tmp_path / "ckpt-1"), *(str(tmp_path / f"workertemp_{rank}" / "ckpt-1") for rank in (1, 2))]
    )


def test_a_directory_is_the_same_whatever_it_is_called(tmp_path: Path, writes: list[str]) -> None:
    (tmp_path / "real").mkdir()
    for rank in range(RANKS):
        (tmp_path / f"link{rank}").symlink_to(tmp_path / "real")
    assert (
        run(lambda rank: Path(Checkpoint(v=Variable(1.0)).write(tmp_path / f"link{rank}" / "best")).name)
        == ["best"] * 3
    )
    assert len(writes) == 1


def test_a_rank_that_cannot_write_is_an_error_on_every_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_checkpoint_files, "write_arrays", full)
    first, *others = run(lambda rank: Checkpoint(v=Variable(1.0)).save(tmp_path / "ckpt"))
    assert isinstance(first, OSError)
    assert first.errno == 28
    for other in others:
        assert isinstance(other, AbortedError)
        assert "worker:0 could not save" in str(other)
        assert "No space left" in str(other)


def test_a_directory_that_one_rank_cannot_make_is_an_error_on_every_rank(tmp_path: Path, writes: list[str]) -> None:
    (tmp_path / "file").touch()
    results = run(lambda rank: Checkpoint(v=Variable(1.0)).save(tmp_path / ("file" if rank == 2 else "good") / "ckpt"))
    assert all(isinstance(result, AbortedError) and "worker:2 could not save" in str(result) for result in results)
    assert writes == []


def test_ranks_that_counted_differently_are_told(tmp_path: Path, writes: list[str]) -> None:
    def work(rank: int) -> None:
        checkpoint = Checkpoint(v=Variable(1.0))
        checkpoint.save_counter.assign(5 if rank == 1 else 0)
        checkpoint.save(tmp_path / "ckpt")

    results = run(work)
    assert all("worker:0 saves 'ckpt-1' and worker:1 saves 'ckpt-6'" in str(result) for result in results)
    assert writes == []


def test_ranks_that_would_restore_different_checkpoints_are_told(tmp_path: Path) -> None:
    Checkpoint(v=Variable(1.0)).save(tmp_path / "0" / "ckpt")

    def work(rank: int) -> None:
        CheckpointManager(Checkpoint(v=Variable(1.0)), tmp_path / str(rank), 2).restore_or_initialize()

    results = run(work, 2)
    assert all("worker:0 ckpt-1, worker:1 none" in str(result) for result in results)


def test_machines_that_share_no_disk_each_keep_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: list[str]
) -> None:
    # Ranks 2 and 3 are on another machine, where the same path is another directory.
    place = _together._SaveLocation.of
    rank_of: dict[int, int] = {}

    def of(directory: str, path: str) -> Any:
        rank = rank_of[threading.get_ident()]
        found = place(directory, path)
        machine = "B" if rank >= 2 else "A"
        return _together._SaveLocation(
            machine=machine, directory_id=f"{machine}:{found.directory_id[-3:]}", directory="/data", name=found.name
        )

    monkeypatch.setattr(_together._SaveLocation, "of", of)
    monkeypatch.setattr(_together, "_VISIBLE_SECONDS", 0.2)

    def work(rank: int) -> None:
        rank_of[threading.get_ident()] = rank
        machine = tmp_path / ("A" if rank < 2 else "B")
        Checkpoint(v=Variable(1.0)).save(machine / "ckpt")

    assert run(work, 4) == [None] * 4
    assert sorted(writes) == [str(tmp_path / machine / "ckpt-1") for machine in "AB"]
    assert {n.partition("/")[0] for n, _ in list_variables(tmp_path / "B" / "ckpt-1")} == {"save_counter", "v"}


def test_a_process_in_a_job_saves_as_a_worker_of_it_in_every_thread(tmp_path: Path) -> None:
    job = Rendezvous(1)
    two = Rendezvous(2, 0)
    two.agree = lambda what, value, **_: job.agree(what, value) * 2  # type: ignore[method-assign]
    enter_job(two)
    try:
        thread = threading.Thread(target=lambda: Checkpoint(v=Variable(1.0)).save(tmp_path / "ckpt"))
        thread.start()
        thread.join()
    finally:
        enter_job(ALONE)
    assert job.asked == ["save a checkpoint", "have saved a checkpoint"]
    Checkpoint(v=Variable(1.0)).save(tmp_path / "ckpt")
    assert len(job.asked) == 2
