"""Determines the input shapes of all workers' replicas in a step: known from the batch, or requested from the other workers."""

import abc
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._base.job import Job

# Advice in errors about datasets that differ between workers.
SAME_DATA_ADVICE = (
    "Every worker has to make the same dataset, of which each then gets its share. Workers that read different data make it "
    "with strategy.distribute_datasets_from_function, or set auto_shard_policy to OFF."
)

Shape = tuple[int, ...]
Shapes = list[list[Shape]]  # by replica, then by leaf of an element

_numbers = itertools.count()


class ShapeAgreement(abc.ABC):
    """The workers of a job. All of them ask the same question for every step, and all get the same answer."""

    @abc.abstractmethod
    def shapes(self, mine: Shapes | None) -> Shapes | None:
        """The input shapes of all replicas of the job in this step.

        mine: the shapes for this worker's replicas, None if it has no data. A worker without data takes part without
        rows, as long as some worker has data; the result is None if none has.
        """

    @abc.abstractmethod
    def give_up(self) -> None:
        """Releases a thread that waits for the others; every question fails until `restart`."""

    @abc.abstractmethod
    def restart(self) -> None:
        """Begins again, on all workers, at a new position."""


class LocalAgreement(ShapeAgreement):
    """Abstract: the answer is known locally, so that nobody has to wait."""

    def give_up(self) -> None:
        pass

    def restart(self) -> None:
        pass


@final
class SingleWorkerAgreement(LocalAgreement):
    """The only worker of a job."""

    def shapes(self, mine: Shapes | None) -> Shapes | None:
        return mine


@final
class SharedInputAgreement(LocalAgreement):
    """Workers that iterate over the same batches and so know each other's pieces. sizes: returns those of the last batch."""

    def __init__(self, sizes: Callable[[], Sequence[int]]) -> None:
        self._sizes = sizes

    def shapes(self, mine: Shapes | None) -> Shapes | None:
        return None if mine is None else [[(n, *leaf[1:]) for leaf in mine[0]] for n in self._sizes()]


class ExchangedAgreement(ShapeAgreement):
    """Abstract: the workers tell each other before every step what data they have."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._number = next(_numbers)  # all workers make their iterators in the same order
        self._restarts = 0
        self._given_up = threading.Event()

    def _ask(self, mine: Shapes | None) -> list[Shapes | None]:
        """The shapes that every worker has, by worker."""
        order = f"input {self._number}.{self._restarts}"
        return self._job.agree("the next step's input", mine, order=order, given_up=self._given_up)

    def give_up(self) -> None:
        self._given_up.set()

    def restart(self) -> None:
        self._given_up.set()
        self._restarts += 1
        self._given_up = threading.Event()


@final
class SeparateInputsAgreement(ExchangedAgreement):
    """Workers with input of their own, or whose pieces of common batches have other sizes than numbers of rows.

    without_rows: returns the shapes of an element without rows, given those of another element.
    """

    def __init__(self, job: Job, replicas: int, without_rows: Callable[[list[Shape]], list[Shape]]) -> None:
        super().__init__(job)
        self._replicas, self._without_rows = replicas, without_rows

    def shapes(self, mine: Shapes | None) -> Shapes | None:
        given = self._ask(mine)
        some = next((shapes for shapes in given if shapes is not None), None)
        if some is None:
            return None
        nothing: list[Any] = self._without_rows(some[0])
        every = [shapes or [nothing] * self._replicas for shapes in given]
        return [[tuple(leaf) for leaf in replica] for shapes in every for replica in shapes]


@final
class VerifiedSharedBatches(ExchangedAgreement):
    """Workers that should iterate over the same batches: they compare every one, because the length is unknown."""

    def __init__(self, job: Job, sizes: Callable[[], Sequence[int]]) -> None:
        """sizes: see `SharedInputAgreement`."""
        super().__init__(job)
        self._common = SharedInputAgreement(sizes)
        self._batches = 0

    def shapes(self, mine: Shapes | None) -> Shapes | None:
        found = self._common.shapes(mine)
        given = self._ask(found)
        if any(theirs != given[0] for theirs in given):
            raise ClusterError(f"{self._difference(given)} {SAME_DATA_ADVICE}")
        self._batches += 1
        return found

    def restart(self) -> None:
        super().restart()
        self._batches = 0

    def _difference(self, given: Sequence[Shapes | None]) -> str:
        if None in given:
            ended = ", ".join(self._job.task(worker) for worker, theirs in enumerate(given) if theirs is None)
            more = ", ".join(self._job.task(worker) for worker, theirs in enumerate(given) if theirs is not None)
            return f"The input of {ended} has ended after {self._batches} batches, that of {more} goes on."
        other = next(worker for worker, theirs in enumerate(given) if theirs != given[0])
        return (
            f"Batch {self._batches} of the input differs between the workers: its pieces have the shapes {given[0]} on "
            f"{self._job.task(0)} and {given[other]} on {self._job.task(other)}."
        )
