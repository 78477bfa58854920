"""What TensorBoard reads of our files is what it reads of TensorFlow 2.15's (recorded by record_tensorflow.py)."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.events.expressions import write_all
from tests.events.reading import read

ANSWERS = json.loads(Path(__file__).with_name("tensorflow_answers.json").read_text())["summaries"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("ours")
    writer = tf.summary.create_file_writer(folder)
    with writer.as_default():
        write_all(tf)
    writer.close()
    return read(folder)


def test_the_same_summaries_are_written(written: dict[str, Any]) -> None:
    assert list(written) == list(ANSWERS)


@pytest.mark.parametrize("tag", ANSWERS)
def test_they_are_equal(tag: str, written: dict[str, Any]) -> None:
    (ours,), (theirs,) = written[tag], ANSWERS[tag]
    for summary in (ours, theirs):
        summary["value"] = summary["value"] if summary["type"] == 7 else np.asarray(summary["value"])
    np.testing.assert_equal(ours, theirs)
