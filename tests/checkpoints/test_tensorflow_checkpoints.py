"""Objects that TensorFlow 2.15.1 saved are restored here, and those saved here have its names and graph."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf

# Which names TensorFlow's files have is below every public name.
from stratagem._checkpoints.tensorflow import Bundle, ObjectGraph
from tests.checkpoints.record_tensorflow import RECORDED, TRAINED
from tests.checkpoints.tensorflow_programs import PROGRAMS, ROWS, X, convolutional, input_fn, losses, model_fn

VALUES = np.load(RECORDED / "values.npz")
LOSSES = json.loads((RECORDED / "losses.json").read_text())
GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
ENDING = "/.ATTRIBUTES/VARIABLE_VALUE"
TENSORFLOWS = tf.train.CheckpointOptions(format="tensorflow")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def saved(name: str) -> str:
    return str(RECORDED / f"{name}-1")


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_value_is_read(name: str) -> None:
    reader = tf.train.load_checkpoint(saved(name))
    expected = {key.partition(":")[2]: VALUES[key] for key in VALUES if key.startswith(f"{name}:")}
    assert expected
    for key, value in expected.items():
        assert reader.has_tensor(key)
        np.testing.assert_array_equal(reader.get_tensor(key), value)
        assert reader.get_variable_to_shape_map()[key] == list(value.shape)
        assert reader.get_variable_to_dtype_map()[key] == value.dtype
        np.testing.assert_array_equal(tf.train.load_variable(saved(name), key), value)


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_everything_is_consumed(name: str) -> None:
    made = PROGRAMS[name](tf)
    checkpoint = tf.train.Checkpoint(**made)
    checkpoint.restore(saved(name)).assert_consumed()
    assert checkpoint.save_counter.numpy() == 1
    if name == "objects":
        assert made["state"].text == "kept"


@pytest.mark.sampled
@pytest.mark.parametrize("built", [True, False], ids=["built", "not built"])
@pytest.mark.parametrize("name", TRAINED)
def test_training_goes_on_as_in_tensorflow(name: str, built: bool) -> None:
    made = PROGRAMS[name](tf)
    if not built:
        model = convolutional(tf, type(made["optimizer"]).from_config(made["optimizer"].get_config()))
        made = {"model": model, "optimizer": model.optimizer}
    status = tf.train.Checkpoint(**made).restore(saved(name))
    np.testing.assert_allclose(losses(made["model"], 5), LOSSES[name], rtol=1e-5)
    status.assert_consumed()


def test_an_optimizer_takes_over_what_a_legacy_one_has_saved(caplog: pytest.LogCaptureFixture) -> None:
    made = convolutional(tf, tf.keras.optimizers.Adam(0.5, beta_1=0.8))
    losses(made, 1)
    checkpoint = tf.train.Checkpoint(model=made, optimizer=made.optimizer)
    checkpoint.restore(saved("legacy_adam")).assert_consumed()
    assert int(made.optimizer.iterations) == 3
    np.testing.assert_allclose(float(made.optimizer.learning_rate), 0.01)
    slot = VALUES["legacy_adam:model/layer_with_weights-0/kernel/.OPTIMIZER_SLOT/optimizer/m" + ENDING]
    np.testing.assert_array_equal(made.optimizer._momentums[0].numpy(), slot)
    assert "was saved with beta_1=0.9" in caplog.text
    assert "was saved with decay" not in caplog.text  # which this optimizer does not have


def test_weights_are_loaded_by_a_path_without_an_ending() -> None:
    model = convolutional(tf, "sgd")
    model(X)
    status = model.load_weights(str(RECORDED / "weights"))
    np.testing.assert_array_equal(model.layers[0].kernel, VALUES[f"adam:model/layer_with_weights-0/kernel{ENDING}"])
    status.assert_existing_objects_matched().assert_nontrivial_match().expect_partial()
    with pytest.raises(AssertionError, match="optimizer/_variables/1,"):  # of Adam
        status.assert_consumed()


def test_the_variables_of_a_saved_model_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "variables").mkdir()
    (tmp_path / "saved_model.pb").write_bytes(b"")
    for file in RECORDED.glob("weights.*"):
        shutil.copy(file, tmp_path / "variables" / file.name.replace("weights", "variables"))
    model = convolutional(tf, "sgd")
    model(X)
    model.load_weights(tmp_path)
    np.testing.assert_array_equal(model.layers[0].kernel, VALUES[f"adam:model/layer_with_weights-0/kernel{ENDING}"])


def test_what_does_not_match_is_named() -> None:
    layers = tf.keras.layers
    other = tf.keras.Sequential([layers.Conv2D(2, 3), layers.Dense(7)])
    other(X)
    before = np.asarray(other.layers[0].kernel)
    with pytest.raises(ValueError, match=r"model/layer_with_weights-1/bias .*shape \(7,\)"):
        tf.train.Checkpoint(model=other).read(saved("adam"))
    np.testing.assert_array_equal(other.layers[0].kernel, before)
    other = tf.keras.Sequential([layers.Conv2D(2, 3), layers.PReLU()])
    other(X)
    status = tf.train.Checkpoint(model=other).read(saved("adam")).expect_partial()
    with pytest.raises(AssertionError, match=r"1 Python objects have no value .*: model/layer_with_weights-1/alpha"):
        status.assert_existing_objects_matched()
    kernel = VALUES[f"adam:model/layer_with_weights-0/kernel{ENDING}"]
    np.testing.assert_array_equal(other.layers[0].kernel, kernel)  # what matches is restored
    status = tf.train.Checkpoint(model=other.layers[0]).read(saved("objects")).expect_partial()
    with pytest.raises(AssertionError, match="have no value"):
        status.assert_consumed()


def test_layers_without_weights_may_come_and_go() -> None:
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Conv2D(2, 3, activation="relu"),
            layers.Dropout(0.5),
            layers.DepthwiseConv2D(2),
            layers.Activation("linear"),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dense(3),
        ]
    )
    model(X)
    tf.train.Checkpoint(model=model).read(saved("adam")).assert_existing_objects_matched()
    kernel = VALUES[f"adam:model/layer_with_weights-3/kernel{ENDING}"]
    np.testing.assert_array_equal(model.layers[-1].kernel, kernel)


def graph(path: str) -> dict[str, str]:
    """The name of every value in a checkpoint's graph, by the shortest path to it."""
    message = ObjectGraph()
    message.ParseFromString(Bundle(path).read(GRAPH).item())
    found, queue = {0: ""}, [0]
    for node in queue:
        for child in message.nodes[node].children:
            if child.node_id not in found:
                found[child.node_id] = f"{found[node]}/{child.local_name}"
                queue.append(child.node_id)
    keys = {path: [a.checkpoint_key for a in message.nodes[i].attributes] for i, path in found.items()}
    return {path: key for path, (key, *_) in ((p, k) for p, k in keys.items() if k)}


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_saved_has_tensorflows_names_dtypes_and_graph(name: str) -> None:
    path = tf.train.Checkpoint(**PROGRAMS[name](tf)).save(name, options=TENSORFLOWS)
    ours, theirs = Bundle(path), Bundle(saved(name))
    assert {(f.name, f.shape, f.dtype) for f in ours.facts.values()} == {
        (f.name, f.shape, f.dtype) for f in theirs.facts.values()
    }
    assert graph(path) == graph(saved(name))
    tf.train.Checkpoint(**PROGRAMS[name](tf)).restore(path).assert_consumed()


