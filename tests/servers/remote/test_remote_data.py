"""Iterators that workers in other processes have: what a scheduled function draws, it draws as in one process."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._core.context import entered
from stratagem._core.step import call_many
from tests.servers.remote.remote_tasks import remote_job


@pytest.fixture
def coordinator(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Of a job with one worker."""
    with remote_job(monkeypatch, servers=2, workers=1) as coordinator:
        yield coordinator


def total(coordinator: Any) -> Any:
    """A zero on a server."""
    with coordinator.strategy.scope():
        return tf.Variable(0.0, dtype="float64")


def iterator_of(coordinator: Any, batches: list[list[float]]) -> Any:
    """One that has these batches."""

    def dataset_fn() -> Any:
        return tf.data.Dataset.from_generator(lambda: iter(map(np.array, batches)), output_signature=SPEC)

    return iter(coordinator.create_per_worker_dataset(dataset_fn))


SPEC = tf.TensorSpec((None,), tf.float64)
GOOD, BAD = [1.0, 2.0], [1.0, float("nan")]


def test_a_batch_that_makes_a_step_fail_is_drawn_once(coordinator: Any) -> None:
    v, iterator = total(coordinator), iterator_of(coordinator, [GOOD, BAD, BAD, GOOD, GOOD])
    with coordinator.strategy.scope():
        optimizer = tf.keras.optimizers.SGD(-1.0)

    @tf.function
    def step(iterator: Any) -> Any:
        batch = next(iterator)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * batch)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        return batch

    outcomes = []
    for _ in range(6):
        value = coordinator.schedule(step, args=(iterator,))
        try:
            coordinator.join()
            outcomes.append(float(value.fetch()[1]))
        except (tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError) as error:
            outcomes.append(type(error))
    bad = tf.errors.InvalidArgumentError
    assert outcomes == [2.0, bad, bad, 2.0, 2.0, tf.errors.OutOfRangeError]
    assert float(v.numpy()) == 9.0


def test_batches_of_other_shapes_count_in_functions_that_run_in_python(coordinator: Any) -> None:
    """Whose steps are numbered by their pushes: none may be taken twice, or seem to be."""
    v, iterator = total(coordinator), iterator_of(coordinator, [GOOD, GOOD, GOOD, [4.0], [5.0, 6.0, 7.0], [8.0]])

    @tf.function
    def add(iterator: Any) -> Any:
        found = tf.reduce_sum(next(iterator))
        v.assign_add(found)
        return found

    begun = []

    @tf.function
    def twice(iterator: Any) -> list[float]:
        begun.append(True)
        return [float(add(iterator).numpy()) for _ in range(2)]

    values = [coordinator.schedule(twice, args=(iterator,)) for _ in range(3)]
    coordinator.join()
    assert coordinator.fetch(values) == [[3.0, 3.0], [3.0, 4.0], [18.0, 8.0]]
    assert float(v.numpy()) == 39.0
    assert len(begun) <= 1 + len(values)  # once to trace it


def test_many_functions_given_together_may_begin_with_another_shape(coordinator: Any) -> None:
    v, iterator = total(coordinator), iterator_of(coordinator, [GOOD, [4.0], *[GOOD] * 40])

    @tf.function
    def add(iterator: Any) -> Any:
        found = tf.reduce_sum(next(iterator))
        v.assign_add(found)
        return found

    values = [coordinator.schedule(add, args=(iterator,)) for _ in range(42)]
    coordinator.join()
    assert coordinator.fetch(values) == [3.0, 4.0, *[3.0] * 40]
    assert float(v.numpy()) == 127.0


def test_steps_that_were_taken_have_their_results_if_the_next_one_waits_for_a_program_and_then_fails(
    coordinator: Any,
) -> None:
    with coordinator.strategy.scope():
        table, optimizer = tf.Variable(np.zeros((16, 1))), tf.keras.optimizers.SGD(-1.0)
    one_row, all_rows = [0.0] * 16, [*map(float, range(16))]
    rows_of = {1.0: one_row, 2.0: one_row, 3.0: one_row, float("nan"): all_rows, 4.0: all_rows}
    iterator = iterator_of(coordinator, [[amount, *rows] for amount, rows in rows_of.items()])

    @tf.function
    def step(iterator: Any) -> Any:
        batch = next(iterator)
        with tf.GradientTape() as tape:
            rows = tf.nn.embedding_lookup(table, tf.cast(batch[1:], tf.int32))
            loss = tf.reduce_sum(rows) * batch[0]
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])
        return batch[0]

    worker = coordinator.strategy.tasks[0]

    def taken(closures: list[int]) -> list[float]:
        found: list[float] = []
        with entered(worker=worker), coordinator.strategy.scope():
            worker.begin(closures, closures[0], coordinator._name)
            for value in call_many(step, (iterator.of(0),), {}, len(closures)):
                found.append(float(value))
                if len(found) < len(closures):
                    worker.begin(closures[len(found) :], closures[0], coordinator._name)
                    if len(found) == 2:  # the next one has other numbers of rows, for which there is no program yet
                        return found
        return found

    assert taken([0]) == [1.0]
    assert taken([1, 2, 3]) == [2.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
        taken([3])
    assert taken([4]) == [4.0]
    assert table.numpy().tolist() == [[16 * (1 + 2 + 3) + 4], *[[4]] * 15]


def test_a_batch_that_cannot_be_traced_is_drawn_once(coordinator: Any) -> None:
    v, iterator = total(coordinator), iterator_of(coordinator, [GOOD, [4.0], [4.0], GOOD])

    @tf.function
    def add(iterator: Any) -> Any:
        batch = next(iterator)
        if batch.shape[0] == 1:
            raise ValueError("too short")
        v.assign_add(tf.reduce_sum(batch))

    failed = 0
    for _ in range(4):
        coordinator.schedule(add, args=(iterator,))
        try:
            coordinator.join()
        except ValueError:
            failed += 1
    assert failed == 2
    assert float(v.numpy()) == 6.0


@pytest.mark.usefixtures("always")
def test_a_step_that_begins_again_sees_all_that_it_has_to(coordinator: Any) -> None:
    """What an older push brought, which its first try must not use, its second must not use either."""
    v = total(coordinator)
    first, second = (iterator_of(coordinator, batches) for batches in ([GOOD, [4.0]], [[4.0]]))

    @tf.function
    def add(iterator: Any) -> Any:
        v.assign_add(tf.reduce_sum(next(iterator)))
        return v.read_value()

    assert coordinator.schedule(add, args=(first,)).fetch() == 3.0
    assert coordinator.schedule(add, args=(second,)).fetch() == 7.0  # which brings values for steps of this shape
    v.assign(100.0)
    assert coordinator.schedule(add, args=(first,)).fetch() == 104.0  # taken for one of the other shape at first
