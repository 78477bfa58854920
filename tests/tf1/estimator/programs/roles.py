"""A program for Estimators, as every task of a cluster runs it. Arguments: model_dir, and max_steps or 0.

PAUSE: seconds in which a worker's batch comes; then there are batches without end. A file `stop` ends training.
"""

import json
import os
import sys
import time

import numpy as np

import stratagem as tf
from stratagem.compat import v1 as tf1

MODEL_DIR, MAX_STEPS = sys.argv[1], int(sys.argv[2]) or None
FEATURES = [[1.0, 1.5], [2.0, 2.5], [3.0, 3.5]]
LABELS = [[0.3], [0.5], [0.7]]
BATCHES = 30


def input_fn():
    pause = float(os.environ.get("PAUSE", "0"))

    def read():
        while True:
            time.sleep(pause)
            yield np.array(FEATURES[:1], "float32"), np.array(LABELS[:1], "float32")

    if pause:
        signature = (tf.TensorSpec((1, 2), tf.float32), tf.TensorSpec((1, 1), tf.float32))
        return tf.data.Dataset.from_generator(read, output_signature=signature)
    return tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).repeat(BATCHES // 3).batch(1)


def model_fn(features, labels, mode):
    weights = tf1.get_variable("weights", (2, 1))
    loss = tf.reduce_mean((tf.matmul(features, weights) - labels) ** 2)
    train_op = tf1.train.GradientDescentOptimizer(0.01).minimize(
        loss, global_step=tf1.train.get_or_create_global_step()
    )
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class Counted(tf1.train.SessionRunHook):
    """Counts steps, until it is told to stop."""

    def __init__(self):
        self.steps = 0

    def after_run(self, run_context, run_values):
        self.steps += 1
        if os.path.exists(os.path.join(MODEL_DIR, "stop")):
            run_context.request_stop()


hook = Counted()
config = tf1.estimator.RunConfig(MODEL_DIR, save_checkpoints_steps=20, log_step_count_steps=10)
estimator = tf1.estimator.Estimator(model_fn, config=config)
found = tf1.estimator.train_and_evaluate(
    estimator,
    tf1.estimator.TrainSpec(input_fn, max_steps=MAX_STEPS, hooks=[hook]),
    tf1.estimator.EvalSpec(input_fn, start_delay_secs=1, throttle_secs=0),
)
print("found", json.dumps([config.task_type, config.task_id, found, hook.steps]))
if config.task_type == "evaluator":
    print("directory", json.dumps(sorted(os.listdir(os.path.join(MODEL_DIR, "eval")))))
