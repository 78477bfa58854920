"""Parameter servers in this process, and programs that are run on them and on one device alike."""

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

import stratagem as tf
from stratagem._cluster import ClusterSpec, SimpleClusterResolver
from stratagem._servers.remote import Server
from stratagem._servers.strategy import ParameterServerStrategy
from stratagem._strategies import AbstractStrategy, OneDeviceStrategy
from stratagem.testing import free_ports
from tests.parity.training import floatx

Shards = tf.distribute.experimental.partitioners.FixedShardsPartitioner


def cluster(servers: int, workers: int) -> ClusterSpec:
    """Addresses of so many tasks, whose servers run."""
    ports = free_ports(servers + workers)
    addresses = [f"localhost:{port}" for port in ports]
    spec = ClusterSpec({"ps": addresses[:servers], "worker": addresses[servers:]})
    for index in range(servers):
        Server(spec, "ps", index)
    return spec


def serving(servers: int = 2, workers: int = 1, shards: int | None = None) -> ParameterServerStrategy:
    """A strategy on new servers. shards: of every variable with so many rows; None: no variable is cut."""
    partitioner = None if shards is None else Shards(shards)
    return ParameterServerStrategy(SimpleClusterResolver(cluster(servers, workers)), variable_partitioner=partitioner)


def shrinking(layer: Any, optimizer: Any) -> Callable[[Any], Any]:
    """A step that makes what a layer or model gives smaller; returns the sum of its squares."""

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x) ** 2)
        variables = layer.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    return step


@dataclass(frozen=True)
class Program:
    """What a user writes. make() -> (step, variables to compare); step(*batch) -> numbers to compare."""

    make: Callable[[], tuple[Callable[..., Any], Any]]
    batches: Sequence[tuple[Any, ...]]
    dtype: str = "float64"

    def times(self, steps: int) -> "Program":
        """The same with so many batches."""
        return dataclasses.replace(self, batches=list(itertools.islice(itertools.cycle(self.batches), steps)))


def ran(program: Program, strategy: AbstractStrategy, send: Callable[..., Any] | None = None) -> list[np.ndarray]:
    """All variables, and the results of every step, after running the program under a strategy.

    send(step, batch) runs a step; by default it is called here.
    """
    tf.keras.utils.set_random_seed(7)
    with floatx(program.dtype), strategy.scope():
        step, variables = program.make()
        results = [step(*batch) if send is None else send(step, batch) for batch in program.batches]
    return [flat(variables), *(np.asarray(x, "float64") for x in jax.tree.leaves(results))]


def flat(variables: Iterable[Any]) -> np.ndarray:
    """The numbers of variables, one after another, however they are cut along their rows."""
    return np.concatenate([np.asarray(v.numpy(), "float64").ravel() for v in variables])


def difference(found: Sequence[np.ndarray], wanted: Sequence[np.ndarray]) -> float:
    """The largest, relative to the largest number where that is above 1."""
    assert [x.shape for x in found] == [x.shape for x in wanted]
    assert all(np.isfinite(x).all() for x in wanted)
    return max(
        float(np.max(np.abs(x - y), initial=0) / max(1, np.abs(y).max(initial=0)))
        for x, y in zip(found, wanted, strict=True)
    )


def one_device() -> AbstractStrategy:
    """What everything is compared with."""
    return OneDeviceStrategy("CPU:0")
