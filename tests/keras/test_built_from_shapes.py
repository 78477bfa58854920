"""Models of the user's classes have their weights after `build`, as in Keras 2."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf

layers = tf.keras.layers


class Pair(tf.keras.Model):  # type: ignore[misc]
    """Two layers that have no weights before they are called."""

    def __init__(self) -> None:
        super().__init__(name="pair")
        self.hidden, self.scores = layers.Dense(3, name="hidden"), layers.Dense(2, name="scores")
        self.training: list[Any] = []

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        self.training.append(training)
        return self.scores(self.hidden(inputs))


class Named(tf.keras.Model):  # type: ignore[misc]
    """Several inputs by their names."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = layers.Dense(2), layers.Dense(2)

    def call(self, inputs: dict[str, Any]) -> Any:
        return self.left(inputs["a"]) + self.right(inputs["b"])


class Whole(tf.keras.Model):  # type: ignore[misc]
    """Cannot be called."""

    def __init__(self) -> None:
        super().__init__(name="whole")
        self.scores = layers.Dense(2)

    def call(self, inputs: Any) -> Any:
        raise TypeError("not today")


@pytest.mark.parametrize("shape", [(None, 4), (5, 4), [None, 4], tf.TensorShape([None, 4])])
def test_a_model_of_a_class_is_built_from_shapes_as_in_keras_2(shape: Any) -> None:
    model = Pair()
    model.build(shape)
    assert [weight.shape for weight in model.get_weights()] == [(4, 3), (3,), (3, 2), (2,)]
    assert set(model.training) == {False}
    model.set_weights([np.ones(weight.shape) for weight in model.get_weights()])
    assert np.asarray(model(np.ones((1, 4), "float32"))).tolist() == [[16.0, 16.0]]
    assert len(model.weights) == 4, "the call has built the model again"


def test_under_a_strategy_the_weights_have_a_copy_on_every_replica() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        model = Pair()
        model.build((None, 4))
    assert all(len(weight.values) == 2 for weight in model.weights)


def test_inputs_have_shapes_by_their_names() -> None:
    model = Named()
    model.build({"a": (None, 3), "b": (None, 5)})
    assert [weight.shape for weight in model.get_weights()] == [(3, 2), (2,), (5, 2), (2,)]


def test_a_model_that_cannot_be_built_says_why() -> None:
    with pytest.raises(
        ValueError, match=r"whole: .* shape \(None, 4\): .* float32 \(TypeError: not today.*real inputs"
    ):
        Whole().build((None, 4))
