"""Train as programs of TensorFlow 1 do: placeholders, a feed_dict, summaries of a FileWriter, a Saver; go on where it stopped.

python examples/fashion_mnist_session.py --output runs/session --epochs 2

Run again with more epochs, it goes on from its last checkpoint.
"""

import argparse
import json
import os
from collections.abc import Iterator

import numpy as np

import stratagem.compat.v1 as tf

PIXELS, KINDS = 28 * 28, 10


def network(images: tf.Tensor) -> tf.Tensor:
    """Two layers of named variables, whose first values are the same in every run and on every machine."""
    numbers = np.random.default_rng(15)
    values, width = images, PIXELS
    for name, units in (("hidden", 32), ("scores", KINDS)):
        with tf.variable_scope(name):
            first = numbers.normal(0, 0.05, (width, units)).astype(np.float32)
            kernel = tf.get_variable("kernel", initializer=first)
            bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
            tf.summary.histogram("kernel", kernel)
            values = tf.nn.bias_add(tf.matmul(values, kernel), bias)
        if name == "hidden":
            values, width = tf.nn.relu(values, name="features"), units
    return values


def batches(images: np.ndarray, labels: np.ndarray, size: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Batches in order; the last may be smaller."""
    for start in range(0, len(images), size):
        yield images[start : start + size], labels[start : start + size]


def examples(limit: int | None) -> list[tuple[np.ndarray, np.ndarray]]:
    """Images as rows of numbers from 0 to 1, and labels: for training, and for the test."""
    return [
        ((images[:limit] / 255.0).astype(np.float32).reshape(-1, PIXELS), labels[:limit].astype(np.int64))
        for images, labels in tf.keras.datasets.fashion_mnist.load_data()
    ]


def train(options: argparse.Namespace) -> dict[str, list[float]]:
    """Train the epochs that are left; returns the losses of their steps and the accuracies after each."""
    training, test = examples(options.limit)
    with tf.name_scope("input"):
        images = tf.placeholder(tf.float32, [None, PIXELS], name="images")
        labels = tf.placeholder(tf.int64, [None], name="labels")
    logits = network(images)
    with tf.name_scope("loss"):
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), name="mean")
    probabilities = tf.nn.softmax(logits, name="probabilities")
    right = tf.equal(tf.argmax(probabilities, 1), labels)
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.003, step, 100, 0.96)
    minimize = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
    tf.summary.scalar("loss", loss)
    tf.summary.scalar("rate", rate)
    summaries = tf.summary.merge_all()
    saver = tf.train.Saver(max_to_keep=2)
    done = tf.get_variable("epochs", initializer=np.int64(0), trainable=False)
    count = tf.assign_add(done, 1)
    init = tf.global_variables_initializer()
    tf.get_default_graph().finalize()

    losses, accuracies = [], []
    with tf.Session() as session, tf.summary.FileWriter(options.output, session.graph) as writer:
        latest = tf.train.latest_checkpoint(options.output)
        session.run(init)
        if latest:
            saver.restore(session, latest)
            print(f"went on from {latest} after step {session.run(step)}")
        for epoch in range(session.run(done), options.epochs):
            for x, y in batches(*training, options.batch_size):
                feeds = {images: x, labels: y}
                text, value, number, _ = session.run([summaries, loss, step, minimize], feed_dict=feeds)
                losses.append(float(value))
                writer.add_summary(text, number)
            session.run(count)
            accuracies.append(float(session.run(accuracy, {images: test[0], labels: test[1]})))
            path = saver.save(session, os.path.join(options.output, "model"), global_step=step)
            print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}, accuracy {accuracies[-1]:.4f}, {path}")
        # By name, as code that did not build the graph finds its tensors.
        found = session.run("probabilities:0", {"input/images:0": test[0][:5]})
        print("most probable:", found.argmax(axis=1), "labels:", test[1][:5])
        weights = session.run(tf.trainable_variables())
    np.savez(os.path.join(options.output, "weights.npz"), *weights)
    return {"losses": losses, "test accuracy": accuracies}


def main() -> None:
    """Train, and write the curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default="runs/fashion_mnist_session", help="the folder of checkpoints and events")
    parser.add_argument("--epochs", type=int, default=2, help="train up to this epoch")
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--limit", type=int, help="use only the first so many training and test images")
    options = parser.parse_args()
    tf.disable_eager_execution()
    os.makedirs(options.output, exist_ok=True)
    curve = train(options)
    with open(os.path.join(options.output, "curve.json"), "w", encoding="utf-8") as file:
        json.dump(curve, file)


if __name__ == "__main__":
    main()
