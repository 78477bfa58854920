"""Training that is disturbed from outside. The first argument is a folder: files in it say what the coordinator does next.

It trains in rounds until there is `stop`, and says then exactly how much was applied: steps, and words that they have looked
up. Between two rounds it rests while there is `rest`, and evaluates when there is `evaluate`. With `fit` it fits in the end,
and with `more` it goes on until a server is lost. `slow` names a process whose data takes five times as long. Without
TF_CONFIG its tasks run on a Ray that is there.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

import stratagem as tf

# Private: whether this process looks words up.
from stratagem._core.step import HostPrefix

if "TF_CONFIG" in os.environ:
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
else:
    resolver = tf.distribute.cluster_resolver.RayClusterResolver(
        servers=2, workers=2, resources_per_server={"CPU": 0.5}
    )
if resolver.task_type in ("worker", "ps"):
    tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id).join()

FOLDER = Path(sys.argv[1])
ROUND = int(os.environ.get("ROUND", "50"))  # steps
PAUSE = float(os.environ.get("PAUSE", "0"))  # seconds in which the data of a step comes
EXAMPLES = 240  # of an evaluation
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
WORDS = np.array([b"one", b"another"], object)  # of which the look-up makes 1 and 0
run, here = HostPrefix.results, []


def counted(prefix, leaves, replicas=1):
    here.append(os.getpid())
    return run(prefix, leaves, replicas)


HostPrefix.results = counted


class Total(tf.keras.metrics.Metric):
    """The sum of a power of all labels: 0 counts them."""

    def __init__(self, power):
        super().__init__(name=f"total_{power}")
        self.power, self.total = power, self.add_variable((), "zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.total.assign_add(tf.keras.ops.sum(tf.cast(y_true, "float32") ** self.power))

    def result(self):
        return self.total


class Telling(tf.keras.callbacks.Callback):
    """Says when an evaluation is under way."""

    def on_test_batch_end(self, batch, logs=None):
        if batch == 2:
            print("evaluating")


with strategy.scope():
    counts = [tf.Variable(0, dtype=tf.int64) for _ in range(4)]  # on both servers
    lookup = tf.keras.layers.StringLookup(vocabulary=["one"])
    model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(4)])
    optimizer = tf.keras.optimizers.SGD(1e-3)
    model.compile(optimizer, "mse", metrics=[Total(0), Total(1), Total(2)])


def dataset_fn() -> tf.data.Dataset:
    """Who reads it: the number of a worker's process."""
    mine, slow = os.getpid(), FOLDER / "slow"

    def read():
        while True:
            is_slow = slow.exists() and slow.read_text() == str(mine)
            time.sleep(5 * PAUSE if is_slow else PAUSE)
            yield np.int64(mine), WORDS

    if not PAUSE:
        return tf.data.Dataset.from_tensors((np.int64(mine), WORDS)).repeat()
    signature = tf.TensorSpec((), tf.int64), tf.TensorSpec((2,), tf.string)
    return tf.data.Dataset.from_generator(read, output_signature=signature)


@tf.function
def step(iterator):
    """One step; returns who has taken it."""

    def replica_fn(reader, words):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(tf.ones((16, 8))) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        for count in counts[1:]:
            count.assign_add(1)
        counts[0].assign_add(tf.reduce_sum(lookup(words)))
        return reader

    return strategy.run(replica_fn, args=next(iterator))


def evaluate() -> None:
    """Some examples, which come slowly enough for somebody to be lost meanwhile."""

    def read():
        for start in range(0, EXAMPLES, 8):
            time.sleep(0.03)
            yield np.ones((8, 8), "float32"), np.arange(start, start + 8, dtype="float32")[:, None]

    signature = (tf.TensorSpec((8, 8), tf.float32), tf.TensorSpec((8, 1), tf.float32))
    data = tf.data.Dataset.from_generator(read, output_signature=signature)
    found = model.evaluate(data, verbose=0, return_dict=True, callbacks=[Telling()])
    print("evaluated", json.dumps([found[f"total_{power}"] for power in range(3)]))


iterator = iter(coordinator.create_per_worker_dataset(dataset_fn))
print("coordinator", os.getpid())
scheduled = 0
while not (FOLDER / "stop").exists():
    began = time.monotonic()
    values = [coordinator.schedule(step, args=(iterator,)) for _ in range(ROUND)]
    scheduled += ROUND
    coordinator.join()
    took = time.monotonic() - began
    print("round", json.dumps([scheduled, took, sorted({int(v) for v in coordinator.fetch(values)})]))
    if (FOLDER / "rest").exists():
        print("resting")
    while (FOLDER / "rest").exists():
        time.sleep(0.02)
    if (FOLDER / "evaluate").exists():
        (FOLDER / "evaluate").unlink()
        evaluate()
applied = [int(count.numpy()) for count in counts] + [int(optimizer.iterations)]
print("applied", json.dumps([scheduled, applied]))
print("looked up here", json.dumps(len(here)))
if (FOLDER / "fit").exists():
    history = model.fit(np.ones((64, 8)), np.full((64, 4), 2.0), batch_size=8, epochs=3, verbose=0)
    print("losses", json.dumps(history.history["loss"]))
if not (FOLDER / "more").exists():
    sys.exit(0)
try:
    while True:
        coordinator.schedule(step, args=(iterator,))
        coordinator.join()
except tf.errors.UnavailableError as error:
    print("lost", json.dumps(str(error)))
raised = 0
uses = [lambda: coordinator.schedule(step, args=(iterator,)), coordinator.join, coordinator.done]
for use in (*uses, lambda: [count.numpy() for count in counts]):
    try:
        use()
    except tf.errors.UnavailableError:
        raised += 1
print("raised", raised)
coordinator.join()
