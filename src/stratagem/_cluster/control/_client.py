"""ControlClient: a task's end of the control channel. Starts the supervisor, reports progress, agrees with other tasks."""

import contextlib
import json
import logging
import os
import queue
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import Any, final

from stratagem._base.errors import CancelledError, ClusterError, InvalidArgumentError, PeerFailedError
from stratagem._base.job import Phase, observer
from stratagem._base.programs import command, search_path
from stratagem._cluster.control import _stacks
from stratagem._cluster.control._channel import MAX_VALUE_BYTES, Message
from stratagem._cluster.control._collective_interrupt import CollectiveInterrupt
from stratagem._cluster.control._failure import FailureKind, JobFailure
from stratagem._cluster.control._job_info import JobInfo
from stratagem._cluster.control._progress import SharedProgress
from stratagem._cluster.control._tunnel import ConnectionAcceptor

logger = logging.getLogger("stratagem.cluster")

_PREEMPTION = "preemption"  # the name of the agreement on where all tasks stop
_GIVE_UP_SECONDS = 0.1  # between two checks whether a wait was given up
_START_SECONDS = 60.0  # for a supervisor to start, in addition to the limit to join
_NEWS_SECONDS = 60.0  # from a broken collective to the news of the task that broke it
_EXIT_SECONDS = 10.0  # to wait for a supervisor to end
_LONGEST_TRACEBACK = 1 << 16  # characters
_TIME = struct.Struct("ll")  # struct timeval


