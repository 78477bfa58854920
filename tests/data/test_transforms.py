"""Datasets give what TensorFlow 2.15.1 gave (`record_tensorflow.py`): elements, specs, cardinalities, errors and names."""

import builtins
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from stratagem._base.errors import NotProvidedError
from stratagem._data import set_global_seed
from tests.data.recorded.answers import answer
from tests.data.recorded.differences import DIFFERENT
from tests.data.recorded.programs import PROGRAMS

FOLDER = Path(__file__).parent / "recorded"
RECORDED: dict[str, Any] = json.loads((FOLDER / "tensorflow_answers.json").read_text())
NAMES: dict[str, dict[str, str | None]] = json.loads((FOLDER / "tensorflow_names.json").read_text())
PLACES = {"tf.data.Dataset": tf.data.Dataset, "tf.data": tf.data, "tf.data.experimental": tf.data.experimental}


@pytest.fixture
def without_a_seed() -> Iterator[None]:
    """Programs may set the program's seed."""
    yield
    set_global_seed(None)


def test_the_record_is_complete() -> None:
    assert list(RECORDED) == list(PROGRAMS)
    assert DIFFERENT.keys() <= PROGRAMS.keys()


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, without_a_seed: None) -> None:
    found, expected = json.loads(json.dumps(answer(PROGRAMS[name], tf))), dict(RECORDED[name])
    differences, _ = DIFFERENT.get(name, ({}, ""))
    assert all(expected.get(key) != value for key, value in differences.items()), "it does not differ any more"
    expected = {key: value for key, value in {**expected, **differences}.items() if value is not None}
    for key in {"error", "refused"} & found.keys() & expected.keys():
        found[key] = as_caught(found[key], expected[key])
    assert found == expected


def as_caught(found: str, wanted: str) -> str:
    """An error may be of a narrower type than TensorFlow's: what catches that one catches ours."""
    kind = getattr(tf.errors, found, None) or getattr(builtins, found)
    return next((base.__name__ for base in kind.__mro__ if base.__name__ == wanted), found)


@pytest.mark.parametrize(("place", "name"), [(place, name) for place, names in NAMES.items() for name in names])
def test_every_name_is_there_or_says_what_to_use_instead(place: str, name: str) -> None:
    found, parameters = getattr(PLACES[place], name, None), NAMES[place][name]
    if found is None:
        with pytest.raises(NotProvidedError, match=rf"{re.escape(place)}\.{name} is not provided; use "):
            getattr(PLACES[place], name)
    elif parameters is not None and name != "range":  # TensorFlow's has **kwargs
        assert " ".join(inspect.signature(found).parameters) == parameters


def test_a_name_that_is_not_provided_says_so_on_data_sets_too() -> None:
    with pytest.raises(AttributeError, match=r"tf\.data\.Dataset\.map_with_legacy_function is not provided; use `map`"):
        _ = tf.data.Dataset.range(3).map_with_legacy_function
    with pytest.raises(AttributeError, match="'Dataset' has no attribute 'foo'"):
        _ = tf.data.Dataset.foo
    with pytest.raises(AttributeError, match="'Dataset' object has no attribute 'foo'"):
        _ = tf.data.Dataset.range(3).foo
