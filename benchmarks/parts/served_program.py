"""A parameter-server job, the same for both libraries: 3 workers, 2 servers, a coordinator that schedules single steps."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

WORKERS, SERVERS = 3, 2


def in_one_process(tf: Any, ports: list[int]) -> Any:
    """All tasks in this process. Returns the resolver."""
    addresses = [f"localhost:{port}" for port in ports]
    cluster = {"worker": addresses[:WORKERS], "ps": addresses[WORKERS : WORKERS + SERVERS]}
    spec = tf.train.ClusterSpec(cluster)
    config = tf.compat.v1.ConfigProto()
    config.inter_op_parallelism_threads = WORKERS + 1  # without it TensorFlow's workers wait for each other for ever
    for job, tasks in cluster.items():
        for index in range(len(tasks)):
            tf.distribute.Server(spec, job_name=job, task_index=index, config=config, protocol="grpc")
    return tf.distribute.cluster_resolver.SimpleClusterResolver(spec, rpc_layer="grpc")


def timer(tf: Any, network: str, resolver: Any) -> Callable[[int], float]:
    """Seconds for so many steps, taken by whichever worker is free."""
    partitioner = tf.distribute.experimental.partitioners.FixedShardsPartitioner(SERVERS)
    sharded = network == "embedding"
    strategy = tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=partitioner if sharded else None)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        model, optimizer = _network(tf, network)

    def data() -> Any:
        return tf.data.Dataset.from_tensor_slices(_examples(network)).repeat().batch(64)

    iterator = iter(coordinator.create_per_worker_dataset(data))

    @tf.function
    def step(iterator: Any) -> Any:
        def replica(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                errors = tf.keras.losses.sparse_categorical_crossentropy(y, model(x), from_logits=True)
                loss = tf.nn.compute_average_loss(errors, global_batch_size=64)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            return loss

        x, y = next(iterator)
        return strategy.run(replica, args=(x, y))

    def run(steps: int) -> float:
        from time import perf_counter

        began = perf_counter()
        for _ in range(steps):
            coordinator.schedule(step, args=(iterator,))
        coordinator.join()
        return perf_counter() - began

    return run


def _network(tf: Any, name: str) -> tuple[Any, Any]:
    layers = tf.keras.layers
    if name == "mlp":  # 32-64-10
        dense = [tf.keras.Input((32,)), layers.Dense(64, activation="relu"), layers.Dense(10)]
        return tf.keras.Sequential(dense), tf.keras.optimizers.SGD(0.01)
    table = layers.Embedding(1_000_000, 64)
    model = tf.keras.Sequential([table, layers.GlobalAveragePooling1D(), layers.Dense(10)])
    model.build((None, 64))
    return model, tf.keras.optimizers.SGD(0.01)


def _examples(name: str) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(os.getpid())
    labels = random.integers(0, 10, 640)
    if name == "mlp":
        return random.normal(size=(640, 32)).astype("float32"), labels
    return random.integers(0, 1_000_000, (640, 64)).astype("int32"), labels  # 4096 ids a batch
