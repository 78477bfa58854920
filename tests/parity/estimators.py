"""Estimators that TensorFlow and we train from the same weights: programs that take the modules `tf` and `tf1`."""

import logging
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

SEED = 20
ROWS = 16  # of a replica's batch of digits
STEPS = 8
DIGITS = 2 * ROWS * STEPS
LINE = re.compile(r"loss = ([-+.e\d]+), step = (\d+)")


def weights(*shape: int) -> np.ndarray:
    """First values of a weight: uniform, the same on every machine."""
    draws = np.random.Generator(np.random.PCG64([SEED, *shape])).integers(-(2**20), 2**20, shape)
    return (draws / 2**20 * np.sqrt(3 / np.prod(shape[:-1]))).astype("float32")


def document(
    tf: Any, tf1: Any, images: Any, labels: Any
) -> tuple[Callable[..., Any], Callable[[], Any], Callable[[], Any]]:
    """model_fn and two input_fns: the program of document 003, with first weights that are said."""
    features, targets = [[1.0, 1.5], [2.0, 2.5], [3.0, 3.5]], [[0.3], [0.5], [0.7]]
    others, their_targets = [[4.0, 4.5], [5.0, 5.5], [6.0, 6.5]], [[0.8], [0.9], [1.0]]

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        logits = tf1.layers.Dense(1, kernel_initializer=tf1.constant_initializer(weights(2, 1)))(features)
        loss = tf1.losses.mean_squared_error(labels=labels, predictions=logits)
        optimizer = tf1.train.AdagradOptimizer(0.05)
        train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
        return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    return (
        model_fn,
        lambda: tf1.data.Dataset.from_tensor_slices((features, targets)).batch(1),
        lambda: tf1.data.Dataset.from_tensor_slices((others, their_targets)).batch(1),
    )


def digits(
    tf: Any, tf1: Any, images: np.ndarray, labels: np.ndarray, dropout: float = 0.0
) -> tuple[Callable[..., Any], Callable[[], Any], Callable[[], Any]]:
    """model_fn and two input_fns: a convolutional network with batch normalization, on MNIST."""

    def given(*shape: int) -> Any:
        return tf1.constant_initializer(weights(*shape))

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        training = mode == tf1.estimator.ModeKeys.TRAIN
        layers = tf1.layers
        x = layers.conv2d(features, 4, 3, padding="same", use_bias=False, kernel_initializer=given(3, 3, 1, 4))
        x = tf.nn.relu(layers.batch_normalization(x, momentum=0.9, training=training))
        x = layers.max_pooling2d(x, 2, 2)
        x = layers.conv2d(x, 8, 3, activation=tf.nn.relu, kernel_initializer=given(3, 3, 4, 8))
        x = layers.flatten(layers.max_pooling2d(x, 2, 2))
        x = layers.dense(x, 16, activation=tf.nn.relu, kernel_initializer=given(288, 16))
        x = layers.dropout(x, dropout, training=training)
        logits = layers.dense(x, 10, kernel_initializer=given(16, 10))
        classes = tf.argmax(logits, axis=1)
        if mode == tf1.estimator.ModeKeys.PREDICT:
            return tf1.estimator.EstimatorSpec(mode, predictions={"classes": classes, "logits": logits})
        loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
        accuracy = tf1.metrics.accuracy(labels=labels, predictions=classes)
        optimizer = tf1.train.MomentumOptimizer(0.05, momentum=0.9)
        with tf1.control_dependencies(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)):
            train_op = optimizer.minimize(loss, global_step=tf1.train.get_or_create_global_step())
        return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops={"accuracy": accuracy})

    def input_fn() -> Any:
        pixels = images.astype("float64")[..., None] / 255.0
        return tf1.data.Dataset.from_tensor_slices((pixels, labels.astype("int32"))).batch(ROWS)

    return model_fn, input_fn, input_fn


CASES = {"document": (document, 1), "digits/1": (digits, 1), "digits/2": (digits, 2)}


class _Lines(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def trained(
    case: str,
    tf: Any,
    tf1: Any,
    logger: str,
    images: np.ndarray,
    labels: np.ndarray,
    devices: Sequence[str],
    **options: Any,
) -> dict[str, Any]:
    """Losses by step, metrics of an evaluation, predictions and all variables after a training.

    logger: whose lines say the losses. devices: of the replicas, as many as the case has. options: of RunConfig.
    """
    make, replicas = CASES[case]
    model_fn, train_fn, eval_fn = make(tf, tf1, images, labels)
    lines = _Lines()
    logging.getLogger(logger).addHandler(lines)
    with tempfile.TemporaryDirectory() as folder:
        strategy = tf.distribute.MirroredStrategy(list(devices[:replicas])) if replicas > 1 else None
        config = tf1.estimator.RunConfig(folder, log_step_count_steps=1, train_distribute=strategy, **options)
        estimator = tf1.estimator.Estimator(model_fn, config=config)
        result, _ = tf1.estimator.train_and_evaluate(
            estimator, tf1.estimator.TrainSpec(train_fn), tf1.estimator.EvalSpec(eval_fn, steps=None)
        )
        found = {"losses": [float(m[1]) for line in lines.lines if (m := LINE.search(line))]}
        found["evaluation"] = {name: float(value) for name, value in result.items()}
        found["variables"] = {n: estimator.get_variable_value(n) for n in estimator.get_variable_names()}
        if make is digits:
            rows = list(estimator.predict(lambda: train_fn().take(1)))
            found["predictions"] = np.stack([row["logits"] for row in rows])
        logging.getLogger(logger).removeHandler(lines)
        found["checkpoints"] = sorted(
            {m[0] for p in Path(folder).iterdir() if (m := re.match(r"model\.ckpt-\d+", p.name))}
        )
    return found
