"""PreemptionCheckpointHandler: when a worker is about to be pre-empted, all workers save the same step and exit."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.job import Job
from stratagem._checkpoints._background import wait_for_saves
from stratagem._checkpoints._checkpoint import Checkpoint
from stratagem._checkpoints._manager import CheckpointManager
from stratagem._checkpoints._together import job_here
from stratagem._core.context import entered
from stratagem._core.values import Variable

_log = logging.getLogger("stratagem.checkpoint")

EXIT_CODE = 42  # TensorFlow's: tells the launcher that the program may be restarted
_POLL_SECONDS = 1.0


@exported("distribute.experimental.TerminationConfig")
@dataclass(frozen=True)
class TerminationConfig:
    """The notice and reaction to a worker's termination (`tf.distribute.experimental.TerminationConfig`).

    termination_watcher_fn: polled once a second instead of waiting for SIGTERM; True means that this worker will be
    terminated.

    exit_fn: called after saving; without it the process exits with code 42.

    grace_period: seconds from the notice to the end of the machine, in which training may go on; 0 saves at once.

    save_fn: saves instead of the checkpoint manager.
    """

    termination_watcher_fn: Callable[[], bool] | None = None
    exit_fn: Callable[[], Any] | None = None
    grace_period: float | None = None
    save_fn: Callable[..., Any] | None = None


@exported("distribute.experimental.PreemptionCheckpointHandler")
@final
class PreemptionCheckpointHandler:
    """Runs steps, and watches for the notice that some worker of the job will be terminated.

    After the notice all workers agree on one step: the latest that any of them has begun. After that step all of them
    save and exit through `exit_fn`. The constructor restores the latest checkpoint.

    cluster_resolver: accepted for TensorFlow's signature; the job is the one that the strategy joined.
    checkpoint_or_checkpoint_manager: with a checkpoint, `checkpoint_dir` is where it is saved. Raises
    InvalidArgumentError for a checkpoint without a directory. Create it in the main thread: only that receives signals.
    """

    def __init__(
        self,
        cluster_resolver: object,
        checkpoint_or_checkpoint_manager: Checkpoint | CheckpointManager,
        checkpoint_dir: str | os.PathLike[str] | None = None,
        termination_config: TerminationConfig | None = None,
    ) -> None:
        self._config = termination_config or TerminationConfig()
        self._manager = _manager(checkpoint_or_checkpoint_manager, checkpoint_dir)
        self._runs = _run_counter(self._manager.checkpoint)
        self._manager.restore_or_initialize()
        self._begun = int(self._runs.numpy())
        self._last: int | None = None  # the run after which all workers save
        self._answered = False  # no further run may begin until the others have answered
        self._changed = threading.Condition()
        self._job: Job = job_here()
        self._notice = threading.Event()
        self._job.on_preemption(self._answer, self._decided)
        self._closed = False
        self._restore_signal: Callable[[], Any] = lambda: None
        if self._config.termination_watcher_fn is None:
            before = signal.signal(signal.SIGTERM, self._on_signal)
            self._restore_signal = lambda: signal.signal(signal.SIGTERM, before)
        threading.Thread(target=self._watch, name="stratagem preemption", daemon=True).start()

    @property
    def total_run_calls(self) -> int:
        """The number of calls of `run`, including those before the program was restarted."""
        return self._begun

    def run(self, distributed_train_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls the function; before or after it, saves and exits if that is due."""
        self._begin()
        result = distributed_train_function(*args, **kwargs)
        self._end()
        return result

    def save_checkpoint_if_preempted(self, *args: Any, **kwargs: Any) -> None:
        """Counts a step in loops that do not use `run`; `args` and `kwargs` are passed to `save_fn`."""
        self._begin(*args, **kwargs)
        self._end(*args, **kwargs)

    def close(self) -> None:
        """Stops watching: nothing is left to save."""
        self._closed = True
        self._notice.set()
        self._restore_signal()
        self._job.on_preemption(lambda: 0, lambda begun: None)  # also drops the references to this object

    def _begin(self, *args: Any, **kwargs: Any) -> None:
        with self._changed:
            while self._answered and self._last is None:
                self._changed.wait(_POLL_SECONDS)
                self._job.check()
            if self._begun != self._last:
                self._begun += 1
                return
        self._save_and_leave(*args, **kwargs)

    def _end(self, *args: Any, **kwargs: Any) -> None:
        with self._changed:
            due = self._begun == self._last
        if due:
            self._save_and_leave(*args, **kwargs)

    def _save_and_leave(self, *args: Any, **kwargs: Any) -> None:
        self._runs.assign(np.int64(self._begun))
        _log.info("This worker or another one will be ended: saving after run %d.", self._begun)
        try:
            self._manager.sync()
        except Exception as error:  # an earlier save's, which must not keep the last one from being made
            _log.error("An earlier save failed: %s", error, exc_info=error)
        if self._config.save_fn is not None:
            self._config.save_fn(*args, **kwargs)
        else:
            self._manager.save()
        wait_for_saves()  # `exit_fn` may end the process at once
        leave = self._config.exit_fn or (lambda: sys.exit(EXIT_CODE))
        leave()

    # These run in other threads: the main one may be waiting for a result that needs the other workers.

    def _answer(self) -> int:
        with self._changed:
            self._answered = True
            return self._begun

    def _decided(self, begun: list[int]) -> None:
        with self._changed:
            self._last = max(begun)
            self._changed.notify_all()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._notice.set()  # nothing more: the signal may have interrupted a thread that holds a lock

    def _watch(self) -> None:
        watcher = self._config.termination_watcher_fn
        while not self._closed and not (watcher() if watcher is not None else self._notice.is_set()):
            self._notice.wait(_POLL_SECONDS)
        if self._closed:
            return
        # Training goes on in the first half of the grace period; the other half is left for saving.
        threading.Event().wait(0.5 * (self._config.grace_period or 0.0))
        self._job.preempt()


def _manager(given: Checkpoint | CheckpointManager, directory: str | os.PathLike[str] | None) -> CheckpointManager:
    if isinstance(given, CheckpointManager):
        return given
    if directory is None:
        raise InvalidArgumentError("When a checkpoint is passed, a checkpoint_dir must be passed as well.")
    return CheckpointManager(given, directory, max_to_keep=1)


def _run_counter(checkpoint: Checkpoint) -> Variable:
    with entered(strategy=None, replica=None, crossing=False):  # every worker counts for itself
        runs = Variable(np.int64(0), trainable=False, name="checkpointed_runs")
    checkpoint.checkpointed_runs = runs
    return runs
