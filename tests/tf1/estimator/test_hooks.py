"""Hooks: when they are called, what they may ask for, and what the standard ones do."""

import logging
import re
from typing import Any

import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem.estimator import (
    CheckpointSaverHook,
    CheckpointSaverListener,
    Estimator,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    RunConfig,
    SessionRunArgs,
    SessionRunHook,
    StepCounterHook,
    StopAtStepHook,
)
from tests.tf1.estimator.models import X, Y, by_hand, data, linear, rows

LOSSES = by_hand(rows())[1]


class Notes(SessionRunHook):
    """Notes what it is called for, and asks for something."""

    def __init__(self, fetches: Any = None) -> None:
        self.fetches = fetches
        self.called: list[str] = []
        self.results: list[Any] = []

    def begin(self) -> None:
        self.called.append("begin")

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.called.append("after_create_session")

    def before_run(self, run_context: Any) -> Any:
        self.called.append("before_run")
        return None if self.fetches is None else SessionRunArgs(self.fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.called.append("after_run")
        self.results.append(run_values.results)

    def end(self, session: Any) -> None:
        self.called.append("end")


AROUND = ["begin", "after_create_session"]
STEP = ["before_run", "after_run"]


def test_hooks_are_called_around_every_step(tmp_path: Any) -> None:
    hook = Notes()
    Estimator(linear(), tmp_path).train(data(), [hook], steps=2)
    assert hook.called == [*AROUND, *STEP, *STEP, "end"]


class AsksForTheStep(SessionRunHook):
    """Asks in every call for the global step, as TensorFlow's hooks may: the graph of the model is the present one."""

    def __init__(self) -> None:
        self.steps: list[int] = []

    def begin(self) -> None:
        assert tf1.train.get_global_step() is not None

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.steps.append(session.run(tf1.train.get_global_step()))

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(tf1.train.get_global_step())

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.steps += [run_values.results, run_context.session.run(tf1.train.get_global_step())]

    def end(self, session: Any) -> None:
        self.steps.append(session.run(tf1.train.get_global_step()))


def test_every_call_of_a_hook_may_ask_for_the_global_step(tmp_path: Any) -> None:
    """As TensorFlow 2.15.1 answers; there a step's own fetch is the number before or after the step, as it happens."""
    estimator, hook = Estimator(linear(), tmp_path), AsksForTheStep()
    estimator.train(data(), [hook], steps=2)
    assert hook.steps == [0, 0, 1, 1, 2, 2]
    for run in (
        lambda hook: estimator.evaluate(data(2), hooks=[hook]),
        lambda hook: [*estimator.predict(data(2), hooks=[hook])],
    ):
        hook = AsksForTheStep()
        run(hook)
        assert hook.steps == [2] * 6


def test_after_the_end_of_the_input_no_step_is_reported(tmp_path: Any) -> None:
    hook = Notes()
    Estimator(linear(), tmp_path).train(data(), [hook])
    assert hook.called == [*AROUND, *STEP * 4, "before_run", "end"]


def test_an_error_ends_without_the_hooks_end_and_the_end_of_data_with_it(tmp_path: Any) -> None:
    class Raises(SessionRunHook):
        def __init__(self, error: Exception) -> None:
            self.error = error

        def after_run(self, run_context: Any, run_values: Any) -> None:
            raise self.error

    hook = Notes()
    with pytest.raises(KeyError):
        Estimator(linear(), tmp_path).train(data(), [hook, Raises(KeyError("x"))])
    assert hook.called == [*AROUND, *STEP]
    for error in (StopIteration(), tf.errors.OutOfRangeError(None, None, "no more")):
        hook = Notes()
        Estimator(linear(), tmp_path).train(data(), [hook, Raises(error)])
        assert hook.called == [*AROUND, *STEP, "end"]


def test_hooks_of_evaluations_and_predictions_are_called(tmp_path: Any) -> None:
    own = Notes()
    estimator = Estimator(linear(lambda **_: {"evaluation_hooks": [own]}), tmp_path)
    hook = Notes()
    estimator.evaluate(data(), hooks=[hook], steps=1)
    assert hook.called == own.called == [*AROUND, *STEP, "end"]
    hook = Notes()
    assert len(list(estimator.predict(data(batch=2), hooks=[hook]))) == 4
    assert hook.called == [*AROUND, *STEP, *STEP, "before_run", "end"]


def test_a_hook_of_the_model_is_told_its_tensors_of_every_step(tmp_path: Any) -> None:
    made: list[Notes] = []

    def hooks(features: Any, y: Any, loss: Any, mode: str) -> dict[str, Any]:
        made.append(Notes({"y": y, "both": [loss, tf.reduce_sum(features)]}))
        return {"training_hooks": [made[-1]]}

    Estimator(linear(hooks), tmp_path).train(data())
    first = made[0]
    assert [hook.called for hook in made[1:]] == [[]] * (len(made) - 1)
    assert len(first.results) == 4
    w = 1.0
    for result, (x, y), loss in zip(first.results, rows(), LOSSES, strict=True):
        np.testing.assert_allclose(result["y"], w * x, rtol=1e-5)
        np.testing.assert_allclose(result["both"], [loss, x.sum()], rtol=1e-5)
        w = by_hand([(x, y)], w)[0]


def test_an_uneven_last_batch_is_answered_too(tmp_path: Any) -> None:
    made: list[Notes] = []

    def hooks(y: Any, **_: Any) -> dict[str, Any]:
        made.append(Notes([y]))
        return {"training_hooks": [made[-1]]}

    Estimator(linear(hooks), tmp_path).train(data(batch=3))
    assert [result[0].shape for result in made[0].results] == [(3,), (1,)]


def test_variables_and_names_can_be_asked_for(tmp_path: Any) -> None:
    def named(y: Any, **_: Any) -> dict[str, Any]:
        tf.identity(y, name="prediction")
        return {}

    hook = Notes({"w": "w:0", "step": "global_step", "y": "prediction"})
    Estimator(linear(named), tmp_path).train(data(), [hook], steps=2)
    assert [int(result["step"]) for result in hook.results] == [0, 1]
    assert [float(result["w"]) for result in hook.results] == pytest.approx([1.0, by_hand(rows()[:1])[0]])
    np.testing.assert_allclose(
        [result["y"] for result in hook.results], [[1.0], [2 * by_hand(rows()[:1])[0]]], rtol=1e-6
    )


def test_begin_finds_the_global_step(tmp_path: Any) -> None:
    class Counts(SessionRunHook):
        seen: list[int] = []  # noqa: RUF012

        def begin(self) -> None:
            self.step = tf1.train.get_global_step()

        def before_run(self, run_context: Any) -> Any:
            return SessionRunArgs(self.step)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            self.seen += [int(run_values.results), int(run_context.session.run(self.step))]

    Estimator(linear(), tmp_path).train(data(), [Counts()], steps=2)
    assert Counts.seen == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("fetches", "kind", "text"),
    [
        ("nothing", ValueError, "no tensor or variable of this name. It has global_step, w"),
        (SessionRunArgs("w", feed_dict={"x": 1}), NotImplementedError, "no placeholders"),
    ],
)
def test_what_cannot_be_asked_for_is_said(fetches: Any, kind: type[Exception], text: str, tmp_path: Any) -> None:
    class Asks(SessionRunHook):
        def before_run(self, run_context: Any) -> Any:
            return fetches if isinstance(fetches, SessionRunArgs) else SessionRunArgs(fetches)

    with pytest.raises(kind, match=re.escape(text)):
        Estimator(linear(), tmp_path).train(data(), [Asks()])


