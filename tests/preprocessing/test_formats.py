"""A file of a model has what its layers learned from data, or says that it lacks it: never other answers after loading."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf

layers = tf.keras.layers
WORDS = tf.constant(["b", "a", "b", "c"])
TEXTS = tf.constant(["a b", "b c", "c", "b"])
NUMBERS = tf.constant([[1.0], [2.0], [5.0], [9.0]])
# What `adapt` reads, and the layer.
LEARNING: dict[str, tuple[Any, Callable[[], Any]]] = {
    "words": (WORDS, layers.StringLookup),
    "weights of words": (WORDS, lambda: layers.StringLookup(output_mode="tf_idf")),
    "integers": (tf.constant([5, 7, 5, 9], tf.int64), layers.IntegerLookup),
    "texts": (TEXTS, lambda: layers.TextVectorization(output_sequence_length=3)),
    "weights of texts": (TEXTS, lambda: layers.TextVectorization(output_mode="tf_idf")),
    "bins": (NUMBERS, lambda: layers.Discretization(num_bins=3)),
    "moments": (NUMBERS, layers.Normalization),
}
VOCABULARIES = {name for name in LEARNING if name not in ("bins", "moments")}
NOT_IN_HDF5 = VOCABULARIES | {"bins"}


def model_of(name: str, adapted: bool = True) -> Any:
    data, make = LEARNING[name]
    layer = make()
    if adapted:
        layer.adapt(data)
    inputs = tf.keras.Input((1,), dtype=data.dtype)
    return tf.keras.Model(inputs, layer(inputs))


def answers(model: Any, name: str) -> np.ndarray:
    return np.asarray(model(tf.reshape(LEARNING[name][0], (-1, 1))))


@pytest.mark.parametrize("file", ["m.keras", "folder", "m.h5", "m.hdf5"])
@pytest.mark.parametrize("name", LEARNING)
def test_a_saved_model_answers_as_before_or_is_not_saved(name: str, file: str, tmp_path: Path) -> None:
    model, path = model_of(name), tmp_path / file
    if name in NOT_IN_HDF5 and file in ("m.h5", "m.hdf5"):
        with pytest.raises(NotImplementedError, match=r"HDF5 keeps variables alone.*'\.keras'") as error:
            model.save(path)
        assert isinstance(error.value, tf.errors.UnimplementedError)
        assert not path.exists()
        return
    model.save(path)
    np.testing.assert_array_equal(answers(tf.keras.models.load_model(path), name), answers(model, name))


@pytest.mark.parametrize("name", [name for name in LEARNING if name not in ("weights of words", "weights of texts")])
def test_weights_bring_what_was_learned_or_are_not_saved(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    if name in NOT_IN_HDF5:
        with pytest.raises(tf.errors.UnimplementedError, match="HDF5 keeps variables alone"):
            model.save_weights(tmp_path / "w.h5")
        assert not (tmp_path / "w.h5").exists()
    else:
        model.save_weights(tmp_path / "w.h5")
    model.save_weights(tmp_path / "checkpoint")
    another = model_of(name, adapted=False)
    another.load_weights(tmp_path / "checkpoint")
    np.testing.assert_array_equal(answers(another, name), answers(model, name))


@pytest.mark.parametrize("name", sorted(VOCABULARIES))
def test_weights_of_keras_have_no_vocabulary_and_a_layer_without_one_says_so(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    before = answers(model, name)
    model.save_weights(tmp_path / "m.weights.h5")
    model.load_weights(tmp_path / "m.weights.h5")
    np.testing.assert_array_equal(answers(model, name), before)
    config = model.get_config()
    another = tf.keras.Model.from_config(config)
    another.load_weights(tmp_path / "m.weights.h5")
    with pytest.raises(tf.errors.FailedPreconditionError, match="has no vocabulary"):
        answers(another, name)


def test_arguments_are_in_every_file(tmp_path: Path) -> None:
    inputs = tf.keras.Input((1,), dtype="string")
    model = tf.keras.Model(inputs, layers.StringLookup(vocabulary=["b", "a"])(inputs))
    model.save(tmp_path / "m.h5")
    model.save_weights(tmp_path / "w.h5")
    np.testing.assert_array_equal(answers(tf.keras.models.load_model(tmp_path / "m.h5"), "words"), [[1], [2], [1], [0]])


def test_a_model_saved_before_its_layer_has_learned_has_no_vocabulary_either(tmp_path: Path) -> None:
    model_of("words", adapted=False).save(tmp_path / "m.keras")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Call `adapt`"):
        answers(tf.keras.models.load_model(tmp_path / "m.keras"), "words")


@pytest.mark.parametrize("ending", ["", ".keras", ".h5"])
@pytest.mark.parametrize("as_file", [False, True])
def test_words_that_replace_an_argument_are_those_of_the_file(as_file: bool, ending: str, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("b\na\n")
    layer = layers.StringLookup(vocabulary=["q", "r"])
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), layer])
    layer.set_vocabulary(str(tmp_path / "words.txt") if as_file else ["b", "a"])
    expected = np.asarray(model(WORDS[:, None])).tolist()
    assert expected == [[1], [2], [1], [0]]
    model.save(tmp_path / f"model{ending}")
    again = tf.keras.models.load_model(tmp_path / f"model{ending}")
    assert np.asarray(again(WORDS[:, None])).tolist() == expected
