"""`tf.print`: TensorFlow's format (recorded from 2.15.1), its streams, and printing from a compiled step."""

import io
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stratagem as tf


def printed(*args: Any, **kwargs: Any) -> str:
    stream = io.StringIO()
    tf.print(*args, output_stream=stream, **kwargs)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            ("a", 1, tf.constant([1.0, 2.5]), [1, tf.constant(2)], {"k": tf.constant(1.0)}),
            "a 1 [1 2.5] [1, 2] {'k': 1}",
        ),
        ((tf.range(10),), "[0 1 2 ... 7 8 9]"),
        ((tf.ones((2, 7)),), "[[1 1 1 ... 1 1 1]\n [1 1 1 ... 1 1 1]]"),
        ((tf.ones((2, 2, 1)),), "[[[1]\n  [1]]\n\n [[1]\n  [1]]]"),
        ((tf.constant(1.23456789), tf.constant(0.1), tf.constant(0.1, tf.float64)), "1.23456788 0.1 0.1"),
        ((tf.constant(True), (1, 2.0), None), "1 (1, 2.0) None"),
        ((tf.constant("s"), tf.constant(["a", "b"])), '"s" ["a" "b"]'),
        ((tf.constant([np.nan, -np.inf, 1e10]),), "[nan -inf 1e+10]"),
    ],
)
def test_format(args: tuple[Any, ...], expected: str) -> None:
    assert printed(*args) == expected + "\n"


def test_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(tf.range(8), summarize=-1) == "[0 1 2 3 4 5 6 7]\n"
    assert printed(1, 2, sep="|", end="!") == "1|2!"
    lines: list[str] = []
    tf.print("x", output_stream=lines.append)
    assert lines == ["x\n"]
    target = tmp_path / "log.txt"
    tf.print("x", output_stream=f"file://{target}")
    tf.print("y", output_stream=f"file://{target}")
    assert target.read_text() == "x\ny\n"
    tf.print("to the error stream")
    assert capsys.readouterr().err == "to the error stream\n"


def test_a_compiled_step_prints_on_every_run() -> None:
    stream = io.StringIO()

    def step(x: jax.Array) -> jax.Array:
        tf.print("x is", x, {"twice": x * 2}, output_stream=stream)
        return x

    compiled = jax.jit(step)
    for value in (1.0, 2.0):
        compiled(jnp.float32(value))
        jax.effects_barrier()
    assert stream.getvalue() == "x is 1 {'twice': 2}\nx is 2 {'twice': 4}\n"


def test_strings_are_formatted_in_quotes_as_tensors() -> None:
    assert tf.strings.format("{} {}", ("a", tf.constant(["b", "c"]))).numpy() == b'"a" ["b" "c"]'
    assert tf.strings.format("{} {} {}", (1, [1, 2], 0.5)).numpy() == b"1 [1 2] 0.5"
