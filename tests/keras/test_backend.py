"""Functions of Keras 2's backend, and other names that Keras 3 has dropped, return what TensorFlow's do."""

import json
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from tests.keras import backend_programs
from tests.thorough import thorough_but

K = tf.keras.backend
RECORDED = json.loads((Path(__file__).parent / "recorded" / "backend.json").read_text())
QUICK = (
    "batch_dot axes",
    "conv2d_transpose same",
    "ctc_batch_cost",
    "weighted",
    "tokens",
    "generator",
    "pool3d",
    "decay",
)


def agree(found: Any, expected: Any) -> None:
    if isinstance(expected, list) and any(isinstance(each, list) for each in expected):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            agree(a, b)
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(QUICK, backend_programs.CALLS))
def test_a_call_returns_what_it_returns_in_tensorflow(name: str) -> None:
    call = backend_programs.CALLS[name]
    agree(backend_programs.numbers(call(tf, backend_programs.TensorBackend(tf))), RECORDED[name])


def test_variables_of_random_numbers_are_made() -> None:
    v, w = K.random_normal_variable((100,), 2.0, 0.5, seed=1), K.random_uniform_variable((100,), 1.0, 2.0, name="w")
    assert abs(float(np.mean(v.numpy())) - 2.0) < 0.2
    assert 1.0 <= w.numpy().min() < w.numpy().max() <= 2.0
    dropped = np.asarray(K.dropout(tf.ones([1000]), 0.5, seed=1))
    assert set(np.unique(dropped)) == {0.0, 2.0}


def test_phases_other_than_inference_are_refused() -> None:
    with K.learning_phase_scope(0):
        assert K.learning_phase() == 0
    with pytest.raises(NotImplementedError, match="training=True"), K.learning_phase_scope(1):
        pass


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="axis 0"):
        K.batch_dot(np.ones((2, 3)), np.ones((2, 3)), axes=0)
    with pytest.raises(ValueError, match="pooling mode"):
        K.pool2d(np.ones((1, 2, 2, 1)), (2, 2), pool_mode="min")
    with pytest.raises(ValueError, match="Reduction"):
        tf.keras.__internal__.losses.compute_weighted_loss([1.0], reduction="mean")
    with pytest.raises(ValueError, match="Theta"):
        tf.keras.layers.ThresholdedReLU(-1.0)


def test_a_cell_of_ones_own_runs_in_a_layer() -> None:
    class Sum(tf.keras.layers.AbstractRNNCell):  # type: ignore[misc]
        state_size = output_size = 2

        def call(self, inputs: Any, states: Any) -> Any:
            return inputs + states[0], [inputs + states[0]]

    x = np.arange(12, dtype="float32").reshape(2, 3, 2)
    np.testing.assert_array_equal(tf.keras.layers.RNN(Sum())(x), x.sum(axis=1))


@pytest.mark.parametrize(
    "draw",
    [
        lambda shape: K.random_normal(shape),
        lambda shape: K.random_uniform(shape, seed=3),
        lambda shape: K.truncated_normal(shape),
        lambda shape: keras.random.normal(shape),
    ],
    ids=["normal", "uniform with a seed", "truncated_normal", "of Keras 3"],
)
def test_random_numbers_of_a_step_are_others_in_every_step_and_replica(draw: Any) -> None:
    """As in TensorFlow; Keras 3 refuses numbers without a seed in a program."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    @tf.function
    def step() -> Any:
        return strategy.run(lambda: draw((3,)))

    drawn = np.stack([value for _ in range(2) for value in strategy.experimental_local_results(step())])
    assert len(np.unique(drawn)) == drawn.size == 12
