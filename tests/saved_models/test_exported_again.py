"""A program that was exported before is not lowered again, and one that differs in anything is."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf

# Private: how many programs are lowered, and after which time something is said.
from stratagem._core.step.calls import _export, _exported_before
from stratagem._saved_models import _save

L = tf.keras.layers


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions whose programs are lowered."""
    names: list[str] = []
    lower = _export._lowered

    def noting(program: Any, name: str, inputs: Any) -> Any:
        names.append(name)
        return lower(program, name, inputs)

    monkeypatch.setattr(_export, "_lowered", noting)
    return names


@pytest.fixture(autouse=True)
def nothing_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests of this process have exported nothing."""
    monkeypatch.setattr(_exported_before, "_known", _exported_before._LoweredBefore())


def module(function: Callable[..., Any], **parts: Any) -> tf.Module:
    made: Any = tf.Module()
    made.call = tf.function(function, input_signature=[tf.TensorSpec([None], tf.float32)])
    for name, part in parts.items():
        setattr(made, name, part)
    return made


def loaded(path: Path, made: Any) -> Any:
    tf.saved_model.save(made, path)
    return tf.saved_model.load(path)


def test_a_models_signature_is_the_program_of_its_call_and_the_next_save_lowers_none(
    tmp_path: Path, lowered: list[str]
) -> None:
    model = tf.keras.Sequential(
        [tf.keras.Input((3,)), L.Dense(4, activation="relu"), L.Dropout(0.5), L.Dense(2, name="out")]
    )
    rows = np.ones((2, 3), np.float32)
    tf.saved_model.save(model, tmp_path / "a")
    assert len(lowered) == 2  # in training and not
    model.layers[0].kernel.assign(model.layers[0].kernel * 2)
    expected = model(rows)
    tf.saved_model.save(model, tmp_path / "b")
    model.export(tmp_path / "c")
    assert len(lowered) == 2
    for name in ("b", "c"):
        np.testing.assert_allclose(
            tf.saved_model.load(tmp_path / name).signatures["serving_default"](rows)["out"]
            if name == "b"
            else tf.saved_model.load(tmp_path / name).serve(rows),
            expected,
            rtol=1e-6,
        )
    model.layers[1].rate = 0.25  # another program in training, the same one in calls
    tf.saved_model.save(model, tmp_path / "d")
    assert len(lowered) == 3


def test_a_rule_for_a_derivative_counts_though_no_equation_shows_it(tmp_path: Path) -> None:
    def reversing(factor: float) -> Callable[[Any], Any]:
        @tf.custom_gradient
        def scaled(x: Any) -> tuple[Any, Callable[[Any], Any]]:
            return x * 3.0, lambda upstream: upstream * factor

        return scaled

    def pushed(factor: float) -> Callable[[Any], Any]:
        @jax.custom_jvp
        def scaled(x: Any) -> Any:
            return x * 3.0

        scaled.defjvp(lambda primals, tangents: (scaled(*primals), tangents[0] * factor))
        return scaled

    for kind in (reversing, pushed):
        for factor in (-1.0, -2.0, -1.0):
            found = loaded(tmp_path / f"{kind.__name__} {factor}", module(kind(factor)))
            x = tf.constant([1.0, 2.0])
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = found.call(x)
            assert np.asarray(y).tolist() == [3.0, 6.0]
            assert np.asarray(tape.gradient(y, x)).tolist() == [factor] * 2


def test_constants_and_captured_arrays_count(tmp_path: Path, lowered: list[str]) -> None:
    for number, (factor, table) in enumerate([(1.0, [1, 2]), (2.0, [1, 2]), (2.0, [1, 3]), (2.0, [1, 3])]):
        captured = tf.constant(table, tf.float32)
        # An array of this length is not shown in full.
        long = tf.constant(np.arange(3000) * factor, tf.float32)
        made = module(_summed(factor, captured, long))
        found = loaded(tmp_path / str(number), made)
        assert float(found.call(tf.constant([1.0]))[0]) == factor + sum(table) + 2999 * factor
    assert len(lowered) == 3


def _summed(factor: float, captured: Any, long: Any) -> Callable[[Any], Any]:
    return lambda x: x * factor + tf.reduce_sum(captured) + long[2999]


def test_a_save_that_takes_long_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = threading.Event()

    class Noting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "s so far" in record.getMessage():
                said.set()

    lower = _export._lowered

    def slowly(*given: Any) -> Any:
        assert said.wait(60)
        return lower(*given)

    monkeypatch.setattr(_save, "_SAY_SECONDS", 0.01)
    monkeypatch.setattr(_export, "_lowered", slowly)
    logger, handler = logging.getLogger("stratagem"), Noting()
    logger.addHandler(handler)
    try:
        tf.saved_model.save(module(lambda x: x * 0.012345), tmp_path / "a")
    finally:
        logger.removeHandler(handler)
    assert said.is_set()
