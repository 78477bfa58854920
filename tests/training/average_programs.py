"""Programs that keep moving averages of variables: eagerly, in compiled functions and in replicas, with their results."""

from collections.abc import Callable
from typing import Any

import numpy as np

STEPS = 10


def _loop(tf: Any, step: Callable[[], Any], variables: list[Any]) -> None:
    """Ten steps, before each of which the variables have moved."""
    for number in range(STEPS):
        for variable in variables:
            value = variable.numpy()
            variable.assign((np.asarray(value, np.float64) * 1.25 + 0.3 * number).astype(value.dtype))
        step()


def _shown(averages: Any, variables: list[Any]) -> list[Any]:
    return [np.asarray(averages.average(variable).numpy(), np.float64).tolist() for variable in variables]


def eager(tf: Any, dtype: str = "float32", **arguments: Any) -> list[Any]:
    """Two variables, at once."""
    variables = [tf.Variable([0.1, -0.7, 1e3], dtype=dtype, name="a"), tf.Variable(0.3, dtype=dtype, name="b")]
    averages = tf.train.ExponentialMovingAverage(**{"decay": 0.9, **arguments})
    _loop(tf, lambda: averages.apply(variables), variables)
    return _shown(averages, variables)


def counted(tf: Any) -> list[Any]:
    """A decay that grows with a counter."""
    steps = tf.Variable(0, dtype=tf.int64)
    variables = [tf.Variable([0.1, -0.7])]
    averages = tf.train.ExponentialMovingAverage(0.99, num_updates=steps, zero_debias=True)

    def step() -> None:
        averages.apply(variables)
        steps.assign_add(1)

    _loop(tf, step, variables)
    return _shown(averages, variables)


def compiled(tf: Any) -> list[Any]:
    """In a tf.function, which changes the variable too; the decay is a variable that changes."""
    variable, decay = tf.Variable([0.5, 2.0]), tf.Variable(0.5)
    averages = tf.train.ExponentialMovingAverage(decay)

    @tf.function
    def step() -> Any:
        variable.assign_add([1.0, 0.25])
        averages.apply([variable])
        return averages.average(variable).read_value()

    def both() -> None:
        step()
        decay.assign(decay.numpy() * 0.9)

    _loop(tf, both, [variable])
    return _shown(averages, [variable])


def mirrored(tf: Any) -> list[Any]:
    """In two replicas, of a mirrored variable that they change and of one of which each has its own value."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        shared = tf.Variable([0.5, 2.0], aggregation=tf.VariableAggregation.MEAN)
        own = tf.Variable(
            1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN
        )
        averages = tf.train.ExponentialMovingAverage(0.75)

    def replica() -> None:
        number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        shared.assign_add(tf.constant([1.0, 0.25]) * (number + 1.0))
        own.assign_add(number)
        averages.apply([shared, own])

    step = tf.function(lambda: strategy.run(replica))
    for _ in range(STEPS):
        step()
    return _shown(averages, [shared, own])


PROGRAMS: dict[str, Callable[[Any], list[Any]]] = {
    "eager": eager,
    "float64": lambda tf: eager(tf, "float64"),
    "float16": lambda tf: eager(tf, "float16"),
    "bfloat16": lambda tf: eager(tf, "bfloat16"),
    "decay of 1": lambda tf: eager(tf, decay=1.0),
    "decay of 0": lambda tf: eager(tf, decay=0.0),
    "counted": counted,
    "compiled": compiled,
    "mirrored": mirrored,
}
