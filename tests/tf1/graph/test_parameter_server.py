"""A model_fn on parameter servers: the weights and slots of one device, whole or in shards."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem._core.step import IdentityKey, prepare
from stratagem._servers.coordinator import ClusterCoordinator
from stratagem._tf1.graph import ModelState
from tests.servers.remote.serving import serving
from tests.tf1.graph.behaviours import OPTIMIZERS, optimizer
from tests.tf1.graph.made import features, labels, waves
from tests.thorough import thorough_but


def model_fn(name: str) -> Callable[[Any, Any], Any]:
    def model(x: Any, y: Any) -> Any:
        table = tf1.get_variable("table", [8, 3], initializer=waves(tf1))
        with tf1.variable_scope("net", initializer=waves(tf1)):
            logits = tf1.layers.dense(x, 3) + tf1.nn.embedding_lookup(table, y)
        loss = tf1.losses.sparse_softmax_cross_entropy(y, logits)
        return optimizer(tf1, name).minimize(loss, tf1.train.get_or_create_global_step())

    return model


def trained(model: Callable[[Any, Any], Any], strategy: Any, steps: int = 3) -> dict[str, np.ndarray]:
    """All variables of the graph after some steps, one after another."""
    graph = ModelState()

    def replica(x: Any, y: Any) -> None:
        with graph.building("train"):
            model(x, y).run()

    def step(x: Any, y: Any) -> None:
        strategy.run(replica, args=(x, y))

    compiled = tf.function(step)
    batches = [(tf.constant(features(i)), tf.constant(labels(i))) for i in range(steps)]
    if isinstance(strategy, tf.distribute.experimental.ParameterServerStrategy):
        coordinator = ClusterCoordinator(strategy)
        with strategy.scope():  # where variables can be made: workers make none
            prepare(step, ("test", IdentityKey(step)), "step", batches[0], strategy.mesh)
        for batch in batches:
            coordinator.schedule(compiled, args=batch)
            coordinator.join()
    else:
        for batch in batches:
            compiled(*batch)
    return {name: variable.numpy() for name, variable in graph.variables.items()}


SHARDS = {None: "whole", 2: "in shards"}


@pytest.fixture(scope="module", params=SHARDS, ids=SHARDS.get)
def strategy(request: pytest.FixtureRequest) -> Any:
    return serving(servers=2, workers=1, shards=request.param)


# Ftrl has slots with a first value that is not 0.
@pytest.mark.parametrize("name", thorough_but(["ftrl"], OPTIMIZERS))
@pytest.mark.parametrize("strategy", thorough_but([2], SHARDS), ids=SHARDS.get, indirect=True)
def test_servers_update_as_one_device_does(strategy: Any, name: str) -> None:
    expected = trained(model_fn(name), tf.distribute.OneDeviceStrategy("CPU:0"))
    found = trained(model_fn(name), strategy)
    assert found.keys() == expected.keys()
    for variable, value in expected.items():
        np.testing.assert_allclose(found[variable], value, rtol=1e-6, atol=1e-6, err_msg=variable)
