"""A position taken up with batches of another size, or for other replicas: exact, or refused with both sizes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf

ROWS = 48


def rows() -> Any:
    return tf.data.Dataset.range(ROWS)


def off(dataset: Any) -> Any:
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    return dataset.with_options(options)


def strategy(replicas: int) -> Any:
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])


def distributed(dataset: Any, replicas: int = 2) -> Any:
    return iter(strategy(replicas).experimental_distribute_dataset(dataset))


def from_function(make: Callable[[Any], Any], replicas: int, mode: str = "PER_WORKER") -> Any:
    options = tf.distribute.InputOptions(
        experimental_fetch_to_device=mode != "PER_REPLICA",
        experimental_replication_mode=tf.distribute.InputReplicationMode[mode],
    )
    return iter(strategy(replicas).distribute_datasets_from_function(make, options))


def numbers(element: Any) -> list[int]:
    parts = element.values if hasattr(element, "values") else [element]
    return [int(x) for part in parts for x in part]


def saved(iterator: Any, steps: int) -> Any:
    for _ in range(steps):
        next(iterator)
    state = json.loads(json.dumps(iterator.get_state()))
    iterator.close()
    return state


# Positions in these count batches: of what is iterated, by its size of a batch.
COUNTS_BATCHES: dict[str, Callable[[int], Any]] = {
    "batches shuffled": lambda size: iter(rows().batch(size).shuffle(3, seed=1)),
    "batches taken": lambda size: iter(rows().batch(size).take(5)),
    "rebatched": lambda size: iter(rows().batch(size).rebatch(4)),
    "distributed": lambda size: distributed(rows().batch(size).shuffle(3, seed=1)),
    "sharding off": lambda size: distributed(off(rows().batch(size))),
    "sharding off, a replica": lambda size: distributed(off(rows().batch(size).take(5)), 1),
    "a function's": lambda size: from_function(lambda _: rows().batch(size).shuffle(3, seed=1), 2),
    "batches of the source's own": lambda size: distributed(
        tf.data.Dataset.from_tensor_slices([list(range(i, i + size)) for i in range(0, ROWS, size)])
    ),
}


@pytest.mark.parametrize("make", COUNTS_BATCHES.values(), ids=COUNTS_BATCHES.keys())
def test_a_position_that_counts_other_batches_is_refused(make: Callable[[int], Any]) -> None:
    state, other = saved(make(8), 2), make(4)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"had .*(8|6)[ ,].*has .*(4|12)[ ,].*restore everything but the iterator"
    ):
        other.set_state(state)
    assert numbers(next(other)) == numbers(next(make(4)))  # it stays where it was
    same = make(8)
    same.set_state(state)
    assert numbers(next(same)) == numbers([next(it := make(8)), next(it), next(it)][-1])


@pytest.mark.parametrize("make", COUNTS_BATCHES.values(), ids=COUNTS_BATCHES.keys())
def test_a_position_before_the_first_batch_fits_other_batches(make: Callable[[int], Any]) -> None:
    iterator = make(8)
    iterator.peek()
    state, other = saved(iterator, 0), make(4)
    next(other)
    other.set_state(state)
    assert numbers(next(other)) == numbers(next(make(4)))


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 3), (3, 1)])
def test_a_position_that_counts_rows_goes_on_with_the_next_one(before: int, after: int) -> None:
    state = saved(distributed(rows().batch(4 * before), before), 2)
    other = distributed(rows().batch(4 * after), after)
    other.set_state(state)
    assert [x for element in other for x in numbers(element)] == list(range(8 * before, ROWS))


def test_other_replicas_go_on_exactly_where_their_batches_together_are_as_before() -> None:
    state = saved(distributed(off(rows().batch(8)), 2), 3)
    other = distributed(off(rows().batch(8)), 4)
    other.set_state(state)
    assert [x for element in other for x in numbers(element)] == list(range(24, ROWS))


def test_a_dataset_for_each_replica_has_no_position_of_other_replicas() -> None:
    state = saved(from_function(lambda _: rows().batch(4), 2, "PER_REPLICA"), 1)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"of 2 datasets.*and there are 3.*same number of replicas"
    ):
        from_function(lambda _: rows().batch(4), 3, "PER_REPLICA").set_state(state)


def test_a_checkpoint_of_a_loop_with_other_batches_is_refused(tmp_path: Path) -> None:
    iterator = distributed(off(rows().batch(8)))
    next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "loop"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="had batches of 8, and has batches of 4"):
        tf.train.Checkpoint(iterator=distributed(off(rows().batch(4)))).restore(path)


def test_a_position_of_an_earlier_version_is_refused_where_its_batch_has_too_few_rows() -> None:
    state = saved(iter(rows().batch(16).rebatch(4)), 3)  # 12 rows of the first batch
    del state["batching"]
    other = iter(rows().batch(8).rebatch(4))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"12 rows of a batch .* which has 8"):
        other.set_state(state)
