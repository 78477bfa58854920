"""Functions answer to drawn inputs as TensorFlow 2.15.1 does: dtypes, shapes, NaN, infinities, nothing at all.

The calls are in `tables`; `record_tensorflow.py` says how the answers were recorded.
"""

import importlib
import json
import pkgutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from tests.ops.drawn import tables
from tests.ops.drawn.draws import Function
from tests.ops.drawn.running import answer, difference

COMPILED = 2  # the first call that is
RECORDED = Path(__file__).parent / "recorded"
TABLES = {
    name: importlib.import_module(f"tests.ops.drawn.tables.{name}").FUNCTIONS
    for _, name, _ in pkgutil.iter_modules(tables.__path__)
}
ANSWERS: dict[str, dict[str, list[Any]]] = {
    name: json.loads((RECORDED / f"{name}.json").read_text()) for name in TABLES
}
FUNCTIONS = [(name, function) for name, functions in TABLES.items() for function in functions]
QUICK = [(name, function) for name, function in FUNCTIONS if function.quick != ()]


def said(table: str, function: Function, number: int) -> str | None:
    """What differs from TensorFlow's answer. Every third call runs compiled."""
    found = answer(tf, function, number, compiled=number % 3 == COMPILED)
    return difference(found, ANSWERS[table][function.name][number], function.within)


def quick(table: str, function: Function) -> Sequence[int]:
    """The calls of `make test`. Most of the time goes into the compilation of programs for each shape, so they are few."""
    if function.quick is not None:
        return function.quick
    compiled = function.count > COMPILED and TABLES[table].index(function) % 2 == 0
    return (COMPILED,) if compiled else (0,)


def unexpected(table: str, function: Function, numbers: Iterable[int]) -> dict[int, str | None]:
    """The calls among these that differ and should not, or that do not and should, with what differs."""
    found = {number: said(table, function, number) for number in numbers}
    return {number: text for number, text in found.items() if bool(text) != (number in function.differ)}


@pytest.mark.sampled
@pytest.mark.parametrize(("table", "function"), QUICK, ids=[f.name for _, f in QUICK])
def test_a_function_answers_as_tensorflow(table: str, function: Function) -> None:
    assert unexpected(table, function, quick(table, function)) == {}


@pytest.mark.thorough
@pytest.mark.parametrize(("table", "function"), FUNCTIONS, ids=[f.name for _, f in FUNCTIONS])
def test_a_function_answers_further_calls_as_tensorflow(table: str, function: Function) -> None:
    assert unexpected(table, function, set(range(function.count)) - set(quick(table, function))) == {}


def test_every_table_was_recorded_as_it_is() -> None:
    for name, functions in TABLES.items():
        assert {f.name: f.count for f in functions} == {key: len(row) for key, row in ANSWERS[name].items()}


def test_most_calls_have_an_answer() -> None:
    """A table whose calls are all errors would compare nothing."""
    for name, rows in ANSWERS.items():
        for function, row in rows.items():
            errors = sum(isinstance(a, dict) and "error" in a for a in row)
            assert errors <= len(row) // 2, f"{name}: {function}"
