"""Steps of several workers that compute with strings: each with its own, on shapes that all agree on."""

import numpy as np

from tests.multi_worker.jobs import job, printed


def test_workers_with_strings_train_as_one_device_does() -> None:
    found = []
    for workers, devices in ((1, 1), (2, 2)):
        with job("strings.py", workers, devices=devices) as running:
            ended = running.ended()
        assert [task.code for task in ended] == [0] * workers, ended
        found.append([printed(task, "results") for task in ended])
    (wanted,), several = found
    for results in several:
        for mine, alone in zip(results[:3], wanted[:3], strict=True):
            np.testing.assert_allclose(mine, alone, rtol=1e-5)
        assert results[3] == [[6, 7], [6, 8], [4, 4]]
    assert wanted[3] == [[6, 7], [6, 8], [1, 1]]
