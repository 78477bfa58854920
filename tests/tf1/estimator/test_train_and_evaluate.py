"""train_and_evaluate in one process: evaluations after checkpoints, their results, and what is refused."""

import contextlib
import json
import logging
import shutil
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf

# Private: the chief's signs of life and the evaluator's belief in them, in one process, within a moment.
from stratagem._tf1.estimator import _announcement as announcement
from stratagem.compat import v1 as tf1
from tests.tf1.estimator.clusters import model_fn, rows

E = tf1.estimator


class Exports(E.Exporter):
    """Remembers what it was called with."""

    def __init__(self, name: str = "kept", act: Any = None) -> None:
        self._name, self._act = name, act
        self.calls: list[dict[str, Any]] = []

    @property
    def name(self) -> str:
        return self._name

    def export(self, **given: Any) -> str:
        self.calls.append(given)
        if self._act is not None:
            self._act()
        return f"{self._name} {len(self.calls)}"

    @property
    def steps(self) -> list[int]:
        """Global steps of the evaluations."""
        return [int(given["eval_result"]["global_step"]) for given in self.calls]


class Saves(tf1.train.CheckpointSaverListener):
    def __init__(self) -> None:
        self.steps: list[int] = []

    def after_save(self, session: Any, global_step_value: int) -> None:
        self.steps.append(global_step_value)


def estimator_in(folder: Path, **options: Any) -> Any:
    return E.Estimator(model_fn, config=E.RunConfig(folder, **options))


def test_the_model_is_evaluated_after_every_checkpoint_but_the_first(tmp_path: Path) -> None:
    exports, saves = Exports(), Saves()
    metrics, exported = E.train_and_evaluate(
        estimator_in(tmp_path, save_checkpoints_steps=10),
        E.TrainSpec(rows(20), max_steps=22, saving_listeners=[saves]),
        E.EvalSpec(rows(), throttle_secs=0, exporters=exports),
    )
    assert saves.steps == [0, 10, 20, 22]
    assert exports.steps == [10, 20, 22]
    assert [given["is_the_final_export"] for given in exports.calls] == [False, False, True]
    assert exports.calls[0]["export_path"] == str(tmp_path / "export" / "kept")
    assert exports.calls[-1]["checkpoint_path"] == str(tmp_path / "model.ckpt-22")
    assert exported == ["kept 3"]
    assert metrics.keys() == {"loss", "global_step"}
    assert metrics["global_step"] == 22


def test_within_throttle_secs_only_the_last_checkpoint_is_evaluated_again(tmp_path: Path) -> None:
    exports = Exports()
    E.train_and_evaluate(
        estimator_in(tmp_path, save_checkpoints_steps=3),
        E.TrainSpec(rows(4), max_steps=12),
        E.EvalSpec(rows(), throttle_secs=600, exporters=[exports]),
    )
    assert exports.steps == [3, 12]


def test_training_goes_on_from_the_last_checkpoint_and_not_beyond_max_steps(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "stratagem.estimator")
    found = [
        E.train_and_evaluate(estimator_in(tmp_path), E.TrainSpec(rows(), max_steps=steps), E.EvalSpec(rows()))
        for steps in (2, 4, 4)
    ]
    assert [result and result["global_step"] for result, _ in found] == [2, 4, None]
    assert found[-1] == (None, None)
    assert "Skipping training since max_steps has already saved." in caplog.text


