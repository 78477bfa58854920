"""The Job interface: what code on one worker has to know about the workers that run the same program; who observes them."""

import abc
import contextlib
import enum
import threading
from collections.abc import Callable, Mapping
from typing import Any, final

from stratagem._base.errors import ClusterError


@final
class Phase(enum.IntEnum):
    """The activity of a task."""

    STARTING = 0
    USER_CODE = 1
    COMPILING = 2
    COLLECTIVE = 3
    INPUT = 4
    AGREEMENT = 5
    CHECKPOINT = 6

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


# Returns the number of a worker's steps, and how its seconds were spent.
WorkerSeconds = Callable[[], tuple[int, Mapping[str, float]]]


class StepObserver(abc.ABC):
    """Is told what this process does, step by step: by the steps, the iterators of data and the job. A profile is one."""

    @abc.abstractmethod
    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        """Returns a context whose body is in this phase."""

    @abc.abstractmethod
    def begin_steps(self, steps: int) -> None:
        """Takes note that a compiled program is called, which takes this many steps."""

    @abc.abstractmethod
    def new_program(self, name: str) -> None:
        """Takes note that a function has got another program. name: that of the function."""

    @abc.abstractmethod
    def coordinates(self, workers: Mapping[str, WorkerSeconds]) -> None:
        """Takes note that this process coordinates these workers of parameter servers, by name."""


@final
class Unobserved(StepObserver):
    """Nobody observes this process."""

    _nothing = contextlib.nullcontext()

    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        return self._nothing

    def begin_steps(self, steps: int) -> None:
        pass

    def new_program(self, name: str) -> None:
        pass

    def coordinates(self, workers: Mapping[str, WorkerSeconds]) -> None:
        pass


class Job(abc.ABC):
    """The workers of a job. They run the same program, so they agree on things in the same order."""

    @property
    @abc.abstractmethod
    def workers(self) -> int:
        """The number of workers."""

    @property
    @abc.abstractmethod
    def worker(self) -> int:
        """The index of this worker; 0 is the chief."""

    def task(self, worker: int) -> str:
        """Returns the name of the worker with this index, as the cluster has it: such as chief:0."""
        return f"worker:{worker}"

    @abc.abstractmethod
    def agree(self, what: str, value: Any, *, order: str = "", given_up: threading.Event | None = None) -> list[Any]:
        """Exchanges a value with all workers and returns every worker's value, by worker index; waits for all of them.

        what: describes the value; must be the same on all workers. value: JSON, a few kB. order: agreements with the same order
        follow one another; a thread beside the main one uses an order of its own. given_up: an event that stops the wait.

        Raises:
            CancelledError: `given_up` was set.
            PeerFailedError: a worker failed or ended.
            ClusterError: another worker agrees on something else at this point.
        """

    @abc.abstractmethod
    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        """Returns a context manager that tells the other workers that its body is in this phase."""

    @abc.abstractmethod
    def waiting(self) -> contextlib.AbstractContextManager[None]:
        """Returns a context for code that may wait for a collective; if a worker breaks one, PeerFailedError names it."""

    @abc.abstractmethod
    def begin_step(self) -> None:
        """Tells the other workers that another step begins."""

    @abc.abstractmethod
    def gather(self, what: str) -> None:
        """Waits until all workers are here, after the same step as this one, unless they were since that step.

        Before a collective that one worker might begin alone: raises what `agree` does where the others went on or ended, at
        once, while the collective would wait for them. In a thread beside the main one it does nothing.
        what: describes the collective, and that all have to call it.
        """

    @abc.abstractmethod
    def check(self) -> None:
        """Raises PeerFailedError if the job has failed."""

    @abc.abstractmethod
    def on_preemption(self, answer: Callable[[], int], decided: Callable[[list[int]], None]) -> None:
        """Registers callbacks for a pre-emption: `decided` gets every worker's `answer()`. Both run in other threads."""

    @abc.abstractmethod
    def preempt(self) -> None:
        """Tells all workers that this one is about to be pre-empted."""


@final
class SingleWorkerJob(Job):
    """A job of one worker."""

    _nothing = contextlib.nullcontext()

    def __init__(
        self, watch: Callable[[Phase], contextlib.AbstractContextManager[None]] = lambda phase: observer().phase(phase)
    ) -> None:
        """watch: makes the context manager that surrounds a phase; by default, the observer does."""
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
        return self._nothing

    def begin_step(self) -> None:
        pass

    def gather(self, what: str) -> None:
        pass

    def check(self) -> None:
        pass

    def on_preemption(self, answer: Callable[[], int], decided: Callable[[list[int]], None]) -> None:
        self._preempted = lambda: decided([answer()])

    def preempt(self) -> None:
        self._preempted()


ALONE = SingleWorkerJob()


class _CurrentJob:
    """Holds the job of this process, and who observes it. Global because JAX's backend is: it joins one job for ever."""

    def __init__(self) -> None:
        self.job: Job = ALONE
        self.observer: StepObserver = Unobserved()


_current = _CurrentJob()


def enter_job(job: Job) -> None:
    """Makes `job` the job of this process, for all its threads."""
    _current.job = job


def process_job() -> Job:
    """The job that this process is in."""
    return _current.job


def observer() -> StepObserver:
    """The observer of this process."""
    return _current.observer


def observed() -> bool:
    """Returns whether there is an observer. It is there from the beginning: what lasts may ask once, when it is made."""
    return not isinstance(_current.observer, Unobserved)


def observe(by: StepObserver) -> None:
    """Makes `by` the observer of this process, in place of the one before."""
    _current.observer = by


def agree_on(job: Job, what: str, settings: dict[str, str]) -> None:
    """Compares settings with those of the other workers; all of them have to call it.

    what: whose settings they are, in the plural. settings: by name, as text.

    Raises:
        ClusterError: they differ; the message names each that does, with the workers' values.
    """
    if job.workers == 1:
        return
    answers: list[Any] = job.agree(f"the settings of their {what}", settings)
    for worker, theirs in enumerate(answers[1:], 1):
        names = [name for name in {**answers[0], **theirs} if answers[0].get(name) != theirs.get(name)]
        if names:
            values = [(name, answers[0].get(name), theirs.get(name)) for name in names]
            shown = "; ".join(
                f"{n} is {here} on {job.task(0)} and {there} on {job.task(worker)}" for n, here, there in values
            )
            raise ClusterError(f"The workers' {what} differ: {shown}. Give all of them the same settings.")
