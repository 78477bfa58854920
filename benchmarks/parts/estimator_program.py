"""An Estimator as people wrote it for TensorFlow 1, for the library that it is given: its steps, and its turnaround."""

import tempfile
import time

import numpy as np

BATCH = 64
WARM_UP = 20  # steps of every training that are not timed
RNG = np.random.default_rng(1)
ROWS = {
    "mlp": (RNG.normal(size=(4096, 32)).astype("float32"), RNG.integers(0, 10, 4096).astype("int32")),
    "cnn": (RNG.normal(size=(1024, 28, 28, 1)).astype("float32"), RNG.integers(0, 10, 1024).astype("int32")),
}


def _model_fn(tf1, network):
    def model_fn(features, labels, mode):
        values = features
        if network == "cnn":
            values = tf1.layers.conv2d(values, 32, 3, activation=tf1.nn.relu)
            values = tf1.layers.max_pooling2d(values, 2, 2)
            values = tf1.layers.conv2d(values, 64, 3, activation=tf1.nn.relu)
            values = tf1.layers.flatten(values)
        values = tf1.layers.dense(values, 64, activation=tf1.nn.relu)
        logits = tf1.layers.dense(values, 10)
        loss = tf1.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf1.train.AdamOptimizer(1e-3).minimize(loss, global_step=tf1.train.get_or_create_global_step())
        accuracy = tf1.metrics.accuracy(labels, tf1.argmax(logits, 1))
        return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops={"accuracy": accuracy})

    return model_fn


def _input_fn(tf1, network, batches=None):
    def input_fn():
        rows = tf1.data.Dataset.from_tensor_slices(ROWS[network])
        return rows.repeat().batch(BATCH).prefetch(2) if batches is None else rows.batch(BATCH).take(batches)

    return input_fn


def of_steps(tf1, network):
    """A timer of steps in the middle of a training."""

    class Clock(tf1.estimator.SessionRunHook):
        def begin(self):
            self.steps = 0

        def before_run(self, run_context):
            if self.steps == WARM_UP:
                self.began = time.perf_counter()

        def after_run(self, run_context, run_values):
            self.steps += 1
            self.seconds = time.perf_counter() - getattr(self, "began", 0.0)

    def run(steps):
        with tempfile.TemporaryDirectory() as folder:
            config = tf1.estimator.RunConfig(folder, save_checkpoints_steps=10**9, save_summary_steps=100)
            clock = Clock()
            estimator = tf1.estimator.Estimator(_model_fn(tf1, network), config=config)
            estimator.train(_input_fn(tf1, network), steps=WARM_UP + steps, hooks=[clock])
        return clock.seconds

    return run


def of_turnarounds(tf1, network):
    """A timer of trainings of ten steps, each with its checkpoint and an evaluation of five batches."""

    def run(times):
        with tempfile.TemporaryDirectory() as folder:
            estimator = tf1.estimator.Estimator(_model_fn(tf1, network), folder)
            began = time.perf_counter()
            for _ in range(times):
                estimator.train(_input_fn(tf1, network), steps=10)
                estimator.evaluate(_input_fn(tf1, network, batches=5))
            return time.perf_counter() - began

    return run


WAYS = {"steps": of_steps, "turnarounds": of_turnarounds}
