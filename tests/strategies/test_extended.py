"""`strategy.extended`: facts about a strategy, and updates of a variable's component on each replica, as in TensorFlow."""

from typing import Any

import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests.multi_worker.jobs import tf_config

HERE = "/job:localhost/replica:0/task:0/device:CPU"
ON_READ = {"synchronization": tf.VariableSynchronization.ON_READ, "aggregation": tf.VariableAggregation.SUM}


@pytest.mark.parametrize(
    ("make", "devices"),
    [
        (lambda: tf.distribute.OneDeviceStrategy("CPU:1"), (f"{HERE}:1",)),
        (lambda: tf.distribute.MirroredStrategy(["CPU:2", "CPU:0"]), (f"{HERE}:2", f"{HERE}:0")),
    ],
)
def test_of_one_process(make: Any, devices: tuple[str, ...]) -> None:
    extended = make().extended
    assert extended.worker_devices == extended.parameter_devices == devices
    assert extended.should_checkpoint is extended.should_save_summary is True
    assert extended.experimental_require_static_shapes is False


@pytest.mark.parametrize("name", ["worker_devices", "should_checkpoint", "should_save_summary"])
def test_it_cannot_be_changed(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(tf.distribute.MirroredStrategy(["CPU:0"]).extended, name, ())


def test_devices_of_a_worker_are_named_by_its_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", tf_config(1, [1, 2]))
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    monkeypatch.setattr(type(strategy), "cluster_resolver", resolver)  # without the others of the job
    assert strategy.extended.worker_devices == ("/job:worker/replica:0/task:1/device:CPU:0",)


@pytest.fixture
def two() -> Any:
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def replica_ids(strategy: Any) -> Any:
    """1, 2, … on the replicas."""
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(context.replica_id_in_sync_group + 1.0)
    )


def local(strategy: Any, value: Any) -> list[float]:
    return [float(v) for v in strategy.experimental_local_results(value)]


@pytest.mark.sampled
@pytest.mark.parametrize("name", STRATEGIES)
def test_update_changes_a_variable_as_its_function_says(name: str) -> None:
    strategy = STRATEGIES[name]()
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    strategy.extended.update(v, lambda v, y, sign=1.0: v.assign_add(sign * y), args=(3.0,), kwargs={"sign": 2.0})
    assert float(v) == 7.0, "what is added is not summed over the replicas"
    results = strategy.extended.update(v, lambda v: {"twice": v * 2.0}, group=False)
    assert [float(x) for x in results["twice"]] == [14.0] * len(strategy.extended.worker_devices)


@pytest.mark.parametrize("decorate", [lambda f: f, tf.function], ids=["eager", "compiled"])
def test_a_sync_on_read_variable_is_updated_slot_by_slot(decorate: Any, two: Any) -> None:
    with two.scope():
        w = tf.Variable(2.0, **ON_READ)
    ids = replica_ids(two)
    results = decorate(lambda: two.extended.update(w, lambda w, y: w.assign_add(y), args=(ids,), group=False))()
    assert [float(x) for x in results] == local(two, w)
    assert local(two, w) == [3.0, 4.0]
    assert float(w) == 7.0


def test_update_in_a_merge_call_and_in_a_replica(two: Any) -> None:
    with two.scope():
        v = tf.Variable(0.0)

    def merge(strategy: Any, y: Any) -> Any:
        total = strategy.extended.reduce_to(tf.distribute.ReduceOp.SUM, y, v)
        return strategy.extended.update(v, lambda v, y: v.assign_add(y), args=(total,))

    def replica(y: Any) -> Any:
        tf.distribute.get_replica_context().merge_call(merge, args=(y,))
        two.extended.update(v, lambda v: v.assign(v * 10.0))
        return v + y

    assert local(two, two.run(replica, (replica_ids(two),))) == [31.0, 32.0]
    assert float(v) == 30.0


def test_copies_that_would_differ_are_refused(two: Any) -> None:
    with two.scope():
        v = tf.Variable(0.0)
    with pytest.raises(ValueError, match="would get a different value on every replica"):
        two.extended.update(v, lambda v, y: v.assign(y), args=(replica_ids(two),))
    assert local(two, v) == [0.0, 0.0]


@pytest.mark.parametrize("what", [tf.constant(1.0), tf.Variable(1.0)], ids=["tensor", "foreign variable"])
def test_only_variables_of_the_strategy_are_updated(what: Any, two: Any) -> None:
    with pytest.raises(ValueError, match="no variable that was created in the scope"):
        two.extended.update(what, lambda v: v)


def test_reductions_and_questions_about_variables(two: Any) -> None:
    ids, extended = replica_ids(two), two.extended
    with two.scope():
        v = tf.Variable(0.0)
        with extended.colocate_vars_with(v):
            beside = tf.Variable(1.0)
    assert float(extended.reduce_to("SUM", ids, v)) == 3.0
    assert [float(x) for x in extended.batch_reduce_to(tf.distribute.ReduceOp.MEAN, [(ids, v), (ids, "CPU:0")])] == [
        1.5,
        1.5,
    ]
    outside = tf.Variable(0.0)
    assert [extended.variable_created_in_scope(x) for x in (v, beside, outside)] == [True, True, False]
    assert tf.distribute.get_strategy().extended.variable_created_in_scope(outside)
    assert extended.value_container(v.values[1]) is v
    assert extended.value_container(outside) is outside
    with pytest.raises(ValueError, match="colocate_vars_with needs a variable"):
        extended.colocate_vars_with(3)
