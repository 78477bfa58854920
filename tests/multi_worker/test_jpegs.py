"""JPEGs in record files over two workers: each image at one of them, once an epoch, and TensorFlow's losses and weights."""

import json
from pathlib import Path

import numpy as np

from tests.multi_worker.jobs import job, printed
from tests.multi_worker.record_files import IMAGES, write_jpegs
from tests.multi_worker.record_tensorflow import JPEGS


def test_two_workers_train_on_jpegs_as_tensorflows_do(tmp_path: Path) -> None:
    write_jpegs(tmp_path)
    recorded = json.loads(JPEGS.read_text())
    with job("jpegs.py", 2, tmp_path) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0], ended
    seen: list[list[int]] = []
    for task, wanted in zip(ended, recorded, strict=True):
        numbers = printed(task, "numbers")
        assert numbers == wanted["numbers"], "a worker has the images that TensorFlow's worker has, in the same order"
        seen += numbers
        # float32, in another order of additions
        np.testing.assert_allclose(printed(task, "losses"), wanted["losses"], rtol=5e-6)
        for mine, theirs in zip(printed(task, "weights"), wanted["weights"], strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-5)
    assert sorted(number for step in seen for number in step) == sorted([*range(IMAGES)] * 2)
