"""Names of TensorFlow's root about types, variables and registration give TensorFlow 2.15.1's answers."""

import json
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from tests.ops.root_names.expressions import EXPRESSIONS, answer

ANSWERS: dict[str, Any] = json.loads(Path(__file__).with_name("tensorflow_answers.json").read_text())
# Expressions whose results differ, with the reason.
DIFFERENT: dict[str, str] = {
    "tf.constant([1.0, 2.0]) + kept(tf, 3.0)": "a TypeError: operators are JAX's own, which ask no registered function",
    "tf.type_spec_from_value(None)": "a TypeError: no function here takes the private NoneTensorSpec that TensorFlow gives",
}


def fits(found: Any, wanted: Any) -> bool:
    """Whether two answers are equal, floats nearly; an error has to be one of TensorFlow's class."""
    if isinstance(wanted, dict) and "error" in wanted:
        return isinstance(found, dict) and wanted["error"][0] in found.get("error", ())
    if isinstance(wanted, dict):
        return (
            isinstance(found, dict) and found.keys() == wanted.keys() and all(fits(found[k], wanted[k]) for k in wanted)
        )
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(fits, found, wanted))
    if isinstance(wanted, float):
        return isinstance(found, float) and abs(found - wanted) <= 3e-6 * abs(wanted)
    return type(found) is type(wanted) and bool(found == wanted)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression(expression: str) -> None:
    found, wanted = answer(tf, expression), ANSWERS[expression]
    assert fits(found, wanted) == (expression not in DIFFERENT), f"{found}, not {wanted}"


def test_every_expression_was_recorded() -> None:
    assert list(ANSWERS) == EXPRESSIONS
    assert set(EXPRESSIONS) >= DIFFERENT.keys()
