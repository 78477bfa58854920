"""Models that were made under no strategy keep Keras' trainer, and read our datasets with it."""

from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from tests.thorough import thorough_but

X = np.random.default_rng(0).normal(size=(100, 6)).astype("float32")
Y = np.random.default_rng(1).integers(0, 3, 100)


def made() -> keras.Model:
    """A model of no strategy, always with the same weights."""
    keras.utils.set_random_seed(3)
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(3, activation="softmax")])
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


WEIGHTS = {0: 1.0, 1: 2.0, 2: 0.5}


@pytest.mark.parametrize("weights", thorough_but([WEIGHTS], [None, WEIGHTS]))
def test_a_dataset_trains_as_the_arrays_in_it_do(weights: dict[int, float] | None) -> None:
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(32)
    ours, theirs = made(), made()
    mine = ours.fit(data, epochs=2, validation_data=data, class_weight=weights, verbose=0).history
    arrays = {"batch_size": 32, "shuffle": False, "validation_data": (X, Y), "class_weight": weights}
    keras_own = theirs.fit(X, Y, epochs=2, verbose=0, **arrays).history
    assert mine.keys() == keras_own.keys()
    for name, values in mine.items():
        np.testing.assert_allclose(values, keras_own[name], rtol=1e-6)
    for a, b in zip(ours.get_weights(), theirs.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_evaluate_and_predict_read_a_dataset() -> None:
    model, data = made(), tf.data.Dataset.from_tensor_slices((X, Y)).batch(32)
    np.testing.assert_allclose(model.evaluate(data, verbose=0), model.evaluate(X, Y, verbose=0), rtol=1e-5)
    np.testing.assert_allclose(model.predict(data, verbose=0), model.predict(X, verbose=0), rtol=1e-6)


def test_targets_beside_a_dataset_are_refused() -> None:
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(32)
    with pytest.raises(ValueError, match="`y` must not be given"):
        made().fit(data, Y)


def test_a_train_step_as_in_tensorflow_works_without_a_strategy() -> None:
    class Own(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(3, activation="softmax")

        def call(self, x: Any) -> Any:
            return self.dense(x)

        def train_step(self, data: Any) -> Any:
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compute_loss(y=y, y_pred=self(x, training=True))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"loss": loss}

    def trained(model: keras.Model) -> list[np.ndarray]:
        model.fit(X, Y, batch_size=32, epochs=2, shuffle=False, verbose=0)
        assert model.predict(X, verbose=0).shape == (100, 3)
        return list(model.get_weights())

    keras.utils.set_random_seed(3)
    own = Own()
    own.compile("sgd", "sparse_categorical_crossentropy")
    for a, b in zip(trained(own), trained(made()), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_a_warning_points_to_the_line_that_called_fit() -> None:
    with tf.distribute.OneDeviceStrategy("CPU:0").scope():
        model = made()
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(32)
    with pytest.warns(UserWarning, match="4 of 9 steps") as told:
        model.fit(data, steps_per_epoch=9, verbose=0)
    assert [w.filename for w in told if "ran out" in str(w.message)] == [__file__]


def test_the_seed_of_keras_makes_shuffles_repeatable() -> None:
    def shuffled() -> list[int]:
        keras.utils.set_random_seed(5)
        return [int(v) for v in tf.data.Dataset.range(50).shuffle(50)]

    assert shuffled() == shuffled()
