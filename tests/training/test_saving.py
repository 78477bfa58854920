"""Models and weights at the paths that programs of TensorFlow give: they are whole, and training goes on from them."""

import json
import os
import re
import shutil
import signal
import zipfile
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests import prepared
from tests.thorough import thorough_but
from tests.training import saving_programs
from tests.training.saving_programs import X, Y, losses, model

RECORDED = json.loads((Path(__file__).parent / "recorded" / "saving.json").read_text())
ROOT = Path(__file__).parents[2]
KILLED = Path(__file__).parent / "programs" / "killed_save.py"
FILE = "stratagem_model.keras"
BOTH = [("mirrored 2", "default"), ("default", "mirrored 2")]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- As in TensorFlow -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", thorough_but(("mirrored 2",), ("default", "mirrored 2")))
def test_training_goes_on_as_in_tensorflow(strategy: str) -> None:
    with STRATEGIES[strategy]().scope():
        found = saving_programs.curves(tf)
    first, onwards, _, with_weights, evaluated = RECORDED["curves"]
    # TensorFlow's third numbers: load_model("folder") has lost the state of Adam there, and training begins anew.
    for name, (a, b) in enumerate(zip(found, [first, onwards, onwards, with_weights, evaluated], strict=True)):
        np.testing.assert_allclose(a, b, rtol=1e-4, err_msg=str(name))


def test_calls_return_what_they_return_in_tensorflow() -> None:
    optimizers_state = {"loaded folder": 4, "loaded other": 4}  # which TensorFlow has lost
    assert saving_programs.answers(tf) == RECORDED["answers"] | optimizers_state


def test_errors_are_those_of_tensorflow() -> None:
    found = saving_programs.errors(tf)
    assert issubclass(tf.errors.NotFoundError, OSError)
    assert found == RECORDED["errors"] | {"no model": "NotFoundError"}


@pytest.mark.parametrize("strategy", thorough_but(("mirrored 2",), ("default", "mirrored 2")))
def test_a_callback_leaves_the_checkpoints_that_tensorflows_leaves(strategy: str) -> None:
    with STRATEGIES[strategy]().scope():
        assert saving_programs.checkpoints(tf) == RECORDED["checkpoints"]


# --- Strategies -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second"), thorough_but([BOTH[0]], BOTH))
def test_training_goes_on_from_a_folder(first: str, second: str) -> None:
    with STRATEGIES[first]().scope():
        saved = model(tf)
    losses(saved)
    saved.save("folder")
    saved.save_weights("p")
    with STRATEGIES[second]().scope():
        loaded, restored = tf.keras.models.load_model("folder"), model(tf)
    restored.load_weights("p").assert_existing_objects_matched()
    expected = losses(saved)
    np.testing.assert_allclose(losses(loaded), expected, rtol=1e-5)
    np.testing.assert_allclose(losses(restored), expected, rtol=1e-5)


def test_weights_wait_for_what_is_not_built_yet() -> None:
    saved = model(tf)
    losses(saved)
    saved.save_weights("p")
    later = tf.keras.Sequential([tf.keras.layers.Dense(2, activation="relu"), tf.keras.layers.Dense(1)])
    later.load_weights("p")
    np.testing.assert_allclose(later(X), saved(X), rtol=1e-6)
    later.compile(tf.keras.optimizers.Adam(0.5), "mse")
    np.testing.assert_allclose(losses(later), losses(saved), rtol=1e-5)  # with its optimizer, and its learning rate


# --- What is there ----------------------------------------------------------------------------------------------------


def test_a_folder_holds_a_file_that_keras_reads() -> None:
    saved = model(tf)
    losses(saved, epochs=1)
    saved.save("a/b", signatures=None, save_traces=True, options=None)
    assert [*os.listdir("a/b")] == [FILE]
    np.testing.assert_allclose(keras.saving.load_model(f"a/b/{FILE}")(X), saved(X))
    assert not tf.keras.models.load_model("a/b", compile=False).compiled


def test_a_class_of_ones_own_is_found_among_the_custom_objects() -> None:
    class Twice(tf.keras.layers.Layer):  # type: ignore[misc]
        def call(self, x: Any) -> Any:
            return 2 * x

    saved = tf.keras.Sequential([tf.keras.Input((3,)), Twice()])
    saved.save("folder")
    loaded = tf.keras.models.load_model("folder", custom_objects={"Twice": Twice})
    np.testing.assert_array_equal(loaded(X), 2 * X)


