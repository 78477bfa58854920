"""TPUs: programs fall back without one; with one, the step is MirroredStrategy's over its cores."""

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._cluster import visible_tpus

# There is no TPU here: CPU devices are given in their place.
from stratagem._strategies import _tpu


@pytest.mark.parametrize("arguments", [{}, {"tpu": ""}, {"tpu": "local"}, {"tpu": "my-tpu", "zone": "a"}])
@pytest.mark.parametrize("make", ["__call__", "connect"])
def test_without_a_tpu_a_program_falls_back(arguments: dict[str, str], make: str) -> None:
    resolver_class: Any = tf.distribute.cluster_resolver.TPUClusterResolver
    make_resolver = resolver_class if make == "__call__" else resolver_class.connect
    message = ""
    try:
        resolver = make_resolver(**arguments)
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
        strategy: Any = tf.distribute.TPUStrategy(resolver)
    except ValueError as error:
        message, strategy = str(error), tf.distribute.get_strategy()
    assert "Please provide a TPU Name to connect to" in message
    assert strategy.num_replicas_in_sync == 1


def test_without_a_tpu_the_other_calls_say_so() -> None:
    with pytest.raises(ValueError, match="no TPU was found"):
        tf.distribute.TPUStrategy()
    with pytest.raises(ValueError, match="no TPU was found"):
        tf.tpu.experimental.initialize_tpu_system()
    assert tf.config.list_physical_devices("TPU") == tf.config.list_logical_devices("TPU") == []


def test_tpus_are_counted_without_starting_jax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("accel0", "accel1", "accelerator", "null"):
        (tmp_path / name).touch()
    assert visible_tpus({}, tmp_path) == 0, "without libtpu"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    assert visible_tpus({}, tmp_path) == 2
    assert visible_tpus({"JAX_PLATFORMS": "cpu"}, tmp_path) == 0
    assert visible_tpus({"JAX_PLATFORMS": "tpu,cpu"}, tmp_path) == 2
    (tmp_path / "vfio").mkdir()
    for name in ("0", "1", "2", "3", "vfio"):
        (tmp_path / "vfio" / name).touch()
    assert visible_tpus({}, tmp_path) == 4


@pytest.fixture
def tpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two CPU devices in place of TPU cores."""
    # What JAX and the machine would say of a TPU.
    monkeypatch.setattr("stratagem._cluster._tpu_resolver.visible_tpus", lambda environ: 2)
    monkeypatch.setattr(_tpu, "tpu_devices", lambda: tuple(jax.devices("cpu")[:2]))


@pytest.mark.parametrize(
    "make",
    [
        lambda resolver: tf.distribute.TPUStrategy(resolver),
        lambda resolver: tf.distribute.experimental.TPUStrategy(resolver, device_assignment=None),
        lambda resolver: tf.compat.v1.distribute.experimental.TPUStrategy(
            tpu_cluster_resolver=resolver, steps_per_run=5
        ),
    ],
)
def test_with_a_tpu_it_is_mirrored_strategys_step(make: Any, tpu: None) -> None:
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")
    assert (resolver.master(), resolver.cluster_spec().as_dict()) == ("local", {})
    assert resolver.num_accelerators() == {"TPU": 2}
    topology = tf.tpu.experimental.initialize_tpu_system(resolver)
    assert (topology.num_tasks, topology.num_tpus_per_task) == (1, 2)
    found = []
    for strategy in (make(resolver), tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])):
        with strategy.scope():
            weight = tf.Variable([1.0, 2.0], aggregation=tf.VariableAggregation.MEAN)
        data = tf.data.Dataset.from_tensor_slices(np.arange(6, dtype=np.float32)).batch(4)

        def step(rows: Any, weight: tf.Variable = weight) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(weight) * tf.reduce_sum(rows)
            weight.assign_sub(0.1 * tape.gradient(loss, weight))
            return loss

        options = tf.distribute.RunOptions(experimental_bucketizing_dynamic_shape=True)
        for batch in strategy.experimental_distribute_dataset(data):
            strategy.run(step, args=(batch,), options=options)
        assert strategy.num_replicas_in_sync == 2
        found.append(weight.numpy().tolist())
    assert found[0] == found[1]
    tf.tpu.experimental.shutdown_tpu_system(resolver)


def test_a_strategy_of_a_tpu_is_known_by_its_class(tpu: None) -> None:
    strategy = tf.distribute.TPUStrategy(tf.distribute.cluster_resolver.TPUClusterResolver())
    classes = (tf.distribute.TPUStrategy, tf.distribute.experimental.TPUStrategy, tf.distribute.Strategy)
    assert all(isinstance(strategy, each) for each in classes)
    assert not isinstance(tf.distribute.get_strategy(), tf.distribute.TPUStrategy)


def test_a_machine_of_a_pod_is_refused(tpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TPU_WORKER_HOSTNAMES", "10.0.0.1,10.0.0.2")
    with pytest.raises(tf.errors.UnimplementedError, match=r"one of 2 of a TPU pod"):
        tf.distribute.cluster_resolver.TPUClusterResolver()


def test_specs_of_per_replica_values_have_a_shape_and_a_dtype() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    data = tf.data.Dataset.from_tensor_slices(np.ones([6, 3], np.float32)).batch(4, drop_remainder=True)
    spec = strategy.experimental_distribute_dataset(data).element_spec
    assert spec.dtype == tf.float32
    assert spec.shape.as_list() == [2, 3]
    uneven = strategy.experimental_distribute_dataset(data.unbatch().batch(4)).element_spec
    assert uneven.shape.as_list() == [None, 3]
