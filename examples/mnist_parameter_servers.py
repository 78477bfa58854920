"""Train a network on MNIST with parameter servers: 3 workers take steps whenever they are ready, 2 servers have the variables.

python examples/mnist_parameter_servers.py                                          all tasks in this process
stratagem launch --chief --workers 3 --ps 2 examples/mnist_parameter_servers.py     each in its own, over Ray
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

import stratagem as tf
from stratagem.testing import free_ports

WORKERS, SERVERS, BATCH = 3, 2, 128


def in_this_process() -> tf.distribute.cluster_resolver.ClusterResolver:
    """Start every task here."""
    ports = iter(free_ports(WORKERS + SERVERS))
    cluster = {
        "worker": [f"localhost:{next(ports)}" for _ in range(WORKERS)],
        "ps": [f"localhost:{next(ports)}" for _ in range(SERVERS)],
    }
    for job, tasks in cluster.items():
        for index in range(len(tasks)):
            tf.distribute.Server(cluster, job, index)
    return tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(cluster))


def train(resolver: tf.distribute.cluster_resolver.ClusterResolver, epochs: int) -> float:
    """Train in a loop of our own, and return the accuracy on the test images."""
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    (images, labels), test = tf.keras.datasets.mnist.load_data()
    with strategy.scope():
        layers = [tf.keras.layers.Rescaling(1 / 255), tf.keras.layers.Flatten()]
        layers += [
            tf.keras.layers.Dense(256, activation="relu"),
            tf.keras.layers.Dropout(0.2),
            tf.keras.layers.Dense(10),
        ]
        model = tf.keras.Sequential([tf.keras.Input((28, 28)), *layers])
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(tf.keras.optimizers.Adam(1e-3), loss, metrics=["accuracy"])
        seen = tf.keras.metrics.SparseCategoricalAccuracy()

    def data() -> tf.data.Dataset:
        """Every worker reads all images, in an order of its own."""
        return (
            tf.data.Dataset.from_tensor_slices((images, labels.astype("int32"))).shuffle(60_000).repeat().batch(BATCH)
        )

    iterator = iter(coordinator.create_per_worker_dataset(data))

    @tf.function
    def step(iterator: Iterator[Any]) -> Any:
        def replica(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
            with tf.GradientTape() as tape:
                logits = model(x, training=True)
                errors = tf.keras.losses.sparse_categorical_crossentropy(y, logits, from_logits=True)
                value = tf.nn.compute_average_loss(errors, global_batch_size=BATCH)
            gradients = tape.gradient(value, model.trainable_variables)
            model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            seen.update_state(y, logits)
            return value

        return strategy.run(replica, args=next(iterator))

    for epoch in range(epochs):
        seen.reset_state()
        results = [coordinator.schedule(step, args=(iterator,)) for _ in range(len(images) // BATCH)]
        coordinator.join()
        losses = np.mean(coordinator.fetch(results))
        print(f"epoch {epoch + 1}: loss {losses:.4f}, accuracy {float(seen.result()):.4f}")
    print(coordinator.report())
    return float(model.evaluate(*test, batch_size=1000, verbose=0, return_dict=True)["accuracy"])


def main() -> None:
    """What this process is, TF_CONFIG says."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args()
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type in ("worker", "ps"):
        tf.distribute.Server(resolver.cluster_spec(), resolver.task_type, resolver.task_id).join()
    accuracy = train(resolver if resolver.task_type else in_this_process(), options.epochs)
    print(f"accuracy on the test images: {accuracy:.4f}")


if __name__ == "__main__":
    main()
