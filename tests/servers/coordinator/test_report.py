"""The report says where the time of a job went, how stale its updates were, and what to change."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._servers.coordinator import Report, WorkerTimes
from stratagem._servers.remote import ServerStatistics, TimeCategory, VariableServer
from tests.servers.coordinator.functions import WORKERS
from tests.servers.remote.serving import serving

WAIT = 0.15  # seconds, much longer than a step of these tests takes


class Training:
    """A dense layer, and data that takes `seconds` an element."""

    def __init__(self, strategy: Any, coordinator: Any, seconds: float = 0.0) -> None:
        self.coordinator, self._seconds = coordinator, seconds
        with strategy.scope():
            model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
            optimizer = tf.keras.optimizers.SGD(0.01)
            optimizer.build(model.trainable_variables)

        @tf.function
        def step(iterator: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(model(next(iterator)) ** 2)
            optimizer.apply_gradients(
                zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
            )
            return loss

        self._step = step
        self._iterator = iter(coordinator.create_per_worker_dataset(self._data))
        self.run(2 * WORKERS)  # compiles

    def _data(self) -> Any:
        def rows() -> Iterator[Any]:
            while True:
                time.sleep(self._seconds)
                yield np.ones((3, 4), "float32")

        return tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec((3, 4), tf.float32))

    def run(self, steps: int, pause: float = 0.0) -> Report:
        """What the job reports of these steps, with a pause before each."""
        before = self.coordinator.report()
        for _ in range(steps):
            time.sleep(pause)
            self.coordinator.schedule(self._step, args=(self._iterator,))
        self.coordinator.join()
        return self.coordinator.report() - before


def largest(report: Report) -> TimeCategory:
    return max(report.shares, key=report.shares.__getitem__)


def test_steps_functions_and_pushes_are_counted(strategy: Any, coordinator: Any) -> None:
    report = Training(strategy, coordinator).run(30)
    assert report.steps == 30
    assert sum(worker.functions for worker in report.workers) == 30
    assert [server.pushes for server in report.servers] == [30, 30]
    assert sum(server.received for server in report.servers) >= 30 * 4 * (4 * 2 + 2)
    assert sum(server.sent for server in report.servers) >= 30 * 4 * (4 * 2 + 2)
    assert sum(report.shares.values()) == pytest.approx(1)


def test_slow_data_is_seen(strategy: Any, coordinator: Any) -> None:
    report = Training(strategy, coordinator, seconds=WAIT).run(24)
    assert largest(report) is TimeCategory.INPUT
    assert "prefetch" in " ".join(report.advice)


def test_slow_servers_are_seen(strategy: Any, coordinator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    training, push = Training(strategy, coordinator), VariableServer._check

    def slow(self: Any, *args: Any) -> Any:
        time.sleep(WAIT / 2)
        return push(self, *args)

    # Within the time that it says it was busy.
    monkeypatch.setattr(VariableServer, "_check", slow)
    report = training.run(24)
    assert largest(report) is TimeCategory.SERVERS
    assert "servers" in " ".join(report.advice)


def test_a_slow_program_on_the_coordinator_is_seen(strategy: Any, coordinator: Any) -> None:
    report = Training(strategy, coordinator).run(24, pause=WAIT)
    assert largest(report) is TimeCategory.WAITING
    assert "Schedule more functions" in " ".join(report.advice)


def test_the_time_before_a_report_is_not_that_between_it_and_the_next(strategy: Any, coordinator: Any) -> None:
    """Workers had nothing to do then, which is counted when they have again."""
    training = Training(strategy, coordinator)
    time.sleep(5 * WAIT)
    began = time.monotonic()
    report = training.run(24)
    assert report.seconds <= time.monotonic() - began + WAIT


def test_updates_of_others_between_a_read_and_a_push_are_its_staleness(
    strategy: Any, coordinator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = Training(strategy, coordinator)
    from_one_to_the_next, read = iter(range(10**6)), VariableServer.read

    def slow_at_times(self: Any, keys: Any) -> Any:
        found = read(self, keys)
        time.sleep(WAIT if next(from_one_to_the_next) % 7 == 0 else 0)
        return found

    # So that others push meanwhile.
    monkeypatch.setattr(VariableServer, "read", slow_at_times)
    assert training.run(60).staleness > 0


def test_one_worker_alone_is_never_stale() -> None:
    strategy = serving(servers=2, workers=1)
    report = Training(strategy, tf.distribute.experimental.coordinator.ClusterCoordinator(strategy)).run(20)
    assert report.steps == 20
    assert report.staleness == 0


def test_it_can_be_read(strategy: Any, coordinator: Any) -> None:
    text = str(Training(strategy, coordinator).run(24))
    lines = text.splitlines()
    assert lines[0].startswith("24 steps of 3 workers in ")
    assert lines[1].split()[:3] == ["steps", "compute", "servers"]
    assert [line.split()[0] for line in lines[2:5]] == ["worker:0", "worker:1", "worker:2"]
    assert [line.split()[0] for line in lines[6:8]] == ["ps:0", "ps:1"]


def test_a_job_that_has_done_nothing_says_so(strategy: Any) -> None:
    new = type(strategy)(strategy.cluster_resolver)
    report = tf.distribute.experimental.coordinator.ClusterCoordinator(new).report()
    assert str(report) == "0 steps of 3 workers in 0.0 s: 0.0 a second"
    assert report.advice == ()


# --- What it says -----------------------------------------------------------------------------------------------------------


def times(index: int = 0, steps: int = 100, **seconds: float) -> WorkerTimes:
    return WorkerTimes(index, steps, steps, {part: seconds.get(part.name.lower(), 0.0) for part in TimeCategory})


def traffic(busy: float = 0.0, stale: int = 0, pushes: int = 100) -> ServerStatistics:
    return ServerStatistics(pushes, 0, stale, busy, 0, 0, 0)


@pytest.mark.parametrize(
    ("workers", "servers", "reading", "words"),
    [
        ([times(compute=9, servers=1)], [traffic()], 0, "compute nearly all the time"),
        ([times(compute=4, servers=6)], [traffic(1), traffic(1)], 0, "larger batches"),
        ([times(compute=4, servers=6)], [traffic(9), traffic(1)], 0, "variable_partitioner"),
        ([times(compute=4, servers=6)], [traffic(9), traffic(9)], 0, "add servers"),
        ([times(compute=4, input=6)], [traffic()], 0, "num_parallel_calls"),
        ([times(compute=4, waiting=6)], [traffic()], 0, "Schedule more functions"),
        ([times(compute=4, absent=6)], [traffic()], 0, "60% of the workers' time is lost with workers that had ended."),
        ([times(compute=4, waiting=6)], [traffic()], 8, "The coordinator reads data 80%"),
        ([times(compute=4, handing_out=6)], [traffic()], 0, "A function takes 1.0 steps"),
        ([times(compute=4, compiling=6)], [traffic()], 0, "pass tensors"),
        ([times(0, compute=5), times(1, compute=5), times(2, compute=10)], [traffic()], 0, "worker:2 needs 2.0 times"),
        ([times(compute=6, servers=2, input=2)], [traffic(stale=500)], 0, "5.0 others have changed"),
    ],
)
def test_the_largest_cause_is_named_with_what_to_change(workers: Any, servers: Any, reading: float, words: str) -> None:
    advice = Report(tuple(workers), tuple(servers), reading).advice
    assert words in advice[0]
    assert sum(words in text for text in str(Report(tuple(workers), tuple(servers), reading)).splitlines()) == 1


def test_a_worker_that_is_slow_but_mostly_waits_does_not_matter() -> None:
    waits = [times(i, compute=1 + 9 * (i == 2), waiting=90) for i in range(3)]
    (advice,) = Report(tuple(waits), (traffic(),), 0.0).advice
    assert "Schedule more functions" in advice


def test_a_job_without_a_bottleneck_gets_no_advice() -> None:
    balanced = times(compute=6, servers=2, input=2)
    assert Report((balanced, balanced), (traffic(busy=1), traffic(busy=1)), 0.0).advice == ()


def test_few_steps_say_nothing() -> None:
    assert Report((times(steps=3, servers=5),), (traffic(),), 0.0).advice == ()


def test_two_reports_differ_by_what_was_between() -> None:
    first = Report((times(steps=4, compute=1, input=2),), (traffic(busy=1, stale=3, pushes=4),), 0.5)
    second = Report((times(steps=9, compute=2, input=2),), (traffic(busy=3, stale=8, pushes=9),), 0.75)
    between = second - first
    assert (between.steps, between.seconds, between.reading) == (5, 1.0, 0.25)
    assert between.servers == (traffic(busy=2, stale=5, pushes=5),)
    assert between.staleness == 1
