"""Exports in the modes TRAIN and EVAL, and of several inputs, are TensorFlow 2.15.1's: names, numbers, what a call changes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.tf1.estimator import export_programs as programs

E = tf.estimator
RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "recorded" / "exports.json").read_text())


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return programs.estimator(tf, str(tmp_path_factory.mktemp("trained")))


@pytest.fixture(scope="module")
def paths(trained: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return programs.exported(tf, trained, str(tmp_path_factory.mktemp("exports")))


@pytest.mark.parametrize("name", programs.EXPORTS)
def test_an_export_is_tensorflows(name: str, paths: dict[str, str]) -> None:
    wanted = RECORDED[name]
    loaded = tf.saved_model.load(paths[name.partition(":")[0]], tags=programs.EXPORTS[name])
    assert programs.facts(loaded) == {key: wanted[key] for key in ("signatures", "variables")}
    results = dict(programs.results(tf, loaded))
    assert results.keys() == wanted["results"].keys()
    for key, found in results.items():
        assert found.keys() == wanted["results"][key].keys()
        for output, value in found.items():
            np.testing.assert_allclose(value, wanted["results"][key][output], rtol=1e-6, err_msg=f"{key} {output}")
    np.testing.assert_allclose(programs.sums(loaded), wanted["sums"], rtol=1e-6)


def test_a_metric_has_the_value_of_all_calls_so_far(paths: dict[str, str]) -> None:
    """TensorFlow reads it before, between or after the updates, as it happens."""
    loaded = tf.saved_model.load(paths["eval"])
    evaluate = loaded.signatures["eval"]
    first, second = evaluate(x=programs.X, label=programs.Y), evaluate(x=programs.X, label=0 * programs.Y)
    y = programs.X @ np.array(RECORDED["w"])
    for found, differences in ((first, [y - programs.Y]), (second, [y - programs.Y, y])):
        np.testing.assert_allclose(found["metrics/absolute/value"], np.abs(differences).mean(), rtol=1e-5)
        np.testing.assert_allclose(found["metrics/squared/value"], np.square(differences).mean(), rtol=1e-5)
    assert first["metrics/absolute/value"] == first["metrics/absolute/update_op"]
    again = tf.saved_model.load(paths["eval"]).signatures["eval"](x=programs.X, label=programs.Y)
    assert again["metrics/squared/value"] == first["metrics/squared/value"], "a metric begins with 0"


def test_a_loss_of_an_export_trains_its_weights(paths: dict[str, str]) -> None:
    """A call takes no step, as in TensorFlow; the variables are there for a step of the program's own."""
    loaded = tf.saved_model.load(paths["all"], tags=["train"])
    (weights,) = [v for v in loaded.trainable_variables if v.shape == (2, 1)]
    before = weights.numpy()
    np.testing.assert_allclose(before, RECORDED["w"], rtol=1e-6)
    with tf.GradientTape() as tape:
        loss = loaded.signatures["train"](x=tf.constant(programs.X), label=tf.constant(programs.Y))["loss"]
    np.testing.assert_array_equal(weights.numpy(), before)
    gradient = tape.gradient(loss, weights)
    expected = 2 * programs.X.T @ (programs.X @ before - programs.Y) / 3
    np.testing.assert_allclose(gradient, expected, rtol=1e-5)


def test_variables_of_several_modes_are_there_once(paths: dict[str, str]) -> None:
    names = [name for name, shape in tf.train.list_variables(paths["all"]) if tuple(shape) == (2, 1)]
    assert len(names) == 2, "the weights and their slot"
    with pytest.raises(ValueError, match=r"requires a `tags=` argument.*'train'.*'eval'.*'serve'"):
        tf.saved_model.load(paths["all"])
    for path, tags in ((paths["all"], "bogus"), (paths["eval"], ["serve"]), (paths["all"], ["serve", "eval"])):
        with pytest.raises(ValueError, match="incompatible argument to `tags`"):
            tf.saved_model.load(path, tags=tags)


def test_what_is_refused(trained: Any, tmp_path: Path) -> None:
    def between() -> Any:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        middle = 2.0 * x
        return E.export.ServingInputReceiver({"x": middle + 1.0}, x, {"middle": middle})

    with pytest.raises(tf.errors.UnimplementedError, match=r"receiver_tensors_alternatives\['middle'\]"):
        trained.export_saved_model(tmp_path, between)
    taken = programs.supervised(tf)
    for modes in ({}, {"bogus": taken}):
        with pytest.raises(ValueError, match="No valid modes for exporting found"):
            trained.experimental_export_all_saved_models(tmp_path, modes)
    with pytest.raises(ValueError, match="No valid modes for exporting found"):
        trained.export_saved_model(tmp_path, taken, experimental_mode="bogus")
    with pytest.raises(ValueError, match=r"overlapping keys: \['label'\]"):
        E.experimental.build_raw_supervised_input_receiver_fn({"label": programs.X}, programs.Y)
    assert not list(tmp_path.iterdir())
