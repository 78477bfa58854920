"""StepProfile: observes some steps of a process, and records what it does meanwhile, for `stratagem profile`."""

import atexit
import contextlib
import functools
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any, final

import jax

from stratagem._base.errors import AlreadyExistsError, ClusterError
from stratagem._base.files import write_text
from stratagem._base.job import Phase, StepObserver, Unobserved, WorkerSeconds, observe, observer, process_job
from stratagem._base.profile_settings import ProfileSettings
from stratagem._cluster import task_name
from stratagem._events._profiler import start_yielding_profile, stop_profile

MEASURED = "measured.json"  # beside the trace
# Names in the trace. What follows MARK is a phase, and its `cpu` is the time that the thread has computed until then, in ns.
MARK = "stratagem:"
BEGIN, STEP, PROGRAM, END = (f"{MARK}{name}" for name in ("begin", "step", "program", "end"))
# How a recording ended.
COMPLETE, ENDED, FAILED, INTERRUPTED = "complete", "the program ended", "the program failed", "interrupted"
_IDLE_SECONDS = 60.0  # for devices to end what they compute
_FAILED_SECONDS = 1.0  # the same, where they may wait for a worker that is lost
_LOOK_SECONDS = 0.0005
_NOW = contextlib.nullcontext()


@final
@dataclass(frozen=True)
class MeasuredTask:
    """A process that was observed; the times are in the trace beside this, and those of `workers` here.

    task: its name in the job. workers: the number of workers that train together. steps: those recorded. left_out: those
    before. before: seconds from the first import to the first step recorded. ended: how the recording ended. devices: of
    this process. programs: how many were made before the recording. coordinated: of each worker of parameter servers that
    this process coordinates, its steps, and its seconds by category since the job began.
    """

    task: str
    pid: int
    host: str
    workers: int
    steps: int
    left_out: int
    before: float
    ended: str
    devices: str
    programs: int
    coordinated: dict[str, Any]

    def as_json(self) -> Any:
        """The facts as an object of JSON."""
        return asdict(self)

    @classmethod
    def read(cls, folder: Path) -> "MeasuredTask":
        """Reads what a process has written into its folder. Raises OSError, or ValueError if that is something else."""
        found: dict[str, Any] = json.loads((folder / MEASURED).read_text(encoding="utf-8"))
        try:
            return cls(**found)
        except TypeError as error:
            raise ValueError(f"{folder / MEASURED} was not written by this version: {error}") from None


