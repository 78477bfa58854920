"""The log tells when the devices waited for input, and only then."""

import logging
import time
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._strategies import MirroredStrategy

SECONDS = 0.12  # twelve times: more than the second from which on it is worth a warning


def slow_batches() -> Iterator[np.ndarray]:
    for i in range(12):
        time.sleep(SECONDS)
        yield np.full((4, 2), i, np.float32)


def quick_batches() -> Iterator[np.ndarray]:
    for i in range(12):
        yield np.full((4, 2), i, np.float32)


def warnings_of(batches: Any, caplog: pytest.LogCaptureFixture, replicas: int, step_seconds: float) -> list[str]:
    strategy = MirroredStrategy([f"CPU:{i}" for i in range(replicas)])

    def work(x: Any) -> Any:
        def wait(x: Any) -> Any:
            time.sleep(step_seconds)
            return x

        return jax.pure_callback(wait, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    dataset = tf.data.Dataset.from_generator(batches, output_signature=tf.TensorSpec((None, 2), tf.float32))
    with caplog.at_level(logging.WARNING):
        for batch in strategy.experimental_distribute_dataset(dataset):
            result = strategy.run(work, args=(batch,))
        jax.block_until_ready(jax.tree.leaves(list(strategy.experimental_local_results(result))))
    return [r.message for r in caplog.records if "waited for their input" in r.message]


@pytest.mark.parametrize("replicas", [1, 2])
def test_an_epoch_that_waited_for_its_input_says_so_with_the_share(caplog: Any, replicas: int) -> None:
    (warning,) = warnings_of(slow_batches, caplog, replicas, step_seconds=0.0)
    share = float(warning.split("for their input ")[1].split(" %")[0])
    assert 20 <= share <= 100
    assert "10 steps" in warning


def test_nothing_is_said_while_the_devices_are_at_work(caplog: Any) -> None:
    assert warnings_of(slow_batches, caplog, 1, step_seconds=2 * SECONDS) == []


def test_nothing_is_said_of_input_that_is_there(caplog: Any) -> None:
    assert warnings_of(quick_batches, caplog, 2, step_seconds=SECONDS) == []
