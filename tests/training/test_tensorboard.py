"""The TensorBoard callback, on models of a strategy and of none."""

import contextlib
import json
import logging
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from tensorboard.plugins.graph.keras_util import keras_model_to_graph_def

import stratagem as tf
from tests.events.expressions import FITS, fit_tiny
from tests.events.reading import read, steps, values
from tests.multi_worker.jobs import job

ANSWERS = json.loads((Path(__file__).parents[1] / "events" / "tensorflow_answers.json").read_text())
X = np.random.default_rng(3).normal(size=(24, 4)).astype(np.float32)
Y = X.sum(1, keepdims=True)


def scope_of(kind: str) -> Any:
    """Where a model is made: under no strategy, or on two replicas."""
    return contextlib.nullcontext() if kind == "none" else tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]).scope()


under_each = pytest.mark.parametrize("kind", ["none", "mirrored"])


def tiny_model(*layers: Any) -> Any:
    model = keras.Sequential([keras.layers.Input((4,)), *layers, keras.layers.Dense(1)], name="tiny")
    model.compile(keras.optimizers.SGD(0.01), "mse")
    return model


def fitted(model: Any, *callbacks: Any, **options: Any) -> dict[str, list[float]]:
    options = {"batch_size": 8, "epochs": 2, "shuffle": False, **options}
    return model.fit(X, Y, validation_data=(X, Y), verbose=0, callbacks=list(callbacks), **options).history


@pytest.mark.sampled
@under_each
@pytest.mark.parametrize("name", FITS)
def test_folders_tags_and_steps_are_tensorflows(name: str, kind: str, tmp_path: Path) -> None:
    with scope_of(kind):
        history = fit_tiny(tf.keras, str(tmp_path), **FITS[name])
    ours = {path.name: steps(path) for path in tmp_path.iterdir()}
    theirs = ANSWERS[f"fit {name}"]
    assert ours.keys() == theirs.keys() == {"train", "validation"}
    added = {"epoch_learning_rate": [0, 1]}  # as in Keras 3; Keras 2 shows it for schedules only
    if name == "batches":  # Keras 2.15 forgets them, against its documentation
        added |= {"batch_loss": list(range(1, 11)), "batch_mae": list(range(1, 11))}
    if "keras" in theirs["train"]:
        added["keras"] = [0]  # once; Keras 2 writes it again for `evaluate`
    named = {tag: s for tag, s in ours["train"].items() if "/" not in tag}
    assert named == {tag: s for tag, s in theirs["train"].items() if "/" not in tag} | added
    assert ours["validation"] == theirs["validation"]
    weights = {tag.partition("/")[2]: s for tag, s in ours["train"].items() if "/" in tag}
    assert sorted(weights.values()) == sorted(s for tag, s in theirs["train"].items() if "/" in tag)
    for metric in ("loss", "mae"):
        for run, prefix in (("train", ""), ("validation", "val_")):
            found = values(tmp_path / run, f"epoch_{metric}")
            np.testing.assert_allclose([found[0], found[1]], history[prefix + metric], rtol=1e-6)


@pytest.mark.sampled
@under_each
def test_weights_are_written_as_they_are_at_the_end_of_the_epoch(kind: str, tmp_path: Path) -> None:
    with scope_of(kind):
        model = tiny_model(keras.layers.Dense(3))
        fitted(model, tf.keras.callbacks.TensorBoard(tmp_path, histogram_freq=1, write_images=True))
    kernel = model.layers[0].kernel.numpy()
    tag = model.layers[0].kernel.path
    rows = values(tmp_path / "train", f"{tag}/histogram")
    assert sorted(rows) == [0, 1]
    edges = np.reshape(rows[1], (30, 3))
    np.testing.assert_allclose([edges[0, 0], edges[-1, 1], edges[:, 2].sum()], [kernel.min(), kernel.max(), 12])
    width, height, (mode, pixels) = values(tmp_path / "train", f"{tag}/image")[1]
    assert (width, height, mode) == ("4", "3", "L")  # wide rather than high
    np.testing.assert_array_equal(pixels, np.floor(np.clip(kernel.T, 0, 1) * np.float32(255.5)).clip(0, 255))


