"""Every worker trains one step, and ends some seconds (argument; 2) after the one before."""

import sys
import time

import numpy as np

import stratagem as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    total = tf.Variable(0.0)
rank = strategy.cluster_resolver.task_id
assert strategy.extended.should_checkpoint is (rank == 0)
assert strategy.extended.worker_devices == (f"/job:worker/replica:0/task:{rank}/device:CPU:0",)
replicas = strategy.num_replicas_in_sync
result = strategy.reduce("SUM", strategy.run(lambda: tf.constant(1.0)), axis=None)
np.testing.assert_array_equal(result, replicas)
time.sleep(float(sys.argv[1] if len(sys.argv) > 1 else 2) * rank)
