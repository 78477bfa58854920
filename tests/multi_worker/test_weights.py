"""However replicas are spread over workers, the weights are those of one device."""

import json
import tempfile
from typing import Any

import numpy as np
import pytest

from tests.multi_worker.jobs import job, printed
from tests.multi_worker.record_tensorflow import RECORD
from tests.thorough import thorough_but

STEPS = 50
Results = dict[str, Any]  # of one case: weights, losses, metric


def trained(workers: int, devices: int) -> list[dict[str, Results]]:
    """What every worker has after at least 50 steps of every case."""
    with tempfile.TemporaryDirectory() as folder, job("weights.py", workers, folder, devices=devices) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * workers, ended
    return [printed(task, "results") for task in ended]


def distance(found: Results, wanted: Results) -> float:
    """max|a - b| / max(1, max|b|) of the variable, an optimizer's too, or of the losses, where it is largest."""
    pairs = [*zip(found["weights"], wanted["weights"], strict=True), (found["losses"], wanted["losses"])]
    return max(float(np.max(np.abs(np.subtract(a, b))) / max(1.0, np.max(np.abs(b)))) for a, b in pairs)


@pytest.fixture(scope="module")
def one_device() -> dict[str, Results]:
    """The same program in one process."""
    (results,) = trained(1, 1)
    assert all(len(case["losses"]) >= STEPS for case in results.values())
    return results


@pytest.mark.parametrize(("workers", "devices"), thorough_but([(2, 2)], [(1, 4), (2, 2), (4, 1)]))
def test_weights_losses_and_metrics_are_those_of_one_device(
    workers: int, devices: int, one_device: dict[str, Results]
) -> None:
    # Adam divides by the size of the gradient and so enlarges what rounding does to tiny ones; how much is measured on one
    # device, by a sum in another order.
    of_rounding = distance(one_device["float32 Adam in parts"], one_device["float32 Adam"])
    allowed = {
        "float64 Adam": 1e-9,
        "float64 Adam in shards": 1e-9,
        "float32 Adam": 2 * of_rounding,
        "float32 SGD": 1e-4,
    }
    for results in trained(workers, devices):
        for case, most in allowed.items():
            wanted = one_device[case.removesuffix(" in shards")]
            assert distance(results[case], wanted) <= most, case
            assert results[case]["of first"] == wanted["of first"], "replica 0's own number is every worker's"
            np.testing.assert_allclose(results[case]["metric"], wanted["metric"], rtol=0, atol=1e-6)


@pytest.mark.thorough  # above, one device's are; and those are TensorFlow's, in tests/parity
@pytest.mark.parametrize("rows", [96, 89])
def test_weights_and_losses_are_those_of_tensorflow(rows: int) -> None:
    recorded = json.loads(RECORD.read_text())[str(rows)]
    with job("parity.py", 2, rows) as running:
        ended = running.ended()
    for task in ended:
        assert task.code == 0, task.output
        np.testing.assert_allclose(printed(task, "losses"), recorded["losses"], rtol=0, atol=1e-12)
        np.testing.assert_allclose(printed(task, "metric"), recorded["metric"], rtol=0, atol=1e-6)
        for found, wanted in zip(printed(task, "weights"), recorded["weights"], strict=True):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
