"""`tf.compat.v1.ConfigProto` takes every setting of TensorFlow's runtime, and says that it does nothing with it."""

import logging
from typing import Any

import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Any:
    """What the log says, from a clean slate."""
    # Private: what this process was told before is not told again.
    monkeypatch.setattr("stratagem._cluster._config_proto._logged", set())
    caplog.set_level(logging.INFO)
    return lambda: [record.message.rpartition(": ")[2] for record in caplog.records]


def test_settings_are_taken_and_named_once(told: Any) -> None:
    config = tf1.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    config.inter_op_parallelism_threads = 4  # as document 003 does
    config.inter_op_parallelism_threads = 8
    tf.compat.v1.ConfigProto(allow_soft_placement=True)
    assert config.inter_op_parallelism_threads == 8
    assert config.allow_soft_placement is True
    assert told() == ["allow_soft_placement, log_device_placement", "inter_op_parallelism_threads"]


def test_settings_within_settings_are_taken(told: Any) -> None:
    config = tf1.ConfigProto()
    config.gpu_options.allow_growth = True
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.device_count["GPU"] = 0
    config.device_filters.append("/job:ps")
    config.device_filters.extend(["/job:worker/task:1"])
    assert not config.experimental
    assert config.gpu_options.allow_growth
    assert config.device_count == {"GPU": 0}
    assert list(config.device_filters.values()) == ["/job:ps", "/job:worker/task:1"]
    assert "allow_growth" in repr(config)
    assert told() == [
        "gpu_options.allow_growth",
        "graph_options.rewrite_options.disable_meta_optimizer",
        "device_count",
        "device_filters",
    ]


def test_what_the_namespace_has() -> None:
    assert tf1.data.Dataset is tf.data.Dataset
    assert [list(batch.numpy()) for batch in tf1.data.Dataset.from_tensor_slices([1, 2, 3]).batch(2)] == [[1, 2], [3]]
    assert tf.compat.v1 is tf1
    for name in ("GraphDef", "graph_util"):
        with pytest.raises(AttributeError, match=rf"tf\.compat\.v1\.{name} is not provided"):
            getattr(tf1, name)
