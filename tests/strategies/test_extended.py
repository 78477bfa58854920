"""`strategy.extended` tells what TensorFlow's does."""

from typing import Any

import pytest

import stratagem as tf

# Private: of a worker without the others of its job.
from stratagem._strategies._extended import extended_of
from tests.multi_worker.jobs import tf_config

HERE = "/job:localhost/replica:0/task:0/device:CPU"


@pytest.mark.parametrize(
    ("make", "devices"),
    [
        (lambda: tf.distribute.OneDeviceStrategy("CPU:1"), (f"{HERE}:1",)),
        (lambda: tf.distribute.MirroredStrategy(["CPU:2", "CPU:0"]), (f"{HERE}:2", f"{HERE}:0")),
    ],
)
def test_of_one_process(make: Any, devices: tuple[str, ...]) -> None:
    extended = make().extended
    assert extended.worker_devices == extended.parameter_devices == devices
    assert extended.should_checkpoint is extended.should_save_summary is True
    assert extended.experimental_require_static_shapes is False


@pytest.mark.parametrize("name", ["worker_devices", "should_checkpoint", "should_save_summary"])
def test_it_cannot_be_changed(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(tf.distribute.MirroredStrategy(["CPU:0"]).extended, name, ())


def test_devices_of_a_worker_are_named_by_its_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", tf_config(1, [1, 2]))
    mesh = tf.distribute.MirroredStrategy(["CPU:0"]).mesh
    extended = extended_of(mesh, tf.distribute.cluster_resolver.TFConfigClusterResolver())
    assert extended.worker_devices == ("/job:worker/replica:0/task:1/device:CPU:0",)
