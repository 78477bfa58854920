"""Layers that learn from data have TensorFlow's weights, words among them, which other layers, models and copies take over."""

import json
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.preprocessing import record_weights
from tests.preprocessing.record_weights import CASES, COPIES, LEARNING, RECORDED

layers = tf.keras.layers
ANSWERS = json.loads(RECORDED.read_text())


def assert_alike(found: Any, wanted: Any) -> None:
    if isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-6, abs=1e-7)
    elif isinstance(wanted, list | dict):
        keys = wanted if isinstance(wanted, dict) else range(len(wanted))
        assert len(found) == len(wanted)
        for key in keys:
            assert_alike(found[key], wanted[key])
    else:
        assert found == wanted


@pytest.mark.parametrize("name", CASES)
def test_a_layers_weights_are_tensorflows_and_are_given_to_another(name: str) -> None:
    assert_alike(record_weights.answers_of(tf, name), ANSWERS["layers"][name])


@pytest.mark.sampled
@pytest.mark.parametrize("name", LEARNING)
def test_a_model_gives_another_what_its_layers_have_learned(name: str) -> None:
    wanted = ANSWERS["copies"][name]
    model = record_weights.model_of(tf, name)
    for how, make in COPIES.items():
        # TensorFlow's pickles lose bins.
        expected = wanted["original"] if name == "bins" and how in ("pickle", "deepcopy") else wanted[how]
        assert_alike(record_weights.answer(tf, make(tf, model), name), expected)
    another = tf.keras.models.clone_model(model)
    another.set_weights(model.get_weights())
    assert_alike(record_weights.answer(tf, another, name), wanted["set_weights"])
    assert_alike(record_weights.answer(tf, model, name), wanted["original"])
    assert model.count_params() == wanted["parameters"]
    printed: list[str] = []
    model.summary(print_fn=printed.append)
    assert f"Non-trainable params: {wanted['parameters']} " in "\n".join(printed)


def test_a_word_is_an_entry_of_weights_but_no_variable() -> None:
    words = layers.StringLookup(output_mode="tf_idf", name="words")
    words.adapt([["a", "b"], ["c", "ä"]])
    assert words.variables == words.trainable_weights == []
    idf, learned, documents = words.non_trainable_weights
    assert [(w.path, w.dtype, w.shape) for w in (idf, learned, documents)] == [
        ("words/idf_weights", "float32", (5,)),
        ("words/words", "string", (4,)),
        ("words/num_documents", "int64", ()),
    ]
    assert np.asarray(learned).tolist() == learned.numpy().tolist() == ["ä".encode(), b"c", b"b", b"a"]
    other = layers.StringLookup(output_mode="tf_idf")
    other.set_weights([np.ones(3), np.array(["x", "ü"]), np.int64(7)])  # strings of NumPy are words, too
    assert other.get_vocabulary() == ["[UNK]", "x", "ü"]
    assert other.get_weights()[2] == 7


def test_weights_that_do_not_fit_are_refused_and_change_nothing() -> None:
    texts = layers.TextVectorization(output_mode="tf_idf", vocabulary=["a", "b"], idf_weights=[1.0, 2.0])
    numbers = layers.Normalization()
    numbers.adapt(np.arange(6.0).reshape(3, 2))
    bins = layers.Discretization(num_bins=3)
    bins.adapt(np.arange(4.0))
    counted = layers.StringLookup(output_mode="count")
    counted.adapt(["a", "b"])
    for layer, weights, text in (
        (texts, [], "list of length 0, but the layer was expecting 1 weights"),
        (texts, [np.ones(2)], r"has the shape \(3,\), got an array of shape \(2,\)"),
        (bins, [np.ones(3)], r"summary has the shape \(2, None\), got an array of shape \(3,\)"),
        (numbers, [np.zeros(2), np.zeros(3), np.int64(3)], r"weight shape \(2,\) is not compatible with .* \(3,\)"),
    ):
        before = layer.get_weights()
        with pytest.raises(ValueError, match=text):
            layer.set_weights(weights)
        for one, other in zip(layer.get_weights(), before, strict=True):
            np.testing.assert_array_equal(one, other)
    with pytest.raises(RuntimeError, match="cannot change: it was 3, got 4"):
        counted.set_weights([np.array(["a", "b", "c"])])
    weighted = layers.StringLookup(output_mode="tf_idf")
    with pytest.raises(ValueError, match="3 tokens have as many `idf_weights`, got 5"):
        weighted.set_weights([np.ones(5), np.array(["a", "b"]), np.int64(0)])


def test_a_checkpoint_of_tensorflow_gives_layers_what_they_have_learned(tmp_path: Any) -> None:
    models, checkpoint = record_weights.in_checkpoint(tf, learned=False)
    checkpoint.read(str(record_weights.CHECKPOINT)).assert_consumed()
    for name, model in models.items():
        assert_alike(record_weights.answer(tf, model, name), ANSWERS["saved"][name])
    assert checkpoint.table[tf.constant(["b", "a", "c"])].numpy().tolist() == [2**40, 4, -1]
    path = str(tmp_path / "checkpoint")
    checkpoint.write(path, tf.train.CheckpointOptions(format="tensorflow"))
    others, another = record_weights.in_checkpoint(tf, learned=False)
    another.read(path).assert_consumed()
    for name, model in others.items():
        assert_alike(record_weights.answer(tf, model, name), ANSWERS["saved"][name])


def test_the_best_weights_of_a_training_have_the_words(tmp_path: Any) -> None:
    words = layers.StringLookup()
    words.adapt(["a", "b"])
    inputs = tf.keras.Input((), dtype="string")
    model = tf.keras.Model(inputs, layers.Dense(1)(tf.keras.layers.Embedding(3, 2)(words(inputs))))
    model.compile("sgd", "mse")
    x, y = tf.constant(["a", "b", "c", "a"]), np.array([[1.0], [2.0], [3.0], [1.0]])
    rising = tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: logs.update(epoch=float(epoch)))
    early = tf.keras.callbacks.EarlyStopping("epoch", patience=1, mode="min", restore_best_weights=True)
    first: list[Any] = []
    keep = tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: first.append(model.get_weights()))
    callbacks = [
        tf.keras.callbacks.BackupAndRestore(str(tmp_path / "backup")),
        tf.keras.callbacks.TensorBoard(str(tmp_path / "logs"), histogram_freq=1),
        rising,
        keep,
        early,
    ]
    model.fit(x, y, epochs=4, verbose=0, callbacks=callbacks)
    assert len(first) == 2
    for found, wanted in zip(model.get_weights(), first[0], strict=True):
        np.testing.assert_array_equal(found, wanted)
