"""`tf.audio`, `tf.edit_distance` and the CTC decoders give TensorFlow's results, dtypes, shapes and errors."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from tests.ops.decoding_programs import PROGRAMS, plain

ANSWERS = json.loads(Path(__file__).with_name("tensorflow_decodings.json").read_text())


def same(found: Any, recorded: Any) -> bool:
    """Whether results agree: float32's to its precision, which sums of logarithms reach."""
    if isinstance(recorded, list):
        return len(found) == len(recorded) and all(map(same, found, recorded))
    if isinstance(recorded, dict) and "value" in recorded:
        pairs = zip(found["value"], recorded["value"], strict=True)
        close = all(a == b or math.isclose(a, b, rel_tol=2e-6, abs_tol=1e-6) for a, b in pairs)
        return close and (found["dtype"], found["shape"]) == (recorded["dtype"], recorded["shape"])
    return bool(found == recorded)


@pytest.mark.parametrize("wanted", [{"desired_channels": -2}, {"desired_samples": -2}], ids=str)
def test_negative_numbers_of_channels_and_samples_are_refused(wanted: dict[str, int]) -> None:
    """For which TensorFlow ends the process."""
    (name,) = wanted
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{name} is -1, or a number of them, got -2"):
        tf.audio.decode_wav(tf.audio.encode_wav([[0.0]], 1), **wanted)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_tensorflows_answer(name: str) -> None:
    found = plain(PROGRAMS[name], tf)
    assert same(found, ANSWERS[name]), f"{found}, recorded {ANSWERS[name]}"