def test_the_log_tells_what_tensorflow_tells(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """In the order of the migration guide (`tests/parity/estimators.py` has its program)."""
    caplog.set_level(logging.INFO, "stratagem.estimator")
    result, exports = E.train_and_evaluate(E.Estimator(model_fn, tmp_path), E.TrainSpec(rows()), E.EvalSpec(rows()))
    assert exports == []
    assert result.keys() == {"loss", "global_step"}
    wanted = [
        "Using default config.",
        "Using config: {'_model_dir': ",
        "Not using Distribute Coordinator.",
        "Running training and evaluation locally (non-distributed).",
        "Start train and evaluate loop. The evaluate will happen after every checkpoint. Checkpoint frequency is determined "
        "based on RunConfig arguments: save_checkpoints_steps None or save_checkpoints_secs 600.",
        "Calling model_fn.",
        "Done calling model_fn.",
        "Create CheckpointSaverHook.",
        "Graph was finalized.",
        "Running local_init_op.",
        "Done running local_init_op.",
        "Calling checkpoint listeners before saving checkpoint 0...",
        f"Saving checkpoints for 0 into {tmp_path}/model.ckpt.",
        "Calling checkpoint listeners after saving checkpoint 0...",
        "loss = ",
        "Calling checkpoint listeners before saving checkpoint 3...",
        f"Saving checkpoints for 3 into {tmp_path}/model.ckpt.",
        "Calling checkpoint listeners after saving checkpoint 3...",
        "Calling model_fn.",
        "Done calling model_fn.",
        "Starting evaluation at ",
        "Graph was finalized.",
        f"Restoring parameters from {tmp_path}/model.ckpt-3",
        "Running local_init_op.",
        "Done running local_init_op.",
        "Inference Time : ",
        "Finished evaluation at ",
        f"Saving dict for global step 3: global_step = 3, loss = {result['loss']!s}",
        f"Saving 'checkpoint_path' summary for global step 3: {tmp_path}/model.ckpt-3",
        "Loss for final step: ",
    ]
    told = [r.getMessage() for r in caplog.records if r.name == "stratagem.estimator"]
    assert len(told) == len(wanted)
    assert [line for line, begin in zip(told, wanted, strict=True) if not line.startswith(begin)] == []


def test_under_a_strategy_every_replica_takes_a_batch_of_its_own(tmp_path: Path) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    found, _ = E.train_and_evaluate(
        estimator_in(tmp_path, train_distribute=strategy, eval_distribute=strategy),
        E.TrainSpec(rows(4)),
        E.EvalSpec(rows()),
    )
    assert found["global_step"] == 6


def test_without_checkpoints_there_is_nothing_to_evaluate(tmp_path: Path) -> None:
    config = {"save_checkpoints_steps": None, "save_checkpoints_secs": None}
    with pytest.raises(ValueError, match="There should be a CheckpointSaverHook"):
        E.train_and_evaluate(estimator_in(tmp_path, **config), E.TrainSpec(rows()), E.EvalSpec(rows()))


@pytest.mark.parametrize("wrong", ["estimator", "train_spec", "eval_spec"])
def test_arguments_of_other_types_are_refused(wrong: str, tmp_path: Path) -> None:
    right = {"estimator": estimator_in(tmp_path), "train_spec": E.TrainSpec(rows()), "eval_spec": E.EvalSpec(rows())}
    with pytest.raises(TypeError, match=f"`{wrong}` must have type"):
        E.train_and_evaluate(**{**right, wrong: 1})


@pytest.mark.parametrize(
    ("cluster", "task", "words"),
    [
        ({"chief": ["h0:1"]}, ("evaluator", 1), "only be one `evaluator`"),
        ({"chief": ["h0:1"], "worker": ["h1:1"]}, ("chief", 0), "at least one worker and one ps"),
        ({"chief": ["h0:1"], "ps": ["h1:1"]}, ("ps", 0), "at least one worker and one ps"),
        ({"master": ["h0:1"], "worker": ["h1:1"], "ps": ["h2:1"]}, ("master", 0), "Call the master 'chief'"),
        (
            {"chief": ["h0:1"], "wroker": ["h1:1"], "ps": ["h2:1"]},
            ("wroker", 0),
            "'wroker' is not supported.*ps, worker",
        ),
        # An evaluator says of them at once what the tasks that train would say.
        (
            {"chief": ["h0:1"], "worker": ["h1:1"]},
            ("evaluator", 0),
            "1 chief, 1 worker.*at least one worker and one ps",
        ),
        ({"chief": ["h0:1"], "ps": ["h1:1"]}, ("evaluator", 0), "1 chief, 1 ps.*at least one worker and one ps"),
        ({"chief": ["h0:1"], "wroker": ["h1:1"], "ps": ["h2:1"]}, ("evaluator", 0), "1 chief, 1 wroker, 1 ps"),
        ({"worker": ["h0:1"], "ps": ["h1:1"]}, ("evaluator", 0), r"one 'chief' node.*\['worker', 'ps'\]"),
        ({"cheif": ["h0:1"]}, ("evaluator", 0), r"one 'chief' node.*\['cheif'\]"),
        ({"evaluator": ["h0:1"]}, ("evaluator", 0), r"one 'chief' node.*\['evaluator'\]"),
        ({"chief": ["h0:1"]}, ("evalutor", 0), "'evalutor' is not a valid task_type"),
        (None, ("evaluator", 0), "no 'cluster'.*'worker', got 'evaluator'"),
    ],
)
def test_clusters_that_cannot_train_are_refused(
    cluster: Any, task: tuple[str, int], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"cluster": cluster} if cluster else {}
    monkeypatch.setenv("TF_CONFIG", json.dumps({**found, "task": {"type": task[0], "index": task[1]}}))
    with pytest.raises(ValueError, match=words):
        E.train_and_evaluate(estimator_in(tmp_path), E.TrainSpec(rows()), E.EvalSpec(rows()))


def test_under_a_strategy_servers_alone_do_not_train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = {"type": "evaluator", "index": 0}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"ps": ["h0:1"]}, "task": task}))
    estimator = estimator_in(tmp_path, train_distribute=tf.distribute.OneDeviceStrategy("CPU:0"))
    with pytest.raises(ValueError, match=r"1 ps\. Under a strategy its workers train"):
        E.train_and_evaluate(estimator, E.TrainSpec(rows()), E.EvalSpec(rows()))