class Net(tf.keras.Model):  # type: ignore[misc]
    """A model as programs write it: without get_config, and without arguments for Keras."""

    def __init__(self, units: int = 2, settings: Any = None) -> None:
        super().__init__()
        self.hidden, self.out = tf.keras.layers.Dense(units, activation=doubled), tf.keras.layers.Dense(1)

    def call(self, x: Any) -> Any:
        return self.out(self.hidden(x))


class Settings:
    """What Keras cannot write."""


def doubled(x: Any) -> Any:
    return 2 * x


def squared(y_true: Any, y_pred: Any) -> Any:
    return tf.reduce_mean(tf.square(y_true - y_pred), axis=-1)


def test_a_programs_own_classes_and_functions_are_found_again() -> None:
    made = Net(3)
    made.compile("sgd", squared)
    losses(made)
    made.save("folder")
    loaded = tf.keras.models.load_model("folder")
    assert type(loaded) is Net
    np.testing.assert_allclose(losses(loaded), losses(made), rtol=1e-5)


def test_a_file_cannot_choose_among_all_functions() -> None:
    made = model(tf, loss=squared)
    losses(made)
    made.save("folder")
    with zipfile.ZipFile(f"folder/{FILE}") as file:
        parts = {name: file.read(name) for name in file.namelist()}
    parts["stratagem.json"] = json.dumps({"squared": ["shutil", "rmtree"]}).encode()
    with zipfile.ZipFile(f"folder/{FILE}", "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)
    with pytest.raises(ValueError, match="rmtree of shutil, which safe mode does not call"):
        tf.keras.models.load_model("folder")


def test_a_lambda_is_loaded_where_it_was_saved() -> None:
    saved = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Lambda(lambda x: 2 * x)])
    saved.save("folder")
    np.testing.assert_array_equal(tf.keras.models.load_model("folder")(X), 2 * X)
    shutil.copytree("folder", "copy")
    with pytest.raises(ValueError, match="safe_mode=False"):
        tf.keras.models.load_model("copy")
    np.testing.assert_array_equal(tf.keras.models.load_model("copy", safe_mode=False)(X), 2 * X)


def test_of_a_class_that_cannot_be_made_again_the_program_and_the_weights_are_saved(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = Net(2, settings=Settings())
    made.compile("adam", "mse")
    losses(made)
    made.save("folder")
    assert "as a SavedModel" in caplog.text
    revived = tf.keras.models.load_model("folder")
    np.testing.assert_allclose(revived(X), made(X), rtol=1e-6)
    assert "serving_default" in revived.signatures
    again = Net(2, settings=Settings())
    again.compile("adam", "mse")
    again.load_weights("folder")
    np.testing.assert_allclose(losses(again), losses(made), rtol=1e-5)


def test_a_model_saved_without_its_optimizer_keeps_it_in_the_program() -> None:
    saved = model(tf)
    losses(saved)
    saved.save("folder", include_optimizer=False)
    assert saved.compiled
    assert int(saved.optimizer.iterations.numpy()) == 8
    assert not tf.keras.models.load_model("folder").compiled


def test_what_is_there_is_kept_if_the_person_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = model(tf)
    paths = {"folder": f"folder/{FILE}", "p": "p.index", "unnamed": "unnamed", "x.h5": "x.h5"}

    def save() -> list[int]:
        saved.save("folder", overwrite=False)
        saved.save("unnamed", overwrite=False, save_format="h5")
        saved.save_weights("p", overwrite=False)
        saved.save_weights("x.h5", overwrite=False)
        return [os.stat(path).st_mtime_ns for path in paths.values()]

    before = save()
    losses(saved)
    monkeypatch.setattr("builtins.input", lambda question: "n")
    assert save() == before
    monkeypatch.setattr("builtins.input", lambda question: "y")
    assert not set(save()) & set(before)


def test_equal_weights_are_not_written_again() -> None:
    saved = model(tf)
    saved.save_weights("w/p")
    before = {path: path.stat().st_mtime_ns for path in Path("w").glob("p.*")}
    saved.save_weights("w/p")
    assert {path: path.stat().st_mtime_ns for path in Path("w").glob("p.*")} == before
    assert sorted(os.listdir("w")) == ["checkpoint", "p.data-00000-of-00001", "p.index"]


# --- What TensorFlow wrote --------------------------------------------------------------------------------------------


def test_files_of_tensorflow_are_named_in_the_error(caplog: pytest.LogCaptureFixture) -> None:
    made = model(tf)
    losses(made, epochs=1)
    Path("theirs").mkdir()
    Path("theirs/saved_model.pb").write_bytes(b"\x08\x01")
    Path("ckpt-1.index").write_bytes(b"\0\0\1\x42")
    Path("checkpoint").write_text('model_checkpoint_path: "ckpt-1"\nall_model_checkpoint_paths: "ckpt-1"\n')
    with pytest.raises(tf.errors.UnimplementedError, match=r"'theirs' is a SavedModel that TensorFlow wrote"):
        tf.keras.models.load_model("theirs")
    with pytest.raises(tf.errors.NotFoundError, match="No checkpoint at 'theirs/variables/variables'"):
        made.load_weights("theirs")
    with pytest.raises(ValueError, match="'ckpt-1' holds weights only"):
        tf.keras.models.load_model("ckpt-1")
    for call in (made.load_weights, tf.train.Checkpoint(made).restore):
        with pytest.raises(tf.errors.DataLossError, match=r"'ckpt-1.index' is damaged"):
            call("ckpt-1")
    assert tf.train.latest_checkpoint(".") is None
    assert "ckpt-1.index" in caplog.text
    made.save_weights("ckpt-1")
    made.save("theirs")
    assert made.load_weights(tf.train.latest_checkpoint(".")) is not None
    assert tf.keras.models.load_model("theirs").built


def test_what_is_at_the_path_is_named_in_the_error() -> None:
    made = model(tf)
    made.save_weights("w/p")
    with pytest.raises(ValueError, match=r"'w/p' holds weights only"):
        tf.keras.models.load_model("w/p")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"is a folder of checkpoints.* Load 'w/p'"):
        made.load_weights("w")
    Path("half").mkdir()
    Path(f"half/.01234567.{FILE}").write_bytes(b"half")
    with pytest.raises(tf.errors.NotFoundError, match="save was interrupted"):
        tf.keras.models.load_model("half")


