"""Programs with graphs and sessions give TensorFlow's answers."""

from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from tests.tf1.sessions.programs import PROGRAMS

RECORDED = np.load(Path(__file__).with_name("tensorflow_answers.npz"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_answers_of_tensorflow(name: str) -> None:
    answers = PROGRAMS[name](tf.compat.v1)
    recorded = {key.partition("/")[2]: RECORDED[key] for key in RECORDED.files if key.partition("/")[0] == name}
    assert answers.keys() == recorded.keys()
    for key, value in answers.items():
        np.testing.assert_allclose(np.asarray(value), recorded[key], rtol=2e-5, atol=2e-6, err_msg=key)
        assert np.asarray(value).dtype == recorded[key].dtype, key
