"""Coordinated saving: when many workers of a job save, each directory is written once and none returns before it is.

Every member calls `save` the same number of times. If several members name the same directory, the one with the lowest
rank writes it and the others wait. Members with directories of their own (TensorFlow's tutorials give the workers that are
not chief temporary ones) each write theirs.
"""

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from stratagem._base.errors import AbortedError, CheckpointError, DataLossError, NotFoundError
from stratagem._base.files import make_directories
from stratagem._base.job import Job, Phase, process_job
from stratagem._base.paths import absolute, file_errors, is_remote, scheme_of
from stratagem._base.processes import machine
from stratagem._base.storage import file_system
from stratagem._checkpoints._background import wait_for_saves
from stratagem._checkpoints._formats import identity
from stratagem._core.context import current

_VISIBLE_SECONDS = 10.0  # until a file of another machine becomes visible on a shared file system


def job_here() -> Job:
    """The job whose workers save together with the current code."""
    job: Job = current().job or process_job()
    return job


def make_directory(directory: str) -> None:
    """Makes a directory for checkpoints and its missing parents; on this machine, durably. Raises OSError."""
    if is_remote(directory):
        file_system(directory).make_directories(directory)
    else:
        make_directories(Path(directory))


def save_together(directory: str, path: str, write: Callable[[], None]) -> None:
    """Calls `write` for the checkpoint `path` in `directory`, in one process per directory; returns when all are on disk.

    It is written after all saves in the background. Raises the same errors as `SavePlan.agreed` and `SavePlan.carry_out`.
    """
    wait_for_saves()
    SavePlan.agreed(directory, path).carry_out(write)


@dataclass(frozen=True, kw_only=True)
class SavePlan:
    """The agreement on who writes the checkpoint `path`. places: of all members. leaders: who writes for each, by rank."""

    job: Job
    path: str
    places: "list[_SaveLocation]"
    leaders: list[int]

    @classmethod
    def agreed(cls, directory: str, path: str) -> "SavePlan":
        """Agrees with the other members on a save, in the same place of all their programs. The directory exists afterwards.

        Raises AbortedError when another member cannot make its directory, CheckpointError when members save different
        checkpoints to one directory, and in a job of one the errors of `file_errors`.
        """
        job = job_here()
        if job.workers == 1:
            with file_errors(directory):
                make_directory(directory)
            return cls(job=job, path=path, places=[], leaders=[])
        mine = asdict(_SaveLocation.of(directory, path))
        places = [_SaveLocation(**found) for found in job.agree("save a checkpoint", mine)]
        _raise_first({rank: place.problem for rank, place in enumerate(places)}, path, job)
        leaders = [_leader(place, places) for place in places]
        _demand_one_name(places, leaders, job)
        return cls(job=job, path=path, places=places, leaders=leaders)

    def carry_out(self, write: Callable[[], None], order: str = "") -> None:
        """Calls `write` if it is for this member to write; returns when the files of all members are on disk.

        order: of agreements, for a thread beside the main one. The members agree over the control channel, so nothing can get
        between the collectives of steps. Raises what `write` raises, and AbortedError when another member could not write.
        """
        job, path, leaders, places = self.job, self.path, self.leaders, self.places
        if job.workers == 1:
            write()
            return
        me, location = job.worker, places[job.worker]
        with job.phase(Phase.CHECKPOINT):
            outcome = _attempt(path, write) if leaders[me] == me else _WriteOutcome()
        outcomes = _collect(job, path, outcome, order)
        # Equal paths on two machines are one directory only if their disk is shared. Where it is not, each machine keeps one.
        distant = [rank for rank, leader in enumerate(leaders) if places[leader].machine != places[rank].machine]
        if not distant:
            return
        first = min((rank for rank in distant if places[rank].directory_id == location.directory_id), default=-1)
        local = _WriteOutcome()
        if first == me and not _appears(path, outcomes[leaders[me]].seal):
            local = _attempt(path, write)
        _collect(job, path, local, order)


