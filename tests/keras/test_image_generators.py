"""Flows of `ImageDataGenerator` have TensorFlow's images, in its order, with its transformations, from the same seeds."""

import json
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.keras.image_generators import OPTIONS, RECORDED, from_arrays, from_files, modes, write_files

pytestmark = [
    pytest.mark.filterwarnings("ignore:Please import `affine_transform`:DeprecationWarning"),  # Keras' import of SciPy
    pytest.mark.filterwarnings("ignore:This ImageDataGenerator specifies `zca_whitening`:UserWarning"),
]
ANSWERS = json.loads(RECORDED.read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = str(tmp_path_factory.mktemp("images"))
    write_files(made)
    return made


@pytest.fixture(autouse=True)
def restored_seed() -> Any:
    state = np.random.get_state()
    yield
    np.random.set_state(state)


def assert_alike(found: Any, wanted: Any) -> None:
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_alike(one, other)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-4, abs=2e-3)
    else:
        assert found == wanted


@pytest.mark.parametrize("name", OPTIONS)
def test_arrays_flow_as_in_tensorflow(name: str) -> None:
    for seed, wanted in zip((None, 5), ANSWERS["arrays"][name], strict=True):
        assert_alike(from_arrays(tf, name, seed), wanted)


@pytest.mark.parametrize("name", ANSWERS["files"])
def test_files_flow_as_in_tensorflow(name: str, folder: str) -> None:
    assert_alike(from_files(tf, folder, name), ANSWERS["files"][name])


def test_labels_weights_epochs_and_transformations_are_tensorflows(folder: str) -> None:
    found = modes(tf, folder)
    for name, wanted in ANSWERS["modes"].items():
        if name == "drawn":
            assert found[name] == pytest.approx(wanted)
        else:
            assert_alike(found[name], wanted)
