"""Workers of a job as threads of one process, which meet where processes would send messages."""

import contextlib
import json
import threading
from collections.abc import Callable
from typing import Any

from stratagem._base.job import Job, Phase


class _Place:
    """Where agreements of one order are made."""

    def __init__(self, workers: int) -> None:
        self.all = threading.Barrier(workers, timeout=240)
        self.given: dict[int, Any] = {}


class Rendezvous(Job):
    """What all workers meet in, and what it looks like to one of them: they wait for each other, in one place an order."""

    def __init__(self, workers: int, worker: int = 0, meeting: "Rendezvous | None" = None) -> None:
        self._workers, self._worker = workers, worker
        self._places: dict[tuple[str, int], _Place] = meeting._places if meeting else {}
        self._orders: dict[str, list[str]] = {}
        self.asked: list[str] = []

    @property
    def workers(self) -> int:
        return self._workers

    @property
    def worker(self) -> int:
        return self._worker

    def agree(self, what: str, value: Any, *, order: str = "", given_up: threading.Event | None = None) -> list[Any]:
        if not order:
            self.asked.append(what)
        place = self._places.setdefault(self._order(order), _Place(self._workers))
        place.given[self._worker] = json.loads(json.dumps([what, value]))
        place.all.wait()
        given = [place.given[worker] for worker in range(self._workers)]
        place.all.wait()
        assert {other for other, _ in given} == {what}
        return [theirs for _, theirs in given]

    def _order(self, order: str) -> tuple[str, int]:
        """The order as all workers name it. Numbers in it count what one process makes, which here all workers share."""
        kind = order.partition(" ")[0]
        begun = self._orders.setdefault(kind, [])
        if order not in begun:
            begun.append(order)
        return kind, begun.index(order)

    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def waiting(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def begin_step(self) -> None:
        pass

    def gather(self, what: str) -> None:
        pass

    def check(self) -> None:
        pass

    def on_preemption(self, answer: Callable[[], int], decided: Callable[[list[int]], None]) -> None:
        raise NotImplementedError

    def preempt(self) -> None:
        raise NotImplementedError
