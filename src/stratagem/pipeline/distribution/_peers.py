"""What the replicas of all workers get in a step: known from the batch, or asked of the other workers."""

import abc
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import final

from stratagem._job import Job

Shape = tuple[int, ...]
Shapes = list[list[Shape]]  # by replica, by leaf of an element

_numbers = itertools.count()


class Peers(abc.ABC):
    """The workers of a job. All of them ask the same question for every step, and all get the same answer."""

    @abc.abstractmethod
    def shapes(self, mine: Shapes | None) -> Shapes | None:
        """What all replicas of the job get in this step.

        mine: what this worker's replicas get, None if it has nothing. Who has nothing takes part without rows, as long as
        some worker has something; None when none has.
        """

    @abc.abstractmethod
    def give_up(self) -> None:
        """Let a thread that waits for the others go; every question fails until `restart`."""

    @abc.abstractmethod
    def restart(self) -> None:
        """Begin again: on all workers, at a new position."""


class Unasked(Peers):
    """Abstract: nobody is asked, so nobody is waited for."""

    def give_up(self) -> None:
        pass

    def restart(self) -> None:
        pass


@final
class Alone(Unasked):
    """One worker."""

    def shapes(self, mine: Shapes | None) -> Shapes | None:
        return mine


@final
class Common(Unasked):
    """Workers that walk over the same batches and so know each other's pieces; `sizes()` gives those of the last batch."""

    def __init__(self, sizes: Callable[[], Sequence[int]]) -> None:
        self._sizes = sizes

    def shapes(self, mine: Shapes | None) -> Shapes | None:
        return None if mine is None else [[(n, *leaf[1:]) for leaf in mine[0]] for n in self._sizes()]


@final
class Asked(Peers):
    """Workers with input of their own: they ask each other before every step."""

    def __init__(self, job: Job, replicas: int) -> None:
        self._job = job
        self._replicas = replicas
        self._number = next(_numbers)  # all workers make their iterators in the same order
        self._restarts = 0
        self._given_up = threading.Event()

    def shapes(self, mine: Shapes | None) -> Shapes | None:
        order = f"input {self._number}.{self._restarts}"
        given = self._job.agree("the next step's input", mine, order=order, given_up=self._given_up)
        some = next((shapes for shapes in given if shapes is not None), None)
        if some is None:
            return None
        nothing = [[0, *leaf[1:]] if leaf else leaf for leaf in some[0]]
        every = [shapes or [nothing] * self._replicas for shapes in given]
        return [[tuple(leaf) for leaf in replica] for shapes in every for replica in shapes]

    def give_up(self) -> None:
        self._given_up.set()

    def restart(self) -> None:
        self._given_up.set()
        self._restarts += 1
        self._given_up = threading.Event()
