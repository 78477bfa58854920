"""Recognize digits drawn with two strokes by a TPUEstimator, on TPUs or, with --use_tpu=0, on any device.

python examples/tpu_estimator.py --output strokes

The program draws its own pictures of 12 x 12 pixels, of four kinds: a line, a cross, a corner and a box.
"""

import argparse
import logging

import numpy as np

import stratagem.compat.v1 as tf

SIZE, KINDS = 12, 4


def pictures(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Noisy pictures, float32, and their kinds."""
    draws = np.random.default_rng(seed)
    kinds, found = draws.integers(0, KINDS, count), draws.normal(0, 0.3, (count, SIZE, SIZE)).astype("float32")
    for picture, kind in zip(found, kinds, strict=True):
        low, high = draws.integers(1, 5), draws.integers(7, SIZE - 1)
        middle = (low + high) // 2
        picture[middle if kind < 2 else low, low : high + 1] += 1
        if kind:
            picture[low : high + 1, middle if kind == 1 else low] += 1
        if kind == 3:
            picture[high, low : high + 1] += 1
            picture[low : high + 1, high] += 1
    return found, kinds.astype("int32")


def model_fn(features, labels, mode, params):
    """A convolution and two dense layers; the learning rate falls with the steps."""
    values = tf.layers.conv2d(features[..., None], 16, 3, activation=tf.nn.relu)
    values = tf.layers.dense(tf.layers.flatten(values), 32, activation=tf.nn.relu)
    logits = tf.layers.dense(values, KINDS)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.tpu.TPUEstimatorSpec(mode, predictions={"kind": tf.argmax(logits, 1)})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_global_step()
    rate = tf.train.exponential_decay(0.01, step, 100, 0.9)
    optimizer = tf.train.AdamOptimizer(rate)
    if params["use_tpu"]:
        optimizer = tf.tpu.CrossShardOptimizer(optimizer)

    def metrics(labels, logits):
        return {"accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))}

    return tf.estimator.tpu.TPUEstimatorSpec(
        mode, loss=loss, train_op=optimizer.minimize(loss, step), eval_metrics=(metrics, [labels, logits])
    )


def main() -> None:
    """Train, evaluate, and print the share of pictures that are recognized."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True, help="the folder of checkpoints and events")
    parser.add_argument("--limit", type=int, default=4096, help="pictures to train with")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--use_tpu", type=int, default=0)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")

    def input_fn(params, mode):
        training = mode == tf.estimator.ModeKeys.TRAIN
        rows = tf.data.Dataset.from_tensor_slices(pictures(options.limit, 1 if training else 2))
        return (rows.shuffle(500, seed=3).repeat() if training else rows).batch(
            params["batch_size"], drop_remainder=True
        )

    config = tf.estimator.tpu.RunConfig(
        model_dir=options.output,
        tf_random_seed=1,
        tpu_config=tf.estimator.tpu.TPUConfig(iterations_per_loop=50),
    )
    estimator = tf.estimator.tpu.TPUEstimator(
        model_fn,
        config=config,
        use_tpu=bool(options.use_tpu),
        train_batch_size=64,
        eval_batch_size=128,
        predict_batch_size=8,
    )
    estimator.train(input_fn, max_steps=options.steps)
    print("accuracy", estimator.evaluate(input_fn, steps=4)["accuracy"])


if __name__ == "__main__":
    main()
