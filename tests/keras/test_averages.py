"""Moving averages of weights (`use_ema`): those of TensorFlow, with weight decay, overwriting, and of the variables updated."""

from typing import Any

import keras
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES


@pytest.fixture(params=["default", "mirrored 2"])
def strategy(request: pytest.FixtureRequest) -> Any:
    return STRATEGIES[request.param]()


# Weights after each of three updates with gradient 0.1 and after finalize_variable_values, and the average: recorded from
# TensorFlow 2.15.1 (weights from 1, learning rate 0.5, ema_momentum 0.5). By optimizer, weight decay, ema_overwrite_frequency.
AVERAGES = {
    ("SGD", None, None): ([0.95, 0.9, 0.85, 0.89375], 0.89375),
    ("SGD", None, 2): ([0.95, 0.9375, 0.8875, 0.9125], 0.9125),
    ("SGD", None, 3): ([0.95, 0.9, 0.89375, 0.89375], 0.89375),
    ("SGD", 0.1, None): ([0.9, 0.805, 0.71475, 0.79612], 0.79612),
    ("SGD", 0.1, 2): ([0.9, 0.8775, 0.78362, 0.83056], 0.83056),
    ("SGD", 0.1, 3): ([0.9, 0.805, 0.79612, 0.79612], 0.79612),
    ("Adam", None, None): ([0.50002, 4e-05, -0.49995, -0.06247], -0.06247),
    ("Adam", None, 2): ([0.50002, 0.37502, -0.12497, 0.12503], 0.12503),
    ("Adam", 0.1, None): ([0.45002, -0.07247, -0.56883, -0.12128], -0.12128),
    ("Adam", 0.1, 2): ([0.45002, 0.32627, -0.19003, 0.06812], 0.06812),
    ("AdamW", 0.1, None): ([0.45002, -0.07247, -0.56883, -0.12128], -0.12128),
    ("AdamW", 0.1, 3): ([0.45002, -0.07247, -0.12128, -0.12128], -0.12128),
}


@pytest.mark.sampled
@pytest.mark.parametrize("setting", AVERAGES)
def test_averages_are_those_of_tensorflow(setting: Any, strategy: Any) -> None:
    name, decay, frequency = setting
    with strategy.scope():
        v, idle = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
        optimizer = getattr(keras.optimizers, name)(
            0.5, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=frequency, weight_decay=decay
        )
        optimizer.build([idle, v])

    @tf.function
    def step() -> None:
        gradient = tf.constant([0.1, 0.2]) / strategy.num_replicas_in_sync
        optimizer.apply_gradients([(gradient, v)])

    found = []
    for _ in range(3):
        strategy.run(step)
        found.append(float(v.numpy()[0]))
    averages = [float(a.numpy()[0]) for a in optimizer._model_variables_moving_average]
    optimizer.finalize_variable_values([idle, v])
    wanted, average = AVERAGES[setting]
    assert [*found, float(v.numpy()[0])] == pytest.approx(wanted, abs=2e-5)
    assert averages == pytest.approx([3.0, average], abs=2e-5)
    assert idle.numpy().tolist() == [3.0]
