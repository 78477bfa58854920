"""Workers that are reached by messages know their index, in the functions that make their data and in scheduled ones."""

from typing import Any

import pytest

import stratagem as tf
from tests.servers.remote.remote_tasks import remote_job

WORKERS = 2


def test_remote_workers_know_their_index(monkeypatch: pytest.MonkeyPatch) -> None:
    def dataset_fn() -> Any:
        index = tf.distribute.coordinator.experimental_get_current_worker_index()
        return tf.data.Dataset.range(10).shard(WORKERS, index).repeat()

    @tf.function
    def step(iterator: Any) -> Any:
        return tf.distribute.coordinator.experimental_get_current_worker_index() * 100 + next(iterator)

    with remote_job(monkeypatch, servers=1, workers=WORKERS) as coordinator:
        iterator = iter(coordinator.create_per_worker_dataset(dataset_fn))
        assert [int(iterator.of(worker).get_next()) for worker in range(WORKERS)] == [0, 1]
        found = [int(v) for v in coordinator.fetch([coordinator.schedule(step, args=(iterator,)) for _ in range(8)])]
        assert all(number // 100 == number % 2 for number in found)
        coordinator.join()
        del iterator
