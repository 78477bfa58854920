"""What a model_fn computes here is what TensorFlow 2.15.1 computed in a session: tensors, updates, names and slots."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.tf1.graph.behaviours import CASES, OPTIMIZERS
from tests.tf1.graph.losses_behaviours import LOSSES
from tests.tf1.graph.running import answers
from tests.tf1.graph.variables_behaviours import VARIABLES
from tests.thorough import thorough_but

RECORDED = dict(np.load(Path(__file__).with_name("tensorflow_answers.npz")))
INDEX = json.loads(str(RECORDED["index"]))
OWN = ("beta1_power", "beta2_power", "/step")  # how Adam counts: TensorFlow by powers in float32, here by steps
BY_CLASS = (
    "metric-mean_per_class_accuracy",
    "metric-mean_iou",
)  # whose updates give numbers for each class, here the value


def precision(case: str) -> float:
    """Float64 to the last digits; float32, and what depends on Adam's powers, to its last digits."""
    return 1e-12 if case.endswith("float64") and "adam" not in case else 2e-6


def recorded(case: str) -> dict[str, np.ndarray]:
    """By name: `step|name` for tensors, `end|name` for variables."""
    found, numbers = {}, RECORDED[case]
    for name, dtype, shape in INDEX[case]:
        size = int(np.prod(shape))
        found[name], numbers = numbers[:size].reshape(shape).astype(dtype), numbers[size:]
    return found


# What every change of the library should see; the others are instances of these.
QUICK = (
    *(f"dense-{name}-float32" for name in OPTIMIZERS),
    *(f"sparse-{name}-float32" for name in ("adam", "ftrl", "momentum")),
    *(f"loss-{name}-rows" for name in LOSSES if "smooth" not in name),
    *(f"layer-{name}" for name in ("dense", "conv2d_same_strides", "max_pooling2d", "batch_normalization_images")),
    *(f"metric-{name}-rows" for name in ("accuracy", "auc", "mean", "mean_iou", "precision")),
    *("functions", "regularized", "scheduled", "schedules", "scopes"),
    *(name for name in VARIABLES if not name.endswith(("getters", "types", "variances"))),
)


@pytest.mark.sampled
@pytest.mark.parametrize("case", thorough_but(QUICK, CASES))
def test_a_model_fn_gives_what_tensorflow_gave(case: str) -> None:
    expected = {key: value for key, value in recorded(case).items() if not key.endswith(OWN)}
    found = {key: value for key, value in answers(CASES[case]).items() if not key.endswith(OWN)}
    assert {k for k in found if k.startswith("end|")} == {k for k in expected if k.startswith("end|")}
    for key, value in expected.items():
        if not (key.endswith("update") and (key not in found or case.startswith(BY_CLASS))):
            assert found[key].shape == value.shape, key
            assert found[key].dtype == value.dtype, key
            np.testing.assert_allclose(found[key], value, rtol=precision(case), atol=precision(case), err_msg=key)
