"""Programs with graphs and sessions give TensorFlow's answers."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.tf1.sessions.programs import PROGRAMS, adam_steps
from tests.tf1.sessions.string_programs import STRING_PROGRAMS

ADAM = Path(__file__).with_name("tensorflow_adam")
RECORDED = np.load(Path(__file__).with_name("tensorflow_answers.npz"))
OF_STRINGS = np.load(Path(__file__).with_name("tensorflow_strings.npz"))


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_answers_of_tensorflow(name: str) -> None:
    compare(PROGRAMS[name](tf.compat.v1), RECORDED, name)


@pytest.mark.sampled
@pytest.mark.parametrize("name", STRING_PROGRAMS)
def test_a_program_with_strings_gives_the_answers_of_tensorflow(name: str) -> None:
    compare(STRING_PROGRAMS[name](tf.compat.v1), OF_STRINGS, name)


def compare(answers: dict[str, Any], recordings: Any, name: str) -> None:
    recorded = {key.partition("/")[2]: recordings[key] for key in recordings.files if key.partition("/")[0] == name}
    assert answers.keys() == recorded.keys()
    for key, value in answers.items():
        if recorded[key].dtype.kind == "S":
            assert np.asarray(value).tolist() == recorded[key].tolist(), key
            continue
        np.testing.assert_allclose(np.asarray(value), recorded[key], rtol=2e-5, atol=2e-6, err_msg=key)
        assert np.asarray(value).dtype == recorded[key].dtype, key


def test_adam_goes_on_from_a_checkpoint_of_tensorflow(tmp_path: Path) -> None:
    there = shutil.copytree(ADAM, tmp_path / "there")
    np.testing.assert_allclose(
        adam_steps(tf.compat.v1, str(there), resumes=True), np.load(ADAM / "resumed.npy"), rtol=2e-5, atol=2e-6
    )


def test_a_saver_writes_what_tensorflow_needs_to_go_on_with_adam(tmp_path: Path) -> None:
    """TensorFlow 2.15.1 has gone on from such a file (`record_tensorflow.py`), with the weights of `resumed.npy`."""
    adam_steps(tf.compat.v1, str(tmp_path), resumes=False)
    mine, theirs = (dict(tf.train.list_variables(str(folder))) for folder in (tmp_path, ADAM))
    assert mine.keys() - theirs.keys() == {"Adam/step"}
    assert not theirs.keys() - mine.keys()
    for name in theirs:
        value, expected = (tf.train.load_variable(str(folder), name) for folder in (tmp_path, ADAM))
        np.testing.assert_allclose(value, expected, rtol=2e-5, atol=2e-6, err_msg=name)
        assert value.dtype == expected.dtype, name
