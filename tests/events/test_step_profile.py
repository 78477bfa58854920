"""StepProfile: what a process does, step by step, is recorded, whatever takes the steps."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.job import Phase, Unobserved, observe, observer
from stratagem._base.profile_settings import ProfileSettings
from stratagem._events import ENDED, MEASURED, MeasuredTask, StepProfile

# Private: what reads the traces, which the command alone offers.
from stratagem.cli._profile_trace import DividedTime, divided


@pytest.fixture(autouse=True)
def leaves_nobody_observing() -> Iterator[None]:
    """Whatever a test does, the next is not observed."""
    yield
    observe(Unobserved())


def observed(folder: Path, skip: int, steps: int) -> StepProfile:
    """A profile that observes from now on."""
    profile = StepProfile(ProfileSettings(folder, skip, steps))
    observe(profile)
    return profile


def measured(folder: Path) -> tuple[MeasuredTask, DividedTime]:
    """What a profile has written; its parts are all of the time."""
    (written,) = folder.glob(f"*/{MEASURED}")
    time = divided(written.parent)
    assert sum(time.parts.values()) == pytest.approx(time.seconds)
    assert min(time.parts.values()) >= 0
    return MeasuredTask.read(written.parent), time


def test_fit_is_recorded_with_its_validation(tmp_path: Path) -> None:
    with tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]).scope():
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    x = np.ones((8, 2), np.float32)
    profile = observed(tmp_path, skip=1, steps=5)
    model.fit(x, x[:, :1], batch_size=2, epochs=1, verbose=0, validation_data=(x, x[:, :1]), validation_batch_size=4)
    assert observer() is profile  # 4 + 2 steps, of which 5 are recorded: it ends when another begins
    profile.end(ENDED)
    facts, time = measured(tmp_path)
    assert (facts.task, facts.steps, facts.left_out, facts.ended, facts.workers) == ("this process", 5, 1, ENDED, 1)
    assert time.parts["compute"] > 0
    assert time.parts["input"] > 0
    assert time.parts["compile"] > 0  # of the evaluation
    assert time.programs == {f"{model.name}.test_step": 1}
    assert isinstance(observer(), Unobserved)


def test_an_estimator_is_recorded(tmp_path: Path) -> None:
    v1 = tf.compat.v1

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        loss = tf.reduce_mean(tf.square(v1.layers.dense(features, 1) - labels))
        step = v1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=v1.train.get_global_step())
        return v1.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    def input_fn() -> tf.data.Dataset:
        return tf.data.Dataset.from_tensors((np.ones((2, 2), np.float32), np.ones((2, 1), np.float32))).repeat()

    observed(tmp_path / "profile", skip=1, steps=2)
    v1.estimator.Estimator(model_fn, str(tmp_path / "model")).train(input_fn, steps=5)
    facts, time = measured(tmp_path / "profile")
    assert (facts.steps, facts.ended) == (2, "complete")
    assert time.parts["input"] > 0
    assert time.parts["compute"] > 0


def test_input_and_operations_that_are_compiled_one_by_one_have_names_of_their_own(tmp_path: Path) -> None:
    step = tf.function(lambda x: tf.reduce_sum(x))
    data = tf.data.Dataset.range(12).map(lambda i: tf.cast(i, tf.float32) * 2.0).batch(2)
    profile = observed(tmp_path, skip=0, steps=50)
    for number, batch in enumerate(data):
        step(batch)
        jax.numpy.ones(100 + number) * 3  # another program of JAX's own, each time
    profile.end(ENDED)
    facts, time = measured(tmp_path)
    assert facts.steps == 6
    assert time.programs == {}  # the step's was made before the first step
    assert time.compilations >= 5
    assert time.parts["compile"] > 0
    assert time.parts["input"] > 0


def test_fit_without_a_strategy_is_recorded_and_steps_of_other_threads_are_not(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", steps_per_execution=3)
    x = np.ones((24, 2), np.float32)
    profile = observed(tmp_path, skip=3, steps=6)
    step = tf.function(lambda x: x + 1.0)
    thread = threading.Thread(target=lambda: step(tf.constant(1.0)))
    thread.start()
    thread.join()
    model.fit(x, x[:, :1], batch_size=2, epochs=1, verbose=0)
    profile.end(ENDED)
    facts, time = measured(tmp_path)
    assert (facts.left_out, facts.steps) == (3, 6)
    assert time.parts["input"] > 0
    assert time.parts["compute"] > 0


def test_a_profile_of_the_program_itself_takes_its_place(tmp_path: Path) -> None:
    step = tf.function(lambda x: x + 1.0)
    observed(tmp_path / "ours", skip=0, steps=9)
    step(tf.constant(1.0))
    with tf.profiler.experimental.Profile(tmp_path / "theirs"):
        step(tf.constant(1.0))
    facts, _ = measured(tmp_path / "ours")
    assert (facts.steps, facts.ended) == (1, "the program has begun a profile of its own")
    with tf.profiler.experimental.Profile(tmp_path / "theirs"):
        observed(tmp_path / "again", skip=0, steps=9)
        step(tf.constant(1.0))
    (written,) = (tmp_path / "again").glob(f"*/{MEASURED}")
    assert json.loads(written.read_text())["steps"] == 0


def test_phases_follow_the_main_thread_and_return_to_the_one_before(tmp_path: Path) -> None:
    profile = observed(tmp_path, skip=9, steps=1)
    with observer().phase(Phase.INPUT):
        with observer().phase(Phase.AGREEMENT):
            pass
        assert profile.switch(Phase.INPUT) is Phase.INPUT
    found: list[Phase] = []

    def elsewhere() -> None:
        with observer().phase(Phase.CHECKPOINT):
            found.append(profile.switch(Phase.USER_CODE))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == [Phase.USER_CODE]


def test_settings_are_variables_of_the_environment(tmp_path: Path) -> None:
    settings = ProfileSettings(tmp_path, 1, 2, 0.5)
    assert ProfileSettings.of(settings.variables()) == settings
    assert ProfileSettings.of({}) is None
    with pytest.raises(ValueError, match="invalid literal"):
        ProfileSettings.of(settings.variables() | {"STRATAGEM_PROFILE_STEPS": "many"})
