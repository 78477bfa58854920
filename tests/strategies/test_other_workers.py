"""Strategies of one process, in a process that is started as one of several workers."""

import json

import pytest

import stratagem as tf

TASK = {"type": "worker", "index": 1}
TWO = {"TF_CONFIG": json.dumps({"cluster": {"worker": ["a:1", "b:1"]}, "task": TASK})}
ONE = {"TF_CONFIG": json.dumps({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}})}
EVALUATOR = {
    "TF_CONFIG": json.dumps({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "evaluator", "index": 0}})
}
WRONG = {"TF_CONFIG": "{"}
TORCHRUN = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "a", "MASTER_PORT": "1"}
SLURM = {
    "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_NODELIST": "a,b", "SLURM_STEP_TASKS_PER_NODE": "1(x2)",
}  # fmt: skip
KINDS = [tf.distribute.MirroredStrategy, tf.distribute.experimental.CentralStorageStrategy]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("variables", "source"), [(TWO, "TF_CONFIG"), (TORCHRUN, "torchrun"), (SLURM, "Slurm")])
def test_a_strategy_of_one_process_warns_of_the_workers_that_train_beside_it(
    kind: type,
    variables: dict[str, str],
    source: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    kind()
    (record,) = [r for r in caplog.records if r.levelname == "WARNING"]
    assert record.getMessage().startswith(f"{source} names 2 workers (worker:0, worker:1), and {kind.__name__} uses")
    assert "Use tf.distribute.MultiWorkerMirroredStrategy()" in record.getMessage()


@pytest.mark.parametrize("variables", [ONE, EVALUATOR, WRONG, {}])
def test_nothing_is_said_where_no_other_worker_trains(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for kind in KINDS:
        kind()
    assert [r for r in caplog.records if r.levelname == "WARNING"] == []
