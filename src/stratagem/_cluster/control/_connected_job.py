"""ConnectedJob: a job of several workers, over the control channel."""

import atexit
import contextlib
import itertools
import logging
import sys
import threading
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar, final

from stratagem._base.errors import ClusterError, StratagemError
from stratagem._base.job import Job, Phase
from stratagem._cluster.control._abort_collectives import Address, abort_connections, listening
from stratagem._cluster.control._client import ControlClient
from stratagem._cluster.control._join_deadline import JoinDeadline

logger = logging.getLogger("stratagem.cluster")

T = TypeVar("T")
_LOOK_SECONDS = 0.1  # between two looks whether the job has failed
_CANCEL_SECONDS = 10.0  # for work that was cancelled to end


@final
class ConnectedJob(Job):
    """The workers behind a control channel. A wait for them raises one typed error when one of them fails."""

    def __init__(self, link: ControlClient) -> None:
        self.link = link
        self._counts: dict[str, Iterator[int]] = defaultdict(itertools.count)
        self._gathered_after = -1  # this step, counted from 0
        self._collectives: frozenset[Address] = frozenset()  # the addresses of all tasks' collectives
        link.on_failure(lambda: abort_connections(self._collectives))
        atexit.register(self._leave)
        self._excepthook = sys.excepthook
        sys.excepthook = self._report_exception

    @property
    def workers(self) -> int:
        return len(self.link.facts.tasks)

    @property
    def worker(self) -> int:
        return self.link.facts.rank

    def task(self, worker: int) -> str:
        return self.link.facts.tasks[worker]

    def connect(self, connect: Callable[[str, int], Any]) -> Any:
        """Returns `connect(address, rank)`, a client of JAX's coordination service, which waits until all tasks connect.

        Raises:
            ClusterError: it took longer than the limit to join.
            PeerFailedError: the job failed meanwhile.
        """
        link = self.link
        what = "JAX's coordination service, to which all tasks have to connect"
        return _in_background(link, what, lambda: connect(f"unix:{link.coordination}", link.facts.rank))

    def start(self, start: Callable[[], Any], cancel: Callable[[], Any]) -> None:
        """Starts JAX's backend, which waits for those of all tasks, and collects the addresses of the tasks' collectives.

        cancel: ends the wait, by ending JAX's client.

        Raises:
            ClusterError: it took longer than the limit to join.
            PeerFailedError: the job failed meanwhile.
        """
        before = listening()
        _in_background(self.link, "the devices of all tasks", start, cancel)
        found = self.agree("where collectives listen", sorted(listening() - before))
        self._collectives = frozenset((host, port) for addresses in found for host, port in addresses)

    def agree(self, what: str, value: Any, *, order: str = "", given_up: threading.Event | None = None) -> list[Any]:
        number = next(self._counts[order])
        name = f"{order or 'program'} {number}"
        answers = self.link.agree(name, [what, value], given_up, at="" if order else what)
        tasks = self.link.facts.tasks
        different = next((rank for rank, (other, _) in enumerate(answers) if other != what), None)
        if different is not None:
            raise ClusterError(
                f"The tasks do different things: {self.link.facts.task} is at {what}, {tasks[different]} at "
                f"{answers[different][0]}. All of them must run the same program, with the same data, settings and versions."
            )
        return [v for _, v in answers]

    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        return self.link.phase(phase)

    def begin_step(self) -> None:
        self.link.check()  # after a failure, a collective that begins now would wait for tasks that have ended
        self.link.begin_step()

    def gather(self, what: str) -> None:
        step = self.link.step
        if self._gathered_after != step and threading.current_thread() is threading.main_thread():
            self.agree(what, None)
            self._gathered_after = step

    def check(self) -> None:
        self.link.check()

    def on_preemption(self, answer: Callable[[], int], decided: Callable[[list[int]], None]) -> None:
        self.link.on_preemption(answer, decided)

    def preempt(self) -> None:
        self.link.preempt()

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        try:
            with self.phase(Phase.COLLECTIVE):
                yield
        except StratagemError:
            raise
        except Exception as error:
            if _is_broken_collective(error):
                raise self.link.broken() from None
            raise

    def _leave(self) -> None:
        error = getattr(sys, "last_value", None)
        if error is not None and not hasattr(sys, "ps1"):  # another hook has shown the exception, and the program ends
            self.link.raised("".join(traceback.format_exception(error)))
        self.link.leave()

    def _report_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self.link.raised("".join(traceback.format_exception(kind, error, trace)))
        self._excepthook(kind, error, trace)


def _in_background(
    link: ControlClient, missing: str, work: Callable[[], T], cancel: Callable[[], Any] | None = None
) -> T:
    """Returns what `work` returns. A thread calls it: in JAX it waits for other tasks, whose failure JAX does not know of.

    missing: what it waits for, as the log says every 15 s.
    cancel: lets the work end early. It is needed where the work would come back while Python ends, which aborts the process;
    without it, the work has to be one that never does.

    Raises:
        ClusterError: it took longer than the limit to join.
        PeerFailedError: the job failed meanwhile.
    """
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)

    thread = threading.Thread(target=run, name="stratagem start", daemon=True)
    thread.start()
    patience = JoinDeadline(link.facts, lambda text: logger.warning("%s", text))
    with link.phase(Phase.STARTING):
        while thread.is_alive():
            thread.join(_LOOK_SECONDS)
            try:
                link.check()
                patience.check(missing)
            except BaseException:  # Ctrl-C as well
                if cancel is not None:
                    cancel()
                    thread.join(_CANCEL_SECONDS)
                raise
    return result.result()


def _is_broken_collective(error: Exception) -> bool:
    """Returns whether the error is that of a collective that broke, and not of the program."""
    text = str(error)
    return any(
        word in text for word in ("Gloo", "gloo", "NCCL", "Connection closed", "coordination", "DEADLINE_EXCEEDED")
    )
