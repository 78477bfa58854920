"""Several strategies, one after another, on a Ray that has room for the tasks of one. It waits when the last one is gone."""

import gc
import time

import ray

import stratagem as tf


@tf.function
def step(v, iterator):
    """One element more."""
    v.assign_add(next(iterator))


def train() -> int:
    """The sum of some elements."""
    resolver = tf.distribute.cluster_resolver.RayClusterResolver(
        servers=1, workers=1, resources_per_worker={"CPU": 6}, resources_per_server={"CPU": 1}
    )
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        v = tf.Variable(0, dtype=tf.int64)
    iterator = iter(coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.range(5)))
    for _ in range(5):
        coordinator.schedule(step, args=(v, iterator))
    coordinator.join()
    return int(v.numpy())


for _ in range(2):
    print("total", train())
    while ray.available_resources().get("CPU") != ray.cluster_resources()["CPU"]:
        gc.collect()
        time.sleep(0.1)
print("gone")