@under_each
def test_summaries_inside_of_the_model_have_its_batches_as_steps(kind: str, tmp_path: Path) -> None:
    class Seen(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            tf.summary.histogram("x", x, buckets=1)
            tf.summary.scalar("first", x[0, 0])
            return x

    with scope_of(kind):
        model = tiny_model(Seen(name="seen"))
        for again in ("a", "b"):  # another callback needs no other program
            fitted(model, tf.keras.callbacks.TensorBoard(tmp_path / again, update_freq=2))
    for again in ("a", "b"):
        first = values(tmp_path / again / "train", "tiny/seen/first")
        assert first == pytest.approx({0: X[0, 0], 2: X[16, 0], 4: X[8, 0]})
        assert steps(tmp_path / again / "train")["tiny/seen/x"] == [0, 2, 4]
        assert steps(tmp_path / again / "train")["batch_loss"] == [2, 4, 6]
        assert steps(tmp_path / again / "validation")["tiny/seen/first"] == [0, 2, 0, 2]
    assert not tf.summary.should_record_summaries()


def test_every_epoch_is_on_disk_when_it_ends(tmp_path: Path) -> None:
    seen = []

    class Look(keras.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            seen.append([steps(tmp_path / run)["epoch_loss"] for run in ("train", "validation")])

    fitted(tiny_model(), tf.keras.callbacks.TensorBoard(tmp_path), Look())
    assert seen == [[[0], [0]], [[0, 1], [0, 1]]]


@pytest.mark.sampled
@under_each
def test_after_an_error_in_the_middle_all_goes_on(kind: str, tmp_path: Path) -> None:
    class Fail(keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            raise KeyboardInterrupt

    callback = tf.keras.callbacks.TensorBoard(tmp_path, update_freq=1)
    with scope_of(kind):
        model = tiny_model()
        with pytest.raises(KeyboardInterrupt):
            fitted(model, callback, Fail())
        assert tf.summary.should_record_summaries()  # Keras tells no callback that it ended
        model.evaluate(X, Y, verbose=0, callbacks=[callback])
        assert not tf.summary.should_record_summaries()
        fitted(model, callback)
    assert steps(tmp_path / "train")["batch_loss"][-6:] == [1, 2, 3, 4, 5, 6]


def test_tensorboard_shows_the_layers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    inputs = keras.Input((4,), name="given")
    both = keras.layers.Add(name="both")([keras.layers.Dense(2, name="left")(inputs), keras.layers.Dense(2)(inputs)])
    model = keras.Model(inputs, keras.layers.Dense(1, name="last")(both))
    model.compile("sgd", "mse")
    fitted(model, tf.keras.callbacks.TensorBoard(tmp_path / "functional"))
    (written,) = read(tmp_path / "functional" / "train")["keras"]
    assert (written["plugin"], written["content"]) == ("graph_keras_model", b"1".hex())
    graph = keras_model_to_graph_def(json.loads(written["value"][0]))
    edges = {node.name.rpartition("/")[2]: [i.rpartition("/")[2] for i in node.input] for node in graph.node}
    assert edges["last"] == ["both"]
    assert edges["left"] == ["given"]
    assert "left" in edges["both"]

    class Own(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(1)

        def call(self, x: Any) -> Any:
            return self.dense(x)

    own = Own()
    own.compile("sgd", "mse")
    with caplog.at_level(logging.INFO, "stratagem"):
        fitted(own, tf.keras.callbacks.TensorBoard(tmp_path / "own"))
    assert "a subclassed model has no graph" in caplog.text
    assert "keras" not in steps(tmp_path / "own" / "train")


def test_a_range_of_batches_is_profiled(tmp_path: Path) -> None:
    fitted(tiny_model(), tf.keras.callbacks.TensorBoard(tmp_path, profile_batch=(2, 3)), epochs=1)
    assert [path.suffix for path in tmp_path.glob("plugins/profile/*/*.pb")] == [".pb"]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"embeddings_freq": 1}, tf.errors.UnimplementedError, "Leave it at 0"),
        ({"update_freq": 0}, ValueError, "got 0"),
        ({"update_freq": "step"}, ValueError, '"batch", "epoch" or a positive number'),
        ({"profile_batch": (3, 2)}, ValueError, r"got \(3, 2\)"),
        ({"profile_batch": -1}, ValueError, "got -1"),
    ],
)
def test_arguments_that_mean_nothing(options: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        tf.keras.callbacks.TensorBoard("logs", **options)


@pytest.mark.thorough  # tests/training/test_callbacks_of_jobs.py has such a job
def test_of_two_workers_the_chief_writes(tmp_path: Path) -> None:
    with job(Path(__file__).with_name("tensorboard_worker.py"), 2, tmp_path) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0], ended
    assert values(tmp_path / "worker 0", "replica") == {1: 2.0, 2: 3.0}
    assert values(tmp_path / "worker 0", "worker") == {1: 2.0, 2: 2.0}
    # Replica 0 is the chief's. Outside of replicas every worker writes for itself.
    assert steps(tmp_path / "worker 1") == {"worker": [1]}
    (file,) = [path for path in (tmp_path / "fit").rglob("*") if path.is_file()]
    assert steps(file.parent)["batch_loss"] == [1, 2]
    assert steps(file.parent)["epoch_loss"] == [0]
