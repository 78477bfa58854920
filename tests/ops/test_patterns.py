"""Regular expressions without their library, in functions of datasets and under their names of TensorFlow 1."""

import importlib.util
from typing import Any

import numpy as np
import pytest

import stratagem as tf


def test_a_map_replaces_before_and_after_batches() -> None:
    lines = tf.data.Dataset.from_tensor_slices([b"a 1", b"b 22", b"c"])
    clean = lines.map(lambda line: tf.strings.regex_replace(line, "[0-9]+", "#"))
    found = clean.batch(2).map(lambda batch: (batch, tf.strings.regex_full_match(batch, ".* #")))
    assert [(texts.tolist(), full.tolist()) for texts, full in found.as_numpy_iterator()] == [
        ([b"a #", b"b #"], [True, True]),
        ([b"c"], [False]),
    ]


def test_a_function_replaces_its_constants() -> None:
    @tf.function
    def count(x: tf.Tensor) -> tf.Tensor:
        return x + tf.cast(tf.strings.length(tf.strings.regex_replace("abcabc", "b", "--")), tf.float32)

    assert float(count(tf.constant(1.0))) == 9.0


def test_tensorflow_1_has_the_same_functions() -> None:
    first = tf.compat.v1
    for replace in (first.regex_replace, first.strings.regex_replace):
        assert replace(["ab"], "b", "c", replace_global=False).tolist() == [b"ac"]
    assert np.asarray(first.strings.regex_full_match("ab", "a.")).item() is True


def test_an_invalid_expression_is_shown() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Invalid pattern: \(a, error: missing \): \(a"):
        tf.strings.regex_replace("a", "(a", "b")


def test_without_the_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec

    def found(name: str, *rest: Any) -> Any:
        return None if name == "re2" else find_spec(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", found)
    with pytest.raises(tf.errors.UnimplementedError, match=r"pip install '.*\[text\]'"):
        tf.strings.regex_replace("a", "an expression that no test has made before", "b")
