"""A push brings the values for the next step, but never older ones than the program may expect."""

import random
from collections import Counter, deque
from typing import Any

import pytest

import stratagem as tf
from stratagem._servers.remote import LocalActor

# Private: histories of a worker that come about by chance in a job.
from stratagem._servers.remote._prefetch import PrefetchedValues, StalenessCheck
from tests.servers.coordinator.functions import Gate
from tests.servers.remote.serving import serving


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Of servers' methods."""
    counted: Counter[str] = Counter()
    call = LocalActor.call

    def counting(self: LocalActor, method: str, *args: Any) -> Any:
        counted[method] += 1
        return call(self, method, *args)

    # How often a server is asked shows in no result.
    monkeypatch.setattr(LocalActor, "call", counting)
    return counted


class Doubling:
    """A step that needs what the one before has left: v becomes 2 v + 1."""

    def __init__(self, workers: int) -> None:
        self.strategy = serving(servers=1, workers=workers)
        self.coordinator = tf.distribute.experimental.coordinator.ClusterCoordinator(self.strategy)
        with self.strategy.scope():
            self.v = tf.Variable(0.0, dtype="float64")

        @tf.function
        def step() -> Any:
            self.v.assign_add(self.v + 1)
            return self.v.read_value()

        self.step = step

    def run(self, times: int) -> list[float]:
        values = [self.coordinator.schedule(self.step) for _ in range(times)]
        self.coordinator.join()
        return [float(value.fetch()) for value in values]


def test_steps_that_follow_each_other_read_once(calls: Counter[str]) -> None:
    job = Doubling(workers=1)
    gate = Gate()
    job.coordinator.schedule(tf.function(lambda: tf.numpy_function(gate.wait, [0.0], tf.float32)))
    gate.entered.acquire()  # so all others wait behind it
    values = [job.coordinator.schedule(job.step) for _ in range(30)]
    gate.open.set()
    job.coordinator.join()
    assert [float(value.fetch()) for value in values] == [2.0**n - 1 for n in range(1, 31)]
    assert calls["push_and_read"] == 29  # behind the last one nothing waits
    assert calls["read"] == 1


@pytest.mark.usefixtures("always")
def test_a_value_that_the_program_has_set_is_seen() -> None:
    job = Doubling(workers=1)
    for start in (0.0, 10.0, -3.0):
        job.run(3)
        job.v.assign(start)
        assert job.run(1) == [2 * start + 1]
        job.v.assign_add(1.0)
        assert job.run(1) == [2 * (2 * start + 2) + 1]


@pytest.mark.usefixtures("always")
def test_what_other_workers_did_before_a_join_is_seen_after_it() -> None:
    """Plain sums: each of these steps adds 1 to what it reads at the most recent join, or to something newer."""
    job = Doubling(workers=3)
    value = 0.0
    for times in (1, 5, 3, 7):
        for found in job.run(times):
            assert found >= 2 * value + 1
        value = float(job.v.numpy())


@pytest.mark.usefixtures("always")
def test_a_step_sees_what_its_own_function_assigned_before() -> None:
    job = Doubling(workers=1)

    @tf.function
    def several() -> Any:
        if float(job.step()) > -1:  # a decision in Python: each step is a program of its own
            job.v.assign(100.0)
            return job.step()
        return None

    values = [job.coordinator.schedule(several) for _ in range(3)]
    job.coordinator.join()
    assert [float(value.fetch()) for value in values] == [201.0] * 3


def test_what_was_brought_is_used_once_and_by_the_same_plan_only() -> None:
    prefetched, plan, other = PrefetchedValues(), object(), object()
    prefetched.store(plan, {0: (1, ["v"])})
    assert prefetched.take(other) == {}
    assert prefetched.take(plan) == {}
    prefetched.store(plan, {0: (1, ["v"])})
    assert prefetched.take(plan) == {0: (1, ["v"])}
    assert prefetched.take(plan) == {}


@pytest.mark.parametrize("seed", range(30))
def test_nothing_that_was_done_before_a_function_was_scheduled_is_ever_missed(seed: int) -> None:
    """Any history of a worker: a step sees what its last one brought, or what there is now."""
    draw, fresh, made, brought = random.Random(seed), StalenessCheck(), 0, -1
    scheduled, used = deque([0]), []
    for _ in range(200):
        match draw.choice(["change", "schedule", "run"]):
            case "change":
                made += 1
            case "schedule":
                scheduled.append(made)
            case "run" if scheduled:
                needed = scheduled.popleft()
                fresh.require(needed)
                used.append(fresh.begin_step(made))
                assert (brought if used[-1] else made) >= needed
                brought = made
    assert {True, False} == set(used)
