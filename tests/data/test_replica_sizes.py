"""Each replica gets as many rows of a batch as in TensorFlow 2.15.1, whatever the source and the sharding policy."""

import json
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from tests.data.replica_sizes import CASES, RECORDED, sizes

# TensorFlow loses the last rows, if they are for one replica alone and fewer than its share; here they are used.
LOST = {"5 rows in batches of 4: hinted HINT": [[1, 0]], "9+10 rows in batches of 8: hinted HINT": [[3, 0]]}


@pytest.fixture(scope="module")
def strategy() -> Any:
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def test_replicas_get_as_many_rows_as_in_tensorflow(strategy: Any, tmp_path: Path) -> None:
    recorded = {case: steps + LOST.get(case, []) for case, steps in json.loads(RECORDED.read_text()).items()}
    assert list(recorded) == CASES
    found = {case: sizes(tf, strategy, case, tmp_path) for case in CASES}
    assert {case: found[case] for case in CASES if found[case] != recorded[case]} == {}
