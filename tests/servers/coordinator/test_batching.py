"""How many functions a worker takes together, and whom it waits for. Time is the test's own."""

import threading
import time

import pytest

# Private: the time of functions is the test's own.
from stratagem._servers.coordinator._batching_policy import BatchingPolicy, SoftFairLock

SHORT, LONG = 1e-4, 1.0  # seconds of a function


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    return now


def run(policy: BatchingPolicy, clock: list[float], seconds: float) -> None:
    with policy.running(1):
        clock[0] += seconds


def test_short_functions_are_taken_together(clock: list[float]) -> None:
    for policy in (BatchingPolicy(SoftFairLock()), BatchingPolicy(None)):
        assert policy.max_closures == 1
        run(policy, clock, SHORT)
        assert policy.max_closures == 16


def test_a_worker_elsewhere_is_given_what_it_runs_in_a_moment(clock: list[float]) -> None:
    policy = BatchingPolicy(None)
    for seconds, most in ((0.01, 5), (LONG, 1), (0.0, 16)):
        run(policy, clock, seconds)
        assert policy.max_closures == most


def test_long_functions_take_no_turns_until_the_worker_looks_again(clock: list[float]) -> None:
    turns = SoftFairLock()
    policy = BatchingPolicy(turns)
    run(policy, clock, LONG)
    for _ in range(32):
        assert policy.max_closures == 1
        with policy.running(1):
            assert not turns._current.locked()
    with policy.running(1):
        assert turns._current.locked()
    assert policy.max_closures == 16


def test_of_workers_with_short_functions_one_runs_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    # Private: a machine may be so busy that short functions are long.
    monkeypatch.setattr("stratagem._servers.coordinator._batching_policy._PATIENCE", 60.0)
    # Private: as above.
    monkeypatch.setattr("stratagem._servers.coordinator._batching_policy._SHORT", 60.0)
    turns, within, most = SoftFairLock(), [0], [0]

    def work() -> None:
        policy = BatchingPolicy(turns)
        for _ in range(20):
            with policy.running(1):
                within[0] += 1
                time.sleep(0.001)
                most[0] = max(most[0], within[0])
                within[0] -= 1

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert most == [1]


def test_nobody_waits_for_long_for_a_function_that_waits_for_somebody() -> None:
    turns, met = SoftFairLock(), threading.Barrier(3, timeout=120)

    def work() -> None:
        with BatchingPolicy(turns).running(1):
            met.wait()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    met.wait()
    for worker in workers:
        worker.join()


def test_a_function_that_raises_ends_its_turn(clock: list[float]) -> None:
    turns = SoftFairLock()
    with pytest.raises(KeyError), BatchingPolicy(turns).running(1):
        raise KeyError
    assert not turns._current.locked()
