"""Programs with a `tf.TensorArray` give TensorFlow 2.15.1's answers and gradients, in Python and compiled."""

import json
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from tests.ops.arrays.programs import EAGER, MODES, PROGRAMS, X, answer
from tests.ops.drawn.running import difference
from tests.thorough import thorough_but

ANSWERS: dict[str, Any] = json.loads(Path(__file__).with_name("tensorflow_answers.json").read_text())
NAMES = [f"{name}, {mode}" for name in PROGRAMS for mode in MODES] + [f"{name}, eager" for name in EAGER]
_WITHIN = {"float32": 2e-6, "float64": 1e-12}
DIFFERENT: dict[str, str] = {
    "read what is not written, compiled": "no gradient, as eagerly; TensorFlow's functions give zeros",
    "gather one twice, compiled": "its gradient counts it twice, as eagerly; TensorFlow's functions count it once",
    "concat scalars, eager": "scalars cannot be concatenated; TensorFlow accepts a single one, and not in functions",
    "split into more, compiled": "an error, as eagerly; TensorFlow's functions make the array longer, though it is not dynamic",
}


# Of every program one mode, in turns; and those that differ.
QUICK = [
    name
    for i, name in enumerate(NAMES)
    if name.rpartition(", ")[0] in EAGER or i // 2 % 2 == i % 2 or name in DIFFERENT
]


@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(QUICK, NAMES))
def test_a_program(name: str) -> None:
    program, mode = name.rsplit(", ", 1)
    found = answer(tf, {**PROGRAMS, **EAGER}[program], mode)
    said = difference(found, ANSWERS[name], _WITHIN)
    assert (said is None) == (name not in DIFFERENT), said or "it does not differ any more"


def test_every_program_was_recorded() -> None:
    assert list(ANSWERS) == NAMES
    assert sum("error" in found for found in ANSWERS.values()) < len(ANSWERS) / 2
    assert set(NAMES) >= DIFFERENT.keys()


@pytest.mark.parametrize("method", ["write", "read"])
def test_an_index_that_is_no_integer_is_told(method: str) -> None:
    array = tf.TensorArray(tf.float32, size=3)
    with pytest.raises(TypeError, match=rf"TensorArray\.{method}: the index must be an integer, got float32: 1\.0"):
        array.write(1.0, X[0]) if method == "write" else array.read(1.0)


def test_an_array_without_a_size_is_told() -> None:
    with pytest.raises(ValueError, match="size must be given"):
        tf.TensorArray(tf.float32)
    with pytest.raises(TypeError, match=r"size must be an integer, got 1\.5"):
        tf.TensorArray(tf.float32, size=1.5)
