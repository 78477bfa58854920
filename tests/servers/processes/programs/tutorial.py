"""A whole job as users write it: `fit` and `evaluate` of document 003, then the embedding classifier of TF's tutorial."""

import json
import sys

import numpy as np

import stratagem as tf
from stratagem._core.values import placement_of

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    server = tf.distribute.Server(
        resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc"
    )
    server.join()

strategy = tf.distribute.experimental.ParameterServerStrategy(
    resolver,
    variable_partitioner=tf.distribute.experimental.partitioners.MinSizePartitioner(
        min_shard_bytes=256 << 10, max_shards=2
    ),
)

# Document 003, second half.
features, labels = [[1.0, 1.5], [2.0, 2.5], [3.0, 3.5]], [[0.3], [0.5], [0.7]]
eval_features, eval_labels = [[4.0, 4.5], [5.0, 5.5], [6.0, 6.5]], [[0.8], [0.9], [1.0]]
dataset = tf.data.Dataset.from_tensor_slices((features, labels)).shuffle(10).repeat().batch(64)
eval_dataset = tf.data.Dataset.from_tensor_slices((eval_features, eval_labels)).repeat().batch(1)
tf.keras.utils.set_random_seed(1)
with strategy.scope():
    model = tf.keras.models.Sequential([tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.Adagrad(learning_rate=0.05)
    model.compile(optimizer, "mse")
history = model.fit(dataset, epochs=5, steps_per_epoch=10, verbose=2)
print("fit", json.dumps([history.history["loss"], int(optimizer.iterations)]))
print("evaluate", json.dumps(model.evaluate(eval_dataset, steps=10, return_dict=True, verbose=0)))

# The tutorial's own loop. Its words are numbers here: 7 of them, and one for words that are not known.
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
EXAMPLES, BATCH, EPOCHS, STEPS = 200, 32, 4, 5
with strategy.scope():
    words = tf.keras.layers.Input(shape=(3,), dtype="int32")
    table = tf.keras.layers.Embedding(input_dim=8, output_dim=16384)
    averaged = tf.keras.ops.mean(table(words), axis=1)
    classifier = tf.keras.Model(words, tf.keras.layers.Dense(units=1, activation="sigmoid")(averaged))
    rule = tf.keras.optimizers.RMSprop(learning_rate=0.1)
    accuracy = tf.keras.metrics.BinaryAccuracy()
    eval_accuracy = tf.keras.metrics.BinaryAccuracy()
assert [tuple(w.shape) for w in table.weights] == [(4, 16384)] * 2
print("servers", json.dumps([placement_of(w).home for w in table.weights]))


def make_dataset() -> tf.data.Dataset:
    """Three words each; the label is whether one of them is below 4."""
    draws = np.random.default_rng(3)
    ids = draws.integers(0, 4, (EXAMPLES, 3)) + 4 * draws.integers(0, 2, (EXAMPLES, 1))
    wanted = (ids[:, :1] < 4).astype("float32")
    return tf.data.Dataset.from_tensor_slices((ids.astype("int32"), wanted)).shuffle(EXAMPLES).repeat().batch(BATCH)


@tf.function
def step_fn(iterator):
    """One step of one worker."""

    def replica_fn(batch, target):
        with tf.GradientTape() as tape:
            pred = classifier(batch, training=True)
            losses = tf.keras.losses.BinaryCrossentropy(reduction="none")(target, pred)
            loss = tf.nn.compute_average_loss(losses)
            gradients = tape.gradient(loss, classifier.trainable_variables)
        rule.apply_gradients(zip(gradients, classifier.trainable_variables, strict=True))
        accuracy.update_state(target, tf.cast(tf.greater(pred, 0.5), tf.int64))
        return loss

    batch, target = next(iterator)
    losses = strategy.run(replica_fn, args=(batch, target))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


@tf.function
def per_worker_dataset_fn():
    """Every worker's data."""
    return strategy.distribute_datasets_from_function(lambda _: make_dataset())


per_worker_iterator = iter(coordinator.create_per_worker_dataset(per_worker_dataset_fn))
accuracies = []
for _ in range(EPOCHS):
    accuracy.reset_state()
    for _ in range(STEPS):
        coordinator.schedule(step_fn, args=(per_worker_iterator,))
    coordinator.join()
    accuracies.append(float(accuracy.result()))
loss = coordinator.schedule(step_fn, args=(per_worker_iterator,))
print("loop", json.dumps([accuracies, float(loss.fetch()), int(rule.iterations)]))

# Evaluation, on the coordinator and on workers.
for batch, target in make_dataset().take(3):
    prediction = classifier(batch, training=False)
    eval_accuracy.update_state(target, tf.cast(tf.greater(prediction, 0.5), tf.int64))
direct = float(eval_accuracy.result())


@tf.function
def eval_step(iterator):
    """Evaluate a batch on a worker."""

    def replica_fn(batch, target):
        prediction = classifier(batch, training=False)
        eval_accuracy.update_state(target, tf.cast(tf.greater(prediction, 0.5), tf.int64))

    strategy.run(replica_fn, args=next(iterator))


eval_accuracy.reset_state()
iterator = iter(coordinator.create_per_worker_dataset(make_dataset))
for _ in range(4):
    coordinator.schedule(eval_step, args=(iterator,))
coordinator.join()
print("evaluation", json.dumps([direct, float(eval_accuracy.result())]))
sys.exit(0)
