"""The names under which devices are printed."""

import jax
import pytest

import stratagem as tf


def test_a_tensors_device_is_printed_as_in_tensorflow() -> None:
    x = tf.constant(1.0)
    assert str(x.device) == f"{x.device}" == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert x.device.endswith("CPU:0")
    assert x.device.startswith("/job:localhost")
    assert "CPU" in x.device
    assert "GPU" not in x.device


@pytest.mark.parametrize("number", [0, 1])
def test_devices_remain_those_of_jax(number: int) -> None:
    device = jax.local_devices()[number]
    moved = jax.device_put(1.0, device)
    assert moved.device == device
    assert jax.device_put(2.0, moved.device).devices() == {device}
    assert repr(device) == f"CpuDevice(id={number})"
    assert str(device) == tf.config.list_logical_devices()[number].name.replace(
        "/device", "/job:localhost/replica:0/task:0/device"
    )
