"""Trains for a step with `fit` once for every word of argv: worker 1 differs in what the word says.

Prints each word and what came of it. The last one's error is left to Python.
"""

import sys

import numpy as np

import stratagem as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
differs = bool(strategy.cluster_resolver.task_id)


def communicated(dtype: object) -> None:
    """Prints a variable that each worker would lower by its number and 1/512 more, with gradients of `dtype`."""
    how = tf.distribute.experimental.CommunicationOptions(gradient_dtype=dtype)
    other = tf.distribute.MultiWorkerMirroredStrategy(communication_options=how)
    with other.scope():
        variable, optimizer = tf.Variable([0.0]), tf.keras.optimizers.SGD(1.0)

    def step() -> None:
        number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group + 1, tf.float32)
        optimizer.apply_gradients([(number[None] * (1 + 1 / 512), variable)])

    other.run(step)
    print("variable", variable.numpy())


def looked_up(words: object) -> None:
    """A step that looks a word up."""
    layer = tf.keras.layers.StringLookup(vocabulary=words, name="words")
    strategy.run(lambda word: layer(word), args=(tf.constant(["a"]),))


def trained(what: str) -> None:
    """A model's only step."""

    def one(name: str, here: object, there: object) -> object:
        """A setting: worker 1 has another one if it is asked for."""
        return there if name == what and differs else here

    rate = one("learning rate", 0.5, 0.25)
    if what == "schedule":
        rate = tf.keras.optimizers.schedules.ExponentialDecay(one("schedule", 0.5, 0.25), 10, 0.9)
    kind = one("optimizer", tf.keras.optimizers.SGD, tf.keras.optimizers.Adagrad)
    options = (
        {} if what == "optimizer" else {"momentum": one("momentum", 0.5, 0.75), "clipnorm": one("clipping", 1.0, None)}
    )
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(1)])
        model.compile(kind(rate, **options), "mse")
    x, y = np.ones((16, 3), np.float32), np.ones((16, 1), np.float32)
    data = tf.data.Dataset.from_tensor_slices((x, y))
    if one("no shuffle", True, False):
        data = data.shuffle(one("buffer", 16, 8), seed=one("seed", 1, 2))
    try:
        if what in ("communication", "bfloat16"):
            communicated(one("communication", "bfloat16", None))
        tf.distribute.MultiWorkerMirroredStrategy(shard_optimizer_state=one("shards", False, True))
        if what in ("vocabulary", "nothing"):
            looked_up(one("vocabulary", ["a", "b"], ["b", "a"]))
        model.fit(data.batch(one("batch size", 8, 4)), epochs=one("epochs", 1, 2), verbose=0)
    finally:
        print("steps", int(model.optimizer.iterations.numpy()))
    if what != "schedule":
        print("learning rate", float(model.optimizer.learning_rate.numpy()))


for word in sys.argv[1:-1]:
    print(f"[{word}]", file=sys.stderr)
    try:
        trained(word)
    except ValueError as error:
        print(f"{type(error).__name__}: {error}")
print(f"[{sys.argv[-1]}]", file=sys.stderr)
trained(sys.argv[-1])
