"""What the tests of strategies share."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import stratagem as tf
from stratagem._core.values import per_replica
from stratagem._strategies import AbstractStrategy


def replica_id() -> Any:
    """The id of the replica that the code runs in."""
    return tf.distribute.get_replica_context().replica_id_in_sync_group


def spread(strategy: AbstractStrategy, values: Sequence[Any]) -> Any:
    """One of `values` a replica: PerReplica for several replicas, the value itself for one."""
    assert len(values) == strategy.num_replicas_in_sync
    arrays = [np.asarray(v) for v in values]
    return tf.constant(arrays[0]) if len(arrays) == 1 else per_replica(arrays, strategy.mesh)


def each(strategy: AbstractStrategy, value: Any) -> list[Any]:
    """What every replica has in `value`, as NumPy numbers and lists."""
    return [np.asarray(v).tolist() for v in strategy.experimental_local_results(value)]
