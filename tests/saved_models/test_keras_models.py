"""Keras models: saved and exported with their functions, served and fine-tuned by programs that lack their code."""

import json
import textwrap
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests import prepared

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

layers = tf.keras.layers
IMAGES = np.random.default_rng(0).normal(size=(8, 6, 6, 2)).astype("float32")
LABELS = np.arange(8) % 3


class Doubling(layers.Layer):
    """A layer of the user's, whose class is not registered with Keras."""

    def build(self, shape: Any) -> None:
        self.factor = self.add_weight(shape=(shape[-1],), initializer="ones")

    def call(self, inputs: Any, training: bool = False) -> Any:
        return inputs * 2 * self.factor if training else inputs * self.factor


def image_model() -> Any:
    """Returns a model with state of its own: moving averages and random numbers."""
    tf.keras.utils.set_random_seed(3)
    return tf.keras.Sequential(
        [
            tf.keras.Input((6, 6, 2)),
            layers.Conv2D(4, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            Doubling(),
            layers.Reshape((4, 4)),
            layers.LSTM(5),
            layers.Dropout(0.5),
            layers.Dense(3),
        ]
    )


def weights(model: Any) -> list[np.ndarray]:
    return [np.asarray(v.value) for v in model.variables]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, str]:
    """Returns a model that was made under two replicas and trained a little, and the directory that it was saved to."""
    strategy, path = STRATEGIES["mirrored 2"](), str(tmp_path_factory.mktemp("exported") / "model")
    with strategy.scope():
        model = image_model()
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(IMAGES, LABELS, batch_size=8, verbose=0)
    tf.saved_model.save(model, path)
    return model, path


def test_a_loaded_model_computes_and_updates_its_state(exported: tuple[Any, str]) -> None:
    model, path = exported
    loaded = tf.saved_model.load(path)
    for rows in (1, 8):
        np.testing.assert_allclose(loaded(IMAGES[:rows]), model(IMAGES[:rows]), rtol=1e-6, atol=1e-6)
    assert [v.trainable for v in loaded.variables] == [v.trainable for v in model.variables]
    assert len(loaded.trainable_variables) == len(model.trainable_variables)
    before = weights(loaded)
    loaded(IMAGES, training=True)
    changed = [not np.array_equal(a, b) for a, b in zip(before, weights(loaded), strict=True)]
    assert 0 < sum(changed) < len(changed)
    assert not any(c for c, v in zip(changed, loaded.variables, strict=True) if v.trainable)


def test_a_process_without_the_code_gets_the_same_outputs(exported: tuple[Any, str]) -> None:
    model, path = exported
    program = f"""
        import json
        import numpy as np
        import stratagem as tf
        loaded = tf.saved_model.load({path!r})
        images = np.random.default_rng(0).normal(size=(8, 6, 6, 2)).astype("float32")
        served = loaded.signatures["serving_default"](images)
        print(json.dumps([np.asarray(v).tolist() for v in (loaded(images), *served.values())]))
    """
    found = prepared.run(textwrap.dedent(program))
    assert found.returncode == 0, found.stderr
    for outputs in json.loads(found.stdout):
        np.testing.assert_allclose(outputs, model(IMAGES), rtol=1e-5, atol=1e-5)


def fine_tuned(strategy: Any, call: Any, variables: Any) -> None:
    """Takes three steps of gradient descent, on the same global batch."""
    with strategy.scope():
        optimizer = tf.keras.optimizers.SGD(0.05)

    def replica(images: Any, labels: Any) -> None:
        with tf.GradientTape() as tape:
            losses = tf.keras.losses.sparse_categorical_crossentropy(labels, call(images), from_logits=True)
            loss = tf.nn.compute_average_loss(losses, global_batch_size=8)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    step = tf.function(lambda images, labels: strategy.run(replica, args=(images, labels)))
    dataset = tf.data.Dataset.from_tensor_slices((IMAGES, LABELS)).batch(8).repeat(3)
    for images, labels in strategy.experimental_distribute_dataset(dataset):
        step(images, labels)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["default", "mirrored 2", "mirrored 4", "central storage"])
