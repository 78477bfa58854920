"""Savers, monitored sessions and writers of event files: what they leave in folders, and what they find there."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf

v1 = tf.compat.v1
ROWS = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32)
TARGETS = ROWS.sum(axis=1)


def network() -> tuple[Any, Any, Any, Any]:
    """Returns the placeholders of a regression, its loss and the operation that trains it."""
    v1.set_random_seed(1)
    x, y = v1.placeholder(tf.float32, [None, 4], name="x"), v1.placeholder(tf.float32, [None], name="y")
    loss = v1.reduce_mean(tf.square(tf.squeeze(v1.layers.dense(x, 1), axis=1) - y), name="loss")
    train = v1.train.AdamOptimizer(0.1).minimize(loss, v1.train.get_or_create_global_step())
    return x, y, loss, train


def trained(folder: Path, steps: int = 4, **settings: Any) -> tuple[list[Any], float]:
    """Trains, and saves after each step; returns the last values of all variables, and the next loss."""
    with tf.Graph().as_default(), v1.Session() as session:
        x, y, loss, train = network()
        saver = v1.train.Saver(**settings)
        session.run(v1.global_variables_initializer())
        for _ in range(steps):
            session.run(train, {x: ROWS, y: TARGETS})
            saver.save(session, str(folder / "model"), global_step=v1.train.get_global_step())
        return session.run(v1.global_variables()), session.run(loss, {x: ROWS, y: TARGETS})


def test_another_session_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    values, loss_there = trained(tmp_path)
    with tf.Graph().as_default(), v1.Session() as session:
        x, y, loss, train = network()
        v1.train.Saver().restore(session, tf.train.latest_checkpoint(str(tmp_path)))
        for value, expected in zip(session.run(v1.global_variables()), values, strict=True):
            np.testing.assert_array_equal(value, expected)
        assert session.run([train, loss], {x: ROWS, y: TARGETS})[1] == loss_there
        assert session.run(v1.train.get_global_step()) == 5
    assert tf.train.load_variable(str(tmp_path), "global_step") == 4


def test_the_oldest_checkpoints_are_deleted(tmp_path: Path) -> None:
    trained(tmp_path, max_to_keep=2)
    assert sorted(path.name for path in tmp_path.glob("*.index")) == ["model-3.index", "model-4.index"]
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert [Path(path).name for path in state.all_model_checkpoint_paths] == ["model-3", "model-4"]


def test_a_saver_may_have_some_variables_under_other_names(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = v1.Variable(1.0, name="a"), v1.Variable(2.0, name="b")
        session.run(a.initializer)
        path = v1.train.Saver({"other": a}).save(session, str(tmp_path / "some"))
        assert tf.train.list_variables(path) == [("other", [])]
        v1.train.Saver({"other": b}).restore(session, path)
        assert session.run(b) == 1.0
        with pytest.raises(tf.errors.NotFoundError, match="Key a not found"):
            v1.train.Saver([a]).restore(session, path)


def test_what_cannot_be_saved_or_restored_is_an_error_and_changes_nothing(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        with pytest.raises(ValueError, match="No variables to save"):
            v1.train.Saver()
        v = v1.get_variable("v", initializer=np.float32([1, 2, 3]))
        saver = v1.train.Saver()
        with pytest.raises(tf.errors.FailedPreconditionError, match="v has been given no value"):
            saver.save(session, str(tmp_path / "early"))
        assert not list(tmp_path.iterdir())
        session.run(v.initializer)
        path = saver.save(session, str(tmp_path / "model"))
        with pytest.raises(ValueError, match="not a valid checkpoint"):
            saver.restore(session, str(tmp_path / "missing"))
        data = Path(f"{path}.data-00000-of-00001")
        data.write_bytes(data.read_bytes()[:-1] + b"\xff")
        with pytest.raises(tf.errors.DataLossError):
            saver.restore(session, path)
        np.testing.assert_array_equal(session.run(v), [1, 2, 3])
    with pytest.raises(ValueError, match="outside of a graph needs var_list"):
        v1.train.Saver()


def test_a_monitored_session_is_restored_where_it_has_ended(tmp_path: Path) -> None:
    taken, losses = [], []
    for last in (6, 10):
        with tf.Graph().as_default():
            x, y, loss, train = network()
            hooks = [v1.train.StopAtStepHook(last_step=last)]
            with v1.train.MonitoredTrainingSession(
                checkpoint_dir=str(tmp_path), hooks=hooks, save_checkpoint_steps=2, log_step_count_steps=None
            ) as session:
                count = 0
                while not session.should_stop():
                    losses.append(session.run([loss, train], {x: ROWS, y: TARGETS})[0])
                    count += 1
                with pytest.raises(TypeError, match="has invalid type"):
                    session.run(object())
            taken.append(count)
    assert taken == [6, 4]
    kept = sorted(int(path.stem.rpartition("-")[2]) for path in tmp_path.glob("*.index"))
    assert kept == [2, 4, 6, 8, 10]  # the second session knows of those of the first
    assert losses == sorted(losses, reverse=True)  # it goes on where it was, slots too
    assert tf.train.load_variable(str(tmp_path), "global_step") == 10


class _Noting(v1.train.SessionRunHook):
    """Notes its calls, fetches the loss, feeds the labels and asks for an end after three runs."""

    def __init__(self, loss: Any, feeds: dict[Any, Any]) -> None:
        self.calls: list[str] = []
        self.seen: list[float] = []
        self._loss, self._feeds = loss, feeds

    def begin(self) -> None:
        self.calls.append("begin")

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.calls.append(f"session {session.run(v1.train.get_global_step())}")

    def before_run(self, run_context: Any) -> Any:
        return v1.train.SessionRunArgs({"loss": self._loss}, feed_dict=self._feeds)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.seen.append(run_values.results["loss"])
        if len(self.seen) == 3:
            run_context.request_stop()

    def end(self, session: Any) -> None:
        self.calls.append("end")


def test_hooks_fetch_feed_and_stop() -> None:
    with tf.Graph().as_default():
        x, y, loss, train = network()
        hook = _Noting(loss, {y: TARGETS})
        with v1.train.MonitoredSession(hooks=[hook]) as session:
            while not session.should_stop():
                assert session.run(train, {x: ROWS}) is None
    assert hook.calls == ["begin", "session 0", "end"]
    assert len(hook.seen) == 3
    assert hook.seen == sorted(hook.seen, reverse=True)


def test_hooks_load_values_and_run_operations() -> None:
    class Loads(v1.train.SessionRunHook):
        def begin(self) -> None:
            self.variable = v1.get_variable("v", initializer=1.0)
            self.doubled = self.variable.assign(2 * self.variable)

        def after_create_session(self, session: Any, coord: Any) -> None:
            self.variable.load(5.0, session)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            run_context.session.run(self.doubled)

    with tf.Graph().as_default():
        hook = Loads()
        with v1.train.MonitoredSession(hooks=[hook]) as session:
            assert [float(session.run(hook.variable)) for _ in range(3)] == [5.0, 10.0, 20.0]


def test_the_end_of_data_ends_a_monitored_session_and_an_error_calls_no_end() -> None:
    with tf.Graph().as_default():
        element = v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()
        hook = _Noting(element, {})
        found = []
        with v1.train.MonitoredSession(hooks=[hook]) as session:
            while not session.should_stop():
                found.append(session.run(element))
        assert found == [0, 1, 2]
        assert hook.calls[-1] == "end"
    with tf.Graph().as_default():
        v1.train.get_or_create_global_step()
        hook = _Noting(tf.constant(1.0), {})
        with pytest.raises(RuntimeError, match="mine"), v1.train.MonitoredSession(hooks=[hook]):
            raise RuntimeError("mine")
        assert hook.calls == ["begin", "session 0"]


def test_a_scaffold_says_how_a_session_begins() -> None:
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=np.float32(1))
        size = v1.placeholder(tf.float32, [])
        scaffold = v1.train.Scaffold(
            init_op=v1.group(v.assign(size)),
            init_feed_dict={size: 5.0},
            init_fn=lambda scaffold, session: session.run(v.assign_add(1.0)),
        )
        with v1.train.MonitoredTrainingSession(scaffold=scaffold) as session:
            assert session.run(v) == 6.0
    with pytest.raises(tf.errors.UnimplementedError, match="init_op"):
        v1.train.Scaffold(init_op=object())


def numbers_in(folder: Path) -> dict[int, dict[str, float]]:
    # The reader of the Estimators' own event files.
    from stratagem._events import read_scalars

    return read_scalars(str(folder))


def test_summaries_of_runs_are_in_the_event_file(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        v1.summary.scalar("mean", tf.reduce_mean(x))
        v1.summary.histogram("all", x)
        v1.summary.image("picture", tf.reshape(x, [1, 2, 2, 1]))
        merged = v1.summary.merge_all()
        with v1.summary.FileWriter(str(tmp_path), session.graph) as writer:
            for step in range(2):
                writer.add_summary(session.run(merged, {x: np.arange(4.0) + step}), step)
            writer.add_summary(v1.Summary(value=[v1.Summary.Value(tag="own", simple_value=7.0)]), global_step=3)
            with pytest.raises(TypeError, match="takes a serialized summary"):
                writer.add_summary("text")
        with pytest.raises(RuntimeError, match="closed"):
            writer.add_summary(b"")
    assert numbers_in(tmp_path) == {0: {"mean": 1.5}, 1: {"mean": 2.5}, 3: {"own": 7.0}}
    (file,) = tmp_path.iterdir()
    data = file.read_bytes()
    assert data.count(b"histograms") == data.count(b"images") == 2


def test_a_monitored_session_writes_summaries_and_speed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with tf.Graph().as_default(), caplog.at_level(logging.INFO):
        x, y, loss, train = network()
        v1.summary.scalar("curve", loss)
        with v1.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path), save_summaries_steps=2, log_step_count_steps=2, hooks=[_logging(["loss:0"])]
        ) as session:
            for _ in range(4):
                session.run(train, {x: ROWS, y: TARGETS})
    found = numbers_in(tmp_path)
    assert [step for step, values in found.items() if "curve" in values] == [1, 3]
    assert any("global_step/sec" in values for values in found.values())
    assert any("loss:0 = " in record.getMessage() for record in caplog.records)


def _logging(tensors: Sequence[Any]) -> Any:
    return v1.train.LoggingTensorHook(tensors, every_n_iter=2)