def agree_to_restore(mine: str | None) -> None:
    """Raises CheckpointError, in every member, unless all of them restore a checkpoint of the same name, or all none."""
    job = job_here()
    name = os.path.basename(mine) if mine is not None else ""
    names = job.agree("restore a checkpoint", name)
    if len(set(names)) > 1:
        shown = ", ".join(f"{job.task(rank)} {found or 'none'}" for rank, found in enumerate(names))
        raise CheckpointError(
            f"The processes of this job would restore different checkpoints: {shown} (here, on "
            f"{job.task(job.worker)}: {mine!r}). They have to see the same files: use a file system that all machines share, "
            "or copy the newest checkpoint to every machine. Nothing was restored."
        )


@dataclass(frozen=True, kw_only=True)
class _SaveLocation:
    """The place where one member saves: `directory_id` identifies the directory by machine, device and inode."""

    machine: str
    directory_id: str
    directory: str
    name: str
    problem: str = ""

    @classmethod
    def of(cls, directory: str, path: str) -> "_SaveLocation":
        name = os.path.relpath(path, directory or ".")
        this_machine = machine() or os.uname().nodename
        try:
            make_directory(directory)
            if is_remote(directory):
                return cls.remote(absolute(directory), name)
            found = os.stat(directory or ".")
        except OSError as error:
            return cls(
                machine=this_machine,
                directory_id="",
                directory=directory,
                name=name,
                problem=f"{type(error).__name__}: {error}",
            )
        directory_id = f"{this_machine}:{found.st_dev}:{found.st_ino}"
        return cls(machine=this_machine, directory_id=directory_id, directory=os.path.realpath(directory), name=name)

    @classmethod
    def remote(cls, directory: str, name: str) -> "_SaveLocation":
        """A directory that all machines share, as if it were on one of them; memory is each process' own."""
        place = (
            f"memory of {os.uname().nodename}:{os.getpid()}" if scheme_of(directory) in ("memory", "ram") else "remote"
        )
        return cls(machine=place, directory_id=f"{place}:{directory}", directory=directory, name=name)


@dataclass(frozen=True, kw_only=True)
class _WriteOutcome:
    """The outcome of one member's writing; the seal distinguishes its checkpoint from all others."""

    seal: str = ""
    problem: str = ""
    error: Exception | None = None


def _leader(place: _SaveLocation, places: list[_SaveLocation]) -> int:
    return next(
        rank
        for rank, other in enumerate(places)
        if other.directory_id == place.directory_id or other.directory == place.directory
    )


def _demand_one_name(places: list[_SaveLocation], leaders: list[int], job: Job) -> None:
    for rank, leader in enumerate(leaders):
        if places[rank].name != places[leader].name:
            raise CheckpointError(
                f"{job.task(leader)} saves {places[leader].name!r} and {job.task(rank)} saves {places[rank].name!r}, both to "
                f"{places[rank].directory!r}. Every process has to save the same number of times, and to restore the same "
                "checkpoint before it does. Nothing was written."
            )


def _attempt(path: str, write: Callable[[], None]) -> _WriteOutcome:
    try:
        write()
        return _WriteOutcome(seal=identity(path))
    except Exception as error:
        return _WriteOutcome(problem=f"{type(error).__name__}: {error}", error=error)


def _collect(job: Job, path: str, mine: _WriteOutcome, order: str) -> list[_WriteOutcome]:
    """Every member's outcome; raises if one has failed."""
    found = job.agree("have saved a checkpoint", [mine.seal, mine.problem[:1000]], order=order)
    outcomes = [_WriteOutcome(seal=seal, problem=problem) for seal, problem in found]
    if mine.error is not None:
        raise mine.error
    _raise_first({rank: outcome.problem for rank, outcome in enumerate(outcomes)}, path, job)
    return outcomes


def _raise_first(problems: dict[int, str], path: str, job: Job) -> None:
    for rank, problem in problems.items():
        if problem:
            raise AbortedError(f"{job.task(rank)} could not save its part of {path!r}: {problem}")


def _appears(path: str, seal: str) -> bool:
    """Returns whether the checkpoint that another machine wrote becomes visible here."""
    end = time.monotonic() + _VISIBLE_SECONDS
    while time.monotonic() < end:
        try:
            if identity(path) == seal:
                return True
        except (NotFoundError, DataLossError):
            pass
        time.sleep(0.2)
    return False
