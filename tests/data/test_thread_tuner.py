"""AUTOTUNE finds out whether threads or the caller compute faster; what comes out is the same in both ways."""

import itertools
from typing import Any

import numpy as np
import pytest

import stratagem as tf

# Private: which of both ways is faster is for the clock to say, so the choice is tested with times of its own.
from stratagem._data.functions._thread_tuner import ThreadTuner

THREADS = 3
ELEMENTS = 500


def chosen(in_threads: list[float], in_caller: list[float], *, tuned: bool = True) -> int:
    """Returns how many threads compute after trials in which an interval took so many seconds, of both ways in turn."""
    tuner = ThreadTuner(THREADS, tuned=tuned)
    for many, one in zip(in_threads, in_caller, strict=True):
        for seconds in (many, one):
            now = tuner.threads
            for _ in range(10):  # more than a trial takes
                if tuner.threads == now:
                    tuner.took(THREADS + 1 - now, 100.0, 1)  # what is left of the other way does not count
                    tuner.took(now, seconds, 1)
    return tuner.threads


def test_the_faster_way_is_chosen() -> None:
    assert chosen([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]) == THREADS
    assert chosen([2.0, 2.0, 2.0], [1.0, 1.0, 1.0]) == 1
    assert chosen([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]) == 1


def test_one_disturbed_trial_does_not_decide() -> None:
    assert chosen([1.0, 50.0, 1.0], [2.0, 2.0, 2.0]) == THREADS
    assert chosen([2.0, 2.0, 2.0], [1.0, 50.0, 1.0]) == 1


def test_a_number_of_threads_that_the_user_wants_is_not_measured() -> None:
    assert chosen([2.0, 2.0, 2.0], [1.0, 1.0, 1.0], tuned=False) == THREADS


def _in_python(x: Any) -> Any:
    if int(x.numpy()) == 400:
        raise ValueError("four hundred")
    return int(x.numpy()) * 2


def _split(x: Any) -> Any:
    number = tf.strings.to_number(tf.strings.as_string(x), tf.int64)
    return tf.random.uniform((), seed=7) * 0 + tf.cast(number * 2, tf.float32)


@pytest.mark.sampled
@pytest.mark.parametrize("way", ["python", "split", "split batches"])
def test_elements_that_are_read_while_both_ways_are_tried_are_those_of_one_thread(way: str) -> None:
    def dataset(calls: int | None) -> Any:
        source = tf.data.Dataset.range(ELEMENTS)
        if way == "python":
            return source.map(_in_python, num_parallel_calls=calls)
        mapped = source.map(_split, num_parallel_calls=calls)
        return mapped.batch(4) if way == "split batches" else mapped

    tuned = dataset(tf.data.AUTOTUNE)
    for _ in range(2):  # the second iteration goes on with what the first has measured
        found, wanted = (_elements(iter(each)) for each in (tuned, dataset(None)))
        assert found == wanted
        assert len(found) > 100

    walk = iter(tuned)
    list(itertools.islice(walk, 41))
    state, rest = walk.get_state(), _elements(walk)
    again = iter(dataset(tf.data.AUTOTUNE))
    again.set_state(state)
    assert _elements(again) == rest


def _elements(walk: Any) -> list[Any]:
    found: list[Any] = []
    while True:
        try:
            found.append(np.asarray(next(walk)).tolist())
        except StopIteration:
            return found
        except ValueError as error:
            found.append(str(error))
