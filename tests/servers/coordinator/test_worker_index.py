"""A dataset function and a scheduled function know which worker runs them; other code is told that none does."""

from typing import Any

import pytest

import stratagem as tf
from tests.servers.coordinator.functions import WORKERS, draw

index_here = tf.distribute.coordinator.experimental_get_current_worker_index


@pytest.mark.parametrize("wraps", [lambda make: make, tf.function], ids=["function", "tf.function"])
def test_every_workers_data_set_knows_its_index(coordinator: Any, wraps: Any) -> None:
    def make() -> Any:
        index = index_here()
        assert index.dtype == tf.int64
        assert index.shape == ()
        return tf.data.Dataset.range(WORKERS).shard(num_shards=WORKERS, index=index).repeat()

    iterator = iter(coordinator.create_per_worker_dataset(wraps(make)))
    own = {worker: int(next(iterator.of(worker))) for worker in range(WORKERS)}
    assert own == {worker: worker for worker in range(WORKERS)}
    assert isinstance(iterator, tf.distribute.coordinator.PerWorkerValue)
    values = [coordinator.schedule(draw, args=(iterator,)) for _ in range(6)]
    assert {int(value) for value in coordinator.fetch(values)} <= set(range(WORKERS))


def test_a_scheduled_function_knows_the_index_of_the_worker_that_runs_it(coordinator: Any) -> None:
    iterator = iter(coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.from_tensors(index_here()).repeat()))

    @tf.function
    def pair(iterator: Any) -> Any:
        return index_here() * 10 + next(iterator)

    found = {int(v) for v in coordinator.fetch([coordinator.schedule(pair, args=(iterator,)) for _ in range(60)])}
    assert found <= {11 * worker for worker in range(WORKERS)}


def test_no_worker_runs_other_code() -> None:
    for call in (index_here, tf.function(lambda: index_here())):
        with pytest.raises(RuntimeError, match="no worker runs this code"):
            call()
