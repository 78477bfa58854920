"""Predict clicks from raw logs with parameter servers, which have a vector for every user, site and device.

python examples/click_model.py                                          all tasks in this process
stratagem launch --chief --workers 3 --ps 2 examples/click_model.py     each in its own, over Ray

No package has logs of this kind; the program draws its own and writes them into files, from which every worker reads lines.
"""

import argparse
import json
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import stratagem as tf

BATCH, FILES, SERVERS, USER_NUMBERS, CROSSED = 32, 4, 2, 400, 64
Features = dict[str, tf.Tensor]


def write_logs(folder: str, count: int) -> list[str]:
    """Write lines `user,site,device,clicked`; a few users and sites are in most lines. Returns the files."""
    draws = np.random.default_rng(5)
    often = [1.0 / np.arange(1, size + 1) for size in (3000, 80)]
    users, sites = (draws.choice(len(shares), count, p=shares / shares.sum()) for shares in often)
    devices = draws.choice(["phone", "tablet", "desktop"], count, p=[0.6, 0.1, 0.3])
    taste = draws.normal(0, 1.2, 3000)[users] + draws.normal(0, 1.2, 80)[sites] + (devices == "phone") - 1.5
    clicked = draws.random(count) < 1 / (1 + np.exp(-taste))
    os.makedirs(folder, exist_ok=True)
    paths = [os.path.join(folder, f"clicks-{number}.csv") for number in range(FILES)]
    for number, path in enumerate(paths):
        rows = range(number * count // FILES, (number + 1) * count // FILES)
        with open(path, "w") as file:
            file.writelines(f"u{users[i]},site{sites[i]}.example,{devices[i]},{int(clicked[i])}\n" for i in rows)
    return paths


def columns(lines: tf.Tensor) -> list[tf.Tensor]:
    """Users, sites, devices as strings, and whether there was a click."""
    return tf.io.decode_csv(lines, [tf.constant("", tf.string)] * 3 + [tf.constant(0.0)])


def numbering(sites: list[str]) -> Callable[[tf.Tensor], tuple[Features, tf.Tensor]]:
    """What makes numbers of lines, on a worker: sites by a vocabulary, users by their hash. Call it in the strategy's scope."""
    layers = tf.keras.layers
    by_site, by_user = layers.StringLookup(vocabulary=sites), layers.Hashing(USER_NUMBERS)
    by_device, crossed = layers.StringLookup(vocabulary=["desktop", "phone", "tablet"]), layers.HashedCrossing(CROSSED)

    def numbers_of(lines: tf.Tensor) -> tuple[Features, tf.Tensor]:
        user, site, device, clicked = columns(lines)
        both = crossed((tf.expand_dims(site, -1), tf.expand_dims(device, -1)))
        numbers = {"user": by_user(user), "site": by_site(site), "device": by_device(device)}
        return numbers | {"site_device": tf.reshape(both, (BATCH,))}, tf.reshape(clicked, (BATCH, 1))

    return numbers_of


def make_model(sizes: dict[str, int], seed: int = 3) -> tf.keras.Model:
    """From the numbers of a line to the logit of a click."""
    inputs = {name: tf.keras.Input(shape=(), dtype="int64", name=name) for name in sizes}
    vectors = [tf.keras.layers.Embedding(size, 8, name=f"{name}_table")(inputs[name]) for name, size in sizes.items()]
    hidden = tf.keras.layers.Dense(16, activation="relu", name="hidden")(tf.keras.layers.Concatenate()(vectors))
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, name="logit")(hidden))
    draws = np.random.default_rng(seed)  # the same initial weights in every run and on every machine
    for layer in with_weights(model):
        layer.set_weights([draws.normal(0, 0.2, weight.shape) for weight in layer.get_weights()])
    return model


def with_weights(model: tf.keras.Model) -> list[tf.keras.layers.Layer]:
    """The layers that have weights, by their names."""
    return sorted((layer for layer in model.layers if layer.weights), key=lambda layer: layer.name)