def test_a_manager_keeps_checkpoints_in_tensorflows_format() -> None:
    v = tf.Variable(0.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), "d", max_to_keep=2)
    for number in range(4):
        v.assign(number)
        manager.save(options=TENSORFLOWS)
    assert sorted(n for n in os.listdir("d") if n.startswith("ckpt")) == [
        *("ckpt-3.data-00000-of-00001", "ckpt-3.index"),
        *("ckpt-4.data-00000-of-00001", "ckpt-4.index"),
    ]
    v.assign(9.0)
    assert tf.train.CheckpointManager(tf.train.Checkpoint(v=v), "d", 2).restore_or_initialize() == "d/ckpt-4"
    assert v.numpy() == 3.0
    assert next(tf.train.checkpoints_iterator("d", timeout=0)) == "d/ckpt-4"
    Path("d/ckpt-4.index").write_bytes(b"damaged")
    assert tf.train.latest_checkpoint("d") == "d/ckpt-3"


def test_the_format_is_one_of_two() -> None:
    with pytest.raises(ValueError, match=r"format='zip'.*stratagem"):
        tf.train.CheckpointOptions(format="zip")


# --- Estimators -------------------------------------------------------------------------------------------------------


def test_an_estimator_goes_on_where_tensorflows_stopped() -> None:
    shutil.copytree(RECORDED / "estimator", "model")
    trained = tf.estimator.Estimator(model_fn(tf), "model", tf.estimator.RunConfig(tf_random_seed=1))
    found = []
    for _ in range(5):
        trained.train(input_fn(tf), steps=1)
        found.append(float(trained.evaluate(input_fn(tf), steps=1)["loss"]))
    np.testing.assert_allclose(found, LOSSES["estimator"], rtol=1e-5)
    assert int(trained.get_variable_value("global_step")) == 8