def test_a_loaded_model_is_fine_tuned_like_the_model_itself(name: str, exported: tuple[Any, str]) -> None:
    """Without dropout, whose random numbers differ by replica in the one and in the other."""
    strategy, start = STRATEGIES[name](), exported[0].get_weights()
    with strategy.scope():
        model = image_model()
        model.set_weights(start)
        loaded = tf.saved_model.load(exported[1])
    fine_tuned(strategy, lambda images: model(images, training=False), model.trainable_variables)
    fine_tuned(strategy, lambda images: loaded(images, training=False), loaded.trainable_variables)
    for mine, wanted in zip(loaded.trainable_variables, model.trainable_variables, strict=True):
        np.testing.assert_allclose(mine.value, wanted.value, rtol=1e-5, atol=1e-5)


def test_moving_averages_are_those_of_all_replicas(tmp_path: Path) -> None:
    """A batch's statistics are each replica's own in the saved program; their averages go into the moving ones."""
    strategy = STRATEGIES["mirrored 2"]()
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.Input((2,)), layers.BatchNormalization(momentum=0.5)])
        tf.saved_model.save(model, tmp_path / "model")
        loaded = tf.saved_model.load(tmp_path / "model")
    rows = tf.constant(np.arange(16.0, dtype="float32").reshape(8, 2))
    dataset = tf.data.Dataset.from_tensor_slices(rows).batch(8)
    for batch in strategy.experimental_distribute_dataset(dataset):
        tf.function(lambda batch=batch: strategy.run(lambda x: loaded(x, training=True), args=(batch,)))()
    moving = next(v for v in loaded.variables if "moving_mean" in v.name)
    assert np.asarray(moving.value).tolist() == [3.5, 4.0]


def test_an_exported_model_serves(tmp_path: Path) -> None:
    inputs = {"a": tf.keras.Input((4,), name="a"), "b": tf.keras.Input((3,), name="b", dtype="int32")}
    joined = layers.Concatenate()([inputs["a"], keras.ops.cast(inputs["b"], "float32")])
    model = tf.keras.Model(inputs, {"score": layers.Dense(2)(joined), "other": layers.Dense(1)(inputs["a"])})
    model.export(tmp_path / "model", verbose=False)
    loaded, batch = (
        tf.saved_model.load(tmp_path / "model"),
        {"a": np.ones((5, 4), "float32"), "b": np.ones((5, 3), "int32")},
    )
    wanted = model(batch)
    for found in (
        loaded.serve(batch),
        loaded.signatures["serve"](**batch),
        loaded.signatures["serving_default"](**batch),
    ):
        assert found.keys() == wanted.keys()
        for name, value in wanted.items():
            np.testing.assert_allclose(found[name], value, rtol=1e-6)
    assert len(loaded.variables) == len(loaded.trainable_variables) == 4
    assert not loaded.non_trainable_variables


def test_a_subclassed_model_is_saved_as_it_was_called(tmp_path: Path) -> None:
    class Sub(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = layers.Dense(3)

        def call(self, x: Any) -> Any:
            return self.dense(x), tf.reduce_sum(x)

    model = Sub()
    with pytest.raises(ValueError, match="not yet been built or called"):
        model.export(tmp_path / "model")
    wanted = model(np.ones((2, 4), "float32"))
    tf.saved_model.save(model, tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    assert float(loaded(np.ones((6, 4), "float32"))[1]) == 24
    np.testing.assert_allclose(loaded(np.ones((2, 4), "float32"))[0], wanted[0], rtol=1e-6)
    assert sorted(loaded.signatures["serving_default"].structured_outputs) == ["output_1", "output_2"]


def test_an_archive_has_chosen_functions(tmp_path: Path) -> None:
    model, archive = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(1)]), tf.keras.export.ExportArchive()
    with pytest.raises(ValueError, match="No endpoints"):
        archive.write_out(tmp_path / "model")
    archive.track(model)
    archive.add_endpoint("twice", lambda x: model(x) * 2, [tf.TensorSpec([None, 2])])
    archive.add_endpoint("call", tf.function(model.__call__), [tf.keras.InputSpec(shape=(None, 2), dtype="float32")])
    archive.add_variable_collection("kernels", [model.layers[-1].kernel])
    with pytest.raises(ValueError, match="already taken"):
        archive.add_endpoint("twice", lambda x: x, [tf.TensorSpec([1])])
    with pytest.raises(ValueError, match="needs an `input_signature`"):
        archive.add_endpoint("plain", lambda x: x)
    with pytest.raises(ValueError, match="has not yet been built"):
        archive.track(layers.Dense(2))
    archive.write_out(tmp_path / "model", verbose=False)
    loaded, x = tf.saved_model.load(tmp_path / "model"), np.ones((3, 2), "float32")
    np.testing.assert_allclose(loaded.twice(x), 2 * np.asarray(loaded.call(x)), rtol=1e-6)
    assert np.shape(loaded.kernels[0]) == (2, 1)
    assert sorted(loaded.signatures) == ["call", "serving_default", "twice"]
    np.testing.assert_allclose(loaded.signatures["serving_default"](x)["output_0"], loaded.twice(x), rtol=1e-6)


