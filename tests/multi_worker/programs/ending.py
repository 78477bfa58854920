"""Every worker trains one step, and ends two seconds after the one before."""

import time

import numpy as np

import stratagem as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    total = tf.Variable(0.0)
replicas = strategy.num_replicas_in_sync
result = strategy.reduce("SUM", strategy.run(lambda: tf.constant(1.0)), axis=None)
np.testing.assert_array_equal(result, replicas)
time.sleep(2.0 * (strategy.cluster_resolver.task_id or 0))
