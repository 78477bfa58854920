"""Steps are started without waiting for the last one, but not so far ahead that XLA's threads run out."""

import os
from typing import Any

import pytest

import stratagem as tf
from tests import prepared

AHEAD = 8


def slow_step(strategy: Any) -> Any:
    with strategy.scope():
        v = tf.Variable(tf.eye(600))

    def replica_step() -> Any:
        product = v @ v @ v @ v
        v.assign_add(1e-6 * tf.distribute.get_replica_context().all_reduce("sum", product))
        return tf.reduce_sum(product)

    return tf.function(lambda: strategy.reduce("sum", strategy.run(replica_step), axis=None))


@pytest.mark.sampled
@pytest.mark.parametrize("replicas", [2, 3])
def test_several_cpu_devices_are_not_more_than_eight_steps_behind(replicas: int) -> None:
    step = slow_step(tf.distribute.MirroredStrategy([f"cpu:{i}" for i in range(replicas)]))
    step()
    results, behind = [], []
    for _ in range(3 * AHEAD):
        results.append(step())
        behind.append(sum(not result.is_ready() for result in results))
    assert max(behind) <= AHEAD
    assert max(behind) > 1, "it waits for each step"


PROGRAM = """
import threading
import stratagem as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
strategy = tf.distribute.MirroredStrategy()

def program():
    with strategy.scope():
        v = tf.Variable(tf.eye(300))
    def replica_step():
        product = v @ v @ v @ v
        v.assign_add(1e-6 * tf.distribute.get_replica_context().all_reduce("sum", product))
    step = tf.function(lambda: strategy.run(replica_step))
    step()
    return lambda: [step() for _ in range(60)] and float(v[0, 0])

runs = [threading.Thread(target=program()) for _ in range(2)]
[run.start() for run in runs]
[run.join() for run in runs]
print("ended")
"""


def test_steps_of_two_threads_end_with_the_fewest_xla_threads() -> None:
    """XLA ends the process if an all-reduce waits for longer than 40 seconds."""
    environment = {k: v for k, v in os.environ.items() if k not in ("JAX_NUM_CPU_DEVICES", "PJRT_NPROC")}
    done = prepared.run(PROGRAM, environment={**environment, "PJRT_NPROC": "1"})
    assert (done.returncode, done.stdout.split()[-1:]) == (0, ["ended"]), done.stderr[-3000:]