def train(resolver: tf.distribute.cluster_resolver.ClusterResolver, options: argparse.Namespace) -> None:
    """Train in a loop of our own, and write `curve.json` and `weights.npz`."""
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    paths = write_logs(os.path.join(os.path.abspath(options.output), "logs"), options.limit)
    seen = tf.keras.layers.StringLookup(max_tokens=64)  # learns here, on the coordinator
    seen.adapt(tf.data.TextLineDataset(paths).batch(256).map(lambda lines: columns(lines)[1]))
    with strategy.scope():
        numbers_of = numbering(seen.get_vocabulary()[1:])
        sizes = {"user": USER_NUMBERS, "site": seen.vocabulary_size(), "device": 4, "site_device": CROSSED}
        model = make_model(sizes)
        optimizer = tf.keras.optimizers.Adagrad(0.1)
        auc = tf.keras.metrics.AUC(from_logits=True)

    def lines() -> tf.data.Dataset:
        """Every worker reads all files, in an order of its own."""
        order = tf.data.TextLineDataset(paths).shuffle(options.shuffle).repeat()
        batches = order.batch(BATCH, drop_remainder=True)
        return (batches if options.in_step else batches.map(numbers_of)).prefetch(2)

    iterator = iter(coordinator.create_per_worker_dataset(lines))

    @tf.function
    def step(iterator: Iterator[Any]) -> Any:
        def replica(numbers: tf.Tensor, clicked: tf.Tensor) -> tf.Tensor:
            with tf.GradientTape() as tape:
                logits = model(numbers, training=True)
                losses = tf.keras.losses.binary_crossentropy(clicked, logits, from_logits=True)
                loss = tf.nn.compute_average_loss(losses, global_batch_size=BATCH)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            auc.update_state(clicked, logits)
            return loss

        batch = next(iterator)
        return strategy.run(replica, args=numbers_of(batch) if options.in_step else batch)

    curve: dict[str, list[float]] = {"loss": [], "auc": []}
    for epoch in range(options.epochs):
        auc.reset_state()
        results = [coordinator.schedule(step, args=(iterator,)) for _ in range(options.limit // BATCH)]
        coordinator.join()
        curve["loss"].append(float(np.mean(coordinator.fetch(results))))
        curve["auc"].append(float(auc.result()))
        print(f"epoch {epoch + 1}: loss {curve['loss'][-1]:.4f}, area under the curve {curve['auc'][-1]:.4f}")

    with open(os.path.join(options.output, "curve.json"), "w") as file:
        json.dump(curve, file)
    found = [weight for layer in with_weights(model) for weight in layer.get_weights()]
    weights = {f"weight{index}": weight for index, weight in enumerate(found)}
    np.savez(os.path.join(options.output, "weights.npz"), **weights)


def in_this_process(workers: int) -> tf.distribute.cluster_resolver.ClusterResolver:
    """Start every task here."""
    sockets = [socket.create_server(("localhost", 0)) for _ in range(workers + SERVERS)]
    places = [f"localhost:{each.getsockname()[1]}" for each in sockets]
    for each in sockets:
        each.close()
    cluster = {"worker": places[:workers], "ps": places[workers:]}
    for job, tasks in cluster.items():
        for index in range(len(tasks)):
            tf.distribute.Server(tf.train.ClusterSpec(cluster), job_name=job, task_index=index, protocol="grpc")
    return tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(cluster), rpc_layer="grpc")


def main() -> None:
    """What this process is, TF_CONFIG says."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--limit", type=int, default=20_000, help="So many lines of logs.")
    parser.add_argument("--workers", type=int, default=3, help="How many there are if all tasks are in this process.")
    parser.add_argument("--shuffle", type=int, default=10_000, help="So many lines are mixed; 1 keeps their order.")
    parser.add_argument("--in_step", action="store_true", help="Steps take lines and look words up, not the data sets.")
    parser.add_argument("--output", default="runs/click_model", help="A folder that all tasks see.")
    options = parser.parse_args()
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type in ("worker", "ps"):
        tf.distribute.Server(resolver.cluster_spec(), resolver.task_type, resolver.task_id).join()
    train(resolver if resolver.task_type else in_this_process(options.workers), options)


if __name__ == "__main__":
    main()
