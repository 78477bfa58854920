"""Canned Estimators go on from TensorFlow's first checkpoint to its weights, slots, evaluations and predictions."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.compat import v1 as tf1
from stratagem.testing import STRATEGIES
from tests.tf1.canned import strategies, warm_starts
from tests.tf1.canned.options import BY_NAME, OPTIONS
from tests.tf1.canned.programs import CASES, after_training, outcome
from tests.tf1.estimator.clusters import chief_of
from tests.thorough import thorough_but

RECORDED = np.load(Path(__file__).parent / "recorded" / "tensorflow.npz")
# Each way to make logits, each head's measurements and each way to name slots once; the others are instances.
QUICK = ("linear_classifier", "combined_classifier", "graph_dnn_classifier", "graph_baseline_classifier")
QUICK_OPTIONS = ("combined_three", "graph_linear_head")
# Settings of an optimizer of Keras, which TensorFlow saves, and the powers of Adam, for which there is a counter.
NOT_OURS = (
    "/learning_rate",
    "/decay",
    "/beta",
    "/beta_1",
    "/beta_2",
    "/rho",
    "/momentum",
    "_strength",
    "_power",
    "_power_1",
)


def begin_with(name: str, folder: Path) -> None:
    """Puts TensorFlow's checkpoint before the first step into a directory."""
    folder.mkdir()
    for end in ("index", "data-00000-of-00001"):
        (folder / f"model.ckpt-0.{end}").write_bytes(RECORDED[f"{name}/first/{end}"].tobytes())
    (folder / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-0"\n')


def check_variables(found: dict[str, np.ndarray], recorded: str) -> None:
    """They are TensorFlow's, without settings."""
    known = {key.removeprefix(f"{recorded}/"): key for key in RECORDED.files if key.startswith(f"{recorded}/")}
    wanted = {key: RECORDED[file] for key, file in known.items() if RECORDED[file].ndim or not key.endswith(NOT_OURS)}
    assert wanted
    for key, value in wanted.items():
        np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=2e-6, err_msg=key)


@pytest.mark.parametrize("name", thorough_but((*QUICK, *QUICK_OPTIONS), CASES | OPTIONS))
def test_training_goes_on_as_in_tensorflow(name: str, tmp_path: Path) -> None:
    begin_with(name, tmp_path / name)
    found = outcome(tf, (CASES | OPTIONS)[name](tf, tf1, tmp_path), str(tmp_path / name))
    check_variables(found["variables"], f"{name}/variables")
    others: dict[str, Any] = json.loads(str(RECORDED[f"{name}/others"]))
    assert found["evaluation"] == pytest.approx(others["evaluation"], rel=1e-5, abs=1e-6)
    assert found["predictions"].keys() == others["predictions"].keys()
    for key, rows in others["predictions"].items():
        if isinstance(rows[0][0], str):
            assert found["predictions"][key] == rows
        else:
            np.testing.assert_allclose(found["predictions"][key], rows, rtol=1e-5, atol=1e-6, err_msg=key)


@pytest.mark.parametrize("name", thorough_but(["dnn_by_Adam", "graph_combined_by_RMSProp"], BY_NAME))
def test_optimizers_by_their_names_are_tensorflows(name: str, tmp_path: Path) -> None:
    begin_with(name, tmp_path / name)
    make, given, truth = BY_NAME[name](tf, tf1, tmp_path)
    check_variables(after_training(tf, make(str(tmp_path / name)), given, truth), f"{name}/variables")


REPLICAS = {"mirrored 2": 2, "mirrored 4": 4, "mirrored 8": 8, "central storage": 2}


@pytest.mark.parametrize("api", ["two", "graph"])
@pytest.mark.parametrize("strategy", thorough_but(["mirrored 2", "parameter servers"], STRATEGIES))
def test_training_under_every_strategy_is_tensorflows(
    strategy: str, api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replicas share the rows of a batch. TensorFlow's own two replicas have the same weights as its one device."""
    begin_with(f"strategies/{api}", tmp_path / "model")
    module, model_dir = (tf.estimator if api == "two" else tf1.estimator), str(tmp_path / "model")
    if strategy == "parameter servers":  # RunConfig refuses it: a cluster's tasks call train_and_evaluate
        with chief_of(monkeypatch, workers=1):
            made = strategies.classifier(tf, module, model_dir)
            train = tf.estimator.TrainSpec(strategies.rows(tf, 1), max_steps=strategies.STEPS)
            tf.estimator.train_and_evaluate(made, train, tf.estimator.EvalSpec(strategies.rows(tf, 1)))
        found, recorded = strategies.variables(made), 1
    else:
        replicas = REPLICAS.get(strategy, 1)
        found = strategies.trained(tf, module, model_dir, STRATEGIES[strategy](), replicas)
        recorded = min(replicas, 2)
    check_variables(found, f"strategies/{api}/{recorded}")


def test_a_warm_start_from_tensorflows_checkpoint_moves_words_to_their_places(tmp_path: Path) -> None:
    """Rows of an embedding and columns of the last layer, with words that are new, and one beyond the old size."""
    path = tmp_path / "model.ckpt-4"
    for end in ("index", "data-00000-of-00001"):
        path.with_suffix(f".ckpt-4.{end}").write_bytes(RECORDED[f"warm_start/checkpoint/{end}"].tobytes())
    estimator = warm_starts.second(tf, tf1, tmp_path, str(tmp_path / "model"), str(path))
    found = warm_starts.trained(tf, estimator)
    begin = f"{estimator.model_dir}/model.ckpt-0"
    for key in (key for key in RECORDED.files if key.startswith("warm_start/begin/")):
        name = key.removeprefix("warm_start/begin/")
        if not name.endswith(NOT_OURS) or RECORDED[key].ndim:
            np.testing.assert_array_equal(tf.train.load_variable(begin, name), RECORDED[key], err_msg=name)
    check_variables(found, "warm_start/variables")
