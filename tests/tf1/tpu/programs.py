"""TPUEstimators without TPUs, which run in TensorFlow and here: twenty steps, an evaluation with eval_metrics, predictions."""

from collections.abc import Callable
from typing import Any

import numpy as np

CASES: dict[str, Callable[..., Any]] = {}  # a model_fn by its name: (tf1, features, labels, mode, params)
STEPS, ROWS, CLASSES = 20, 48, 3


def case(function: Callable[..., Any]) -> Callable[..., Any]:
    CASES[function.__name__] = function
    return function


def rows() -> tuple[dict[str, np.ndarray], np.ndarray]:
    random = np.random.RandomState(8)
    features = {"x": random.normal(size=(ROWS, 5)).astype("float32"), "i": random.randint(0, 4, ROWS).astype("int32")}
    return features, random.randint(0, CLASSES, ROWS).astype("int32")


@case
def network(tf1: Any, features: Any, labels: Any, mode: str, params: Any) -> Any:
    """Batch normalization and dropout of nothing, Adam with a decaying rate; metrics by name, a host_call that counts."""
    spec = tf1.estimator.tpu.TPUEstimatorSpec
    training = mode == tf1.estimator.ModeKeys.TRAIN
    hidden = tf1.layers.dense(features["x"], 6, activation=tf1.nn.relu, name="hidden")
    hidden = tf1.layers.batch_normalization(hidden, momentum=0.9, training=training, name="normal")
    logits = tf1.layers.dense(hidden, CLASSES, name="logits")
    kinds = tf1.argmax(logits, 1)
    if mode == tf1.estimator.ModeKeys.PREDICT:
        return spec(mode, predictions={"kinds": kinds, "logits": logits})
    step = tf1.train.get_global_step()
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, logits)
    rate = tf1.train.exponential_decay(0.05, step, 5, 0.9)
    optimizer = tf1.train.AdamOptimizer(rate)
    if params["use_tpu"]:
        optimizer = tf1.tpu.CrossShardOptimizer(optimizer)
    with tf1.control_dependencies(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss, step)
    told = tf1.get_variable("told", (2,), trainable=False, initializer=tf1.zeros_initializer())

    def metrics(labels: Any, kinds: Any, logits: Any) -> Any:
        return {
            "accuracy": tf1.metrics.accuracy(labels, kinds),
            "largest": tf1.metrics.mean(tf1.reduce_max(logits, 1)),
        }

    def host_call(sizes: Any) -> Any:
        """The number of calls and of rows."""
        return [tf1.assign_add(told, tf1.stack([1.0, sizes[0]]))]

    size = tf1.reshape(tf1.to_float(tf1.shape(labels)[0]), [1])
    return spec(
        mode,
        loss=loss,
        train_op=train_op,
        eval_metrics=(metrics, {"labels": labels, "kinds": kinds, "logits": logits}),
        host_call=(host_call, [size]) if training else None,
    )


@case
def table(tf1: Any, features: Any, labels: Any, mode: str, params: Any) -> Any:
    """An embedding, Momentum, metrics in a list."""
    spec = tf1.estimator.tpu.TPUEstimatorSpec
    weights = tf1.get_variable("table", (4, CLASSES), initializer=tf1.random_normal_initializer(seed=2))
    logits = tf1.nn.embedding_lookup(weights, features["i"]) + tf1.layers.dense(features["x"], CLASSES, name="logits")
    if mode == tf1.estimator.ModeKeys.PREDICT:
        return spec(mode, predictions={"logits": logits})
    losses = tf1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf1.reduce_mean(losses) * params["weight"]
    train_op = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, tf1.train.get_global_step())
    metrics = lambda given: {"mean": tf1.metrics.mean(given)}  # noqa: E731
    return spec(mode, loss=loss, train_op=train_op, eval_metrics=(metrics, [losses]))


def outcome(tf: Any, tf1: Any, name: str, model_dir: str) -> dict[str, Any]:
    """The variables after the steps, an evaluation, and predictions as lists."""
    tpu, model = tf1.estimator.tpu, CASES[name]

    def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
        return model(tf1, features, labels, mode, params)

    def input_fn(params: Any, mode: str) -> Any:
        data = tf.data.Dataset.from_tensor_slices(rows())
        if mode == tf1.estimator.ModeKeys.TRAIN:
            data = data.repeat()
        return data.batch(params["batch_size"], drop_remainder=mode != tf1.estimator.ModeKeys.PREDICT)

    config = tpu.RunConfig(
        model_dir=model_dir, tf_random_seed=5, save_checkpoints_steps=1000, tpu_config=tpu.TPUConfig(4, num_shards=1)
    )
    sizes = {"train_batch_size": 8, "eval_batch_size": 12, "predict_batch_size": 5}
    made = tpu.TPUEstimator(model_fn, config=config, params={"weight": 2.0}, use_tpu=False, **sizes)
    made.train(input_fn, max_steps=STEPS)
    found = made.evaluate(input_fn, steps=3)
    predicted = list(made.predict(input_fn))
    return {
        "variables": {key: made.get_variable_value(key) for key in made.get_variable_names()},
        "evaluation": {key: float(value) for key, value in found.items()},
        "predictions": {key: [np.asarray(row[key]).tolist() for row in predicted] for key in predicted[0]},
    }
