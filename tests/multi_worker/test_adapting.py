"""Layers that are adapted to a distributed dataset learn all of it on every worker."""

import numpy as np
import pytest

from tests.multi_worker.jobs import job, printed


@pytest.mark.thorough  # what is merged, and how, is tested in tests/preprocessing; here the workers exchange it
def test_workers_adapt_layers_as_one_device_does() -> None:
    found = []
    for workers in (1, 2):
        with job("adapting.py", workers) as running:
            ended = running.ended()
        assert [task.code for task in ended] == [0] * workers, ended
        found.append([printed(task, "results") for task in ended])
    (alone,), several = found
    assert len(alone[0]) == 9
    for vocabulary, moments in several:
        assert vocabulary == alone[0]
        np.testing.assert_allclose(moments, alone[1], rtol=1e-5)