def test_an_estimator_starts_with_values_of_tensorflows() -> None:
    started = tf.estimator.Estimator(model_fn(tf), "new", warm_start_from=str(RECORDED / "estimator"))
    started.train(input_fn(tf), steps=1)
    first = tf.train.load_variable("new/model.ckpt-0", "hidden/kernel")
    np.testing.assert_array_equal(first, tf.train.load_variable(str(RECORDED / "estimator"), "hidden/kernel"))


@pytest.mark.parametrize(
    "assignments",
    [{"hidden/": "mine/"}, {"hidden/kernel": "mine/kernel", "hidden/bias": "mine/bias"}, [("hidden/kernel", None)]],
)
def test_a_model_fn_takes_first_values_from_a_checkpoint(assignments: Any) -> None:
    v1 = tf.compat.v1

    def model(features: Any, labels: Any, mode: str) -> Any:
        output = v1.layers.dense(features, 2, name="mine")
        own = [v for v in v1.global_variables() if v.name.startswith("mine/kernel")]
        pairs = [(name, own[0]) for name, _ in assignments] if isinstance(assignments, list) else assignments
        v1.train.init_from_checkpoint(str(RECORDED / "estimator"), pairs)
        loss = v1.losses.mean_squared_error(labels, output[:, :1])
        train = v1.train.GradientDescentOptimizer(0.0).minimize(loss, v1.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    trained = tf.estimator.Estimator(model, "new")
    trained.train(input_fn(tf), steps=1)
    expected = v1.train.NewCheckpointReader(str(RECORDED / "estimator/model.ckpt-3")).get_tensor("hidden/kernel")
    np.testing.assert_array_equal(trained.get_variable_value("mine/kernel"), expected)


@pytest.mark.parametrize(
    ("assignments", "problem"),
    [
        ({"hidden/": "mine"}, "No variable of the model_fn has the name 'mine'"),
        ({"hidden/kernel": "mine/"}, "should map to scope only"),
        ({"nothing/": "mine/"}, "nothing/kernel .* is not found"),
        ({"out/kernel": "mine/kernel"}, "Shape of variable mine/kernel"),
        ({"hidden/": "other/"}, "No variable of the model_fn is below 'other/'"),
    ],
)
def test_an_assignment_that_does_not_fit_is_an_error(assignments: dict[str, str], problem: str) -> None:
    v1 = tf.compat.v1

    def model(features: Any, labels: Any, mode: str) -> Any:
        output = v1.layers.dense(features, 2, name="mine")
        v1.train.init_from_checkpoint(str(RECORDED / "estimator"), assignments)
        return tf.estimator.EstimatorSpec(mode, predictions=output)

    with pytest.raises(ValueError, match=problem):
        list(tf.estimator.Estimator(model, "new").predict(lambda: tf.data.Dataset.from_tensors(ROWS)))


def test_a_count_of_rows_has_64_bits_as_in_tensorflow() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Normalization()])
    model.layers[0].adapt(ROWS)
    model(ROWS)
    model.save_weights("p")
    assert tf.train.load_variable("p", f"layer_with_weights-0/count{ENDING}").dtype == np.int64
    model.load_weights("p").assert_consumed()


# Of a model with kernels of (6, 4) and (4, 2), as TensorFlow 2.15.1 numbers them.
@pytest.mark.parametrize(
    ("optimizer", "wanted"),
    [
        (
            lambda: tf.keras.optimizers.Adam(use_ema=True),
            [(6, 4), (4,), (4, 2), (2,), (6, 4), (6, 4), (4,), (4,), (4, 2), (4, 2), (2,), (2,)],
        ),
        (tf.keras.optimizers.Adafactor, [(6,), (4,), (6, 4), (4,), (4,), (2,), (4, 2), (2,)]),
    ],
    ids=["averages", "rows and columns"],
)
def test_variables_of_an_optimizer_are_numbered_as_in_tensorflow(optimizer: Any, wanted: Any, tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((6,)), tf.keras.layers.Dense(4), tf.keras.layers.Dense(2)])
    made = optimizer()
    made.build(model.trainable_variables)
    path = str(tmp_path / "ckpt")
    tf.train.Checkpoint(model=model, optimizer=made).write(path, tf.train.CheckpointOptions(format="tensorflow"))
    shapes = {
        name.split("/")[2]: tuple(shape) for name, shape in tf.train.list_variables(path) if "/_variables/" in name
    }
    assert [shapes[str(number)] for number in range(1, 1 + len(wanted))] == wanted
    assert len(shapes) == len(wanted)
