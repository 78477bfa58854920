"""Workers that create other models, start from other values, or compute something else, than worker 0.

What is "restored" is a checkpoint that worker 0 alone finds: argv[2] is its path.
"""

import sys

import stratagem as tf

what = sys.argv[1]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id or 0
with strategy.scope():
    matrix = tf.Variable(tf.zeros([3, 4 if what == "model" and rank else 3]), name="matrix")
if what == "restored":
    checkpoint = tf.train.Checkpoint(matrix=matrix)
    matrix.assign(tf.eye(3))
    checkpoint.write(sys.argv[2])
    matrix.assign(tf.zeros([3, 3]))
    if rank == 0:
        checkpoint.read(sys.argv[2])
scale = 2.0 if what == "program" and rank else 1.0
strategy.run(lambda: matrix.assign_add(tf.ones([3, 3]) * scale))