@final
class ControlClient:
    """The connection of this task to its job. Thread-safe; made by `join`, ended by `leave` or the end of the process.

    coordination: the path at which JAX's coordination service is reached. hosts: of all tasks, by rank.
    """

    def __init__(self, facts: JobInfo) -> None:
        self.facts = facts
        self.coordination = ""
        self.hosts: list[str] = []
        self.failure: JobFailure | None = None
        self._failed = threading.Event()
        self._welcome: queue.Queue[Message] = queue.Queue()
        self._agreed: dict[str, queue.Queue[Message | None]] = {}
        self._lock = threading.RLock()  # reentrant, for a signal handler may run in the thread that holds it
        self._sending = threading.RLock()
        self._preemption: tuple[Callable[[], int], Callable[[list[int]], None]] | None = None
        self._preempted = self._answered = False
        self._left = False
        self._thread = threading.Thread(target=self._listen, name="stratagem link", daemon=True)
        with contextlib.ExitStack() as stack:
            self._progress, handle = SharedProgress.create(facts.task, os.environ.get("STRATAGEM_STATUS_DIR"))
            stack.callback(os.close, handle)
            self._release = CollectiveInterrupt(self._progress, facts.limits)
            self._socket, theirs = socket.socketpair()
            stack.callback(theirs.close)
            self._acceptor = ConnectionAcceptor()
            stack.callback(self._acceptor.receiver.close)
            handles = (theirs.fileno(), self._acceptor.listener.fileno(), self._acceptor.receiver.fileno(), handle)
            _stacks.show_on_signal()
            self._supervisor = subprocess.Popen(
                command("_cluster/control/_supervisor.py", *handles),
                pass_fds=handles,
                start_new_session=True,  # so that Ctrl-C reaches the task only; the supervisor ends after it
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    @classmethod
    def join(cls, facts: JobInfo) -> "ControlClient":
        """Starts the supervisor and waits until all tasks have joined; missing ones are logged every 15 s.

        Raises:
            ClusterError: this task or another one was refused, or a task was missing for too long.
            PeerFailedError: another task ended before the job began.
        """
        link = cls(facts)
        try:
            link._send({"op": "start", "facts": facts.to_json(), "path": search_path()})
            link._thread.start()
            message = link._wait_for_welcome()
        except BaseException:  # including Ctrl-C: in a notebook the process lives on, and must be able to join again
            link.close()
            raise
        link.coordination, link.hosts = message["coordination"], message["hosts"]
        link._acceptor.start()
        link._progress.write(0, Phase.USER_CODE)
        return link

    def _wait_for_welcome(self) -> Message:
        try:
            message = self._welcome.get(timeout=self.facts.limits.join + _START_SECONDS)
        except queue.Empty:
            message = {"op": "refused", "text": "The supervisor of this task does not answer."}
        if "failure" in message:
            raise JobFailure.from_json(message["failure"]).error(self.facts.task, self.step)
        if message["op"] == "refused":
            raise ClusterError(message["text"])
        return message

    def close(self) -> None:
        """Ends the supervisor: this task is not in a job any more."""
        self._left = True
        with contextlib.suppress(OSError):
            self._socket.sendall(_line({"op": "closed"}))
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        if self._thread.ident is not None:
            self._thread.join()
        self._socket.close()
        self._acceptor.close()
        self._progress.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._supervisor.wait(_EXIT_SECONDS)

    # This task's progress.

    @property
    def step(self) -> int:
        """The number of steps begun."""
        return self._progress.position.step

    def begin_step(self) -> None:
        """Counts a step."""
        self._progress.write(self.step + 1, self._progress.position.phase)

    @contextlib.contextmanager
    def phase(self, phase: Phase) -> Iterator[None]:
        """Returns a context whose body is reported as this phase. Does nothing in other threads than the main one."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = self._progress.position.phase
        self._progress.write(self.step, phase)
        try:
            with observer().phase(phase):
                yield
        finally:
            self._progress.write(self.step, before)

    # Agreements and failures.

    def agree(self, name: str, value: Any, given_up: threading.Event | None = None, at: str = "") -> list[Any]:
        """Returns the values that all tasks have given under this name, by rank; waits for all. Values are JSON, a few kB.

        at: the place in the program, in words, if all tasks have to reach it after the same number of steps. given_up:
        set it to end the wait.

        Raises:
            CancelledError: the wait was given up.
            ClusterError: the values of all tasks together are too large, or this is a child that the task has forked.
            InvalidArgumentError: the value has more than 1 MiB.
            PeerFailedError: a task failed, or ended without giving its value.
        """
        if not self._in_task_process():
            raise ClusterError(f"This process was forked by {self.facts.task} and is no task of the job itself.")
        place = {"at": at, "step": self.step} if at else {}
        line = _line({"op": "agree", "name": name, "value": value, **place})
        if len(line) > MAX_VALUE_BYTES:
            raise InvalidArgumentError(
                f"{name}: the tasks cannot agree on a value of {len(line)} bytes; {MAX_VALUE_BYTES} is the most."
            )
        answers: queue.Queue[Message | None] = queue.Queue()
        with self._lock:
            if self._failed.is_set():
                raise self.error()
            self._agreed[name] = answers
        with self.phase(Phase.AGREEMENT):
            self._send_line(line)
            answer = answers.get() if given_up is None else self._answer(name, answers, given_up)
        if answer is None:
            raise self.error()
        if "refused" in answer:
            raise ClusterError(answer["refused"])
        return _values(answer)

    def _answer(self, name: str, answers: "queue.Queue[Message | None]", given_up: threading.Event) -> Message | None:
        while not given_up.is_set():
            with contextlib.suppress(queue.Empty):
                return answers.get(timeout=_GIVE_UP_SECONDS)
        with self._lock:
            self._agreed.pop(name, None)
        self._send({"op": "withdraw", "name": name})
        raise CancelledError(f"The wait for the other tasks in {name} was given up.")

    def check(self) -> None:
        """Raises PeerFailedError if the job has failed."""
        if self._failed.is_set():
            raise self.error()

    def on_preemption(self, answer: Callable[[], int], decided: Callable[[list[int]], None]) -> None:
        """Sets `answer`, called when some task will be ended, and `decided`, called with the answers of all tasks."""
        with self._lock:
            self._preemption = (answer, decided)
            announced = self._preempted
        if announced:
            self._answer_preemption()

    def preempt(self) -> None:
        """Tells all tasks that this one will be ended."""
        self._send({"op": "preempt"})

    def _answer_preemption(self) -> None:
        with self._lock:
            self._preempted = True
            handler, answered = self._preemption, self._answered
            self._answered = handler is not None
        if handler is not None and not answered:
            self._send({"op": "agree", "name": _PREEMPTION, "value": handler[0]()})

    def on_failure(self, callback: Callable[[], None]) -> None:
        """Adds a function that ends the main thread's wait in a collective.

        Called in another thread when the job has failed, and again as long as the main thread waits.
        """
        self._release.add_callback(callback)

    def broken(self) -> PeerFailedError:
        """Reports that a collective broke; returns the error of the job, which names the cause."""
        if not self._failed.is_set():
            self._send({"op": "broken"})
        if not self._failed.wait(_NEWS_SECONDS):
            self._fail(self._lost_supervisor())
        return self.error()

    def error(self) -> PeerFailedError:
        """Returns the error to raise once the job has failed."""
        assert self.failure is not None
        return self.failure.error(self.facts.task, self.step)

    # The end of this task.

    def raised(self, text: str) -> None:
        """Reports that this task ends by an exception; `text` is its traceback."""
        if self._in_task_process() and not self._left and not self._failed.is_set():
            self._left = True
            self._send({"op": "raised", "text": text[-_LONGEST_TRACEBACK:]})

    def leave(self) -> None:
        """Reports a regular end of this task, unless another end was reported. Called at the very end of the process."""
        if not self._in_task_process():
            return
        if not self._left:
            self._left = True
            self._send({"op": "left"})
        with self._lock:
            started = self._release.started
        if started:
            self._release.end()

    def _in_task_process(self) -> bool:
        """Returns False in a child that the task has forked, whose end is not the task's."""
        return os.getpid() == self.facts.pid

    def _send(self, message: Message) -> None:
        self._send_line(_line(message))

    def _send_line(self, line: bytes) -> None:
        try:
            with self._sending:
                self._socket.sendall(line)
        except OSError:
            self._fail(self._lost_supervisor())

    def _listen(self) -> None:
        rest = b""
        try:
            with contextlib.suppress(OSError):  # closed, or silent for too long
                while block := self._socket.recv(1 << 16):
                    *lines, rest = (rest + block).split(b"\n")
                    for line in lines:
                        self._receive(json.loads(line))
        finally:  # also after an error in a function called here: nothing is received any more
            self._welcome.put({"op": "refused", "text": "The supervisor of this task ended."})
            self._fail(self._lost_supervisor())

    def _lost_supervisor(self) -> JobFailure:
        position = self._progress.position
        place = (
            position.step,
            position.phase,
            "Its supervisor has ended, or does not answer.",
            socket.gethostname(),
            self.facts.pid,
        )
        return JobFailure(self.facts.task, self.facts.rank, FailureKind.ORPHANED, *place, 0.0)

    def _receive(self, message: Message) -> None:
        match message["op"]:
            case "log":
                logger.warning("%s", message["text"])
            case "welcome":  # from now on the supervisor sends a sign of life every half second
                for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                    self._socket.setsockopt(
                        socket.SOL_SOCKET, option, _TIME.pack(int(self.facts.limits.heartbeat) + 1, 0)
                    )
                self._welcome.put(message)
            case "refused":
                self._welcome.put(message)
            case "agreed":
                with self._lock:
                    answers = self._agreed.pop(message["name"], None)
                if answers is not None:
                    answers.put(message)
                elif message["name"] == _PREEMPTION and self._preemption is not None:
                    self._preemption[1](_values(message))
            case "preempt":
                self._answer_preemption()
            case "failure":
                self._fail(JobFailure.from_json(message["failure"]))

    def _fail(self, failure: JobFailure) -> None:
        with self._lock:
            if self.failure is not None:
                return
            self.failure = failure
        if failure.rank != self.facts.rank and not self._left:
            # Before another thread raises it: two threads that print at the same time garble each other's lines.
            logger.error("%s", failure.description())
        if failure.kind in (FailureKind.STUCK, FailureKind.FROZEN) and not self._left:
            # Shown here, where no other thread runs: a signal's handler that looks at running threads may never end.
            _stacks.show()
            self._send({"op": "shown"})
        with self._lock:
            self._failed.set()
            waiting = list(self._agreed.values())
            self._agreed.clear()
            if not self._left:  # otherwise this task is about to end anyway
                self._release.start(self.error)
        for answers in waiting:
            answers.put(None)


def _values(answer: Message) -> list[Any]:
    """Returns the values by rank; equal ones were sent once."""
    return [answer["values"][i] for i in answer["indices"]]


def _line(message: Message) -> bytes:
    return json.dumps(message).encode() + b"\n"
