"""Canned Estimators go on from TensorFlow's first checkpoint to its weights, slots, evaluations and predictions."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.compat import v1 as tf1
from tests.multi_worker.jobs import job, printed
from tests.tf1.canned import warm_starts
from tests.tf1.canned.programs import (
    CASES,
    IN_CLUSTERS,
    ON_REPLICAS,
    STEPS,
    input_fn,
    outcome,
    run_config,
    trained,
    values,
)
from tests.tf1.estimator.clusters import chief_of
from tests.tf1.recordings import NOT_OURS, assert_together, assert_variables, begin_with, below, recorded
from tests.thorough import thorough_but

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

TASK, ROOT = Path(__file__).with_name("task.py"), Path(__file__).parents[3]
FOLDER = Path(__file__).parent / "recorded"
RECORDED = recorded(FOLDER / "tensorflow.npz")
# Each head's measurements and each way to name slots once; the others are instances. Wide and deep: on replicas, below.
QUICK = ("linear_classifier", "graph_dnn_classifier", "graph_baseline_classifier", "graph_baseline_estimator")


@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(QUICK, CASES))
def test_training_goes_on_as_in_tensorflow(name: str, tmp_path: Path) -> None:
    begin_with(RECORDED, name, tmp_path / name)
    found = outcome(tf, tf1, name, tmp_path, str(tmp_path / name))
    assert_variables(found["variables"], RECORDED, name)
    others: dict[str, Any] = json.loads(str(RECORDED[f"{name}/others"]))
    assert found["evaluation"] == pytest.approx(others["evaluation"], rel=1e-5, abs=1e-6)
    assert found["predictions"].keys() == others["predictions"].keys()
    for key, rows in others["predictions"].items():
        if isinstance(rows[0][0], str):
            assert found["predictions"][key] == rows
        else:
            np.testing.assert_allclose(found["predictions"][key], rows, rtol=1e-5, atol=1e-6, err_msg=key)


def test_a_warm_start_from_tensorflows_checkpoint_moves_words_to_their_places(tmp_path: Path) -> None:
    """Rows of an embedding and columns of the last layer, with words that are new, and one beyond the old size."""
    path = tmp_path / "model.ckpt-4"
    for end, content in below(RECORDED, "warm_start/checkpoint").items():
        path.with_suffix(f".ckpt-4.{end}").write_bytes(content.tobytes())
    estimator = warm_starts.second(tf, tf1, tmp_path, str(tmp_path / "model"), str(path))
    found = warm_starts.trained(tf, estimator)
    begin = f"{estimator.model_dir}/model.ckpt-0"
    for name, value in below(RECORDED, "warm_start/begin").items():
        if not name.endswith(NOT_OURS) or value.ndim:
            np.testing.assert_array_equal(tf.train.load_variable(begin, name), value, err_msg=name)
    assert_variables(found, RECORDED, "warm_start")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "count"), thorough_but([("combined_classifier", 2), ("graph_dnn_classifier", 4)], ON_REPLICAS)
)
def test_replicas_train_as_those_of_tensorflow(name: str, count: int, tmp_path: Path) -> None:
    """Every replica takes a batch of its own, and all begin with TensorFlow's checkpoint before its first step."""
    case, arrays = f"{name} on {count}", recorded(FOLDER / "mirrored.npz")
    begin_with(arrays, case, tmp_path / "model")
    strategy = tf.distribute.MirroredStrategy([f"CPU:{index}" for index in range(count)])
    made = trained(tf, tf1, name, tmp_path, str(tmp_path / "model"), train_distribute=strategy)
    assert_together(values(made), arrays, case)


TOGETHER = [name for name, mode in IN_CLUSTERS if mode == "together"]
SERVED = [name for name, mode in IN_CLUSTERS if mode == "served"]
IN_PROCESSES = (
    "baseline_classifier",
    "combined_regressor",
    "graph_linear_regressor",
)  # the others are instances, below


def in_cluster(mode: str, names: list[str], folder: Path) -> list[list[Any]]:
    """What every task of a cluster, all of them processes, prints of each case, which goes on from TensorFlow's checkpoint."""
    for name in names:
        begin_with(recorded(FOLDER / "clusters.npz"), f"{name} {mode}", folder / name)
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])  # of `tests`
    tasks: dict[str, Any] = {"ps": 1, "evaluator": True} if mode == "served" else {}
    workers = 1 if mode == "served" else 2
    with job(TASK, workers, "stratagem", folder, mode, *names, PYTHONPATH=path, **tasks) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * len(ended), ended
    return [[printed(task, name) for task in ended] for name in names]


def last_values(folder: Path) -> dict[str, np.ndarray]:
    path = str(folder / f"model.ckpt-{STEPS}")
    return {name: tf.train.load_variable(path, name) for name, _ in tf.train.list_variables(path)}


@pytest.mark.thorough
def test_two_workers_train_together_as_those_of_tensorflow(tmp_path: Path) -> None:
    """Each takes its share of the batches. One job trains all models, one after the other."""
    for name, (first, second) in zip(TOGETHER, in_cluster("together", TOGETHER, tmp_path), strict=True):
        assert (first[0], second[0]) == (STEPS, STEPS)
        assert_together(last_values(tmp_path / name), recorded(FOLDER / "clusters.npz"), f"{name} together")


@pytest.mark.thorough
@pytest.mark.parametrize("name", IN_PROCESSES)
def test_a_chief_a_worker_a_server_and_an_evaluator_find_what_those_of_tensorflow_find(
    name: str, tmp_path: Path
) -> None:
    """One task takes all steps: here the worker; in TensorFlow the chief, which has taken all when the worker begins."""
    ((chief, _, _, evaluator),) = in_cluster("served", [name], tmp_path)
    assert chief[0] == STEPS  # its hooks run
    assert_variables(last_values(tmp_path / name), recorded(FOLDER / "clusters.npz"), f"{name} served")
    expected = json.loads(str(recorded(FOLDER / "clusters.npz")[f"{name} served/evaluation"]))
    assert evaluator[1] == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", thorough_but(["graph_dnn_regressor"], SERVED))
def test_servers_and_a_worker_in_this_process_find_the_variables_of_tensorflows_processes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = recorded(FOLDER / "clusters.npz")
    begin_with(arrays, f"{name} served", tmp_path / name)
    make, given, truth = CASES[name](tf, tf1, tmp_path)
    with chief_of(monkeypatch, workers=1):
        tf.estimator.train_and_evaluate(
            make(str(tmp_path / name), run_config(tf)),
            tf.estimator.TrainSpec(input_fn(tf, given, truth, 100), max_steps=STEPS),
            tf.estimator.EvalSpec(input_fn(tf, given, truth, 1)),
        )
    assert_variables(last_values(tmp_path / name), arrays, f"{name} served")