@final
class StepProfile(StepObserver):
    """Lets some steps pass, waits until the devices are idle, and records a profile until so many further steps are done.

    It follows the main thread: its phases are shown in the profile, one after another without gaps. Compiling, input and the
    like of other threads go on beside it.
    """

    def __init__(self, settings: ProfileSettings) -> None:
        self._settings = settings
        self._thread, self._pid = threading.main_thread().ident, os.getpid()
        self._made = time.monotonic()
        self._phase, self._open = Phase.USER_CODE, jax.profiler.TraceAnnotation(BEGIN)
        self._passed = self._taken = self._programs = 0
        self._began = self._since = 0.0
        self._recording = False
        self._coordinated: dict[str, WorkerSeconds] = {}

    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        return _InPhase(self, phase) if threading.get_ident() == self._thread else _NOW

    def begin_steps(self, steps: int) -> None:
        if threading.get_ident() != self._thread:
            return
        if self._recording:
            if self._taken >= self._settings.steps or time.monotonic() - self._since > self._settings.seconds:
                self.end(COMPLETE)
            else:
                self._note_steps(steps)
        elif self._passed >= self._settings.skip:
            self._begin(steps)
        else:
            self._passed += steps

    def new_program(self, name: str) -> None:
        if self._recording:
            with jax.profiler.TraceAnnotation(PROGRAM, of=name):
                pass
        else:
            self._programs += 1

    def coordinates(self, workers: Mapping[str, WorkerSeconds]) -> None:
        self._coordinated.update(workers)

    def switch(self, phase: Phase) -> Phase:
        """Switches to a phase of the main thread; returns the one before."""
        before, self._phase = self._phase, phase
        if self._recording:
            self._open.__exit__(None, None, None)
            self._open_phase()
        return before

    def end(self, how: str) -> None:
        """Ends the recording and writes the facts about it; from then on nothing is observed."""
        if os.getpid() != self._pid or observer() is not self:
            return  # a child that the program has forked, or it has ended already
        observe(Unobserved())
        if self._recording:
            _wait_for_devices(_FAILED_SECONDS if how in (FAILED, INTERRUPTED) else _IDLE_SECONDS)
            self._recording = False
            self._open.__exit__(None, None, None)
            with jax.profiler.TraceAnnotation(END, cpu=time.thread_time_ns()):
                pass
            stop_profile()
        self._own().mkdir(parents=True, exist_ok=True)
        write_text(self._own() / MEASURED, json.dumps(self._measured(how).as_json()))

    def _begin(self, steps: int) -> None:
        _wait_for_devices(_IDLE_SECONDS)
        try:
            start_yielding_profile(
                str(self._own()), None, lambda: self.end("the program has begun a profile of its own")
            )
        except AlreadyExistsError:
            self.end("the program records a profile of its own")
            return
        self._recording, self._since = True, time.monotonic()
        self._began = self._since - self._made
        with jax.profiler.TraceAnnotation(BEGIN):
            pass
        self._open_phase()
        self._note_steps(steps)

    def _open_phase(self) -> None:
        self._open = jax.profiler.TraceAnnotation(f"{MARK}{self._phase}", cpu=time.thread_time_ns())
        self._open.__enter__()

    def _note_steps(self, steps: int) -> None:
        self._taken += steps
        with jax.profiler.TraceAnnotation(STEP, number=self._passed + self._taken):
            pass

    @functools.cached_property
    def _task(self) -> str:
        return _task()

    def _own(self) -> Path:
        return self._settings.folder / f"{self._task.replace(':', '-').replace(' ', '-')}-{self._pid}"

    def _measured(self, how: str) -> MeasuredTask:
        devices = ", ".join(f"{d.platform}:{d.id}" for d in jax.local_devices()) if self._taken else ""
        return MeasuredTask(
            task=self._task,
            pid=self._pid,
            host=socket.gethostname(),
            workers=process_job().workers,
            steps=self._taken,
            left_out=self._passed,
            before=self._began,
            ended=how,
            devices=devices,
            programs=self._programs,
            coordinated={name: _worker(*seconds()) for name, seconds in self._coordinated.items()},
        )


@final
class _InPhase(contextlib.AbstractContextManager[None]):
    """The context of a phase. A class, since a generator takes three times as long, and a short step has several."""

    __slots__ = ("_before", "_phase", "_profile")

    def __init__(self, profile: StepProfile, phase: Phase) -> None:
        self._profile, self._phase = profile, phase

    def __enter__(self) -> None:
        self._before = self._profile.switch(self._phase)

    def __exit__(self, *_: object) -> None:
        self._profile.switch(self._before)


def profile_as_asked(environ: Mapping[str, str] = os.environ) -> None:
    """Lets a StepProfile observe this process if the environment variable STRATAGEM_PROFILE names a folder.

    Nothing happens the second time. Raises ValueError for settings that are no numbers.
    """
    settings = ProfileSettings.of(environ)
    if settings is None or _Asked.done:
        return
    _Asked.done = True
    profile = StepProfile(settings)
    observe(profile)
    failed = sys.excepthook

    def noting_failure(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        failed(kind, error, trace)
        profile.end(INTERRUPTED if issubclass(kind, KeyboardInterrupt) else FAILED)

    sys.excepthook = noting_failure
    atexit.register(lambda: profile.end(ENDED))
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda number, frame: _end_by_signal(profile, number, frame))


class _Asked:
    """Says whether the environment was looked at: a process is profiled once, from its start."""

    done = False


def _end_by_signal(profile: StepProfile, number: int, frame: FrameType | None) -> None:
    """Writes what was measured, and lets the signal end the process as it would have without a profile."""
    profile.end(INTERRUPTED)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _worker(steps: int, seconds: Mapping[str, float]) -> Any:
    return {"steps": steps, "seconds": dict(seconds)}


def _wait_for_devices(seconds: float) -> None:
    """Waits until no device computes, for so many seconds at most: one that waits for a lost worker has no end."""
    end = time.monotonic() + seconds
    for array in jax.live_arrays():
        while not array.is_deleted() and not array.is_ready():
            if time.monotonic() > end:
                return
            time.sleep(_LOOK_SECONDS)


def _task() -> str:
    """The name of this process in its job."""
    try:
        return task_name() or "this process"
    except ClusterError:  # the program is told, by what joins the job
        return "this process"
