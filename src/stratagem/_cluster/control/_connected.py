"""Connected: the job of several workers, over the control channel."""

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
class Connected(Job):
    """The workers behind a link. Whoever waits for them gets one typed error when one of them fails."""

    def __init__(self, link: ControlClient) -> None:
        self.link = link
        self._counts: dict[str, Iterator[int]] = defaultdict(itertools.count)
        self._collectives: frozenset[Address] = frozenset()  # where those of all tasks listen
        link.on_failure(lambda: abort_connections(self._collectives))
        atexit.register(self._leave)
        self._excepthook = sys.excepthook
        sys.excepthook = self._tell_exception

    @property
    def workers(self) -> int:
        return len(self.link.facts.tasks)

    @property
    def worker(self) -> int:
        return self.link.facts.rank

    def connect(self, connect: Callable[[str, int], Any]) -> Any:
        """What `connect(address, rank)` gives: a client of JAX's coordination service, which waits until all tasks connect.

        Raises:
            ClusterError: it took longer than the limit to join.
            PeerFailedError: the job failed meanwhile.
        """
        link = self.link
        what = "JAX's coordination service, to which all tasks have to connect"
        return _in_background(link, what, lambda: connect(f"unix:{link.coordination}", link.facts.rank))

    def start(self, start: Callable[[], Any], cancel: Callable[[], Any]) -> None:
        """Start JAX's backend, which waits for those of all tasks, and learn where the tasks' collectives listen.

        cancel: ends the wait, by the end of the client.

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
        given = self.link.agree(name, [what, value], given_up, at="" if order else what)
        tasks = self.link.facts.tasks
        different = next((rank for rank, (other, _) in enumerate(given) if other != what), None)
        if different is not None:
            raise ClusterError(
                f"The tasks do different things: {self.link.facts.task} is at {what}, {tasks[different]} at "
                f"{given[different][0]}. All of them must run the same program, with the same data, settings and versions."
            )
        return [v for _, v in given]

    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        return self.link.phase(phase)

    def begin_step(self) -> None:
        self.link.check()  # a collective that begins now would find nobody
        self.link.begin_step()

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
            if _broken(error):
                raise self.link.broken() from None
            raise

    def _leave(self) -> None:
        error = getattr(sys, "last_value", None)
        if error is not None and not hasattr(sys, "ps1"):  # another hook has shown it instead of ours; nobody goes on
            self.link.raised("".join(traceback.format_exception(error)))
        self.link.leave()

    def _tell_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
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


def _broken(error: Exception) -> bool:
    """Whether a collective broke, and not the program."""
    text = str(error)
    return any(
        word in text for word in ("Gloo", "gloo", "NCCL", "Connection closed", "coordination", "DEADLINE_EXCEEDED")
    )
