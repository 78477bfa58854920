"""Random numbers in functions given to map: new for every element and epoch, the same from one start to the next."""

import logging
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._data import Dataset
from tests.thorough import thorough_but


def values(dataset: Dataset) -> list[float]:
    return [float(x) for x in dataset.as_numpy_iterator()]


def uniform(x: Any) -> Any:
    # More numbers than a float32 has between 0 and 1: two are hardly ever equal.
    number = tf.random.uniform((), maxval=2**31 - 1, dtype=tf.int32)
    return tf.cast(number, tf.float64) / 2**31 + 0 * tf.cast(x, tf.float64)


def uniform_in_python(x: Any) -> float:
    return float(uniform(x).numpy())


PLANS: dict[str, Callable[[], Dataset]] = {
    "rows": lambda: Dataset.range(90).map(uniform),
    "batches": lambda: Dataset.range(90).map(uniform).batch(8).unbatch(),
    "shuffled": lambda: Dataset.range(90).map(uniform).shuffle(90, seed=1),
    "blocks": lambda: Dataset.zip((Dataset.range(90).shuffle(9, seed=1), Dataset.range(90))).map(
        lambda a, b: uniform(a)
    ),
    "batchwise": lambda: Dataset.range(90).batch(1).map(lambda x: uniform(x[0])),
    "generator": lambda: Dataset.from_generator(lambda: range(90), output_types=tf.int64, output_shapes=()).map(
        uniform
    ),
    "python": lambda: Dataset.range(90).map(uniform_in_python),
    "threads": lambda: Dataset.range(90).map(uniform_in_python, num_parallel_calls=3),
}
QUICK = ("rows", "batches", "python", "threads")  # the ways in which a function can run


@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(QUICK, PLANS))
def test_every_element_and_every_epoch_has_its_own_numbers(name: str) -> None:
    dataset = PLANS[name]()
    numbers = values(dataset) + values(dataset) + values(dataset.repeat(2))
    assert len(set(numbers)) == 360
    assert 0.3 < np.mean(numbers) < 0.7


def test_a_function_that_draws_is_compiled(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="stratagem")
    values(PLANS["rows"]())
    list(
        Dataset.range(9).map(
            lambda x: (tf.random.normal([2]), keras.random.uniform([3]), tf.random.uniform((), seed=3))
        )
    )
    assert "runs as Python" not in caplog.text


@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(QUICK, PLANS))
def test_a_program_that_sets_the_seed_draws_the_same_every_time(name: str) -> None:
    runs = []
    for _ in range(2):
        tf.random.set_seed(5)
        dataset = PLANS[name]()
        runs.append((values(dataset), values(dataset)))
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]
    tf.random.set_seed(6)
    assert values(PLANS[name]()) != runs[0][0]


def test_without_a_seed_two_maps_draw_different_numbers() -> None:
    both = Dataset.range(50).map(uniform)
    assert not set(values(both)) & set(values(Dataset.range(50).map(uniform)))
    pairs = list(Dataset.range(50).map(uniform).map(lambda x: (x, tf.random.uniform(()))))
    assert len({float(a) for a, _ in pairs} | {float(b) for _, b in pairs}) == 100


@pytest.mark.parametrize("function", [uniform, uniform_in_python])
def test_the_same_numbers_however_elements_are_asked_for(function: Callable[..., Any]) -> None:
    orders: list[Callable[[Dataset], Dataset]] = [
        lambda d: d.map(function),
        lambda d: d.map(function).batch(7).unbatch(),
        lambda d: d.map(function, num_parallel_calls=2).prefetch(2),
    ]
    drawn = []
    for order in orders:
        tf.random.set_seed(1)
        drawn.append(values(order(Dataset.range(20))))
    assert drawn[0] == drawn[1] == drawn[2]


def test_a_seed_of_its_own_repeats_in_every_run_and_not_in_every_element() -> None:
    def seeded(x: Any) -> Any:
        return tf.random.uniform((), seed=3)

    first, second = Dataset.range(20).map(seeded), Dataset.range(20).map(seeded)
    assert len(set(values(first))) == 20
    assert values(second) != values(second)
    assert values(Dataset.range(20).map(seeded)) == values(Dataset.range(20).map(seeded))
    python = [values(Dataset.range(20).map(lambda x: float(seeded(x).numpy()))) for _ in range(2)]
    assert python[0] == python[1]


def test_two_draws_of_one_call_differ() -> None:
    pairs = Dataset.range(30).map(lambda x: (tf.random.uniform(()), tf.random.uniform(()), keras.random.uniform(())))
    assert len({float(n) for element in pairs for n in element}) == 90


def test_keras_augmentation_layers_draw_for_every_element() -> None:
    flip = keras.layers.RandomFlip("horizontal")
    images = np.arange(40 * 4 * 4 * 1, dtype=np.float32).reshape(40, 4, 4, 1)
    dataset = Dataset.from_tensor_slices(images).map(lambda x: flip(x, training=True))
    epochs = [np.stack(list(dataset.as_numpy_iterator())) for _ in range(2)]
    flipped = [[bool((e[i] != images[i]).any()) for i in range(40)] for e in epochs]
    assert 8 < sum(flipped[0]) < 32
    assert flipped[0] != flipped[1]
    for epoch, flips in zip(epochs, flipped, strict=True):
        for i, f in enumerate(flips):
            np.testing.assert_array_equal(epoch[i], images[i][:, ::-1] if f else images[i])


def test_a_function_that_draws_leaves_the_programs_own_generators_alone() -> None:
    numbers = []
    for use in (False, True):
        tf.random.set_seed(2)
        dataset = Dataset.range(20).map(uniform)
        if use:
            values(dataset)
        numbers.append(float(tf.random.uniform(())))
    assert numbers[0] == numbers[1]


def test_a_cache_keeps_the_numbers_and_a_shuffle_moves_them() -> None:
    cached = Dataset.range(30).map(uniform).cache()
    assert values(cached) == values(cached)
    tf.random.set_seed(4)
    plain = values(Dataset.range(30).map(uniform))
    tf.random.set_seed(4)
    shuffled = values(Dataset.range(30).map(uniform).shuffle(30, seed=0))
    assert sorted(shuffled) == sorted(plain)
    assert shuffled != plain


def test_the_workers_of_a_job_draw_the_same_for_the_same_element() -> None:
    tf.random.set_seed(4)
    whole = values(Dataset.range(30).map(uniform))
    shards = []
    for worker in range(2):
        tf.random.set_seed(4)
        shards.append(values(Dataset.range(30).map(uniform).shard(2, worker)))
    assert shards == [whole[0::2], whole[1::2]]
