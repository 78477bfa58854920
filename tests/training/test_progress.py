"""What fit, evaluate and predict show while they run."""

import io
import re
import time
from collections.abc import Iterator
from pathlib import Path

import keras
import numpy as np
import pytest
from rich.console import Console

import stratagem as tf
from stratagem._base.job import process_job

# Private: how long there is silence, which no program that a test can wait for exceeds.
from stratagem._core.step.programs import _program_call
from stratagem._training import ProgressDisplay

# Private: the same of loading a model.
from stratagem._training.saving import _models

X = np.random.default_rng(0).normal(size=(100, 6)).astype("float32")
Y = X.sum(1, keepdims=True)


@pytest.fixture(scope="module")
def model() -> keras.Model:
    """A model on two replicas."""
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse", metrics=["mae"])
    return model


def written(**options: bool) -> tuple[ProgressDisplay, io.StringIO]:
    """Progress that goes to a text."""
    text = io.StringIO()
    return ProgressDisplay(Console(file=text, width=200, **options)), text  # type: ignore[arg-type]


def test_without_a_terminal_every_epoch_is_one_plain_line(model: keras.Model) -> None:
    progress, text = written()
    model.fit(X, Y, batch_size=32, epochs=2, validation_split=0.2, callbacks=[progress])
    lines = text.getvalue().splitlines()
    assert len(lines) == 2
    pattern = r"Epoch 2/2 - 3/3 - \d+s - .*/step - \d+ examples/s - loss: .* - mae: .* - val_loss: .* - val_mae: .*"
    assert re.fullmatch(pattern, lines[1])


def test_an_epoch_that_goes_on_counts_the_time_of_its_own_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """90 of 100 steps were another process's; 10 took 5 s here."""
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    progress, text = written()
    progress.set_params({"verbose": 1, "epochs": 1, "steps": 100})
    progress.on_epoch_begin(0)
    for step in range(91, 101):
        now += 0.5
        progress.advance(step, 1, 32, {})
    progress.on_epoch_end(0, {"loss": 0.5})
    assert text.getvalue() == "Epoch 1/1 - 100/100 - 5s - 500ms/step - 64 examples/s - loss: 0.5000\n"


