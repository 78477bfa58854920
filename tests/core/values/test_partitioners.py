"""Partitioners: TensorFlow's answers, and the laws that they follow."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem._core.values import rows_of_shards, shards_by

NEW = tf.distribute.experimental.partitioners
RECORDED = json.loads((Path(__file__).parent / "tensorflow_answers.json").read_text())
FIGURES: list[tuple[Any, list[int], Any, list[int]]] = [  # the ones that TensorFlow's documents and tests name
    (NEW.FixedShardsPartitioner(2), [10, 3], tf.float32, [2, 1]),
    (NEW.FixedShardsPartitioner(20), [10, 3], tf.float32, [10, 1]),
    (NEW.MinSizePartitioner(4, 2), [6, 1], tf.float32, [2, 1]),
    (NEW.MinSizePartitioner(4, 10), [6, 1], tf.float32, [6, 1]),
    (NEW.MinSizePartitioner(), [6, 1], tf.float32, [1, 1]),
    (NEW.MinSizePartitioner(256 << 10, 2), [8, 16384], tf.float32, [2, 1]),
    (NEW.MinSizePartitioner(256 << 10, 3), [1024, 1024], tf.float32, [3, 1]),
    (NEW.MinSizePartitioner(16, 5), [5, 2], tf.float32, [3, 1]),
    (NEW.MaxSizePartitioner(4), [6, 1], tf.float32, [6, 1]),
    (NEW.MaxSizePartitioner(4, 2), [6, 1], tf.float32, [2, 1]),
    (NEW.MaxSizePartitioner(9), [6, 1], tf.float32, [3, 1]),
    (NEW.MaxSizePartitioner(1024), [6, 1], tf.float32, [1, 1]),
    (NEW.MaxSizePartitioner(32), [6], tf.string, [3]),
    (NEW.MaxSizePartitioner(4), [3, 10], tf.float32, [3, 1]),
]


@pytest.mark.parametrize(("partitioner", "shape", "dtype", "answer"), FIGURES)
def test_the_figures_of_tensorflow(partitioner: Any, shape: list[int], dtype: Any, answer: list[int]) -> None:
    assert partitioner(shape=tf.TensorShape(shape), dtype=dtype) == answer


def test_every_recorded_answer_of_tensorflow() -> None:
    for case in RECORDED:
        if hasattr(NEW, case["name"]):
            found = getattr(NEW, case["name"])(**case["given"])(case["shape"], case["dtype"], axis=case["axis"])
        else:
            found = getattr(tf1, case["name"])(**case["given"])(shape=case["shape"], dtype=case["dtype"])
        assert found == case["answer"], case


@pytest.mark.parametrize(
    "make",
    [
        lambda: NEW.FixedShardsPartitioner(0),
        lambda: NEW.MinSizePartitioner(min_shard_bytes=0),
        lambda: NEW.MinSizePartitioner(max_shards=0),
        lambda: NEW.MinSizePartitioner(bytes_per_string=-1),
        lambda: NEW.MaxSizePartitioner(0),
        lambda: NEW.MaxSizePartitioner(4, max_shards=0),  # TF takes it for no limit
        lambda: NEW.MaxSizePartitioner(4, max_shards=-1),
        lambda: tf1.variable_axis_size_partitioner(0),
        lambda: tf1.variable_axis_size_partitioner(4, bytes_per_string_element=0),
    ],
)
def test_arguments_have_to_be_positive(make: Any) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        make()


def test_a_scalar_and_a_missing_axis_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be cut along axis 0"):
        NEW.MinSizePartitioner()([], tf.float32)
    with pytest.raises(ValueError, match="cannot be cut along axis 2"):
        NEW.FixedShardsPartitioner(2)([4, 4], tf.float32, axis=2)
    with pytest.raises(TypeError, match="fully defined"):
        NEW.MinSizePartitioner()(tf.TensorShape([None, 2]), tf.float32)


@pytest.mark.parametrize("shape", [[0, 3], [3, 0], [0]])
def test_a_variable_without_elements_stays_whole(shape: list[int]) -> None:
    for partitioner in (NEW.MinSizePartitioner(1, 5), NEW.MaxSizePartitioner(1)):
        assert partitioner(shape, tf.float32) == [1] * len(shape)


@pytest.mark.parametrize("seed", range(200))
def test_the_laws_of_random_cuts(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = [int(random.integers(1, 50)) for _ in range(random.integers(1, 4))]
    size, most = int(random.integers(1, 2000)), int(random.integers(1, 12))
    row = math.prod(shape[1:]) * 4
    total = shape[0] * row
    fixed = NEW.FixedShardsPartitioner(most)(shape, tf.float32)[0]
    assert fixed == min(most, shape[0])
    smallest = NEW.MinSizePartitioner(size, most)(shape, tf.float32)[0]
    assert 1 <= smallest <= min(most, shape[0])
    assert (smallest - 1) * size < total  # with one shard fewer each would have more than the minimum
    largest = NEW.MaxSizePartitioner(size)(shape, tf.float32)[0]
    rows = rows_of_shards(shape[0], largest)
    assert max(rows) * row <= size or max(rows) == 1  # a row is never cut
    assert NEW.MaxSizePartitioner(size, most)(shape, tf.float32)[0] == min(largest, most)
    assert sum(rows) == shape[0]
    assert max(rows) - min(rows) <= 1
    assert rows == sorted(rows, reverse=True)


def test_the_first_shards_have_one_row_more() -> None:
    assert rows_of_shards(13, 5) == [3, 3, 3, 2, 2]
    assert rows_of_shards(10, 4) == [3, 3, 2, 2]
    assert rows_of_shards(13, 2) == [7, 6]


@pytest.mark.parametrize("answer", [None, [], [0, 1, 1], [2, 2, 1], [1, 1, 3]])
def test_a_strategy_refuses_what_no_partitioner_may_answer(answer: Any) -> None:
    with pytest.raises(ValueError, match="variable_partitioner must return"):
        shards_by(lambda shape, dtype: answer, (4, 2, 2), "float32")


def test_a_strategy_has_at_most_a_shard_a_row_and_keeps_scalars_whole() -> None:
    assert shards_by(lambda shape, dtype: [4], (3,), "float32") == 3
    assert shards_by(lambda shape, dtype: [4], (), "float32") == 1
    assert shards_by(None, (3,), "float32") == 1
