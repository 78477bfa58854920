"""What TensorFlow 2.15.1 has recorded of Estimators: checkpoints to begin with, and the variables in the end."""

import re
from pathlib import Path

import numpy as np

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
_SLOT = re.compile(r"^training/|/(Adagrad|Adam|Ftrl|Momentum|RMSProp)(_\d)?$")
# TensorFlow's MirroredStrategy gives slots of TensorFlow 1's optimizers other names: dnn/dnn/logits/bias/Adagrad.
_MIRRORED, _PARTS = re.compile(r"^(linear|dnn)/(\1/.*)/(\w+)$"), {"linear": "part_0", "dnn": "t_0"}


def recorded(file: Path) -> dict[str, np.ndarray]:
    """The arrays of a file of recordings, by case and key."""
    with np.load(file) as arrays:
        return {key: arrays[key] for key in arrays.files}


def begin_with(arrays: dict[str, np.ndarray], case: str, folder: Path) -> None:
    """Puts TensorFlow's checkpoint before the first step into a new directory."""
    folder.mkdir()
    for key, content in below(arrays, f"{case}/first").items():
        (folder / f"model.ckpt-0.{key}").write_bytes(content.tobytes())
    (folder / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-0"\n')


def below(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """The arrays whose keys begin so, by what follows."""
    return {key.removeprefix(f"{prefix}/"): value for key, value in arrays.items() if key.startswith(f"{prefix}/")}


def variables(arrays: dict[str, np.ndarray], case: str) -> dict[str, np.ndarray]:
    """TensorFlow's in the end: those of the first replica, without settings."""
    found = below(arrays, f"{case}/variables")
    assert found, f"no recording of {case}: see record_tensorflow.py"
    return {
        key: value
        for key, value in found.items()
        if "/replica_" not in key and (value.ndim or not key.endswith(NOT_OURS))
    }


def assert_variables(found: dict[str, np.ndarray], arrays: dict[str, np.ndarray], case: str) -> None:
    """Compares every variable of TensorFlow's: what float32 in another order of additions gives after twenty steps."""
    for key, value in variables(arrays, case).items():
        np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=2e-6, err_msg=key)


def assert_together(found: dict[str, np.ndarray], arrays: dict[str, np.ndarray], case: str) -> None:
    """The same for variables of several replicas: their slots relative to the largest number, or to 1.

    Gradients that are sums over rows are added in another order, and accumulators have their squares, which double what
    becomes of rounding.
    """
    for name, value in variables(arrays, case).items():
        key = _MIRRORED.sub(lambda slot: f"{slot[2]}/{_PARTS[slot[1]]}/{slot[3]}", name)
        if _SLOT.search(key):
            assert np.max(np.abs(found[key] - value)) <= 5e-5 * max(1.0, np.max(np.abs(value))), key
        else:
            np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=2e-6, err_msg=key)
