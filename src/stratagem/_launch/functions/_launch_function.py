"""`tf.launch`: a function in place of a script, called by every task of a job on this machine."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax

from stratagem._base.errors import FailedPreconditionError, PeerFailedError
from stratagem._base.exports import exported
from stratagem._base.paths import local_path
from stratagem._base.types import PathLike
from stratagem._cluster import visible_gpus
from stratagem._cluster.control import Position
from stratagem._launch._attempt import TaskStatus
from stratagem._launch._display import FailureReport
from stratagem._launch._function_call import FUNCTION_TASK
from stratagem._launch._plan import TaskCounts, TaskStart, device_variables, on_this_machine, wants_cpu, with_tf_config
from stratagem._launch._run import JobEnd, LaunchSpec, run
from stratagem._launch.functions._cell_display import CellDisplay
from stratagem._launch.functions._messages import FunctionMessages
from stratagem._private import backends_started

_GRACE_SECONDS = 10.0  # from an interrupt to SIGKILL
# IPython's kernel sets some of them, as if a terminal were there; a task's output is a file.
_OF_TERMINALS = ("CLICOLOR_FORCE", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
_WORKER_RESTARTS = 10  # of each worker of a job with parameter servers


@exported("launch", v1=())
def launch(
    fn: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    workers: int = 2,
    ps: int = 0,
    chief: bool = False,
    evaluator: bool = False,
    devices_per_worker: int | None = None,
    max_restarts: int = 0,
    log_dir: PathLike | None = None,
) -> list[Any]:
    """Calls `fn(*args, **kwargs)` in new processes of this machine, the tasks of one job, and returns what each returned.

    It is `stratagem launch` for a function, from a notebook say. Each process finds its place in `TF_CONFIG`, so the
    function makes a `tf.distribute.MultiWorkerMirroredStrategy` as a script would. It is called anew in every process: the
    strategy, the model and the data are made inside of it. What the tasks print appears here, each line with its task's
    name. An interrupt (Ctrl-C, or *Interrupt* in Jupyter) ends all of them, and nothing that they started is left.

    Args:
        fn: the function. It may be defined in a notebook, with all that it uses; modules that it imports have to be
            importable here. Tensors, variables, layers and strategies of this process cannot go with it; numbers and NumPy
            arrays can.
        args: its positional arguments.
        kwargs: its keyword arguments.
        workers: how many tasks of the kind `worker`.
        ps: how many parameter servers.
        chief: whether there is a task `chief:0` beside the workers.
        evaluator: whether there is a task `evaluator:0`.
        devices_per_worker: GPUs of each worker, or virtual devices of the CPU. None divides the GPUs evenly, or leaves the
            CPU whole.
        max_restarts: how often all tasks are started again after a failure; `fn` then goes on from its last checkpoint.
        log_dir: a folder for the tasks' output. Without it, output is kept only after a failure.

    Returns:
        One result for each task, in the order chief, workers, servers, evaluator; None of a task that did not return, since
        it was ended when the others were done (as servers are).

    Raises:
        UnimplementedError: `log_dir` is not on this machine.
        TypeError: the function uses what cannot go to another process, or returned what cannot come back.
        PeerFailedError: a task was lost, or ended before the function returned.
        FailedPreconditionError: this process has taken the accelerators, so the tasks could not have them.
        ClusterError: there are fewer GPUs than were asked for.
        KeyboardInterrupt: it was interrupted; all tasks have ended.
        Exception: whatever `fn` raised in the task that failed first, with a note that names the task.
    """
    logs = None if log_dir is None else Path(local_path(log_dir))
    counts = TaskCounts(workers, ps, chief, evaluator)
    _refuse_taken_devices()
    visible = () if wants_cpu() else visible_gpus(os.environ)
    devices = dict(device_variables(counts, devices_per_worker, visible))
    with ExitStack() as stack:
        messages = stack.enter_context(FunctionMessages(fn, args, kwargs or {}, counts.own))

        def tasks() -> list[TaskStart]:
            messages.clear()
            return [
                _start(task, messages, devices.get(task.name, {}))
                for task in with_tf_config(counts, on_this_machine(counts))
            ]

        job = LaunchSpec(
            program=[sys.executable, "-P", str(FUNCTION_TASK)],
            tasks=tasks,
            teed=counts.own,
            restarts=max_restarts,
            wait=1.0,
            grace=_GRACE_SECONDS,
            logs=logs,
            alone=True,
            worker_restarts=_WORKER_RESTARTS if ps else 0,
        )
        # Python hands signals to the main thread; the end of this process ends the tasks in any case.
        main = threading.current_thread() is threading.main_thread()
        end = run(job, CellDisplay(), [signal.SIGINT] if main else [])
        return _results(end, messages)


def _refuse_taken_devices() -> None:
    if not wants_cpu() and backends_started() and (platform := jax.default_backend()) != "cpu":
        raise FailedPreconditionError(
            f"launch: this process has already computed on {platform.upper()} devices and holds their memory, so new processes "
            "cannot have them. Restart it (in a notebook: the kernel) and call launch before anything is computed here, or set "
            "JAX_PLATFORMS=cpu in the environment before, so that everything runs on CPUs."
        )


def _start(task: TaskStart, messages: FunctionMessages, devices: Mapping[str, str]) -> TaskStart:
    handles = messages.handles(task.name)
    # Unbuffered: a task's output has to be seen when it is printed, not in blocks of 8 kB.
    environment = {"PYTHONUNBUFFERED": "1", **task.environment, **devices}
    return replace(
        task,
        environment=environment,
        without=(*task.without, *_OF_TERMINALS),
        arguments=[str(handle) for handle in handles],
        handles=handles,
    )


def _results(end: JobEnd, messages: FunctionMessages) -> list[Any]:
    if end.signal is not None:
        raise KeyboardInterrupt
    if end.code:
        raise _failure(end, messages)
    return [_result(task, messages) for task in end.tasks]


def _result(task: TaskStatus, messages: FunctionMessages) -> Any:
    if task.ended is None or task.ended.asked:
        return None
    found = messages.result(task.name)
    if found is None:
        raise _lost(task.name, "ended with exit code 0 before the function returned", task.position)
    return found.value


def _failure(end: JobEnd, messages: FunctionMessages) -> BaseException:
    """The exception of the task that failed first."""
    report = end.report
    if report is None:
        return _lost(end.tasks[0].name, "and all others were ended, since the process that keeps them was lost", None)
    raised = messages.failure(report.task)
    if raised is not None:
        return _named(raised.error(report.task), report.task)
    task = next(task for task in end.tasks if task.name == report.task)
    return _lost(report.task, f"failed{report.how}", task.position, report)


def _named(error: BaseException, task: str) -> BaseException:
    if not any(note.startswith(task) for note in getattr(error, "__notes__", ())):
        error.add_note(f"{task} raised it.")
    return error


def _lost(task: str, how: str, position: Position | None, report: FailureReport | None = None) -> PeerFailedError:
    text = f"{task} {how}."
    if report is not None:
        lines = "".join(f"\n  {line}" for line in report.lines)
        text += f" The last lines of its output:{lines}\nAll output is in {report.folder}." if lines else ""
    step, phase = (0, "starting") if position is None else (position.step, str(position.phase))
    return PeerFailedError(text, task=task, step=step, phase=phase, waited=0.0)
