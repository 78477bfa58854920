"""Several strategies, one after another, on a Ray that has room for the tasks of one. It waits when the last one is gone."""

import gc
import time

import ray

import stratagem as tf


def dataset_fn():
    """Five elements; none for any other worker than the only one."""
    index = tf.distribute.coordinator.experimental_get_current_worker_index()
    return tf.data.Dataset.range(5 if int(index) == 0 else 0)


@tf.function
def where():
    """The index of the worker that runs it."""
    return tf.distribute.coordinator.experimental_get_current_worker_index()


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
    iterator = iter(coordinator.create_per_worker_dataset(dataset_fn))
    for _ in range(5):
        coordinator.schedule(step, args=(v, iterator))
    coordinator.join()
    (index,) = coordinator.fetch([coordinator.schedule(where)])
    return int(v.numpy()) + int(index)


for _ in range(2):
    print("total", train())
    while ray.available_resources().get("CPU") != ray.cluster_resources()["CPU"]:
        gc.collect()
        time.sleep(0.1)
print("gone")
