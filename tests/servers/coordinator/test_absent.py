"""Workers that are lost and stay away: for how long they are waited for, and what happens then."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from stratagem._core.context import current
from stratagem._servers.remote import TimeCategory, Worker
from tests.servers.coordinator.functions import Coordinator
from tests.servers.remote.serving import serving
from tests.tf1.estimator.clusters import chief_of, model_fn, rows

tf1 = tf.compat.v1


class Fates:
    """Which workers are lost when they are given something to do. They are back when they are taken out of here."""

    def __init__(self) -> None:
        self.lost: set[int] = set()
        self.back = threading.Event()

    def befall(self, worker: Any, *args: Any, **kwargs: Any) -> None:
        if worker.index in self.lost:
            raise tf.errors.TaskLostError(f"worker:{worker.index}", "its process was killed")

    def rejoin(self, worker: Any, seconds: float) -> None:
        self.back.wait(seconds)
        if worker.index in self.lost:
            raise tf.errors.UnavailableError(None, None, f"worker:{worker.index} did not join within {seconds:g} s.")


@pytest.fixture
def fates(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fates]:
    """What happens to workers of this process, which by themselves cannot be lost. They have a moment to come back."""
    fates = Fates()
    begin: Callable[..., Any] = Worker.begin

    def begin_or_fall(worker: Any, *args: Any, **kwargs: Any) -> None:
        if current().worker is worker:
            fates.befall(worker)
        begin(worker, *args, **kwargs)

    # A worker of this process is lost with it: what a lost one of another process raises is raised for it.
    monkeypatch.setattr(Worker, "begin", begin_or_fall)
    monkeypatch.setattr(Worker, "rejoin", lambda worker, seconds: fates.rejoin(worker, seconds), raising=False)
    monkeypatch.setenv("STRATAGEM_REJOIN_SECONDS", "0.5")
    yield fates
    fates.lost.clear()
    fates.back.set()


@tf.function
def one() -> Any:
    """One."""
    return tf.constant(1.0)


def test_others_do_what_an_absent_worker_had_and_it_is_used_again_when_it_comes(fates: Fates) -> None:
    coordinator = Coordinator(serving(1, 2))
    fates.lost = {1}
    values = [coordinator.schedule(one) for _ in range(20)]
    coordinator.join()
    assert coordinator.fetch(values) == [1.0] * 20
    while coordinator.absent != {1}:
        coordinator.schedule(one).fetch()
    fates.lost.clear()
    before = coordinator.report().workers[1]
    while coordinator.absent:
        coordinator.schedule(one).fetch()
    coordinator.join()
    after = coordinator.report().workers[1]
    assert after.seconds[TimeCategory.ABSENT] >= 0.5  # the shortest time until it is given up
    assert after.seconds[TimeCategory.WAITING] < 0.5
    assert (after - before).total < after.total


def test_without_any_worker_the_job_ends(fates: Fates) -> None:
    coordinator = Coordinator(serving(1, 2))
    fates.lost = {0, 1}
    values = [coordinator.schedule(one) for _ in range(3)]
    with pytest.raises(tf.errors.UnavailableError, match=r"no worker any more.*worker:\d did not join within 0.5 s"):
        coordinator.join()
    for value in values:
        with pytest.raises((tf.errors.UnavailableError, tf.errors.CancelledError), match="no worker any more"):
            value.fetch()
    with pytest.raises(tf.errors.UnavailableError, match="no worker any more"):
        coordinator.schedule(one)


def test_a_worker_is_looked_for_again_whatever_has_happened(fates: Fates, monkeypatch: pytest.MonkeyPatch) -> None:
    coordinator, tries = Coordinator(serving(1, 2)), []

    def rejoin(worker: Any, seconds: float) -> None:
        tries.append(seconds)
        if len(tries) == 1:
            raise OSError("Ray has failed in some new way")
        fates.lost.clear()

    monkeypatch.setattr(Worker, "rejoin", rejoin, raising=False)
    fates.lost = {1}
    while fates.lost or coordinator.absent:
        coordinator.schedule(one).fetch()
    assert len(tries) == 2


def test_the_last_worker_whatever_has_happened_is_not_waited_for(fates: Fates, monkeypatch: pytest.MonkeyPatch) -> None:
    def rejoin(worker: Any, seconds: float) -> None:
        raise OSError("Ray has failed in some new way")

    monkeypatch.setattr(Worker, "rejoin", rejoin, raising=False)
    coordinator = Coordinator(serving(1, 1))
    fates.lost = {0}
    coordinator.schedule(one)
    with pytest.raises(tf.errors.UnavailableError, match=r"no worker any more.*Ray has failed in some new way"):
        coordinator.join()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_workers_thread_that_fails_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    coordinator, failed = Coordinator(serving(1, 1)), []
    run: Callable[..., Any] = coordinator._run

    def run_or_fail(*args: Any) -> None:
        if not failed:
            failed.append(threading.current_thread())
            raise RuntimeError("a mistake of this library's")
        run(*args)

    # The mistake: no function of the user's ends a thread.
    monkeypatch.setattr(coordinator, "_run", run_or_fail)
    coordinator.schedule(one)
    while not failed:
        time.sleep(0.01)
    failed[0].join()
    assert coordinator.schedule(one).fetch() == 1.0


def test_an_estimator_without_max_steps_ends_without_the_data_of_an_absent_worker(
    fates: Fates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fates.lost = {1}
    with chief_of(monkeypatch, 2):
        estimator = tf1.estimator.Estimator(model_fn, tmp_path)
        specs = tf1.estimator.TrainSpec(rows(4)), tf1.estimator.EvalSpec(rows())
        tf1.estimator.train_and_evaluate(estimator, *specs)
    assert estimator.get_variable_value("global_step") == 12
