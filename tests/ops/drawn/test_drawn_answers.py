"""Functions answer to drawn inputs as TensorFlow 2.15.1 does: dtypes, shapes, NaN, infinities, nothing at all.

The calls are in `tables`; `record_tensorflow.py` says how the answers were recorded.
"""

import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from tests.ops.drawn import tables
from tests.ops.drawn.draws import Function
from tests.ops.drawn.running import answer, difference
from tests.thorough import thorough_if

RECORDED = Path(__file__).parent / "recorded"
TABLES = {
    name: importlib.import_module(f"tests.ops.drawn.tables.{name}").FUNCTIONS
    for _, name, _ in pkgutil.iter_modules(tables.__path__)
}
ANSWERS: dict[str, dict[str, list[Any]]] = {
    name: json.loads((RECORDED / f"{name}.json").read_text()) for name in TABLES
}
FUNCTIONS = [(name, function) for name, functions in TABLES.items() for function in functions]


def said(table: str, function: Function, number: int) -> str | None:
    """What differs from TensorFlow's answer. Every third call runs compiled."""
    found = answer(tf, function, number, compiled=number % 3 == 2)
    return difference(found, ANSWERS[table][function.name][number], function.within)


@pytest.mark.parametrize(
    ("table", "function"),
    [pytest.param(table, f, marks=thorough_if(f.thorough), id=f.name) for table, f in FUNCTIONS],
)
def test_a_function_answers_as_tensorflow(table: str, function: Function) -> None:
    found = {number: said(table, function, number) for number in range(function.count)}
    differing = {number for number, text in found.items() if text}
    assert differing == set(function.differ), {n: found[n] for n in differing ^ set(function.differ)}


def test_every_table_was_recorded_as_it_is() -> None:
    for name, functions in TABLES.items():
        assert {f.name: f.count for f in functions} == {key: len(row) for key, row in ANSWERS[name].items()}


def test_most_calls_have_an_answer() -> None:
    """A table whose calls are all errors would compare nothing."""
    for name, rows in ANSWERS.items():
        for function, row in rows.items():
            errors = sum(isinstance(a, dict) and "error" in a for a in row)
            assert errors <= len(row) // 2, f"{name}: {function}"
