"""Recognize clothes of Fashion-MNIST by a TPUEstimator, on TPUs or, with --use_tpu=0, on any device.

python scripts/fetch_data.py fashion-mnist; python examples/tpu_estimator.py --output clothes
"""

import argparse
import logging
from typing import Any

import stratagem.compat.v1 as tf

KINDS = 10


def model_fn(
    features: tf.Tensor, labels: tf.Tensor, mode: str, params: dict[str, Any]
) -> tf.estimator.tpu.TPUEstimatorSpec:
    """A convolution and two dense layers; the learning rate falls with the steps."""
    values = tf.layers.conv2d(features[..., None], 16, 3, strides=2, activation=tf.nn.relu)
    values = tf.layers.dense(tf.layers.flatten(values), 64, activation=tf.nn.relu)
    logits = tf.layers.dense(values, KINDS)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.tpu.TPUEstimatorSpec(mode, predictions={"kind": tf.argmax(logits, 1)})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_global_step()
    rate = tf.train.exponential_decay(0.003, step, 200, 0.9)
    adam = tf.train.AdamOptimizer(rate)
    optimizer = tf.tpu.CrossShardOptimizer(adam) if params["use_tpu"] else adam

    def metrics(labels: tf.Tensor, logits: tf.Tensor) -> dict[str, Any]:
        return {"accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))}

    return tf.estimator.tpu.TPUEstimatorSpec(
        mode, loss=loss, train_op=optimizer.minimize(loss, step), eval_metrics=(metrics, [labels, logits])
    )


def main() -> None:
    """Train, evaluate, and print the share of images that are recognized, and what a few of them are taken for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True, help="the folder of checkpoints and events")
    parser.add_argument("--limit", type=int, default=60_000, help="images to train and to evaluate with")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--shuffle", type=int, default=5000, help="images among which the next one is drawn")
    parser.add_argument("--use_tpu", type=int, default=0)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")

    def input_fn(params: dict[str, Any], mode: str) -> tf.data.Dataset:
        training = mode == tf.estimator.ModeKeys.TRAIN
        images, kinds = tf.keras.datasets.fashion_mnist.load_data()[0 if training else 1]
        pictures = images[: options.limit].astype("float32") / 255
        rows = tf.data.Dataset.from_tensor_slices((pictures, kinds[: options.limit].astype("int32")))
        return (rows.shuffle(options.shuffle, seed=3).repeat() if training else rows).batch(
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
    print("accuracy", estimator.evaluate(input_fn)["accuracy"])
    print("taken for", [int(row["kind"]) for row, _ in zip(estimator.predict(input_fn), range(8), strict=False)])


if __name__ == "__main__":
    main()
