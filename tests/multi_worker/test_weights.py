"""However replicas are spread over workers, the weights are those of one device."""

import json

import numpy as np
import pytest

from tests.multi_worker.jobs import Ended, job, printed
from tests.multi_worker.record_tensorflow import RECORD

EPOCHS = 2


def trained(workers: int, devices: int, rows: int) -> list[Ended]:
    with job("training.py", workers, rows, EPOCHS, devices=devices) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * workers, ended
    return ended


ROWS = 89  # the last batch has 17, which four replicas take as 5, 5, 5 and 2


@pytest.fixture(scope="module")
def one_device() -> Ended:
    """The same program in one process without a cluster."""
    with job("training.py", 1, ROWS, EPOCHS) as running:
        (ended,) = running.ended()
    assert ended.code == 0, ended.output
    return ended


@pytest.mark.parametrize(("workers", "devices"), [(2, 2), (4, 1)])
def test_weights_losses_and_metrics_are_those_of_one_device(workers: int, devices: int, one_device: Ended) -> None:
    for task in trained(workers, devices, ROWS):
        for what in ("weights", "losses", "metric"):
            pairs = (
                zip(printed(task, what), printed(one_device, what), strict=True)
                if what != "metric"
                else [(printed(task, what), printed(one_device, what))]
            )
            for found, wanted in pairs:
                np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6 if what == "metric" else 1e-9)


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
