"""`tf.launch` calls a function in processes of its own, and gives back what each returned or what went wrong."""

import linecache
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import psutil
import pytest

import stratagem as tf

CELL = """
class Found:
    def __init__(self, rank, total):
        self.rank, self.total = rank, total

def train(rows):
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    rank = strategy.cluster_resolver.task_id

    @tf.function
    def limited(x):
        if x > 3.0:  # AutoGraph needs the source of this cell
            return tf.constant(3.0)
        return x

    print("rank", rank, "computes")
    own = strategy.experimental_distribute_values_from_function(lambda context: rows[context.replica_id_in_sync_group])
    return Found(rank, float(strategy.reduce("SUM", strategy.run(limited, (own,)), axis=None) * scale))
"""


@pytest.fixture
def cell() -> Any:
    """The names of a notebook's cell that has run, in which functions have no file."""
    name = "/tmp/ipykernel_1/1.py"
    linecache.cache[name] = (len(CELL), None, CELL.splitlines(keepends=True), name)
    names: dict[str, Any] = {"tf": tf, "scale": 2.0, "__name__": "__main__"}
    exec(compile(CELL, name, "exec"), names)
    yield names
    del linecache.cache[name]


def test_a_function_of_a_notebook_trains_on_workers(cell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = tf.launch(cell["train"], [np.array([1.0, 4.0], "float32")], devices_per_worker=1)
    assert [(type(one) is cell["Found"], one.rank, one.total) for one in found] == [(True, 0, 8.0), (True, 1, 8.0)]
    shown = capsys.readouterr()
    assert "[worker:0] rank 0 computes\n" in shown.out
    assert "[worker:1] rank 1 computes\n" in shown.out
    assert "unconverted" not in shown.out
    assert "launch: 2 tasks are done" in shown.err


def as_if_in_a_program(function: Callable[..., Any]) -> FunctionType:
    """The function of a program that is not imported anywhere: it is sent whole, and needs no module of the tests."""
    assert isinstance(function, FunctionType)
    function.__module__ = "__main__"
    return function


class MissingPartsError(Exception):
    """An exception of a user's."""


MissingPartsError.__module__ = "__main__"


@as_if_in_a_program
def tell(what: str, times: int = 1) -> Any:
    """Does what is asked on worker 1, the first time that the job is started; on worker 0 it waits for that."""
    import json
    import os
    import signal
    import threading

    task = json.loads(os.environ["TF_CONFIG"])["task"]
    if (task["index"], os.environ["STRATAGEM_RESTARTS"]) == (1, "0"):
        if what == "raise":
            raise MissingPartsError("wheels")
        if what == "die":
            print("before the end")
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "leave":
            os._exit(0)
        if what == "terminal":
            return sorted({"FORCE_COLOR", "CLICOLOR_FORCE"} & {*os.environ})
        if what == "lock":
            return threading.Lock()
    return what, task["index"] * times


def test_the_exception_of_a_task_arrives_with_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MissingPartsError, match="wheels") as caught:
        tf.launch(tell, ("raise",), log_dir=tmp_path)
    (note,) = caught.value.__notes__
    assert note.startswith("worker:1 raised it:\nTraceback")
    assert "in tell" in note
    assert "_function_call" not in note
    assert "launch: worker:1 failed first: exit code 1" in capsys.readouterr().err


def test_a_task_that_does_not_return_is_named(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.PeerFailedError, match=r"worker:1 failed: SIGKILL(?s:.*)before the end") as caught:
        tf.launch(tell, ("die",), log_dir=tmp_path)
    assert (caught.value.task, caught.value.step) == ("worker:1", 0)
    with pytest.raises(tf.errors.PeerFailedError, match="worker:1 ended with exit code 0 before the function returned"):
        tf.launch(tell, ("leave",), log_dir=tmp_path)
    with pytest.raises(TypeError, match=r"what the function returned, a lock, cannot be sent") as refused:
        tf.launch(tell, ("lock",), log_dir=tmp_path)
    assert refused.value.__notes__[0].startswith("worker:1 raised it")


def test_all_tasks_are_started_again_after_a_failure(tmp_path: Path) -> None:
    found = tf.launch(tell, ("raise",), {"times": 7}, workers=3, max_restarts=1, log_dir=tmp_path)
    assert found == [("raise", 0), ("raise", 7), ("raise", 14)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["attempt-0", "attempt-1"]
    assert "MissingPartsError: wheels" in (tmp_path / "attempt-0" / "worker-1.log").read_text()


def test_tasks_do_not_take_a_kernels_word_that_there_is_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    assert tf.launch(tell, ("terminal",)) == [("terminal", 0), []]


@as_if_in_a_program
def wait_with_a_child() -> None:
    """Waits for ever, and so does a process that it has started."""
    import subprocess
    import time

    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    print("waits", flush=True)
    time.sleep(1000)


def test_an_interrupt_ends_all_tasks_and_leaves_no_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {*psutil.Process().children(recursive=True)}
    threads = threading.Thread(target=_interrupt_when, args=(4, before))
    threads.start()
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        tf.launch(wait_with_a_child, log_dir=tmp_path)
    threads.join()
    assert {*psutil.Process().children(recursive=True)} == before
    assert signal.getsignal(signal.SIGINT) is handler
    assert "ended by SIGINT" in capsys.readouterr().err


def _interrupt_when(sleeping: int, before: set[psutil.Process]) -> None:
    """Interrupts the main thread once there are so many further processes that wait: two tasks and what they have started."""
    end = time.monotonic() + 60

    def waiting() -> list[str]:
        new = {*psutil.Process().children(recursive=True)} - before
        return [name for process in new if (name := " ".join(process.cmdline())) and "_keeper" not in name]

    while len(waiting()) < sleeping:
        assert time.monotonic() < end, waiting()
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)


def test_it_runs_in_threads_too() -> None:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(tf.launch(tell, ("nothing",), workers=1)))
    thread.start()
    thread.join()
    assert found == [("nothing", 0)]


def test_what_is_of_this_process_is_refused_by_name() -> None:
    learned = tf.Variable(1.0)
    layer = tf.keras.layers.Dense(1)
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    with pytest.raises(
        TypeError, match=r"<lambda> cannot be sent to other processes: it uses 'learned', a variable of"
    ):
        tf.launch(lambda: learned)
    with pytest.raises(TypeError, match="it uses 'layer', a layer or model of this process"):
        tf.launch(lambda: layer)
    with pytest.raises(TypeError, match="it uses 'strategy', a strategy of this process"):
        tf.launch(lambda: strategy)
    with pytest.raises(TypeError, match="it uses a tensor of this process"):
        tf.launch(tell, (tf.constant(1.0),))
    lock = threading.Lock()
    with pytest.raises(TypeError, match=r"cannot pickle '_thread.lock' object(?s:.*)Make what it computes with inside"):
        tf.launch(lambda: lock)


def test_accelerators_that_this_process_has_taken_are_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "")
    monkeypatch.setattr("jax.default_backend", lambda: "gpu")
    float(tf.constant(1.0))
    with pytest.raises(tf.errors.FailedPreconditionError, match="already computed on GPU devices"):
        tf.launch(tell, ("nothing",))
