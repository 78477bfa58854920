"""Feature columns in models, files of models, replicas, and with features of every form."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf

fc, layers = tf.feature_column, tf.keras.layers
ROWS = 8
FEATURES = {
    "age": np.arange(ROWS) * 6.0,
    "word": np.array(list("abxzabxz")),
    "words": np.array([["q", ""]] * 4 + [["r", "s"]] * 4),
}
WORD = fc.categorical_column_with_vocabulary_list("word", ["a", "b", "x"])


def columns() -> list[Any]:
    buckets = fc.bucketized_column(fc.numeric_column("age"), [10, 20, 30.5])
    hashed = fc.categorical_column_with_hash_bucket("words", 5)
    return [
        buckets,
        fc.embedding_column(WORD, 2, initializer=tf.keras.initializers.RandomNormal(seed=3)),
        fc.embedding_column(hashed, 3, combiner="sum", initializer=tf.keras.initializers.Ones()),
        fc.indicator_column(fc.crossed_column([buckets, "word"], 7)),
    ]


def model() -> Any:
    made = tf.keras.Sequential([layers.DenseFeatures(columns()), layers.Dense(1, kernel_initializer="ones")])
    made.compile(tf.keras.optimizers.SGD(0.02), "mse")
    return made


def rows(batch: int) -> Any:
    return tf.data.Dataset.from_tensor_slices((FEATURES, np.arange(ROWS) / 8)).batch(batch)


def test_replicas_learn_what_one_device_does(tmp_path: Path) -> None:
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        several = model()
    one = model()
    for each in (several, one):
        each.fit(rows(4), epochs=2, verbose=0)
    for left, right in zip(several.get_weights(), one.get_weights(), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-6)
    paths = [weight.path.split("/", 1)[1] for weight in several.weights[:2]]
    assert [path.split("/", 1)[1] for path in paths] == [
        "word_embedding/embedding_weights",
        "words_embedding/embedding_weights",
    ]
    several.save(tmp_path / "model.keras")
    read = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(read.predict(rows(4), verbose=0), several.predict(rows(4), verbose=0))


def test_a_model_of_inputs_takes_a_dict_of_features() -> None:
    kinds = {"age": ((), "float32"), "word": ((), "string"), "words": ((2,), "string")}
    inputs = {key: tf.keras.Input(shape, dtype=dtype, name=key) for key, (shape, dtype) in kinds.items()}
    made = tf.keras.Model(inputs, layers.Dense(1)(layers.DenseFeatures(columns())(inputs)))
    assert made.output_shape == (None, 1)
    assert made.predict(rows(4), verbose=0).shape == (ROWS, 1)


def test_ragged_sparse_and_dense_words_are_the_same_entries() -> None:
    lists = [["a", "b"], [], ["x"], ["b", "z", "b"]]
    ragged = tf.ragged.constant(lists)
    layer = layers.DenseFeatures([fc.indicator_column(WORD), fc.embedding_column(WORD, 2)])
    expected = layer({"word": ragged.to_tensor()})
    assert expected[:, 2:].numpy().tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1], [0, 2, 0]]
    for form in (ragged, ragged.to_sparse()):
        np.testing.assert_array_equal(layer({"word": form}), expected)
        np.testing.assert_array_equal(tf.function(lambda x: layer({"word": x}))(form), expected)
        made = tf.keras.Sequential([layers.DenseFeatures([fc.embedding_column(WORD, 2)]), layers.Dense(1)])
        made.compile("sgd", "mse")
        data = tf.data.Dataset.from_tensors(({"word": form}, np.ones(4))).repeat(2)
        assert np.isfinite(made.fit(data, verbose=0).history["loss"]).all()


def test_features_are_read_from_files_as_columns_say() -> None:
    used = [fc.embedding_column(WORD, 2), fc.numeric_column("age")]
    features = tf.train.Features(
        feature={
            "word": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"b"])),
            "age": tf.train.Feature(float_list=tf.train.FloatList(value=[2.0])),
        }
    )
    serialized = tf.train.Example(features=features).SerializeToString()
    parsed = tf.io.parse_example([serialized], fc.make_parse_example_spec(used))
    layer = layers.DenseFeatures(used)
    output = layer(parsed)
    assert output[0, 0] == 2.0
    np.testing.assert_allclose(output[0, 1:], layer.weights[0][:2].numpy().mean(axis=0), rtol=1e-6)


def test_columns_share_a_table_also_between_layers() -> None:
    other = fc.categorical_column_with_vocabulary_list("other", ["a", "b", "x"])
    shared = fc.shared_embeddings([WORD, other], 2)
    first, second = layers.DenseFeatures(shared), layers.DenseFeatures(shared[:1])
    output = first({"word": ["a"], "other": ["a"]})
    assert output[0, :2].numpy().tolist() == output[0, 2:].numpy().tolist()
    assert second({"word": ["a"]}).numpy().tolist() == output[:, :2].numpy().tolist()
    assert [len(layer.trainable_weights) for layer in (first, second)] == [1, 1]
    assert first.weights[0] is second.weights[0]


def test_a_table_begins_as_a_checkpoint_says(tmp_path: Path) -> None:
    saved = tf.Variable(np.arange(6, dtype="float32").reshape(3, 2))
    path = tf.train.Checkpoint(table=saved).save(tmp_path / "table")
    name = next(name for name, shape in tf.train.list_variables(path) if shape == [3, 2])
    column = fc.embedding_column(WORD, 2, ckpt_to_load_from=path, tensor_name_in_ckpt=name, trainable=False)
    layer = layers.DenseFeatures([column])
    assert layer({"word": ["x", "b"]}).numpy().tolist() == [[4, 5], [2, 3]]
    assert layer.trainable_weights == []


def test_a_linear_model_is_saved_and_says_what_it_lacks(tmp_path: Path) -> None:
    made = tf.keras.experimental.LinearModel(2, use_bias=False, kernel_initializer="ones")
    given = {"a": np.ones((3, 1), "float32"), "b": np.ones((3, 2), "float32")}
    assert made(given).numpy().tolist() == [[3, 3]] * 3
    made.save(tmp_path / "linear.keras")
    assert tf.keras.models.load_model(tmp_path / "linear.keras")(given).numpy().tolist() == [[3, 3]] * 3
    with pytest.raises(ValueError, match="it lacks b, and has a"):
        made({"a": given["a"]})


@tf.keras.saving.register_keras_serializable("tests")
def halved(numbers: Any) -> Any:
    return numbers / 2


def doubled(numbers: Any) -> Any:
    return numbers * 2


def test_functions_of_columns_are_found_again_by_their_names(tmp_path: Path) -> None:
    used = [fc.numeric_column("a", normalizer_fn=halved), fc.numeric_column("b", normalizer_fn=doubled)]
    made = tf.keras.Sequential([layers.DenseFeatures(used)])
    given = {"a": np.ones(1), "b": np.ones(1)}
    assert made(given).numpy().tolist() == [[0.5, 2.0]]
    made.save(tmp_path / "model.keras")
    read = tf.keras.models.load_model(tmp_path / "model.keras", custom_objects={"doubled": doubled})
    assert read(given).numpy().tolist() == [[0.5, 2.0]]
    with pytest.raises(ValueError, match="Unknown object: doubled"):
        layers.DenseFeatures.from_config(made.layers[0].get_config())


def test_a_layer_is_made_again_of_its_description() -> None:
    layer = layers.DenseFeatures(columns(), name="features")
    again = layers.DenseFeatures.from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    outputs: dict[Any, Any] = {}
    found = again(FEATURES, cols_to_output_tensors=outputs)
    assert found.shape == (ROWS, 16) == again.compute_output_shape({"age": (ROWS,)})
    assert sum(part.shape[1] for part in outputs.values()) == 16
    assert columns()[0] in outputs


def test_numbers_of_steps_are_normalized_in_a_compiled_step_as_outside() -> None:
    """What the user's function makes of a sparse feature is a tensor of the step; where its entries are is known before."""
    layer = tf.keras.experimental.SequenceFeatures(
        [fc.sequence_numeric_column("x", default_value=-1.0, normalizer_fn=lambda x: x * 0.5)]
    )
    given = tf.compat.v1.SparseTensorValue(np.array([[0, 0], [0, 1], [2, 0]]), np.float32([2, 4, 6]), np.array([3, 2]))
    (feature,) = tf.data.Dataset.from_tensors({"x": given})
    expected = [[1.0, 2.0], [-1.0, -1.0], [3.0, -1.0]]
    for call in (layer, tf.function(layer)):
        steps, lengths = call(feature)
        np.testing.assert_array_equal(steps[..., 0], expected)
        np.testing.assert_array_equal(lengths, [2, 0, 1])


def test_a_sparse_tensor_value_is_one_element_of_a_dataset() -> None:
    given = tf.compat.v1.SparseTensorValue(np.array([[0, 0], [1, 1]]), np.float32([2, 4]), np.array([2, 2]))
    for made in (
        tf.data.Dataset.from_tensors((given, 1)),
        tf.data.Dataset.from_tensor_slices((given, [1, 2])).batch(2),
    ):
        ((sparse, _),) = made
        assert isinstance(sparse, tf.SparseTensor)
        np.testing.assert_array_equal(tf.sparse.to_dense(sparse), [[2.0, 0.0], [0.0, 4.0]])
