"""Canned Estimators on a cluster of processes: a chief, a worker, a server and an evaluator, which exports."""

from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from tests.multi_worker.jobs import job
from tests.tf1.canned import strategies
from tests.tf1.canned.programs import features
from tests.tf1.canned.test_as_tensorflow import begin_with, check_variables

ROOT = Path(__file__).parents[3]


def example(row: int) -> bytes:
    """A row of the features as a served model gets it."""
    made = {}
    for name in strategies.parse_spec(tf):
        values = np.atleast_1d(features()[name][row])
        if values.dtype.kind == "U":
            words = [word.encode() for word in values.tolist() if word]
            made[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=words))
        else:
            made[name] = tf.train.Feature(float_list=tf.train.FloatList(value=values.tolist()))
    found: bytes = tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()
    return found


@pytest.mark.thorough
def test_a_cluster_of_processes_has_tensorflows_weights_and_serves_what_they_predict(tmp_path: Path) -> None:
    begin_with("strategies/two", tmp_path / "model")
    program = Path(__file__).with_name("task.py")
    with job(program, 1, tmp_path / "model", ps=1, evaluator=True, PYTHONPATH=f"{ROOT / 'src'}:{ROOT}") as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * 4, ended
    assert f"Saving dict for global step {strategies.STEPS}:" in ended[-1].output
    made = strategies.classifier(tf, tf.estimator, str(tmp_path / "model"))
    check_variables(strategies.variables(made), "strategies/two/1")
    (folder,) = (tmp_path / "model" / "export" / "served").iterdir()
    served = tf.saved_model.load(str(folder)).signatures["serving_default"]
    predicted = made.predict(strategies.rows(tf, 1))
    likely = [next(predicted)["probabilities"].tolist() for _ in range(5)]
    np.testing.assert_allclose(served(tf.constant([example(row) for row in range(5)]))["scores"], likely, rtol=1e-5)
