"""Train in a MonitoredTrainingSession, which may be killed at any time: started again, it goes on from its last checkpoint.

python examples/fashion_mnist_monitored.py --output runs/monitored --steps 200
"""

import argparse
import json
import os
import signal

import numpy as np

import stratagem.compat.v1 as tf

PIXELS, KINDS = 28 * 28, 10


class CurveHook(tf.train.SessionRunHook):
    """Writes the loss of each step as a line of a file, at once, so that a killed program has written it."""

    def __init__(self, loss: tf.Tensor, path: str, die_after: int | None) -> None:
        self.loss, self.path, self.die_after = loss, path, die_after

    def begin(self) -> None:
        self.step = tf.train.get_global_step()

    def after_create_session(self, session: tf.Session, coord: object) -> None:
        self.file = open(self.path, "a", encoding="utf-8")  # noqa: SIM115  `end` closes it
        print(f"begins after step {session.run(self.step)}", flush=True)

    def before_run(self, run_context: object) -> object:
        return tf.train.SessionRunArgs({"loss": self.loss, "step": self.step})

    def after_run(self, run_context: object, run_values: tf.train.SessionRunValues) -> None:
        found = run_values.results
        print(json.dumps({"step": int(found["step"]), "loss": float(found["loss"])}), file=self.file, flush=True)
        if self.die_after == found["step"] + 1:
            os.kill(os.getpid(), signal.SIGKILL)

    def end(self, session: object) -> None:
        self.file.close()


def network(images: tf.Tensor, training: bool) -> tf.Tensor:
    """A convolution, a normalization and a dense layer."""
    numbers = np.random.default_rng(15)  # the same first values in every run and on every machine

    def first(*shape: int) -> tf.initializers.constant:
        return tf.constant_initializer(numbers.normal(0, 0.05, shape).astype(np.float32))

    values = tf.layers.conv2d(
        tf.reshape(images, [-1, 28, 28, 1]), 8, 5, strides=3, kernel_initializer=first(5, 5, 1, 8)
    )
    values = tf.nn.relu(tf.layers.batch_normalization(values, momentum=0.9, training=training))
    return tf.layers.dense(tf.layers.flatten(values), KINDS, kernel_initializer=first(8 * 8 * 8, KINDS))


def batches(options: argparse.Namespace) -> tf.data.Dataset:
    """Batches in order, again and again."""
    (images, labels), _ = tf.keras.datasets.fashion_mnist.load_data()
    rows = (images[: options.limit] / 255.0).astype(np.float32), labels[: options.limit].astype(np.int64)
    return tf.data.Dataset.from_tensor_slices(rows).batch(options.batch_size, drop_remainder=True).repeat()


def train(options: argparse.Namespace) -> list[np.ndarray]:
    """Train up to the last step; returns the weights."""
    step = tf.train.get_or_create_global_step()
    images, labels = tf.data.make_one_shot_iterator(batches(options)).get_next()
    logits = network(images, training=True)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    with tf.control_dependencies([tf.debugging.assert_less(loss, 100.0, message="The loss has exploded.")]):
        loss = tf.identity(loss, name="loss")
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        minimize = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, global_step=step)
    tf.summary.scalar("loss", loss)
    hooks = [
        tf.train.StopAtStepHook(last_step=options.steps),
        tf.train.NanTensorHook(loss),
        CurveHook(loss, os.path.join(options.output, "losses.jsonl"), options.die_after),
    ]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=options.output,
        hooks=hooks,
        scaffold=tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=3)),
        save_checkpoint_steps=options.save_every,
        save_summaries_steps=10,
    ) as session:
        while not session.should_stop():
            session.run(minimize)
    reader = tf.train.load_checkpoint(options.output)
    return [reader.get_tensor(variable.op.name) for variable in tf.trainable_variables()]


def main() -> None:
    """Train, and write the curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default="runs/fashion_mnist_monitored", help="the folder of checkpoints and events")
    parser.add_argument("--steps", type=int, default=24, help="train up to this step")
    parser.add_argument("--save_every", type=int, default=8, help="steps between checkpoints")
    parser.add_argument("--die_after", type=int, help="kill this process after that step, to see how it goes on")
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--limit", type=int, help="use only the first so many training images")
    options = parser.parse_args()
    tf.disable_eager_execution()
    os.makedirs(options.output, exist_ok=True)
    weights = train(options)
    np.savez(os.path.join(options.output, "weights.npz"), *weights)
    with open(os.path.join(options.output, "losses.jsonl"), encoding="utf-8") as file:
        losses = {found["step"]: found["loss"] for found in map(json.loads, file)}
    with open(os.path.join(options.output, "curve.json"), "w", encoding="utf-8") as file:
        json.dump({"losses": [losses[number] for number in sorted(losses)]}, file)
    print(f"step {options.steps}: loss {losses[max(losses)]:.4f}")


if __name__ == "__main__":
    main()
