"""Files, tables and serialized examples give what TensorFlow 2.15.1 gave (`record_tensorflow.py`)."""

import builtins
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from tests.data.files.expressions import EXPRESSIONS, Names, answer
from tests.data.files.more_expressions import MORE_EXPRESSIONS
from tests.data.files.ragged_expressions import RAGGED

HERE = Path(__file__).parent
RECORDED: dict[str, Any] = json.loads((HERE / "tensorflow_answers.json").read_text())
# Where TensorFlow's answer is of no use.
DIFFERENT = {e: "its error is one of its own error text" for e in EXPRESSIONS if "xff\\xff'" in e and "single" in e}


@pytest.fixture(scope="module")
def names() -> Iterator[Names]:
    made = Names(tf)
    yield made
    made.close()


def test_the_record_is_complete() -> None:
    assert sorted(RECORDED) == sorted([*EXPRESSIONS, *MORE_EXPRESSIONS, *RAGGED])


@pytest.mark.parametrize("expression", [e for e in [*EXPRESSIONS, *MORE_EXPRESSIONS, *RAGGED] if e not in DIFFERENT])
def test_answer(expression: str, names: Names) -> None:
    found, recorded = json.loads(json.dumps(answer(expression, names))), dict(RECORDED[expression])
    if "error" in recorded and "error" in found:
        # An error may be of a narrower type than TensorFlow's: what catches that one catches ours.
        kind = getattr(tf.errors, found["error"], None) or getattr(builtins, found["error"])
        found["error"] = next(
            (base.__name__ for base in kind.__mro__ if base.__name__ == recorded["error"]), kind.__name__
        )
    assert found == recorded
