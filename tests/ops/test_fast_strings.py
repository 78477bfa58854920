"""Functions of strings that take many at once give what they give one by one, and the same errors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratagem as tf

TEXTS = st.lists(
    st.one_of(st.text(st.characters(codec="ascii"), max_size=6), st.text(max_size=6), st.binary(max_size=6)), max_size=6
)
NUMBERS = st.lists(
    st.sampled_from(["1", "-2", "+3", "1_0", " 4", "0x1", "", "5.5", "1e3", "nan", "-inf", "99999999999", "é"])
)


def outcome(function: Callable[[], Any]) -> Any:
    """The result as a list, or the class of the error."""
    try:
        return np.asarray(function()).tolist()
    except Exception as error:
        return type(error)


def strings(texts: list[Any]) -> Any:
    return np.array([*texts, None], object)[:-1]


def parsed(text: str, dtype: np.dtype) -> Any:
    """The number that a text is, as Python reads it where TensorFlow does, too."""
    if "_" in text or (dtype.kind == "i" and "+" in text):
        raise ValueError(text)
    number = int(text) if dtype.kind == "i" else float(text)
    if dtype.kind == "i" and not np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
        raise OverflowError(text)
    return number


@given(TEXTS, st.sampled_from(["BYTE", "UTF8_CHAR"]))
def test_lengths(texts: list[Any], unit: str) -> None:
    encoded = [text.encode() if isinstance(text, str) else text for text in texts]
    wanted = [sum(unit == "BYTE" or not 0x80 <= byte < 0xC0 for byte in text) for text in encoded]
    found = tf.strings.length(strings(encoded), unit)
    assert (found.dtype, np.asarray(found).tolist()) == (np.int32, wanted)


@given(TEXTS, st.integers(-4, 4), st.integers(-1, 5), st.sampled_from(["BYTE", "UTF8_CHAR"]))
def test_substrings(texts: list[Any], pos: int, count: int, unit: str) -> None:
    encoded = [text.encode() if isinstance(text, str) else text for text in texts]
    places = np.full(len(encoded), pos, np.int32)  # which are not all at one place
    found = outcome(lambda: tf.strings.substr(strings(encoded), pos, count, unit))
    assert found == outcome(lambda: tf.strings.substr(strings(encoded), places, np.full_like(places, count), unit))


@given(NUMBERS, st.sampled_from(["float32", "float64", "int32", "int64"]))
def test_numbers(texts: list[str], dtype: str) -> None:
    found = outcome(lambda: tf.strings.to_number(strings(texts), dtype))
    wanted = outcome(lambda: np.array([parsed(text, np.dtype(dtype)) for text in texts], dtype))
    assert str(found) == str(wanted if isinstance(wanted, list) else tf.errors.InvalidArgumentError)  # NaN is not NaN


@given(TEXTS, st.sampled_from(["", ", "]))
def test_joined(texts: list[Any], separator: str) -> None:
    encoded = [text.encode() if isinstance(text, str) else text for text in texts]
    found = np.asarray(tf.strings.join([strings(encoded), "x", strings(encoded[::-1])], separator)).tolist()
    assert found == [separator.encode().join([a, b"x", b]) for a, b in zip(encoded, encoded[::-1], strict=True)]
    pairs = np.asarray(tf.strings.join([strings(encoded), "x"], separator)).tolist()
    assert pairs == [a + separator.encode() + b"x" for a in encoded]


@pytest.mark.parametrize("texts", [["a", "1"], ["1_0"], ["1", "+2", "x"], ["1", ""]], ids=str)
def test_a_text_that_is_no_number_is_named(texts: list[str]) -> None:
    bad = next(text for text in texts if text not in ("1", "+2"))
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"b'{bad}'"):
        tf.strings.to_number(texts)
