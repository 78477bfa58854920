"""A variable means the same at every place of a program: TensorFlow's answers in branches, loops, before and after runs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from stratagem._strategies import MirroredStrategy
from tests.values.places import cases

ANSWERS = dict(json.loads(Path(__file__).with_name("places.json").read_text()))
PROGRAMS: dict[str, Callable[[], Any]] = {}


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    PROGRAMS.update(cases(tf, MirroredStrategy(["CPU:0", "CPU:1"])))


@pytest.mark.parametrize("name", ANSWERS)
def test_a_variable_has_tensorflows_value_at_every_place(name: str) -> None:
    assert PROGRAMS[name]() == ANSWERS[name]
