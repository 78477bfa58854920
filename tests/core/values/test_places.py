"""A variable means the same at every place of a program: TensorFlow's answers in branches, loops, before and after runs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from stratagem._strategies import MirroredStrategy
from tests.core.values.places import cases
from tests.thorough import thorough_if

ANSWERS = dict(json.loads(Path(__file__).with_name("places.json").read_text()))
PROGRAMS: dict[str, Callable[[], Any]] = {}


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    PROGRAMS.update(cases(tf, MirroredStrategy(["CPU:0", "CPU:1"])))


# Mirrored copies are equal at every place, and one dtype of each size shows the others. Of a sync-on-read variable, these reads
# are `read_value` and `reduce sum` again; and every operation in branches and loops is there with the aggregation SUM, of the
# others the two that read and write.
COMMON_DTYPES = ("float32", "float64", "float16", "bfloat16", "complex64", "int8", "int32", "int64", "uint8", "bool")
SAME_READS = {
    "ON_READ MEAN": ("identity ", "arithmetic "),
    "ON_READ ONLY_FIRST_REPLICA": ("identity ", "arithmetic ", "reduce mean "),
}


def is_shown_by_others(name: str) -> bool:
    kind, case = name.split(", ", 1)
    if kind.startswith("ON_WRITE"):
        return case not in COMMON_DTYPES
    inside = kind != "ON_READ SUM" and case.endswith(("in a branch", "in a loop"))
    return case.startswith(SAME_READS.get(kind, ())) or (inside and not case.startswith(("read_value ", "assign ")))


@pytest.mark.sampled
@pytest.mark.parametrize("name", [pytest.param(name, marks=thorough_if(is_shown_by_others(name))) for name in ANSWERS])
def test_a_variable_has_tensorflows_value_at_every_place(name: str) -> None:
    assert PROGRAMS[name]() == ANSWERS[name]