def test_a_compilation_that_takes_long_is_told_with_the_rows_of_its_batches(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Of the even batches of both replicas, and of the last one, which is uneven."""
    # Private: so quickly no compilation takes long.
    monkeypatch.setattr("stratagem._core.step.programs._program_call._SAY_SECONDS", 0.001)
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(2), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    with caplog.at_level("INFO"):
        model.fit(X[:79], Y[:79], batch_size=32, verbose=0)
    told = {message.partition(": ")[2] for message in caplog.messages if " s: compiling a step" in message}
    expected = [
        f"compiling a step for batches of {rows} rows. Every size of batches has a program" for rows in (32, 15)
    ]
    assert [any(text.startswith(each) for text in told) for each in expected] == [True, True], told


@pytest.mark.parametrize("stored", [False, True])
def test_a_compilation_is_told_of_again_and_again_and_explained_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, *, stored: bool
) -> None:
    """Where no program is stored, the explanation says how to have them stored."""
    assert _program_call._SAY_AGAIN_SECONDS <= 10
    for name in ("_SAY_SECONDS", "_SAY_AGAIN_SECONDS"):
        monkeypatch.setattr(_program_call, name, 0.001)
    monkeypatch.setattr(_program_call, "stores_programs", lambda: stored)
    compiled = _program_call.compiling_seconds()
    with caplog.at_level("INFO"), _program_call.compiling(process_job(), 8):
        while len(caplog.messages) < 3:
            time.sleep(0.001)
    assert _program_call.compiling_seconds() > compiled
    first, *later = [message.partition(": ")[2] for message in caplog.messages]
    assert first.startswith("compiling a step for batches of 8 rows. Every size of batches has a program of its own.")
    assert ("STRATAGEM_COMPILE_CACHE=1" in first) == (not stored)
    assert set(later) == {"compiling a step for batches of 8 rows."}


def test_a_model_that_loads_for_long_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("_SAY_SECONDS", "_SAY_AGAIN_SECONDS"):
        monkeypatch.setattr(_models, name, 0.001)

    def slowly(*_: object, **__: object) -> str:
        while len(caplog.messages) < 2:
            time.sleep(0.001)
        return "a model"

    with caplog.at_level("INFO"):
        assert _models.model_loader(slowly)(tmp_path / "m.keras") == "a model"
    assert all(message.endswith(f" s: loading a model from {tmp_path / 'm.keras'}") for message in caplog.messages)


def test_a_notebook_gets_plain_lines(
    model: keras.Model, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")  # as IPython's kernel has it
    model.fit(X, Y, batch_size=32, epochs=2)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2, lines
    assert re.fullmatch(r"Epoch 2/2 - 4/4 - \d+s - .*/step - \d+ examples/s - loss: .* - mae: [\d.]+", lines[1])


def test_a_terminal_gets_a_bar_and_the_same_line(model: keras.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    # Private: an epoch of a compiled model is over before the bar would be drawn again.
    monkeypatch.setattr("stratagem._training._progress._SECONDS_BETWEEN_UPDATES", 0.0)
    progress, text = written(force_terminal=True, no_color=True)
    model.fit(X, Y, batch_size=32, epochs=1, callbacks=[progress])
    assert "━" in text.getvalue()
    assert re.search(r"Epoch 1/1 - 4/4 - ", text.getvalue())


def test_evaluation_and_prediction_tell_what_they_are(model: keras.Model) -> None:
    progress, text = written()
    model.evaluate(X, Y, callbacks=[progress])
    model.predict(X, callbacks=[progress])
    first, second = text.getvalue().splitlines()
    assert first.startswith("Evaluate - 4/4 - ")
    assert "loss: " in first
    assert second.startswith("Predict - 4/4 - ")


@pytest.mark.parametrize(("verbose", "lines"), [(0, 0), (1, 2), (2, 2), ("auto", 2)])
def test_verbose_is_as_in_keras(
    model: keras.Model, verbose: int | str, lines: int, capsys: pytest.CaptureFixture[str]
) -> None:
    model.fit(X, Y, batch_size=50, epochs=2, verbose=verbose)
    assert capsys.readouterr().out.count("Epoch ") == lines


def test_a_long_epoch_tells_how_far_it_is(model: keras.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    # Private: half a minute otherwise.
    monkeypatch.setattr("stratagem._training._progress._SECONDS_BETWEEN_LINES", 0.0)
    progress, text = written()
    model.fit(X, Y, batch_size=10, epochs=1, callbacks=[progress])
    assert [line.split(" - ")[1] for line in text.getvalue().splitlines()] == [
        *(f"{i}/10" for i in range(1, 11)),
        "10/10",
    ]


def test_an_error_in_a_step_ends_the_bar(model: keras.Model) -> None:
    progress, _ = written(force_terminal=True)

    def broken() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        yield X[:10], Y[:10]
        raise RuntimeError("no more")

    data = tf.data.Dataset.from_generator(
        broken, output_signature=(tf.TensorSpec((None, 6), tf.float32), tf.TensorSpec((None, 1), tf.float32))
    )
    with pytest.raises(RuntimeError, match="no more"):
        model.fit(data, callbacks=[progress])
    assert progress._bar is None


def test_with_keras_own_logging_switched_off_progress_is_logged(
    model: keras.Model, caplog: pytest.LogCaptureFixture
) -> None:
    progress, text = written()
    keras.config.disable_interactive_logging()
    try:
        with caplog.at_level("INFO", logger="stratagem"):
            model.fit(X, Y, epochs=1, callbacks=[progress])
    finally:
        keras.config.enable_interactive_logging()
    assert text.getvalue() == ""
    assert any(record.message.startswith("Epoch 1/1") for record in caplog.records)
