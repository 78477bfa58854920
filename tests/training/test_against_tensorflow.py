"""Trainings with `fit` are those of Keras 2.15 on TensorFlow with two replicas, from the same weights."""

import json
import warnings
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._strategies import MirroredStrategy
from tests.parity.training import floatx
from tests.training.fits import EPOCH_ENDS, EPOCHS, FITS, epoch_ends
from tests.training.record_tensorflow import RECORD

RECORDED = json.loads(RECORD.read_text())


def apart(found: Any, wanted: Any) -> float:
    return float(np.max(np.abs(np.subtract(found, wanted))))


@pytest.mark.thorough
@pytest.mark.parametrize("name", FITS)
def test_histories_and_predictions_are_those_of_tensorflow(name: str) -> None:
    wanted = RECORDED["fits"][name]
    with floatx("float64"), MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        found = FITS[name](tf)
    assert list(found["history"]) == list(wanted["history"])
    assert found["iterations"] == wanted["iterations"]
    for metric, values in wanted["history"].items():
        assert len(values) == EPOCHS
        assert apart(found["history"][metric], values) <= 1e-6, metric
    for metric, value in wanted["evaluated"].items():
        assert apart(found["evaluated"][metric], value) <= 1e-6, metric
    for part, other in zip(found["predicted"], wanted["predicted"], strict=True):
        assert apart(part, other) <= 1e-6


def test_epochs_end_where_those_of_tensorflow_do() -> None:
    with warnings.catch_warnings(record=True) as told, MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        warnings.simplefilter("always")
        found = epoch_ends(tf)
    early = [str(each.message) for each in told if "ran out of data" in str(each.message)]
    wanted = RECORDED["epoch ends"]
    assert found == {name: pytest.approx(wanted[name], abs=1e-5) for name in EPOCH_ENDS}
    assert len(early) == sum("early" in name for name in EPOCH_ENDS)
