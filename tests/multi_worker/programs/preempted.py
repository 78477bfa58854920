"""Trains with a PreemptionCheckpointHandler, 8 epochs of 15 steps; prints the counter of steps at its end.

Arguments: the checkpoint's directory. Prints `step N` at every step, so that the test knows when to send SIGTERM.
"""

import json
import sys
import time

import stratagem as tf

EPOCHS, STEPS = 8, 15

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    counter = tf.Variable(0, dtype=tf.int64, aggregation=tf.VariableAggregation.SUM)
checkpoint = tf.train.Checkpoint(counter=counter)
handler = tf.distribute.experimental.PreemptionCheckpointHandler(
    strategy.cluster_resolver, checkpoint, checkpoint_dir=sys.argv[1]
)


@tf.function
def train() -> None:
    """Every replica counts one."""
    strategy.run(lambda: counter.assign_add(1))


print("began", json.dumps([handler.total_run_calls, int(counter.numpy())]), flush=True)
while handler.total_run_calls < EPOCHS * STEPS:
    handler.run(train)
    if handler.total_run_calls % 7 == 0:
        int(counter.numpy())
    print(f"step {handler.total_run_calls}", flush=True)
    time.sleep(0.01)
print("ended", json.dumps(int(counter.numpy())), flush=True)