def test_a_task_among_others_does_not_train_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = {"chief": ["h0:1"], "worker": ["h1:1"], "ps": ["h2:1"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 0}}))
    with pytest.raises(ValueError, match=r"Call tf\.estimator\.train_and_evaluate in every task"):
        estimator_in(tmp_path).train(rows())


def test_a_strategy_of_one_process_does_not_train_in_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = {"chief": ["h0:1"], "worker": ["h1:1"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 0}}))
    estimator = estimator_in(tmp_path, train_distribute=tf.distribute.MirroredStrategy(["CPU:0"]))
    with pytest.raises(
        ValueError, match=r"MirroredStrategy uses .* this process alone.*MultiWorkerMirroredStrategy\(\)"
    ):
        E.train_and_evaluate(estimator, E.TrainSpec(rows()), E.EvalSpec(rows()))


def as_evaluator(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on TF_CONFIG says that this process evaluates."""
    task = {"type": "evaluator", "index": 0}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"chief": ["h0:1"]}, "task": task}))


def test_an_evaluator_evaluates_the_last_checkpoint_and_leaves_when_training_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = estimator_in(tmp_path)
    trainer.train(rows(), steps=2)
    with contextlib.ExitStack() as training:
        training.enter_context(announcement.announced(str(tmp_path)))

        def finish() -> None:
            if exports.steps == [2]:
                trainer.train(rows(), steps=3)
                training.close()

        exports = Exports(act=finish)
        as_evaluator(monkeypatch)
        spec = E.EvalSpec(rows(), start_delay_secs=0, throttle_secs=600, exporters=exports)
        assert E.train_and_evaluate(estimator_in(tmp_path), E.TrainSpec(rows()), spec) is None
    assert exports.steps == [2, 5]


class Acts(tf1.train.SessionRunHook):  # type: ignore[misc]
    """Does something once, when the model is built (`begin`) or when it has been read (`after_create_session`)."""

    def __init__(self, when: str, act: Any) -> None:
        self.acts = [act]
        setattr(self, when, self._act)

    def _act(self, *arguments: Any) -> None:
        while self.acts:
            self.acts.pop()()


def test_a_checkpoint_that_is_removed_before_it_was_read_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    trainer = estimator_in(tmp_path)
    trainer.train(rows(), steps=1)

    def replace() -> None:
        trainer.train(rows(), steps=1)
        shutil.rmtree(tmp_path / "model.ckpt-1")

    exports = Exports()
    as_evaluator(monkeypatch)
    spec = E.EvalSpec(rows(), start_delay_secs=0, hooks=[Acts("begin", replace)], exporters=exports)
    E.train_and_evaluate(estimator_in(tmp_path), E.TrainSpec(rows(), max_steps=2), spec)
    assert exports.steps == [2]
    assert f"{tmp_path}/model.ckpt-1 was removed while it was read; the next one is evaluated." in caplog.messages


# Before the checkpoint is read, an error of the program cannot be told from one of a checkpoint that is removed then.
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("where", "removed"),
    [
        ("begin", False),
        ("after_create_session", False),
        ("after_create_session", True),
        ("export", False),
        ("export", True),
    ],
)
def test_an_evaluator_ends_with_the_programs_own_errors(
    where: str, removed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = estimator_in(tmp_path)
    trainer.train(rows(), steps=1)

    def fail() -> None:
        trainer.train(rows(), steps=1)
        if removed:
            shutil.rmtree(tmp_path / "model.ckpt-1")
        raise FileNotFoundError("the program's own file")

    exports = Exports(act=fail if where == "export" else None)
    hooks = [] if where == "export" else [Acts(where, fail)]
    as_evaluator(monkeypatch)
    spec = E.EvalSpec(rows(), start_delay_secs=0, hooks=hooks, exporters=exports)
    with pytest.raises(FileNotFoundError, match="the program's own file"):
        E.train_and_evaluate(estimator_in(tmp_path), E.TrainSpec(rows(), max_steps=2), spec)


def test_an_evaluator_leaves_after_the_checkpoint_of_max_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    estimator_in(tmp_path).train(rows(), steps=2)
    exports = Exports()
    as_evaluator(monkeypatch)
    spec = E.EvalSpec(rows(), start_delay_secs=0, exporters=exports)
    E.train_and_evaluate(estimator_in(tmp_path), E.TrainSpec(rows(), max_steps=2), spec)
    assert exports.steps == [2]


def test_the_end_of_an_earlier_training_is_believed_after_a_minute_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with announcement.announced(str(tmp_path)):
        pass
    watch = announcement.ChiefMonitor(str(tmp_path))
    assert not watch.is_over()
    with announcement.announced(str(tmp_path)):
        assert not watch.is_over()
    assert watch.is_over()
    late = announcement.ChiefMonitor(str(tmp_path))
    assert not late.is_over()
    monkeypatch.setattr(announcement, "_STALE_END_SECONDS", -1.0)
    assert late.is_over()


@pytest.mark.parametrize(("begun", "message"), [(False, "its chief has not begun"), (True, "its chief was lost")])
def test_an_evaluator_gives_a_training_up_that_gives_no_sign(
    begun: bool, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATAGEM_REJOIN_SECONDS", "1")
    monkeypatch.setattr(announcement, "_HEARTBEAT_SECONDS", 0.1)
    if begun:
        with pytest.raises(RuntimeError, match="the chief's error"), announcement.announced(str(tmp_path)):
            raise RuntimeError("the chief's error")
    as_evaluator(monkeypatch)
    specs = E.TrainSpec(rows()), E.EvalSpec(rows(), start_delay_secs=0)
    with pytest.raises(tf.errors.UnavailableError, match=message):
        E.train_and_evaluate(estimator_in(tmp_path), *specs)


def test_a_training_gives_signs_until_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcement, "_HEARTBEAT_SECONDS", 0.01)
    with announcement.announced(str(tmp_path)):
        signs = set()
        while len(signs) < 3:
            signs.add((tmp_path / "training_state").read_text())
    (file,) = tmp_path.iterdir()
    assert file.read_text().startswith("over")


@pytest.mark.parametrize("job", ["chief", "master"])
def test_a_chief_without_other_tasks_trains_by_itself(
    job: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = {"type": job, "index": 0}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {job: ["h0:1"]}, "task": task}))
    exports = Exports()
    spec = E.EvalSpec(rows(), exporters=exports)
    assert E.train_and_evaluate(estimator_in(tmp_path), E.TrainSpec(rows()), spec) is None
    assert (tmp_path / "model.ckpt-3").exists()
    assert exports.steps == ([3] if job == "master" else [])
