"""Feature columns against TensorFlow 2.15.1: outputs, gradients, tables after training, names, errors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.columns import programs

RECORDED = json.loads((Path(__file__).parent / "recorded" / "tensorflow.json").read_text())


def agree(found: Any, expected: Any, tolerance: float = 2e-5) -> None:
    if isinstance(expected, list) and expected and isinstance(expected[0], list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            agree(one, other, tolerance)
    else:
        np.testing.assert_allclose(
            np.asarray(found, "float64"), np.asarray(expected, "float64"), rtol=tolerance, atol=tolerance
        )


@pytest.mark.sampled
@pytest.mark.parametrize("name", programs.CASES)
def test_a_layer_gives_and_learns_what_it_does_in_tensorflow(name: str, tmp_path: Path) -> None:
    found, expected = programs.result(tf, name, tmp_path), RECORDED["cases"][name]
    if name == "a_vocabulary_of_a_file":  # a configuration has the words, as a loaded one opens no file that it names
        text = json.dumps(found.pop("config"))
        assert "ant" in text
        assert str(tmp_path) not in text
    for part in {"names", "shapes", "spec", "config"} & found.keys():
        assert json.loads(json.dumps(found[part])) == expected[part], part
    for part in ("output", "gradients", "after"):
        agree(found[part], expected[part])


@pytest.mark.sampled
@pytest.mark.parametrize("name", programs.SEQUENCES)
def test_a_layer_of_sequences_gives_what_it_does_in_tensorflow(name: str, tmp_path: Path) -> None:
    found, expected = programs.sequences(tf, name, tmp_path), RECORDED["sequences"][name]
    for part in ("lengths", "shape", "spec"):
        assert json.loads(json.dumps(found[part])) == expected[part], part
    for part in ("output", "compiled"):
        agree(found[part], expected[part])


@pytest.mark.parametrize("name", programs.ERRORS)
def test_an_error_is_of_the_class_that_it_is_in_tensorflow(name: str) -> None:
    assert programs.error(tf, name) == RECORDED["errors"][name]


def test_an_estimator_has_and_learns_the_variables_that_it_does_in_tensorflow(tmp_path: Path) -> None:
    found, expected = programs.estimated(tf, tmp_path), RECORDED["estimated"]
    assert sorted(found) == sorted(expected)
    for name, values in expected.items():
        agree(found[name], values)


def test_a_linear_model_learns_what_it_does_in_tensorflow(tmp_path: Path) -> None:
    for kind, weights in programs.linear(tf, tmp_path).items():
        agree(sorted(weights), sorted(RECORDED["linear"][kind]))  # Keras 3 lists the bias after the kernels
