"""Dense and sparse models, SGD, Adam and Adagrad: the same steps on one device, and by a worker and a server."""

import json

import numpy as np

import stratagem as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id).join()

tf.keras.config.set_floatx("float64")
STEPS, BATCH = 4, 16
OPTIMIZERS = {
    "SGD": lambda: tf.keras.optimizers.SGD(0.1),
    "Adam": lambda: tf.keras.optimizers.Adam(0.01),
    "Adagrad": lambda: tf.keras.optimizers.Adagrad(0.05),
}
draws = np.random.default_rng(0)
IDS = draws.integers(0, 30, (STEPS, BATCH, 4)).astype("int32")
LABELS = draws.integers(0, 5, (STEPS, BATCH)).astype("int32")
served = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(served)


def trained(strategy, send):
    """All weights after some steps of each optimizer. The model has a table, a dense layer and noise of its own."""
    found = []
    for make in OPTIMIZERS.values():
        tf.keras.utils.set_random_seed(3)
        with strategy.scope():
            layers = [tf.keras.layers.Embedding(30, 8), tf.keras.layers.Flatten(), tf.keras.layers.Dropout(0.3)]
            model = tf.keras.Sequential([tf.keras.Input((4,), dtype="int32"), *layers, tf.keras.layers.Dense(5)])
            optimizer, loss_of = make(), tf.keras.losses.SparseCategoricalCrossentropy(True, reduction="none")

            @tf.function
            def step(ids, labels, model=model, optimizer=optimizer, loss_of=loss_of):
                def replica_fn(ids, labels):
                    with tf.GradientTape() as tape:
                        loss = tf.reduce_mean(loss_of(labels, model(ids, training=True)))
                    gradients = tape.gradient(loss, model.trainable_variables)
                    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
                    return loss

                return strategy.run(replica_fn, args=(ids, labels))

            losses = [float(send(step, (ids, labels))) for ids, labels in zip(IDS, LABELS, strict=True)]
        found.append(np.concatenate([losses, *(np.asarray(w).ravel() for w in model.weights + optimizer.variables)]))
    return found


one = trained(tf.distribute.OneDeviceStrategy("cpu:0"), lambda step, batch: step(*batch))
on_servers = trained(served, lambda step, batch: coordinator.schedule(step, args=batch).fetch())
for name, mine, its in zip(OPTIMIZERS, on_servers, one, strict=True):
    print(name, json.dumps(float(np.abs(mine - its).max())))
