"""A scheduled function that raises: the error arrives once, and nothing is counted that was cancelled."""

from typing import Any

import pytest

import stratagem as tf
from tests.servers.coordinator.functions import WORKERS, Gate, bad, counter, good, waiting


def test_an_error_is_raised_once_and_the_rest_is_cancelled(coordinator: Any) -> None:
    gate = Gate()
    slow = waiting(gate)
    before = [coordinator.schedule(slow) for _ in range(WORKERS - 1)]
    failed = coordinator.schedule(bad)
    after = [coordinator.schedule(slow) for _ in range(6)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="the function failed"):
        failed.fetch()
    gate.open.set()
    with pytest.raises(tf.errors.InvalidArgumentError, match="the function failed"):
        coordinator.join()
    coordinator.join()
    assert coordinator.done()
    with pytest.raises(tf.errors.InvalidArgumentError, match="the function failed"):
        failed.get()
    for value in after:
        with pytest.raises(tf.errors.CancelledError, match="the function failed"):
            value.fetch()
    assert coordinator.fetch(before) == [1.0] * len(before)
    assert coordinator.schedule(good).fetch() == 4


@pytest.mark.parametrize("how", ["schedule", "join", "done"])
def test_whoever_asks_next_gets_the_error(coordinator: Any, how: str) -> None:
    failed = coordinator.schedule(bad)
    with pytest.raises(tf.errors.InvalidArgumentError):
        failed.fetch()  # this tells of the error, and leaves it for the coordinator to raise
    with pytest.raises(tf.errors.InvalidArgumentError):
        coordinator.schedule(good) if how == "schedule" else getattr(coordinator, how)()
    assert coordinator.schedule(good).fetch() == 4
    coordinator.join()


def test_of_many_errors_one_is_raised_each_time(coordinator: Any) -> None:
    def schedule() -> None:
        for _ in range(50):
            coordinator.schedule(bad)
        coordinator.join()

    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            schedule()
    assert coordinator.schedule(good).fetch() == 4
    coordinator.join()


def test_an_error_while_a_function_is_traced_is_the_users_own(coordinator: Any) -> None:
    @tf.function
    def wrong() -> Any:
        raise KeyError("my own error")

    coordinator.schedule(wrong)
    with pytest.raises(KeyError, match="my own error"):
        coordinator.join()


def test_a_sum_is_exact_whatever_fails_beside_it(coordinator: Any, strategy: Any) -> None:
    v = counter(strategy, "int32")

    @tf.function
    def add() -> Any:
        v.assign_add(1)
        return v + 0

    values = []

    def schedule() -> None:
        for i in range(40):
            values.append(coordinator.schedule(add))
            if i == 20:
                coordinator.schedule(bad)
        coordinator.join()

    with pytest.raises(tf.errors.InvalidArgumentError):
        schedule()
    applied = 0
    for value in values:
        try:
            value.fetch()
        except tf.errors.CancelledError:
            continue
        applied += 1
    assert int(v.numpy()) == applied >= 1
