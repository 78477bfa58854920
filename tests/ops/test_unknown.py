"""A name that is not provided says what to use instead; one that TensorFlow does not have says that."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from stratagem._base.errors import NotProvidedError
from stratagem._ops import INSTEAD, instead, not_provided, tensorflow_names

ROWS = {text for rows in INSTEAD.values() for text in rows.values()}
PACKAGE = Path(tf.__file__).parent


@pytest.mark.parametrize(
    ("namespace", "name", "advice"),
    [
        ("", "fftnd", "use tf.signal.fftnd. See docs/coverage.md#tf"),
        ("sets", "union", f"use {INSTEAD['sets']['']}. See docs/coverage.md#tfsets"),
        (
            "compat.v1.train",
            "SessionManager",
            "use tf.compat.v1.train.MonitoredTrainingSession. See docs/coverage.md#tfcompatv1train",
        ),
    ],
)
def test_a_name_of_tensorflow(namespace: str, name: str, advice: str) -> None:
    error = not_provided(namespace, name)
    full = f"tf.{namespace}.{name}" if namespace else f"tf.{name}"
    assert isinstance(error, NotProvidedError)
    assert str(error) == f"{full} is not provided; {advice}."


@pytest.mark.parametrize(
    ("namespace", "name", "text"),
    [
        ("", "reduce_summ", "Did you mean tf.reduce_sum"),
        ("strings", "lenght", "Did you mean tf.strings.length?"),
        ("math", "nansum", "TensorFlow has no such name either."),
        ("nn", "_private", "TensorFlow has no such name either."),
    ],
)
def test_a_name_that_tensorflow_does_not_have(namespace: str, name: str, text: str) -> None:
    error = not_provided(namespace, name)
    assert type(error) is AttributeError
    assert f"has no attribute {name!r}: TensorFlow has no such name either." in str(error)
    assert text in str(error)


def test_names_of_jax_are_only_told_where_they_compute_the_same() -> None:
    for namespace, names in tensorflow_names().items():
        for name in names:
            advice = instead(namespace, name) or ""
            if re.fullmatch(r"(jax|keras)\.[a-z.]+\.\w+", advice) and advice not in ROWS:
                assert namespace.removeprefix("compat.v1").lstrip(".") in (
                    "",
                    "math",
                    "linalg",
                    "nn",
                    "random",
                    "signal",
                    "image",
                    "bitwise",
                ), advice


@pytest.mark.parametrize(
    "namespace",
    [
        "nn",
        "math",
        "signal",
        "random",
        "linalg",
        "dtypes",
        "debugging",
        "strings",
        "nest",
        "errors",
        "bitwise",
        "io",
        "io.gfile",
        "image",
        "quantization",
    ],
)
def test_every_namespace_raises_them(namespace: str) -> None:
    module: Any = tf
    for part in namespace.split("."):
        module = getattr(module, part)
    with pytest.raises(AttributeError, match=rf"'tf\.{namespace}' has no attribute 'nothing_like_it'"):
        module.nothing_like_it  # noqa: B018
    for name in set(tensorflow_names()[namespace]) - set(dir(module)):
        with pytest.raises(NotProvidedError, match=name):
            getattr(module, name)


def test_only_reports_of_commands_name_pages_that_are_there() -> None:
    """An installed package has no pages: `not_provided` says which one has all names, and commands where to read more."""
    named = [
        (path.relative_to(PACKAGE), node.value)
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.search(r"\bdocs/|\.md\b|\bREADME\b|\bCONTRIBUTING\b", node.value)
    ]
    assert [f"{path}: {text}" for path, text in named if path.parts[0] != "cli"] == [
        "_ops/_not_provided.py: docs/coverage.md"
    ]
    pages = {page for _, text in named for page in re.findall(r"docs/\w+\.md", text)}
    assert [page for page in pages if not (PACKAGE.parents[1] / page).is_file()] == []
