"""Saves in the background while it trains, until the chief's disk is full; prints what it heard, and what was restored before.

argument: the directory.
"""

import errno
import json
import os
import sys
from typing import Any

import numpy as np

import stratagem as tf

# Private: a disk that is full.
from stratagem._checkpoints import _checkpoint_files

STEPS = 12

strategy = tf.distribute.MultiWorkerMirroredStrategy()
chief = strategy.cluster_resolver.task_id == 0
with strategy.scope():
    total = tf.Variable(np.zeros(1 << 16, np.float32))
checkpoint = tf.train.Checkpoint(total=total)
manager = tf.train.CheckpointManager(checkpoint, sys.argv[1], 3)
options = tf.train.CheckpointOptions(enable_async=True)


@tf.function  # type: ignore[untyped-decorator]
def step() -> Any:
    def replica() -> Any:
        total.assign_add(tf.distribute.get_replica_context().all_reduce("sum", tf.ones_like(total)))
        return total[0]

    return strategy.run(replica)


for number in range(STEPS):
    step()
    if number % 3 == 0:
        manager.save(options=options)
if chief:
    manager.sync()  # without the other worker, which goes on with its collectives
step()
manager.sync()
found = [float(tf.train.load_checkpoint(path).get_tensor("total")[-1]) for path in manager.checkpoints]


def full(file: Any, arrays: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


if chief:
    _checkpoint_files.write_arrays = full
manager.save(options=options)
step()
try:
    manager.save()
    heard = "nothing"
except (OSError, tf.errors.AbortedError) as error:
    heard = f"{type(error).__name__}: {error}"
print("results", json.dumps([found, heard]), flush=True)
