"""Trains for a step with `fit`; worker 1 differs in what argv says. Prints the learning rate that is used."""

import sys

import numpy as np

import stratagem as tf

WHAT = sys.argv[1]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
differs = bool(strategy.cluster_resolver.task_id)


def one(what: str, here: object, there: object) -> object:
    """A setting: worker 1 has another one if it is asked for."""
    return there if what == WHAT and differs else here


rate = one("learning rate", 0.5, 0.25)
if WHAT == "schedule":
    rate = tf.keras.optimizers.schedules.ExponentialDecay(one("schedule", 0.5, 0.25), 10, 0.9)
kind = one("optimizer", tf.keras.optimizers.SGD, tf.keras.optimizers.Adagrad)
options = (
    {} if WHAT == "optimizer" else {"momentum": one("momentum", 0.5, 0.75), "clipnorm": one("clipping", 1.0, None)}
)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile(kind(rate, **options), "mse")
x, y = np.ones((16, 3), np.float32), np.ones((16, 1), np.float32)
data = tf.data.Dataset.from_tensor_slices((x, y))
if one("no shuffle", True, False):
    data = data.shuffle(one("buffer", 16, 8), seed=one("seed", 1, 2))
model.fit(data.batch(one("batch size", 8, 4)), verbose=0)
if WHAT != "schedule":
    print("learning rate", float(model.optimizer.learning_rate.numpy()))
