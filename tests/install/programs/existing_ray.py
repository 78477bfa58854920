"""A job on a Ray that runs already, as docs/parameter_servers.md has it: existing_ray.py FOLDER (Ray's own, a short path)."""

import sys

import ray

import stratagem as tf

ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, _temp_dir=sys.argv[1])
resolver = tf.distribute.cluster_resolver.RayClusterResolver(servers=1, workers=1)
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    counter = tf.Variable(0.0)
add = tf.function(lambda: counter.assign_add(1.0))
for _ in range(10):
    coordinator.schedule(add)
coordinator.join()
assert float(counter.numpy()) == 10.0
print("counted 10")
