"""One device, whichever JAX uses first: `make test-device` runs this folder without the rest's eight virtual CPU devices."""

import os
from collections.abc import Iterator
from typing import Any

os.environ["KERAS_BACKEND"] = "jax"  # before Keras is imported: it may be configured for another backend

import jax
import pytest

import stratagem as tf
from stratagem._core.context import Context, change, current

tf.Variable  # noqa: B018  # the first use of a public name attaches the hooks into JAX and Keras


def pytest_report_header() -> str:
    """What the tests run on."""
    device = jax.devices()[0]
    return f"device: {device.device_kind} ({device.platform})"


@pytest.fixture
def device() -> jax.Device:
    """The device."""
    return jax.devices()[0]


@pytest.fixture(params=["default", "OneDevice", "Mirrored"])
def strategy(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Each strategy that one device can have, on it."""
    name = tf.config.list_logical_devices()[0].name
    match request.param:
        case "default":
            yield tf.distribute.get_strategy()
        case "OneDevice":
            yield tf.distribute.OneDeviceStrategy(name)
        case "Mirrored":
            yield tf.distribute.MirroredStrategy([name])
    left = current()
    change(**vars(Context()))
    assert left == Context(), "the test left the strategy context non-empty"
