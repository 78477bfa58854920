"""A function of the tests in its two compiled forms."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import stratagem as tf

KINDS = ("function", "replica")


def compiled(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function as a tf.function, or as one that runs in a replica."""
    if kind == "function":
        return tf.function(function)  # type: ignore[return-value]
    return lambda *args: tf.distribute.OneDeviceStrategy("CPU:0").run(function, args)


@pytest.fixture(params=KINDS)
def run(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return lambda function, *args: compiled(request.param, function)(*map(tf.constant, args))


@pytest.fixture
def no_fallback(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fails a test whose function ran in Python, unless the test is about that."""
    caplog.set_level(logging.INFO, logger="stratagem")
    yield
    if "in_python" not in request.node.name:
        assert not [m for m in caplog.messages if "runs in Python" in m]