def test_a_tensor_that_the_step_does_not_return_is_refused(tmp_path: Any) -> None:
    kept: list[Any] = []

    class Asks(SessionRunHook):
        def before_run(self, run_context: Any) -> Any:
            return SessionRunArgs(kept[0])

    def keep(y: Any, **_: Any) -> dict[str, Any]:
        kept.append(y)
        return {}

    with pytest.raises(ValueError, match=r"tensors that it holds in its attributes"):
        Estimator(linear(keep), tmp_path).train(data(), [Asks()])


class Asks(SessionRunHook):
    """Asks for something before every step."""

    def __init__(self, fetches: Any) -> None:
        self.fetches, self.seen = fetches, []  # type: ignore[var-annotated]

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(self.fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.seen.append(run_values.results)


def counting(make: Any, made: list[Any]) -> Any:
    """A model_fn whose train_op counts, too. make: from the operation that does, and that which trains, a hook."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        spec = linear()(features, labels, mode)
        count = tf1.get_variable("count", (), initializer="zeros", trainable=False)
        counted = tf1.assign_add(count, 2.0)
        both = tf1.group(spec.train_op, counted)
        made.append(make(counted, spec.train_op))
        return spec._replace(train_op=both, training_hooks=[made[-1]])

    return model_fn


def test_operations_of_the_train_op_can_be_fetched(tmp_path: Any) -> None:
    made: list[Asks] = []
    Estimator(counting(lambda counted, trained: Asks([counted, trained]), made), tmp_path).train(data())
    assert made[0].seen == [[2.0, None], [4.0, None], [6.0, None], [8.0, None]]


def test_an_operation_that_the_train_op_does_not_run_is_refused(tmp_path: Any) -> None:
    def hooks(y: Any, **_: Any) -> dict[str, Any]:
        return {"training_hooks": [Asks(tf1.no_op())]}

    with pytest.raises(ValueError, match=r"train_op=tf\.group\(train_op, operation\)"):
        Estimator(linear(hooks), tmp_path).train(data())


class Changes(SessionRunHook):
    """Changes the variable "w" after every step, by an operation that it has made before the training, or by `load`."""

    def __init__(self, way: str) -> None:
        self.way = way
        self.seen: list[float] = []

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.variable = session.graph.variables["w"]
        with tf1.control_dependencies([self.variable.assign(3.0)]):
            self.operation = tf1.group(self.variable.assign_add(4.0))

    def after_run(self, run_context: Any, run_values: Any) -> None:
        session = run_context.session
        if self.way == "operation":
            assert session.run(self.operation) is None
        elif self.way == "values":
            assert session.run([self.variable.assign(7.0), "w"]) == [7.0, 7.0]
        else:
            self.variable.load(7.0, session)
        self.seen.append(float(session.run("w")))


@pytest.mark.parametrize("replicas", [None, 2])
@pytest.mark.parametrize("way", ["operation", "values", "load"])
def test_operations_of_hooks_are_run_by_the_session(way: str, replicas: int | None, tmp_path: Any) -> None:
    strategy = None if replicas is None else tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])
    hook = Changes(way)
    estimator = Estimator(linear(), tmp_path, RunConfig(train_distribute=strategy)).train(data(), [hook])
    assert hook.seen == [7.0] * len(hook.seen) != []
    assert estimator.get_variable_value("w") == 7.0


def test_a_step_starts_from_what_a_hook_has_assigned(tmp_path: Any) -> None:
    class Restarts(SessionRunHook):
        def after_create_session(self, session: Any, coord: Any) -> None:
            self.restart = session.graph.variables["w"].assign(session.run("w"))
            self.steps = 0

        def after_run(self, run_context: Any, run_values: Any) -> None:
            self.steps += 1
            if self.steps == 1:
                run_context.session.run(self.restart)

    estimator = Estimator(linear(), tmp_path).train(data(), [Restarts()], steps=2)
    assert estimator.get_variable_value("w") == pytest.approx(by_hand(rows()[1:2])[0], rel=1e-6)


def test_a_session_refuses_an_operation_that_needs_tensors_of_a_step(tmp_path: Any) -> None:
    class Adds(SessionRunHook):
        def __init__(self, operation: Any) -> None:
            self.operation = operation

        def after_run(self, run_context: Any, run_values: Any) -> None:
            run_context.session.run(self.operation)

    def hooks(y: Any, **_: Any) -> dict[str, Any]:
        counter = tf1.get_variable("counter", initializer=0.0)
        return {"training_hooks": [Adds(counter.assign_add(tf.reduce_sum(y)))]}

    with pytest.raises(ValueError, match="need tensors of the model_fn"):
        Estimator(linear(hooks), tmp_path).train(data())


def test_a_value_is_loaded_into_a_session(tmp_path: Any) -> None:
    def hooks(y: Any, **_: Any) -> dict[str, Any]:
        tf1.get_variable("counter", initializer=0.0).load(1.0)
        return {}

    with pytest.raises(ValueError, match="no default session is registered"):
        Estimator(linear(hooks), tmp_path).train(data())


def test_an_operation_runs_once_a_call_and_again_in_the_next(tmp_path: Any) -> None:
    class Counts(SessionRunHook):
        def after_create_session(self, session: Any, coord: Any) -> None:
            variable = session.graph.variables["w"]
            once = variable.assign_add(1.0)
            with tf1.control_dependencies([once]):
                self.both = [tf1.no_op(), tf1.group(once)]
            self.more = variable.assign_add(10.0)
            session.run(variable.assign(0.0))

        def after_run(self, run_context: Any, run_values: Any) -> None:
            session = run_context.session
            before = session.run("w")
            session.run(self.both)
            assert session.run("w") == before + 1
            self.more.run(session=session)
            self.more.run(session=session)
            assert session.run([self.more, self.more, "w"]) == [before + 31] * 3

    assert Estimator(linear(), tmp_path).train(data(), [Counts()]).get_variable_value("global_step") == 4


@pytest.mark.parametrize(("more", "feeds"), [("no such name", None), ("loss of no step", None), (None, {"x": 1})])
def test_what_a_session_refuses_it_refuses_before_it_runs_anything(more: Any, feeds: Any, tmp_path: Any) -> None:
    class Asks(SessionRunHook):
        def after_create_session(self, session: Any, coord: Any) -> None:
            with pytest.raises((ValueError, tf.errors.UnimplementedError)):
                session.run([session.graph.variables["w"].assign(5.0), more], feeds)
            self.seen = float(session.run("w"))

    def named(loss: Any, **_: Any) -> dict[str, Any]:
        tf.identity(loss, name="loss of no step")
        return {}

    hook = Asks()
    Estimator(linear(named), tmp_path).train(data(), [hook])
    assert hook.seen == 1.0


def test_a_global_step_that_is_loaded_is_known_at_once(tmp_path: Any) -> None:
    class Loads(SessionRunHook):
        def after_run(self, run_context: Any, run_values: Any) -> None:
            session = run_context.session
            if session.global_step() == 2:
                session.graph.variables["global_step"].load(10, session)
                assert session.global_step() == session.run("global_step") == 10

    estimator = Estimator(linear(), tmp_path).train(data(), [Loads()])
    assert estimator.get_variable_value("global_step") == 12


def test_a_session_takes_no_step(tmp_path: Any) -> None:
    class Trains(SessionRunHook):
        def __init__(self, operation: Any) -> None:
            self.operation = operation

        def after_create_session(self, session: Any, coord: Any) -> None:
            session.run(self.operation)

    with pytest.raises(ValueError, match=r"session\.run takes no step"):
        Estimator(counting(lambda counted, trained: Trains(trained), []), tmp_path).train(data())


def lines(caplog: pytest.LogCaptureFixture, start: str) -> list[str]:
    return [message for message in caplog.messages if message.startswith(start)]


def test_logging_tensor_hook_every_so_many_steps(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    def hooks(y: Any, **_: Any) -> dict[str, Any]:
        return {"training_hooks": [LoggingTensorHook({"sum": tf.reduce_sum(y)}, every_n_iter=3)]}

    with caplog.at_level(logging.INFO):
        Estimator(linear(hooks), tmp_path).train(data())
    first, second = lines(caplog, "sum = ")
    assert first == "sum = 1.0"
    assert re.fullmatch(r"sum = [\d.]+ \(\d+\.\d{3} sec\)", second)
    w = by_hand(rows()[:3])[0]
    assert float(second.split()[2]) == pytest.approx(4 * w, rel=1e-5)


def test_logging_tensor_hook_formats_and_logs_at_the_end(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    def hooks(loss: Any, **_: Any) -> dict[str, Any]:
        return {
            "training_hooks": [
                LoggingTensorHook({"l": loss}, at_end=True),
                LoggingTensorHook([loss], every_n_secs=3600, formatter=lambda values: f"got {len(values)}"),
            ]
        }

    with caplog.at_level(logging.INFO):
        Estimator(linear(hooks), tmp_path).train(data())
    assert [float(line.split()[2]) for line in lines(caplog, "l = ")] == pytest.approx(LOSSES[-1:], rel=1e-5)
    assert lines(caplog, "got") == ["got 1"]


def test_tensors_without_labels_are_told_apart(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    def hooks(y: Any, loss: Any, **_: Any) -> dict[str, Any]:
        named = tf.identity(y[0] + 1, name="more")
        return {"training_hooks": [LoggingTensorHook([y[0], 2 * y[0], named], every_n_iter=100)]}

    with caplog.at_level(logging.INFO):
        Estimator(linear(hooks), tmp_path).train(data())
    assert lines(caplog, "float32[]") == ["float32[] = 1.0, float32[]_1 = 2.0, more = 2.0"]


def test_a_name_can_be_asked_for_late_without_another_trace(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    def named(y: Any, **_: Any) -> dict[str, Any]:
        tf.identity(y[0], name="first")
        return {}

    calls: list[str] = []
    hooks = [LoggingTensorHook(["first"], at_end=True), LoggingTensorHook({"again": "first:0"}, every_n_iter=3)]
    with caplog.at_level(logging.INFO):
        Estimator(linear(named, calls), tmp_path).train(data(), hooks)
    w = by_hand(rows()[:3])[0]
    assert [float(line.split()[2]) for line in lines(caplog, "first = ")] == pytest.approx([4 * w], rel=1e-5)
    assert [float(line.split()[2]) for line in lines(caplog, "again = ")] == pytest.approx([1.0, 4 * w], rel=1e-5)
    assert len(calls) <= 2


def test_loss_and_speed_are_shown_every_log_step_count_steps(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        Estimator(linear(), tmp_path, RunConfig(log_step_count_steps=2)).train(data())
    shown = [re.match(r"loss = ([\d.]+), step = (\d+)", line) for line in lines(caplog, "loss = ")]
    assert [int(found[2]) for found in shown if found] == [0, 2]
    assert [float(found[1]) for found in shown if found] == pytest.approx([LOSSES[0], LOSSES[2]], rel=1e-5)
    assert len(lines(caplog, "global_step/sec: ")) == 1


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: LoggingTensorHook([]), "exactly one of every_n_iter and every_n_secs"),
        (lambda: LoggingTensorHook([], every_n_iter=1, every_n_secs=1), "exactly one of every_n_iter and every_n_secs"),
        (lambda: LoggingTensorHook([], every_n_iter=0), "invalid every_n_iter=0"),
        (lambda: StopAtStepHook(), "One of num_steps or last_step must be specified"),
        (lambda: StopAtStepHook(1, 2), "Only one of num_steps or last_step"),
        (lambda: CheckpointSaverHook("d"), "Either every_secs or every_steps"),
        (lambda: CheckpointSaverHook("d", 1, 1), "Can not provide both every_secs and every_steps"),
        (lambda: StepCounterHook(1, 1), "exactly one of every_n_steps and every_n_secs"),
        (lambda: tf1.train.SummarySaverHook(1), "Exactly one of scaffold or summary_op"),
        (lambda: CheckpointSaverHook("d", save_steps=1, saver=1), "Scaffold(saver=tf.train.Checkpoint"),
        (lambda: tf1.train.ProfilerHook(1), "jax.profiler"),
        (lambda: tf1.train.FeedFnHook(dict), "no placeholders"),
    ],
)
def test_hooks_say_what_is_wrong_with_their_arguments(make: Any, text: str) -> None:
    with pytest.raises((ValueError, NotImplementedError), match=re.escape(text)):
        make()


def not_a_number(features: Any, labels: Any, mode: str) -> Any:
    spec = linear()(features, labels, mode)
    return spec._replace(loss=spec.loss + tf.where(features[0] > 2.5, float("nan"), 0.0))


def test_a_loss_that_is_not_a_number_is_an_error(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    estimator = Estimator(not_a_number, tmp_path)
    with pytest.raises(NanLossDuringTrainingError, match="NaN loss during training"):
        estimator.train(data())
    assert "Model diverged with loss = NaN." in caplog.messages
    assert estimator.latest_checkpoint() == str(tmp_path / "model.ckpt-0")


def watched(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, hooks: list[Any], **config: Any) -> list[str]:
    """What a training of four steps does: hooks before a step, the look at its loss, the end."""
    calls: list[str] = []
    look = NanTensorHook.after_run

    def noted(hook: Any, *given: Any) -> None:
        calls.append("look")
        look(hook, *given)

    monkeypatch.setattr(NanTensorHook, "after_run", noted)
    notes = Notes()
    notes.called = calls
    Estimator(linear(), tmp_path, RunConfig(**config)).train(data(), [notes, *hooks])
    return [call for call in calls if call in ("before_run", "look", "end")]


def test_the_next_step_begins_before_anyone_looks_whether_the_loss_is_a_number(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = watched(monkeypatch, tmp_path, [], log_step_count_steps=None, save_summary_steps=None)
    # Before the fifth step, which there is not, all looks but the last are done; none is left at the end.
    assert calls == ["before_run", *(["before_run", "look"] * 4), "end"]


def test_who_asks_for_a_value_of_every_step_gets_it_when_the_loss_has_been_looked_at(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = Notes("w"), LoggingTensorHook(["global_step"], every_n_iter=1)
    calls = watched(monkeypatch, tmp_path, list(asks), log_step_count_steps=None, save_summary_steps=None)
    assert calls == [*(["before_run", "look"] * 4), "before_run", "end"]


@pytest.mark.parametrize("at", [0, 2, 3])
def test_the_error_of_a_loss_names_its_step_though_the_next_has_begun(tmp_path: Any, at: int) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        spec = linear()(features, labels, mode)
        return spec._replace(loss=spec.loss + tf.where(features[0] == X[at], float("nan"), 0.0))

    notes = Notes()
    estimator = Estimator(model_fn, tmp_path, RunConfig(log_step_count_steps=None, save_summary_steps=None))
    with pytest.raises(NanLossDuringTrainingError, match=f"It is NaN in the step from global step {at}"):
        estimator.train(data(), [notes])
    assert "end" not in notes.called
    assert estimator.latest_checkpoint() == str(tmp_path / "model.ckpt-0")


def test_a_global_step_that_hooks_assign_is_counted_from_there(tmp_path: Any) -> None:
    class Assigns(SessionRunHook):
        def __init__(self) -> None:
            self.steps: list[int] = []

        def after_run(self, run_context: Any, run_values: Any) -> None:
            self.steps.append(run_context.session.global_step())
            if len(self.steps) == 2:
                session = run_context.session
                session.run(session.graph.variables["global_step"].assign(10))

    hook = Assigns()
    estimator = Estimator(linear(), tmp_path).train(data(), [hook])
    assert hook.steps == [1, 2, 11, 12]
    assert estimator.get_variable_value("global_step") == 12


def test_a_nan_hook_may_just_end_training(tmp_path: Any) -> None:
    made: list[Notes] = []

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        spec = linear()(features, labels, mode)
        other = tf.where(features[0] > 1.5, float("nan"), 0.0)
        made.append(Notes())
        return spec._replace(training_hooks=[made[-1], NanTensorHook(other, fail_on_nan_loss=False)])

    estimator = Estimator(model_fn, tmp_path).train(data())
    assert estimator.get_variable_value("global_step") == 2


def test_final_ops_are_values_at_the_end(tmp_path: Any) -> None:
    hook = FinalOpsHook({"w": "w", "step": "global_step"})
    Estimator(linear(), tmp_path).train(data(), [hook])
    assert int(hook.final_ops_values["step"]) == 4
    assert float(hook.final_ops_values["w"]) == pytest.approx(by_hand(rows())[0], rel=1e-6)


def test_a_waiter_waits_for_no_step_that_was_done(tmp_path: Any) -> None:
    estimator = Estimator(linear(), tmp_path).train(data())
    estimator.train(data(), [GlobalStepWaiterHook(4)], steps=1)
    assert estimator.get_variable_value("global_step") == 5


def test_a_waiter_does_not_wait_for_steps_that_nobody_takes(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        Estimator(linear(), tmp_path).train(data(), [GlobalStepWaiterHook(3)])
    assert lines(caplog, "GlobalStepWaiterHook: ") == [
        "GlobalStepWaiterHook: the global step is 0, not yet 3, and all steps are taken here; training starts at once."
    ]


class Listens(CheckpointSaverListener):
    def __init__(self, stop_at: int | None = None) -> None:
        self.called: list[Any] = []
        self.stop_at = stop_at

    def begin(self) -> None:
        self.called.append("begin")

    def before_save(self, session: Any, global_step_value: int) -> None:
        self.called.append(("before", global_step_value, float(session.run("w"))))

    def after_save(self, session: Any, global_step_value: int) -> bool:
        self.called.append(("after", global_step_value))
        return global_step_value == self.stop_at

    def end(self, session: Any, global_step_value: int) -> None:
        self.called.append(("end", global_step_value))


def test_listeners_hear_of_every_checkpoint(tmp_path: Any) -> None:
    listener = Listens()
    Estimator(linear(), tmp_path, RunConfig(save_checkpoints_steps=3)).train(data(), saving_listeners=[listener])
    w = [by_hand(rows()[:n])[0] for n in (0, 3, 4)]
    assert [entry if entry == "begin" else entry[:2] for entry in listener.called] == [
        "begin",
        *[(when, step) for step in (0, 3, 4) for when in ("before", "after")],
        ("end", 4),
    ]
    weights = [entry[2] for entry in listener.called if entry[0] == "before"]
    assert weights == pytest.approx(w, rel=1e-6)


def test_a_listener_can_end_training(tmp_path: Any) -> None:
    config = RunConfig(save_checkpoints_steps=1)
    estimator = Estimator(linear(), tmp_path, config).train(data(repeat=None), saving_listeners=[Listens(stop_at=3)])
    assert estimator.get_variable_value("global_step") == 3


def test_listeners_need_checkpoints(tmp_path: Any) -> None:
    config = RunConfig(save_checkpoints_steps=None, save_checkpoints_secs=None)
    with pytest.raises(ValueError, match="There should be a CheckpointSaverHook to use saving_listeners"):
        Estimator(linear(), tmp_path, config).train(data(), saving_listeners=[Listens()])


def test_a_checkpoint_hook_of_the_caller_takes_the_place_of_the_standard_one(tmp_path: Any) -> None:
    hook = CheckpointSaverHook(str(tmp_path / "own"), save_steps=2, checkpoint_basename="mine")
    Estimator(linear(), tmp_path / "model").train(data(), [hook])
    assert sorted(path.name for path in (tmp_path / "own").glob("mine-*")) == ["mine-0", "mine-2", "mine-4"]
    assert not list((tmp_path / "model").glob("model.ckpt*"))


def test_hooks_see_the_data_of_the_step(tmp_path: Any) -> None:
    def hooks(features: Any, **_: Any) -> dict[str, Any]:
        return {"training_hooks": [Notes(features)]}

    made: list[Any] = []
    model_fn = linear(lambda **tensors: made.append(hooks(**tensors)) or made[-1])
    Estimator(model_fn, tmp_path).train(lambda: tf.data.Dataset.from_tensor_slices((X, Y)).batch(2))
    np.testing.assert_allclose(made[0]["training_hooks"][0].results, X.reshape(2, 2))
