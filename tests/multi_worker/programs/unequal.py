"""Workers that create other models, or compute something else, than worker 0."""

import sys

import stratagem as tf

what = sys.argv[1]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id or 0
with strategy.scope():
    matrix = tf.Variable(tf.zeros([3, 4 if what == "model" and rank else 3]), name="matrix")
scale = 2.0 if what == "program" and rank else 1.0
strategy.run(lambda: matrix.assign_add(tf.ones([3, 3]) * scale))
