"""Models of ragged tensors have TensorFlow's weights after training; what they cannot take is refused by name."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.core.step.observing import programs_made
from tests.thorough import thorough_but
from tests.training.ragged_programs import (
    BEHIND_MASKS,
    MODELS,
    ROWS,
    TARGETS,
    behind_masks,
    masks_computed,
    model_of,
    trained,
)

RECORDED = json.loads(Path(__file__).with_name("recorded").joinpath("ragged.json").read_text())
MASKED = json.loads(Path(__file__).with_name("recorded").joinpath("ragged_masks.json").read_text())
layers = tf.keras.layers


def two_replicas() -> Any:
    return tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]).scope()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "scope"),
    [*((name, contextlib.nullcontext) for name in MODELS), *((n, two_replicas) for n in ("mean", "lstm"))],
)
def test_a_model_of_rows_has_the_weights_of_tensorflow(name: str, scope: Callable[[], Any]) -> None:
    found, wanted = trained(tf, name, scope()), RECORDED[name]
    for what, values in wanted.items():
        np.testing.assert_allclose(found[what], values, rtol=2e-5, atol=2e-6, err_msg=what)


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore:Layer 'global_max_pooling1d:UserWarning")  # Keras 3: that it destroys the mask
@pytest.mark.parametrize("name", BEHIND_MASKS)
def test_masks_of_rows_go_as_far_as_in_tensorflow(name: str) -> None:
    for what, wanted in MASKED[name].items():
        found = behind_masks(tf, name)[what]
        if isinstance(wanted, str):
            assert found == wanted
            continue
        assert found[1] == wanted[1]
        for row, expected in zip(found[0], wanted[0], strict=True):
            np.testing.assert_allclose(row, expected, rtol=1e-6)


def test_layers_that_are_asked_for_masks_of_rows_answer_as_in_tensorflow() -> None:
    recorded = Path(__file__).with_name("recorded").joinpath("ragged_masks_computed.json")
    assert masks_computed(tf) == json.loads(recorded.read_text())


def pooled(inner: Any = None) -> Any:
    ids = tf.keras.Input((None,), ragged=True, dtype="int32")
    vectors = layers.Embedding(10, 4)(ids)
    vectors = vectors if inner is None else inner(vectors)
    model = tf.keras.Model(ids, layers.Dense(1)(layers.GlobalMaxPooling1D()(vectors)))
    model.compile("sgd", "mse")
    return model


def rows_of(count: int, seed: int = 0) -> Any:
    draws = np.random.default_rng(seed)
    return tf.ragged.constant(
        [draws.integers(0, 10, draws.integers(8, 64)).tolist() for _ in range(count)], dtype=tf.int32
    )


@pytest.mark.parametrize("scope", thorough_but([two_replicas], [contextlib.nullcontext, two_replicas]))
def test_batches_of_many_numbers_of_values_have_few_programs(scope: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(80)
    sizes = {int(np.sum(np.asarray(rows[i : i + 4].row_lengths()))) for i in range(0, 80, 4)}
    with scope():
        model = pooled()
    made = programs_made(monkeypatch)
    model.fit(rows, np.zeros((80, 1)), batch_size=4, shuffle=False, verbose=0)
    assert len(sizes) > 15
    assert 0 < len(made) < 8


def test_what_asks_for_the_values_sees_those_of_rows_alone() -> None:
    """Room that arrays have for more values is never seen."""
    counts: list[int] = []

    def count(rows: Any) -> Any:
        flat = rows.flat_values
        counts.append(int(flat.shape[0]))
        return rows.with_flat_values(flat - tf.reduce_mean(flat))

    rows = tf.ragged.constant(ROWS[3:] * 3, dtype=tf.int32)
    model = pooled(layers.Lambda(count))
    counts.clear()
    found = model.predict(rows, batch_size=5, verbose=0)
    assert set(counts) == {len([value for row in ROWS[3:] for value in row])}
    np.testing.assert_allclose(found, model(rows), rtol=1e-5, atol=1e-6)


def test_predictions_may_be_ragged() -> None:
    ids = tf.keras.Input((None,), ragged=True, dtype="int32")
    model = tf.keras.Model(ids, layers.Embedding(10, 1)(ids))
    rows = tf.ragged.constant(ROWS, dtype=tf.int32)
    found = model.predict(rows, batch_size=3, verbose=0)
    table = np.asarray(model.get_weights()[0])
    assert found.to_list() == [[table[i].tolist() for i in row] for row in ROWS]
    assert model.predict_on_batch(rows).to_list() == found.to_list()
    model.compile("sgd", "mse")
    with pytest.raises(TypeError, match="take no ragged or sparse tensors"):
        model.fit(rows, rows, verbose=0)


def test_one_batch_of_rows_at_a_time() -> None:
    rows, models = tf.ragged.constant(ROWS, dtype=tf.int32), [model_of(tf, "lstm") for _ in range(2)]
    for model in models:
        model.compile("sgd", "mse")
    loss = models[0].train_on_batch(rows, TARGETS)
    models[1].fit(rows, TARGETS, batch_size=8, shuffle=False, verbose=0)
    np.testing.assert_allclose(loss, models[1].history.history["loss"][0], rtol=1e-6)
    for first, second in zip(models[0].get_weights(), models[1].get_weights(), strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(models[0].test_on_batch(rows, TARGETS), models[1].evaluate(rows, TARGETS, verbose=0))


def test_a_model_of_rows_also_takes_a_matrix_and_one_of_matrices_rows() -> None:
    model, matrix = pooled(), np.array([[1, 2], [3, 4]], np.int32)
    found = model.predict(tf.RaggedTensor.from_tensor(matrix), verbose=0)
    np.testing.assert_allclose(model.predict(matrix, verbose=0), found, rtol=1e-6)
    dense = tf.keras.Input((None,), dtype="int32")
    same = tf.keras.Model(dense, model.layers[3](model.layers[2](model.layers[1](dense))))
    np.testing.assert_allclose(same.predict(tf.RaggedTensor.from_tensor(matrix), verbose=0), found, rtol=1e-6)


def test_words_of_texts_are_rows_of_a_model() -> None:
    text = tf.keras.Input((), dtype="string")
    words = layers.TextVectorization(ragged=True, vocabulary=["a", "b", "c"])(text)
    assert words.ragged
    model = tf.keras.Model(text, layers.GlobalMaxPooling1D()(layers.Embedding(5, 2)(words)))
    found = model.predict(np.array(["a b", "c", "b b a"], object), verbose=0)
    table = np.asarray(model.get_weights()[0])
    np.testing.assert_array_equal(found, [table[[2, 3]].max(0), table[4], table[[3, 3, 2]].max(0)])
    strings = tf.keras.Input((None,), ragged=True, dtype="string")
    numbers = layers.StringLookup(vocabulary=["a", "b", "c"])(strings)
    assert (numbers.ragged, numbers.dtype, tuple(numbers.shape)) == (True, "int64", (None, None))
    given = tf.ragged.constant([["a", "b"], ["c"]])
    assert tf.keras.Model(strings, numbers).predict(given, verbose=0).to_list() == [[1, 2], [3]]


def test_a_saved_model_takes_rows(tmp_path: Path) -> None:
    model, rows = model_of(tf, "stacked"), tf.ragged.constant(ROWS, dtype=tf.int32)
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    assert again.inputs[0].ragged
    np.testing.assert_array_equal(again.predict(rows, verbose=0), model.predict(rows, verbose=0))


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (lambda: layers.Conv1D(2, 2), r"\(Conv1D\) takes no RaggedTensor. Make it dense before, as by tf.keras.layers.Lambda"),
        (lambda: layers.BatchNormalization(), r"\(BatchNormalization\) takes no RaggedTensor"),
        (lambda: layers.SpatialDropout1D(0.5), r"\(SpatialDropout1D\) takes no RaggedTensor"),
        (lambda: layers.Softmax(axis=1), "along a dimension whose rows differ"),
        (lambda: layers.Dense(2, activity_regularizer="l2"), "with an activity_regularizer"),
        (lambda: layers.Dropout(0.5, noise_shape=(1, 4)), "with a noise_shape"),
        (lambda: layers.LSTM(2, unroll=True), "unroll=True cannot be used"),
        (lambda: layers.GlobalMaxPooling1D("channels_first"), "with data_format='channels_first'"),
    ],
)  # fmt: skip
def test_what_a_layer_does_not_take_is_refused_by_name(layer: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        layer()(tf.keras.Input((None, 4), ragged=True))


def test_masks_and_matrices_without_inner_size_are_refused() -> None:
    ids = tf.keras.Input((None,), ragged=True, dtype="int32")
    with pytest.raises(ValueError, match="a mask cannot be applied to RaggedTensor inputs"):
        layers.GRU(3)(layers.Embedding(10, 4, mask_zero=True)(ids))
    dense = layers.Dense(2)
    dense.build((None, 3))
    with pytest.raises(ValueError, match="The last dimension of the inputs to a Dense layer should be defined"):
        dense(tf.ragged.constant([[1.0, 2.0], [3.0]]))
    with pytest.raises(ValueError, match="`validation_split` is only supported for Tensors or NumPy arrays"):
        pooled().fit(rows_of(8), np.zeros((8, 1)), validation_split=0.5, verbose=0)


def test_dropout_acts_on_values() -> None:
    found = layers.Dropout(0.5, seed=1)(tf.ragged.constant([[1.0] * 50, [1.0] * 7]), training=True)
    assert set(found.flat_values.tolist()) == {0.0, 2.0}
    assert np.asarray(found.row_lengths()).tolist() == [50, 7]
