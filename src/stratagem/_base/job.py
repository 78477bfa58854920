"""Job: the workers that run the same program together, as far as code on one of them has to know."""

import abc
import contextlib
import enum
import threading
from collections.abc import Callable
from typing import Any, final


@final
class Phase(enum.IntEnum):
    """What a task is doing."""

    STARTING = 0
    USER_CODE = 1
    COMPILING = 2
    COLLECTIVE = 3
    INPUT = 4
    AGREEMENT = 5
    CHECKPOINT = 6

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


class Job(abc.ABC):
    """The workers of a job. They run the same program, so they agree on things in the same order."""

    @property
    @abc.abstractmethod
    def workers(self) -> int:
        """How many there are."""

    @property
    @abc.abstractmethod
    def worker(self) -> int:
        """The number of this one; 0 is the chief."""

    @abc.abstractmethod
    def agree(self, what: str, value: Any, *, order: str = "", given_up: threading.Event | None = None) -> list[Any]:
        """What every worker gave, by worker; waits for all of them.

        what: what the value is; must be the same on all workers. value: JSON, a few kB. order: agreements of one order follow
        each other; a thread beside the main one has an order of its own. given_up: stops the wait.

        Raises:
            CancelledError: it was given up.
            PeerFailedError: a worker failed or ended.
            ClusterError: another worker agrees on something else at this point.
        """

    @abc.abstractmethod
    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        """Tell the others that the body is this phase."""

    @abc.abstractmethod
    def waiting(self) -> contextlib.AbstractContextManager[None]:
        """Around what may wait for a collective; when another worker breaks one, PeerFailedError says who and why."""

    @abc.abstractmethod
    def begin_step(self) -> None:
        """Tell the others that another step begins."""

    @abc.abstractmethod
    def check(self) -> None:
        """Raise PeerFailedError if the job has failed."""

    @abc.abstractmethod
    def on_preemption(self, answer: Callable[[], int], decided: Callable[[list[int]], None]) -> None:
        """What to do once some worker will be ended: `decided` gets what all workers' `answer()` gave. In other threads."""

    @abc.abstractmethod
    def preempt(self) -> None:
        """Tell all workers that this one will be ended."""


@final
class SingleWorkerJob(Job):
    """One worker."""

    def __init__(
        self, watch: Callable[[Phase], contextlib.AbstractContextManager[None]] = lambda phase: contextlib.nullcontext()
    ) -> None:
        """watch: around what is a phase."""
        self._watch = watch
        self._preempted: Callable[[], None] = lambda: None

    @property
    def workers(self) -> int:
        return 1

    @property
    def worker(self) -> int:
        return 0

    def agree(self, what: str, value: Any, *, order: str = "", given_up: threading.Event | None = None) -> list[Any]:
        return [value]

    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        return self._watch(phase)

    def waiting(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def begin_step(self) -> None:
        pass

    def check(self) -> None:
        pass

    def on_preemption(self, answer: Callable[[], int], decided: Callable[[list[int]], None]) -> None:
        self._preempted = lambda: decided([answer()])

    def preempt(self) -> None:
        self._preempted()


ALONE = SingleWorkerJob()


class _Process:
    """The job of this process: global, as JAX's backend is, which joins one job and never leaves it."""

    def __init__(self) -> None:
        self.job: Job = ALONE


_process = _Process()


def enter_job(job: Job) -> None:
    """From now on this process is in `job`, in whatever thread."""
    _process.job = job


def process_job() -> Job:
    """The job that this process is in."""
    return _process.job
