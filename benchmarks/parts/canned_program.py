"""Canned Estimators of a census, for the library that they are given: a timer of steps."""

import tempfile
import time

import numpy as np

BATCH = 128
WARM_UP = 20  # steps of every training that are not timed
ROWS = 4096
RNG = np.random.default_rng(1)
WORK = np.array([b"state", b"private", b"self", b"none"], object)
FEATURES = {
    "age": RNG.integers(17, 90, ROWS).astype("float32"),
    "hours": RNG.integers(1, 80, ROWS).astype("float32"),
    "work": WORK[RNG.integers(0, 4, ROWS)],
    "job": np.array([b"job%d" % n for n in RNG.integers(0, 200, ROWS)], object),
}
LABELS = RNG.integers(0, 2, ROWS)


def _columns(tf):
    fc = tf.feature_column
    age, hours = fc.numeric_column("age"), fc.numeric_column("hours")
    buckets = fc.bucketized_column(age, [18, 25, 30, 35, 40, 45, 50, 55, 60, 65])
    work = fc.categorical_column_with_vocabulary_list("work", ["state", "private", "self"], num_oov_buckets=1)
    job = fc.categorical_column_with_hash_bucket("job", 100)
    wide = [buckets, work, job, fc.crossed_column([buckets, "work"], 500)]
    deep = [age, hours, fc.indicator_column(work), fc.embedding_column(job, 8)]
    return wide, deep


def _estimator(tf, model, config):
    wide, deep = _columns(tf)
    if model == "linear":
        return tf.estimator.LinearClassifier(wide, config=config)
    if model == "dnn":
        return tf.estimator.DNNClassifier([64, 32], deep, config=config)
    if model == "baseline":
        return tf.estimator.BaselineClassifier(config=config)
    return tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=wide, dnn_feature_columns=deep, dnn_hidden_units=[64, 32], config=config
    )


def timer(tf, model):
    """A timer of steps in the middle of a training."""

    class Clock(tf.estimator.SessionRunHook):
        def begin(self):
            self.steps = 0

        def before_run(self, run_context):
            if self.steps == WARM_UP:
                self.began = time.perf_counter()

        def after_run(self, run_context, run_values):
            self.steps += 1
            self.seconds = time.perf_counter() - getattr(self, "began", 0.0)

    def input_fn():
        return tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).repeat().batch(BATCH).prefetch(2)

    def run(steps):
        with tempfile.TemporaryDirectory() as folder:
            config = tf.estimator.RunConfig(folder, save_checkpoints_steps=10**9)
            clock = Clock()
            _estimator(tf, model, config).train(input_fn, steps=WARM_UP + steps, hooks=[clock])
        return clock.seconds

    return run