# --- Interruptions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["folder", "weights"])
def test_a_save_that_is_killed_leaves_what_was_there(form: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}
    run = prepared.run(KILLED, form, tmp_path, environment=environment)
    assert run.returncode == -signal.SIGKILL, run.stderr
    expected = np.load("before.npy")
    made = tf.keras.models.load_model("it") if form == "folder" else model(tf)
    if form == "weights":
        made.load_weights(tf.train.latest_checkpoint("."))
    np.testing.assert_array_equal(made.get_weights()[0], expected)
    losses(made)
    (made.save if form == "folder" else made.save_weights)("it")
    left = os.listdir("it" if form == "folder" else ".")
    assert not any(re.match(r"\.[0-9a-f]{8}\.", name) for name in left)  # what the killed process left


@pytest.mark.sampled
@pytest.mark.parametrize("weights_only", [False, True])
def test_a_callback_keeps_the_last_finite_values(weights_only: bool, caplog: pytest.LogCaptureFixture) -> None:
    with STRATEGIES["mirrored 2"]().scope():
        made = model(tf)
    checkpoint = keras.callbacks.ModelCheckpoint("it", save_weights_only=weights_only)
    losses(made, 1, [checkpoint])
    expected = made.get_weights()[0]
    made.fit(X, np.full_like(Y, np.nan), verbose=0, callbacks=[checkpoint])
    assert "not finite" in caplog.text
    if weights_only:
        made.load_weights("it.finite")
    else:
        made = tf.keras.models.load_model("it/stratagem_model.finite.keras")
    np.testing.assert_array_equal(made.get_weights()[0], expected)


class CallsItsLayers(keras.Model):
    """A model whose steps never call it, as autoencoders and GANs are written."""

    def __init__(self) -> None:
        super().__init__()
        self.scale, self.body = tf.Variable(1.0), keras.layers.Dense(1)

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.scale * self.body(x) - y) ** 2)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        return {"loss": loss}


@pytest.mark.parametrize("path", ["a.weights.h5", "a.h5", "checkpoint"])
def test_weights_are_saved_of_a_model_that_was_never_called(path: str) -> None:
    """As in TensorFlow; Keras 3 would ask for a call of the model."""
    trained, other = CallsItsLayers(), CallsItsLayers()
    with pytest.raises(ValueError, match=r"not yet been built|not been created yet"):
        trained.save_weights(path)
    for each in (trained, other):
        each.compile("sgd")
        each.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    trained.save_weights(path)
    other.load_weights(path)
    assert all(np.array_equal(a, b) for a, b in zip(trained.get_weights(), other.get_weights(), strict=True))
