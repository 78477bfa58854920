"""What a user can get wrong: each time one clear error, and nothing has changed afterwards."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._strategies import MirroredStrategy, OneDeviceStrategy
from tests.strategies.facade import replica_id, spread

SOURCE = Path(__file__).parents[2] / "src"


class Training:
    """A model with an optimizer and a metric under a strategy, and everything that a failed step must leave as it is."""

    def __init__(self, strategy: Any) -> None:
        self.strategy = strategy
        with strategy.scope():
            self.model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(2)])
            self.optimizer = tf.keras.optimizers.Adam(0.1)
            self.optimizer.build(self.model.trainable_variables)
            self.metric = tf.keras.metrics.Mean()
            self.per_example = tf.keras.losses.SparseCategoricalCrossentropy(True, reduction="none")

    def step(self, images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            losses = self.per_example(labels, self.model(images))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=4)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        self.metric.update_state(losses)
        return loss

    def state(self) -> list[list[float]]:
        every = [*self.model.variables, *self.optimizer.variables, *self.metric.variables]
        return [np.asarray(v.numpy()).tolist() for v in every]


@pytest.fixture
def training(mirrored: MirroredStrategy) -> Training:
    return Training(mirrored)


def refuses(training: Training, act: Callable[[], Any], error: type[Exception], message: str) -> None:
    """`act` raises, leaves everything as it was, and a good step works afterwards."""
    before = training.state()
    with pytest.raises(error, match=message):
        act()
    assert training.state() == before
    assert not tf.distribute.has_strategy()
    images, labels = np.ones((2, 3), np.float32), np.array([0, 1])
    training.strategy.run(
        training.step, (spread(training.strategy, [images] * 2), spread(training.strategy, [labels] * 2))
    )
    assert training.optimizer.iterations.numpy() == 1
    assert training.state() != before


def test_a_metric_outside_of_a_step(training: Training) -> None:
    # The tape and the optimizer work there; which replica would the metric's amounts belong to?
    with pytest.raises(ValueError, match=r"Update it, or its metric, inside strategy\.run"):
        training.step(tf.ones([2, 3]), tf.constant([0, 1]))
    assert not tf.distribute.has_strategy()
    assert [float(np.sum(v.numpy())) for v in training.metric.variables] == [0.0, 0.0]


def test_run_inside_a_replica(training: Training) -> None:
    def act() -> None:
        training.strategy.run(lambda: training.strategy.run(lambda: None))

    refuses(
        training, act, RuntimeError, "strategy.run is called inside a replica function. Method requires being in cross-"
    )


@pytest.mark.parametrize("decision", ["if", "while", "float", "numpy", "replica id"])
def test_a_python_decision_on_a_tensor_inside_a_replica(training: Training, decision: str) -> None:
    def step(x: Any) -> Any:
        training.metric.update_state(x)
        if decision == "if" and tf.reduce_sum(x) > 0.0:
            return x
        while decision == "while" and tf.reduce_sum(x) > 0.0:
            x = x - 1.0
        if decision == "float":
            return float(x[0])
        if decision == "numpy":
            return x.numpy()
        return x if replica_id() == 0 else 2.0 * x

    message = r"(?s)replica function 'step' asks for the value of a tensor.*Use tf.cond or tf.where"
    unconverted = tf.autograph.experimental.do_not_convert(step)
    refuses(training, lambda: training.strategy.run(unconverted, (tf.ones([2]),)), TypeError, message)


def test_another_strategy_than_that_of_the_model(training: Training) -> None:
    other = OneDeviceStrategy("CPU:3")

    def act() -> None:
        other.run(training.step, (tf.ones([2, 3]), tf.constant([0, 1])))

    refuses(training, act, RuntimeError, "Mixing different tf.distribute.Strategy objects")


@pytest.mark.parametrize("args", [np.ones(2), "text", 3, {"x": 1}])
def test_arguments_that_are_no_tuple(training: Training, args: Any) -> None:
    refuses(
        training,
        lambda: training.strategy.run(training.step, args),
        ValueError,
        "positional args must be a list or tuple, got",
    )


def test_no_function(training: Training) -> None:
    refuses(training, lambda: training.strategy.run(3, ()), TypeError, "strategy.run needs a function, got 3")  # type: ignore[arg-type]


def test_labels_of_another_length_in_the_step(training: Training) -> None:
    def act() -> None:
        training.strategy.run(training.step, (tf.ones([4, 3]), tf.constant([0, 1])))

    refuses(training, act, ValueError, r"must have the same shape .*target.shape=\(2,\), output.shape=\(4, 2\)")


def test_labels_of_another_length_in_a_data_set() -> None:
    with pytest.raises(ValueError, match=r"the same first dimension, found 4 rows in component .*, 3 rows in"):
        tf.data.Dataset.from_tensor_slices((np.ones([4, 3]), np.ones([3])))


def test_a_per_replica_value_that_the_function_captures(training: Training) -> None:
    x = spread(training.strategy, [np.float32(1), np.float32(2)])
    with pytest.raises(TypeError, match="one value per replica and is no tensor"):
        training.strategy.run(lambda: x + 1.0)
    message = "A PerReplica object holds one value per replica and is no tensor outside a replica"
    refuses(training, lambda: training.strategy.run(lambda: tf.reduce_sum(x)), RuntimeError, message)


def test_a_device_that_does_not_exist() -> None:
    with pytest.raises(
        ValueError, match=r"Device 'GPU:7' does not exist. Devices here: .*device:CPU:0.*device:CPU:7\."
    ):
        MirroredStrategy(["GPU:7"])
    with pytest.raises(ValueError, match=r"Device 'CPU:99' does not exist.*set_logical_device_configuration"):
        OneDeviceStrategy("CPU:99")
    for name in ("disk", "CPU", "CPU:one", ""):
        with pytest.raises(ValueError, match="is not a device name"):
            MirroredStrategy([name])


def test_a_device_named_twice() -> None:
    with pytest.raises(ValueError, match=r"No duplicates allowed in `devices` argument: .*CPU:1 named more than once"):
        MirroredStrategy(["CPU:0", "/cpu:1", "/job:localhost/replica:0/task:0/device:CPU:1"])


def test_cross_device_ops_of_another_type() -> None:
    with pytest.raises(ValueError, match=r"cross_device_ops must be a tf\.distribute.CrossDeviceOps"):
        MirroredStrategy(["CPU:0"], cross_device_ops="NCCL")
    for ops in (tf.distribute.NcclAllReduce, tf.distribute.HierarchicalCopyAllReduce):
        MirroredStrategy(["CPU:0"], cross_device_ops=ops(num_packs=2))
        with pytest.raises(ValueError, match="num_packs >= 0"):
            ops(num_packs=-1)
    MirroredStrategy(["CPU:0"], cross_device_ops=tf.distribute.ReductionToOneDevice())


def test_a_global_batch_that_the_replicas_cannot_share(mirrored: MirroredStrategy) -> None:
    def dataset_fn(context: Any) -> Any:
        return tf.data.Dataset.range(10).batch(context.get_per_replica_batch_size(7))

    with pytest.raises(ValueError, match=r"`global_batch_size` 7 is not divisible by `num_replicas_in_sync` 2"):
        next(iter(mirrored.distribute_datasets_from_function(dataset_fn)))


def test_a_checkpoint_of_other_shapes(training: Training, tmp_path: Path) -> None:
    narrow = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(5)])
    path = tf.train.Checkpoint(model=narrow).save(str(tmp_path / "ckpt"))

    def act() -> None:
        tf.train.Checkpoint(model=training.model).restore(path)

    message = r"(?s)none of them was changed:.*dense\S*/kernel\): shape \(3, 2\), in the checkpoint \(3, 5\).*/bias"
    refuses(training, act, ValueError, message)


@pytest.mark.thorough
def test_keras_that_already_runs_on_another_backend() -> None:
    program = "import keras\nassert keras.backend.backend() == 'numpy'\nimport stratagem"
    environment = {**os.environ, "KERAS_BACKEND": "numpy", "PYTHONPATH": str(SOURCE), "JAX_PLATFORMS": "cpu"}
    process = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120
    )
    assert process.returncode == 1
    last = process.stderr.strip().splitlines()[-1]
    assert last.startswith("stratagem._base.errors.BackendError: Keras is already imported with the backend 'numpy'")
    assert "KERAS_BACKEND=jax" in last
