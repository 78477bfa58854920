"""Trains 8 steps with a checkpoint after each; worker 1 kills itself in step 4, the first time. Argument: a folder."""

import os
import signal
import sys

import stratagem as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id
with strategy.scope():
    total = tf.Variable(0.0)
manager = tf.train.CheckpointManager(tf.train.Checkpoint(total=total), f"{sys.argv[1]}/{rank}", max_to_keep=2)
manager.restore_or_initialize()
print("from", float(total.numpy()), flush=True)
while total.numpy() < 8:
    if rank == 1 and total.numpy() == 4 and os.environ["STRATAGEM_RESTARTS"] == "0":
        os.kill(os.getpid(), signal.SIGKILL)
    strategy.run(lambda: total.assign_add(1.0))
    manager.save()
print("to", float(total.numpy()))
