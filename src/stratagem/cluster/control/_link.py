"""A task's end of the control channel: it starts the supervisor, tells where it is, and agrees with the other tasks."""

import contextlib
import faulthandler
import json
import logging
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, final

from stratagem._errors import CancelledError, ClusterError, PeerFailedError
from stratagem._job import Phase
from stratagem.cluster.control._facts import Facts
from stratagem.cluster.control._failure import Failure, Kind
from stratagem.cluster.control._progress import Progress
from stratagem.cluster.control._supervisor import STACKS
from stratagem.cluster.control._wire import MOST_BYTES, Message

logger = logging.getLogger("stratagem.cluster")

_SUPERVISOR = """
import sys
sys.path.append(sys.argv.pop(1))
from stratagem.cluster.control import _supervisor
_supervisor.main()
"""
_PREEMPTION = "preemption"  # the agreement on where all tasks stop
_GIVE_UP_SECONDS = 0.1  # between two looks whether a wait was given up
_NEWS_SECONDS = 60.0  # from a broken collective to the word of who broke it
_RELEASE_SECONDS = 15.0  # from a failure until the main thread has to be out of a collective


@final
class Link:
    """The job as this task sees it. Thread-safe; made by `join`, ended by `leave` or the process' end.

    coordination: the path at which JAX's coordination service is reached. hosts: of all tasks, by rank.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.coordination = ""
        self.hosts: list[str] = []
        self.failure: Failure | None = None
        self._failed = threading.Event()
        self._welcome: queue.Queue[Message] = queue.Queue()
        self._agreed: dict[str, queue.Queue[list[Any] | None]] = {}
        self._lock = threading.Lock()
        self._on_failure: list[Callable[[], None]] = []
        self._preemption: tuple[Callable[[], int], Callable[[list[int]], None]] | None = None
        self._preempted = self._answered = False
        self._left = False
        self._progress, handle = Progress.create(facts.task, os.environ.get("STRATAGEM_STATUS_DIR"))
        ours, theirs = socket.socketpair()
        self._socket = ours
        root = str(Path(__file__).parents[3])
        faulthandler.register(STACKS, all_threads=True)
        try:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-P", "-c", _SUPERVISOR, root, str(theirs.fileno()), str(handle)],
                pass_fds=(theirs.fileno(), handle),
                start_new_session=True,  # Ctrl-C is for the task; the supervisor ends after it
                stdin=subprocess.DEVNULL,
            )
        finally:
            theirs.close()
            os.close(handle)
        self._send({"op": "start", "facts": facts.to_json()})
        self._thread = threading.Thread(target=self._listen, name="stratagem link", daemon=True)
        self._thread.start()

    @classmethod
    def join(cls, facts: Facts) -> "Link":
        """Start the supervisor and wait until all tasks are there; who is missing is logged every 15 s.

        Raises:
            ClusterError: this task was refused, or some task was missing for too long.
        """
        link = cls(facts)
        message = link._welcome.get()
        if message["op"] == "refused":
            link._close()
            raise ClusterError(message["text"])
        link.coordination, link.hosts = message["coordination"], message["hosts"]
        link._progress.write(0, Phase.USER_CODE)
        return link

    # Where this task is.

    @property
    def step(self) -> int:
        """The number of steps begun."""
        return self._progress.position.step

    def begin_step(self) -> None:
        """Count a step."""
        self._progress.write(self.step + 1, self._progress.position.phase)

    @contextlib.contextmanager
    def phase(self, phase: Phase) -> Iterator[None]:
        """Tell that the body is this phase. Only the main thread's phases are told."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = self._progress.position.phase
        self._progress.write(self.step, phase)
        try:
            yield
        finally:
            self._progress.write(self.step, before)

    # With the others.

    def agree(self, name: str, value: Any, given_up: threading.Event | None = None) -> list[Any]:
        """What every task gave under this name, by rank; waits for all. Values are JSON, a few kB.

        Raises:
            CancelledError: it was given up.
            PeerFailedError: a task failed, or ended without giving its value.
        """
        answers: queue.Queue[list[Any] | None] = queue.Queue()
        with self._lock:
            self._agreed[name] = answers
        with self.phase(Phase.AGREEMENT):
            self._send({"op": "agree", "name": name, "value": value})
            if self._failed.is_set():
                raise self.error()
            values = answers.get() if given_up is None else self._answer(name, answers, given_up)
        if values is None:
            raise self.error()
        return values

    def _answer(
        self, name: str, answers: "queue.Queue[list[Any] | None]", given_up: threading.Event
    ) -> list[Any] | None:
        while not given_up.is_set():
            with contextlib.suppress(queue.Empty):
                return answers.get(timeout=_GIVE_UP_SECONDS)
        self._send({"op": "withdraw", "name": name})
        raise CancelledError(f"The wait for the other tasks in {name} was given up.")

    def check(self) -> None:
        """Raise PeerFailedError if the job has failed."""
        if self._failed.is_set():
            raise self.error()

    def on_preemption(self, answer: Callable[[], int], decided: Callable[[list[int]], None]) -> None:
        """What this task answers when some task will be ended, and what it does with everybody's answers."""
        with self._lock:
            self._preemption = (answer, decided)
            announced = self._preempted
        if announced:
            self._answer_preemption()

    def preempt(self) -> None:
        """Tell all tasks that this one will be ended."""
        self._send({"op": "preempt"})

    def _answer_preemption(self) -> None:
        with self._lock:
            self._preempted = True
            handler, answered = self._preemption, self._answered
            self._answered = handler is not None
        if handler is not None and not answered:
            self._send({"op": "agree", "name": _PREEMPTION, "value": handler[0]()})

    def on_failure(self, callback: Callable[[], None]) -> None:
        """Call this, in the link's thread, when the job has failed: it breaks what the main thread waits in."""
        self._on_failure.append(callback)

    def broken(self) -> PeerFailedError:
        """Tell that a collective broke; the error of the job, which says why."""
        if not self._failed.is_set():
            self._send({"op": "broken"})
        if not self._failed.wait(_NEWS_SECONDS):
            self._fail(self._lost_supervisor())
        return self.error()

    def error(self) -> PeerFailedError:
        """The error to raise once the job has failed."""
        assert self.failure is not None
        return self.failure.error(self.facts.task, self.step)

    # Its end.

    def raised(self, text: str) -> None:
        """Tell that this task ends by an exception; `text` is its traceback."""
        if not self._left and not self._failed.is_set():
            self._left = True
            self._send({"op": "raised", "text": text[-MOST_BYTES // 4 :]})

    def leave(self) -> None:
        """Tell that this task ends as it should."""
        if not self._left:
            self._left = True
            self._send({"op": "left"})

    def _close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _send(self, message: Message) -> None:
        data = json.dumps(message).encode() + b"\n"
        try:
            with self._lock:
                self._socket.sendall(data)
        except OSError:
            self._fail(self._lost_supervisor())

    def _listen(self) -> None:
        with contextlib.suppress(OSError), self._socket.makefile("rb") as lines:
            for line in lines:
                self._receive(json.loads(line))
        self._welcome.put({"op": "refused", "text": "The supervisor of this task ended."})
        self._fail(self._lost_supervisor())

    def _lost_supervisor(self) -> Failure:
        position = self._progress.position
        place = (
            position.step,
            position.phase,
            "Its supervisor process has ended, or does not answer.",
            socket.gethostname(),
            self._supervisor.pid,
        )
        return Failure(self.facts.task, self.facts.rank, Kind.LOST, *place, 0.0)

    def _receive(self, message: Message) -> None:
        match message["op"]:
            case "log":
                logger.warning("%s", message["text"])
            case "welcome" | "refused":
                self._welcome.put(message)
            case "agreed":
                with self._lock:
                    answers = self._agreed.pop(message["name"], None)
                if answers is not None:
                    answers.put(message["values"])
                elif message["name"] == _PREEMPTION and self._preemption is not None:
                    self._preemption[1](message["values"])
            case "preempt":
                self._answer_preemption()
            case "failure":
                self._fail(Failure.from_json(message["failure"]))

    def _fail(self, failure: Failure) -> None:
        if self._failed.is_set() or self._left:
            return
        self.failure = failure
        self._failed.set()
        if failure.rank != self.facts.rank:
            logger.error("%s", failure.told())
        with self._lock:
            waiting = list(self._agreed.values())
            self._agreed.clear()
        for answers in waiting:
            answers.put(None)
        for callback in self._on_failure:
            callback()
        threading.Thread(target=self._insist, name="stratagem end", daemon=True).start()

    def _insist(self) -> None:
        """End the process if the main thread does not come out of a collective: nothing else can free it."""
        since = self._progress.position
        end = time.monotonic() + _RELEASE_SECONDS
        while time.monotonic() < end:
            if since.phase != Phase.COLLECTIVE or self._progress.position != since:
                return
            time.sleep(0.1)
        logger.critical("%s\nThis task cannot be freed from its collective: it ends.", self.error())
        faulthandler.dump_traceback(all_threads=True)
        os._exit(1)
