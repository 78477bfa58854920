"""Canned Estimators go on from TensorFlow's first checkpoint to its weights, slots, evaluations and predictions."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.compat import v1 as tf1
from tests.tf1.canned import warm_starts
from tests.tf1.canned.programs import CASES, outcome
from tests.thorough import thorough_but

RECORDED = np.load(Path(__file__).parent / "recorded" / "tensorflow.npz")
# Each way to make logits, each head's measurements and each way to name slots once; the others are instances.
QUICK = ("linear_classifier", "combined_classifier", "graph_dnn_classifier", "graph_baseline_classifier")
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


def variables(name: str) -> dict[str, np.ndarray]:
    """TensorFlow's, without settings."""
    found = {
        key.removeprefix(f"{name}/variables/"): key for key in RECORDED.files if key.startswith(f"{name}/variables/")
    }
    return {key: RECORDED[file] for key, file in found.items() if RECORDED[file].ndim or not key.endswith(NOT_OURS)}


@pytest.mark.parametrize("name", thorough_but(QUICK, CASES))
def test_training_goes_on_as_in_tensorflow(name: str, tmp_path: Path) -> None:
    begin_with(name, tmp_path / name)
    found = outcome(tf, tf1, name, tmp_path, str(tmp_path / name))
    for key, value in variables(name).items():
        np.testing.assert_allclose(found["variables"][key], value, rtol=1e-5, atol=2e-6, err_msg=key)
    others: dict[str, Any] = json.loads(str(RECORDED[f"{name}/others"]))
    assert found["evaluation"] == pytest.approx(others["evaluation"], rel=1e-5, abs=1e-6)
    assert found["predictions"].keys() == others["predictions"].keys()
    for key, rows in others["predictions"].items():
        if isinstance(rows[0][0], str):
            assert found["predictions"][key] == rows
        else:
            np.testing.assert_allclose(found["predictions"][key], rows, rtol=1e-5, atol=1e-6, err_msg=key)


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
    for name, value in variables("warm_start").items():
        np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=2e-6, err_msg=name)
