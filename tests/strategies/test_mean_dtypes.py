"""Sums and means over replicas have TensorFlow's dtypes and values.

`tensorflow_means.json` is what `mean_dtypes.py` prints with TensorFlow 2.15.1, for each of its strategies.
"""

import json
from pathlib import Path

import pytest

import stratagem as tf
from tests.strategies.mean_dtypes import STRATEGIES, answers
from tests.thorough import thorough_but

RECORDED = json.loads((Path(__file__).parent / "tensorflow_means.json").read_text())


@pytest.mark.parametrize("name", thorough_but(["mirrored 2"], STRATEGIES))
def test_means_have_tensorflows_dtypes(name: str) -> None:
    # Of one replica that is mirrored TensorFlow divides by 1 in functions only.
    odd = [key for key in RECORDED[name] if key.startswith("reduce in a function MEAN") and name == "mirrored 1"]
    wanted = {key: answer for key, answer in RECORDED[name].items() if answer is not None and key not in odd}
    found = answers(tf, name)
    assert {key: found[key] for key in wanted} == wanted
    assert len(wanted) > 60
