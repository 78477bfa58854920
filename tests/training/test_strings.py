"""Models that take strings: what their first layers make of these runs on the host, before the step."""

from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf

STRATEGIES: dict[str, Any] = {
    "default": tf.distribute.get_strategy,
    "two replicas": lambda: tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]),
}
WORDS = np.array([["a"], ["bb"], ["ccc"], ["dddd"], ["éé"], ["f f"], ["ggggggg"]], object)
LENGTHS = np.array([[1], [2], [3], [4], [4], [3], [7]], np.float32)
TARGETS = LENGTHS * 0.5 + 1


@keras.saving.register_keras_serializable("tests")
class Length(keras.layers.Layer):  # type: ignore[misc]
    """The number of bytes of each string."""

    def call(self, words: Any) -> Any:
        return tf.cast(tf.strings.length(words), tf.float32)

    def compute_output_spec(self, words: Any) -> Any:
        return keras.KerasTensor(words.shape, "float32")


def of_strings() -> Any:
    words = keras.Input((1,), dtype="string")
    return _compiled(keras.Model(words, _dense()(Length()(words))))


def of_numbers() -> Any:
    numbers = keras.Input((1,))
    return _compiled(keras.Model(numbers, _dense()(numbers)))


def in_sequence() -> Any:
    return _compiled(keras.Sequential([keras.Input((1,), dtype="string"), Length(), _dense()]))


class OfStrings(keras.Model):  # type: ignore[misc]
    """A model with a call of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.length, self.dense = Length(), _dense()

    def call(self, words: Any) -> Any:
        return self.dense(self.length(words))

    def build(self, shape: Any) -> None:
        self.dense.build(shape)


def _dense() -> Any:
    return keras.layers.Dense(1, kernel_initializer="ones")


def _compiled(model: Any) -> Any:
    model.compile(keras.optimizers.SGD(0.01), "mse")
    return model


def trained(model: Any, x: Any, y: Any = TARGETS) -> list[np.ndarray]:
    model.fit(x, y, batch_size=3, epochs=2, shuffle=False, verbose=0)
    return [np.asarray(w) for w in model.get_weights()]


@pytest.mark.sampled
@pytest.mark.parametrize("make", [of_strings, in_sequence, lambda: _compiled(OfStrings())])
@pytest.mark.parametrize("kind", STRATEGIES)
def test_a_model_takes_strings(kind: str, make: Any) -> None:
    """It trains to the weights of a model that is given the numbers that its first layer makes of them."""
    with STRATEGIES[kind]().scope():
        of_words, of_lengths = make(), of_numbers()
    for found, wanted in zip(trained(of_words, WORDS), trained(of_lengths, LENGTHS), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    np.testing.assert_allclose(of_words.predict(WORDS, verbose=0), of_lengths.predict(LENGTHS, verbose=0), rtol=1e-6)
    of_each = [model.evaluate(x, TARGETS, verbose=0) for model, x in ((of_words, WORDS), (of_lengths, LENGTHS))]
    np.testing.assert_allclose(*of_each, rtol=1e-6)
    np.testing.assert_allclose(of_words(tf.constant(WORDS[:2])), of_lengths(LENGTHS[:2]), rtol=1e-6)


def test_strings_of_a_dataset_without_the_last_dimension_get_it() -> None:
    dataset = tf.data.Dataset.from_tensor_slices((WORDS[:, 0], TARGETS)).batch(3)
    found, wanted = of_strings(), of_numbers()
    for model, data in ((found, dataset), (wanted, tf.data.Dataset.from_tensor_slices((LENGTHS, TARGETS)).batch(3))):
        model.fit(data, epochs=2, verbose=0)
    np.testing.assert_allclose(found.get_weights()[0], wanted.get_weights()[0], rtol=1e-6)


def test_several_steps_an_execution_are_the_same() -> None:
    with STRATEGIES["two replicas"]().scope():
        model, single = of_strings(), of_strings()
        model.compile(keras.optimizers.SGD(0.01), "mse", steps_per_execution=2)
    for found, wanted in zip(trained(model, WORDS), trained(single, WORDS), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_saved_model_takes_strings(tmp_path: Any) -> None:
    model = of_strings()
    trained(model, WORDS)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again.predict(WORDS, verbose=0), model.predict(WORDS, verbose=0))


def test_one_batch_of_strings_at_a_time() -> None:
    model, wanted = of_strings(), of_numbers()
    for _ in range(2):
        losses = [m.train_on_batch(x, TARGETS) for m, x in ((model, WORDS), (wanted, LENGTHS))]
        np.testing.assert_allclose(*losses, rtol=1e-6)
    np.testing.assert_allclose(model.predict_on_batch(WORDS), wanted.predict_on_batch(LENGTHS), rtol=1e-6)


def test_objects_that_are_no_strings_are_refused() -> None:
    with pytest.raises(TypeError, match="entries that are no strings"):
        of_strings().predict(np.array([["a"], [object()]], object), verbose=0)