def test_a_folder_of_model_save_is_loaded_as_in_tensorflow(tmp_path: Path) -> None:
    """`model.save("folder")` writes a SavedModel in TensorFlow: what `tf.saved_model.load` makes of it is no Keras model."""
    strategy, folder = STRATEGIES["mirrored 2"](), tmp_path / "folder"
    parts = [layers.BatchNormalization(momentum=0.5), layers.Dense(1, name="out")]
    model = tf.keras.Sequential([tf.keras.Input((2,), name="rows"), *parts])
    model.compile("adam", "mse")
    model.save(folder)
    assert tf.saved_model.contains_saved_model(folder)
    with strategy.scope():
        mirrored = tf.saved_model.load(folder).trainable_variables[0]
    assert len(strategy.experimental_local_results(mirrored)) == 2
    loaded = tf.saved_model.load(folder)
    assert not isinstance(loaded, keras.Model)
    rows = np.arange(8.0, dtype="float32").reshape(4, 2)
    wanted = model(rows)
    np.testing.assert_allclose(loaded(rows), wanted, rtol=1e-6)
    np.testing.assert_allclose(loaded.signatures["serving_default"](rows=rows)["out"], wanted, rtol=1e-6)
    assert [v.trainable for v in loaded.variables] == [v.trainable for v in model.variables]
    loaded(rows, training=True)
    assert np.asarray(loaded.non_trainable_variables[0].value).tolist() == [1.5, 2.0]
    assert np.asarray(model.non_trainable_variables[0].value).tolist() == [0, 0]
    tf.saved_model.save(loaded, tmp_path / "again")
    again = tf.saved_model.load(tmp_path / "again")
    np.testing.assert_allclose(again(rows), loaded(rows), rtol=1e-6)
    (folder / "stratagem_model.keras").write_bytes(b"damaged")
    with pytest.raises(tf.errors.DataLossError, match=r"stratagem_model\.keras' is damaged"):
        tf.saved_model.load(folder)


def test_other_formats_of_exports_are_refused(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(1)])
    with pytest.raises(tf.errors.UnimplementedError, match="format='onnx'"):
        model.export(tmp_path / "model", format="onnx")


def test_a_layer_calls_a_function_of_a_saved_model(tmp_path: Path) -> None:
    model, x = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(3)]), np.ones((4, 2), "float32")
    model.export(tmp_path / "model", verbose=False)
    layer, inputs = layers.TFSMLayer(tmp_path / "model"), tf.keras.Input((2,))
    around = tf.keras.Model(inputs, layers.Dense(1)(layer(inputs)))
    np.testing.assert_allclose(layer(x), model(x), rtol=1e-6)
    around.compile("sgd", "mse")
    around.fit(x, np.ones((4, 1)), verbose=0)
    assert len(around.trainable_weights) == 4
    assert not np.allclose(layer(x), model(x)), "it is trained"
    around.save(tmp_path / "around.keras")
    with pytest.raises(ValueError, match="safe_mode"):
        tf.keras.models.load_model(tmp_path / "around.keras")
    again = tf.keras.models.load_model(tmp_path / "around.keras", safe_mode=False)
    np.testing.assert_allclose(again(x), around(x), rtol=1e-6)
    with pytest.raises(ValueError, match="The endpoint 'call' is neither"):
        layers.TFSMLayer(tmp_path / "model", call_endpoint="call")
