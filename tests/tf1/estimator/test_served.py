"""What a chief does: it hands steps out to workers, and saves between them. All tasks are threads of this process."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.compat import v1 as tf1
from tests.tf1.estimator.clusters import chief_of, model_fn, rows

E = tf1.estimator


class Counting(tf1.train.SessionRunHook):
    """Counts steps, and asks for the end after some of them."""

    def __init__(self, stop: int | None = None) -> None:
        self.stop, self.steps = stop, 0

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.steps += 1
        if self.steps == self.stop:
            run_context.request_stop()


def trained(folder: Path, input_fn: Any, max_steps: int | None = None, hook: Any = None, model: Any = model_fn) -> Any:
    """Train as the chief; returns the estimator."""
    estimator = E.Estimator(model, config=E.RunConfig(folder, save_checkpoints_steps=20, keep_checkpoint_max=None))
    train_spec = E.TrainSpec(input_fn, max_steps=max_steps, hooks=[hook] if hook else None)
    assert E.train_and_evaluate(estimator, train_spec, E.EvalSpec(rows())) is None
    return estimator


def saved(folder: Path) -> dict[int, int]:
    """The global step in each checkpoint, by that of its name."""
    found = {int(path.name.rpartition("-")[2]): path for path in folder.glob("model.ckpt-*")}
    return {step: int(tf.train.load_variable(str(path), "global_step")) for step, path in sorted(found.items())}


def test_workers_stop_at_max_steps_and_checkpoints_have_the_steps_of_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = Counting()
    with chief_of(monkeypatch, 2):
        trained(tmp_path, rows(100), 50, hook)
    assert hook.steps == 50
    assert saved(tmp_path) == {0: 0, 20: 20, 40: 40, 50: 50}


@pytest.mark.sampled
@pytest.mark.parametrize("way", ["operation", "load"])
def test_a_global_step_that_a_hook_sets_is_counted_from_there(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Sets(tf1.train.SessionRunHook):
        def __init__(self) -> None:
            self.seen: list[int] = []

        def after_run(self, run_context: Any, run_values: Any) -> None:
            session = run_context.session
            if not self.seen:
                step = session.graph.variables["global_step"]
                if way == "load":
                    step.load(30, session)
                else:
                    assert session.run(step.assign(30)) == 30
            self.seen.append(session.global_step())

    hook = Sets()
    with chief_of(monkeypatch, 2):
        trained(tmp_path, rows(100), 50, hook)
    assert (hook.seen[0], hook.seen[-1]) == (30, 50)
    assert hook.seen == sorted(set(hook.seen))
    steps = saved(tmp_path)
    assert max(steps) == 50
    assert all(name == step for name, step in steps.items())


@pytest.mark.sampled
@pytest.mark.parametrize("optimizer", [tf1.train.GradientDescentOptimizer, tf1.train.AdagradOptimizer])
def test_servers_get_the_learning_rate_that_a_step_computes(
    optimizer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TensorFlow's worker, too, computes it from the global step that it reads."""

    def decaying(features: Any, labels: Any, mode: str) -> Any:
        weights = tf1.get_variable("weights", (2, 1), initializer=tf1.zeros_initializer())
        loss = tf.reduce_mean((tf.matmul(features, weights) - labels) ** 2)
        step = tf1.train.get_or_create_global_step()
        rate = tf1.train.exponential_decay(0.05, step, 2, 0.5, staircase=True)
        return E.EstimatorSpec(mode, loss=loss, train_op=optimizer(rate).minimize(loss, global_step=step))

    alone = E.Estimator(decaying, str(tmp_path / "alone")).train(rows(3))
    with chief_of(monkeypatch, 1):
        served = trained(tmp_path / "served", rows(3), 9, model=decaying)
    for name in ("global_step", "weights"):
        np.testing.assert_allclose(served.get_variable_value(name), alone.get_variable_value(name), rtol=1e-6)


def test_every_worker_takes_all_of_its_data_and_training_goes_on_from_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with chief_of(monkeypatch, 3):
        trained(tmp_path, rows(), None)
    assert saved(tmp_path) == {0: 0, 9: 9}
    with chief_of(monkeypatch, 2):
        trained(tmp_path, rows(4), None)
    assert saved(tmp_path) == {0: 0, 9: 9, 29: 29, 33: 33}


def test_the_last_checkpoint_has_the_steps_that_were_under_way_when_a_hook_stopped_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with chief_of(monkeypatch, 2):
        trained(tmp_path, rows(100), None, Counting(stop=5))
    steps = saved(tmp_path)
    last = max(steps)
    assert steps == {0: 0, last: last}
    assert 5 <= last <= 5 + 2 * 2


class Settling(tf1.train.SessionRunHook):
    """Waits now and then until no step is under way, as a checkpoint every so many seconds does."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def after_run(self, run_context: Any, run_values: Any) -> None:
        session = run_context.session
        self.seen.append(session.settle() if len(self.seen) % 4 == 2 else session.global_step())


def test_steps_that_a_checkpoint_waited_for_are_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = Settling()
    with chief_of(monkeypatch, 2):
        trained(tmp_path, rows(100), 30, hook)
    assert hook.seen == sorted(set(hook.seen))
    assert max(saved(tmp_path)) == 30


def test_one_worker_trains_as_this_process_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    E.Estimator(model_fn, tmp_path / "here").train(rows(5))
    with chief_of(monkeypatch, 1):
        served = trained(tmp_path / "served", rows(5))
    here = tf.train.load_variable(str(tmp_path / "here"), "weights")
    np.testing.assert_allclose(served.get_variable_value("weights"), here, rtol=1e-6)
    assert np.abs(here).max() > 0.01


def test_an_error_on_a_worker_ends_training_and_says_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Any:
        def read() -> Any:
            yield np.ones((1, 2), "float32"), np.ones((1, 1), "float32")
            raise RuntimeError("the disk is gone")

        signature = (tf.TensorSpec((1, 2), tf.float32), tf.TensorSpec((1, 1), tf.float32))
        return tf.data.Dataset.from_generator(read, output_signature=signature)

    with chief_of(monkeypatch, 2), pytest.raises(Exception, match="the disk is gone"):
        trained(tmp_path, broken)


def test_an_error_of_a_hook_ends_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupting(tf1.train.SessionRunHook):
        def after_run(self, run_context: Any, run_values: Any) -> None:
            raise RuntimeError("Interruption")

    with chief_of(monkeypatch, 2), pytest.raises(RuntimeError, match="Interruption"):
        trained(tmp_path, rows(100), None, Interrupting())


def test_layers_and_their_slots_are_on_the_servers_and_in_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def model(features: Any, labels: Any, mode: str) -> Any:
        logits = tf1.layers.dense(tf1.layers.dense(features, 4, activation=tf.nn.tanh), 1)
        loss = tf1.losses.mean_squared_error(labels, logits)
        train_op = tf1.train.AdagradOptimizer(0.05).minimize(loss, global_step=tf1.train.get_global_step())
        return E.EstimatorSpec(mode, loss=loss, train_op=train_op)

    with chief_of(monkeypatch, 2):
        estimator = trained(tmp_path, rows(5), 12, model=model)
    assert estimator.get_variable_names() == [
        "dense/bias", "dense/bias/Adagrad", "dense/kernel", "dense/kernel/Adagrad", "dense_1/bias",
        "dense_1/bias/Adagrad", "dense_1/kernel", "dense_1/kernel/Adagrad", "global_step",
    ]  # fmt: skip
    assert estimator.get_variable_value("dense_1/kernel/Adagrad").max() > 0.1
