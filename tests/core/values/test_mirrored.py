"""Variables created under a strategy: what reading and assigning mean in a replica and across replicas."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._strategies import MirroredStrategy

READ, WRITE = tf.VariableSynchronization.ON_READ, tf.VariableSynchronization.ON_WRITE
NONE, SUM, MEAN, FIRST = (
    tf.VariableAggregation.NONE,
    tf.VariableAggregation.SUM,
    tf.VariableAggregation.MEAN,
    tf.VariableAggregation.ONLY_FIRST_REPLICA,
)
HERE = __file__


@pytest.fixture
def two() -> MirroredStrategy:
    return MirroredStrategy(["CPU:0", "CPU:1"])


def variable(strategy: MirroredStrategy, value: Any, synchronization: Any, aggregation: Any, **options: Any) -> Any:
    with strategy.scope():
        return tf.Variable(value, synchronization=synchronization, aggregation=aggregation, **options)


def rid() -> Any:
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def in_replicas(strategy: MirroredStrategy, v: Any) -> list[float]:
    """What each replica reads."""
    return [np.asarray(x).tolist() for x in strategy.run(lambda: v.read_value()).values]


# Measured on TensorFlow 2.15: synchronization, aggregation, the replicas' copies after assign(replica id + 1), after
# assign(3.), after assign(6.) across replicas; what a read across replicas gives in each of the three.
TABLE = [
    (WRITE, SUM, [3, 3], None, [6, 6], [3, None, 6]),
    (WRITE, MEAN, [1.5, 1.5], [3, 3], [6, 6], [1.5, 3, 6]),
    (WRITE, FIRST, [1, 1], [3, 3], [6, 6], [1, 3, 6]),
    (READ, SUM, [1, 2], [3, 3], [3, 3], [3, 6, 6]),
    (READ, MEAN, [1, 2], [3, 3], [6, 6], [1.5, 3, 6]),
    (READ, FIRST, [1, 2], [3, 3], [6, 6], [1, 3, 6]),
]
IDS = [f"{s.name}-{a.name}" for s, a, *_ in TABLE]


@pytest.mark.parametrize(("synchronization", "aggregation", "own", "same", "across", "reads"), TABLE, ids=IDS)
def test_assignment_is_as_in_tensorflow(
    two: MirroredStrategy, synchronization: Any, aggregation: Any, own: Any, same: Any, across: Any, reads: Any
) -> None:
    v = variable(two, 0.0, synchronization, aggregation)
    two.run(lambda: v.assign(rid() + 1.0))
    assert in_replicas(two, v) == own
    assert v.numpy() == reads[0]
    if same is not None:
        two.run(lambda: v.assign(3.0))
        assert in_replicas(two, v) == same
        assert v.numpy() == reads[1]
    with two.scope():
        v.assign(6.0)
        assert v.numpy() == reads[2]
    assert in_replicas(two, v) == across
    assert v.numpy() == reads[2]


def test_without_aggregation_equal_values_are_assigned(two: MirroredStrategy) -> None:
    v = variable(two, 0.0, WRITE, NONE)
    two.run(lambda: v.assign(3.0))
    assert in_replicas(two, v) == [3.0, 3.0]
    two.run(lambda: v.assign_add(tf.distribute.get_replica_context().all_reduce("SUM", rid() + 1.0)))
    assert in_replicas(two, v) == [6.0, 6.0]
    v.assign(7.0)
    assert in_replicas(two, v) == [7.0, 7.0]


def line_of(text: str) -> int:
    """The line of this file that ends with the comment `# text`."""
    with open(HERE) as file:
        (number,) = [i for i, line in enumerate(file, 1) if line.rstrip().endswith(f"# {text}")]
    return number


def test_without_aggregation_values_that_differ_are_an_error_that_names_variable_and_line(
    two: MirroredStrategy,
) -> None:
    v = variable(two, 0.0, WRITE, NONE, name="mine")

    def step() -> None:
        v.assign(3.0)
        v.assign(rid() + 1.0)  # diverges here

    where = f"{HERE}:{line_of('diverges here')}"
    message = rf"Mirrored variable mine.* would get a different value on every replica, at {where}\."
    with pytest.raises(ValueError, match=message) as caught:
        two.run(step)
    assert type(caught.value).__name__ == "DivergenceError"
    assert in_replicas(two, v) == [0.0, 0.0]


def test_a_value_from_the_replicas_own_data_diverges_too(two: MirroredStrategy) -> None:
    v = variable(two, 0.0, WRITE, NONE)
    data = two.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices([1.0, 2.0]).batch(2))
    with pytest.raises(ValueError, match="would get a different value"):
        two.run(lambda x: v.assign_add(tf.reduce_sum(x)), args=(next(iter(data)),))
    assert v.numpy() == 0.0


def test_with_sum_a_value_that_all_replicas_share_is_added_up(two: MirroredStrategy) -> None:
    """TensorFlow raises here (eager mode) or adds (in a function); one rule is better, and the sum is what was asked for."""
    v = variable(two, 0.0, WRITE, SUM)
    two.run(lambda: v.assign(3.0))
    assert in_replicas(two, v) == [6.0, 6.0]


@pytest.mark.parametrize(
    ("aggregation", "expected"), [(SUM, [13.0, 13.0]), (MEAN, [11.5, 11.5]), (FIRST, [11.0, 11.0])]
)
def test_what_replicas_add_to_a_mirrored_variable_is_aggregated(
    two: MirroredStrategy, aggregation: Any, expected: list[float]
) -> None:
    v = variable(two, 10.0, WRITE, aggregation)
    two.run(lambda: v.assign_add(rid() + 1.0))
    assert in_replicas(two, v) == expected
    two.run(lambda: v.assign_sub(rid() + 1.0))
    assert in_replicas(two, v) == [10.0, 10.0]


def test_in_cross_replica_code_of_a_step_assignment_is_that_of_all_copies(two: MirroredStrategy) -> None:
    v = variable(two, 1.0, WRITE, SUM)

    @tf.function
    def step() -> Any:
        v.assign_add(2.0)
        return two.reduce("SUM", two.run(lambda: v * (rid() + 1.0)), axis=None)

    with two.scope():
        assert float(step()) == 9.0
    assert in_replicas(two, v) == [3.0, 3.0]


def test_a_sum_starts_with_its_initial_value_on_every_replica(two: MirroredStrategy) -> None:
    v = variable(two, 1.0, READ, SUM)
    assert v.numpy() == 2.0
    assert in_replicas(two, v) == [1.0, 1.0]
    eight = MirroredStrategy([f"CPU:{i}" for i in range(8)])
    assert variable(eight, 1.0, READ, SUM).numpy() == 8.0


@pytest.mark.parametrize("way", ["outside", "in scope", "in a function"])
def test_a_sum_is_assigned_in_equal_parts_and_refuses_to_be_added_to_across_replicas(
    two: MirroredStrategy, way: str
) -> None:
    v = variable(two, 0.0, READ, SUM)

    def act(change: Any) -> None:
        if way == "outside":
            change()
        else:
            with two.scope():
                (tf.function(change) if way == "in a function" else change)()

    act(lambda: v.assign(6.0, read_value=False))
    assert v.numpy() == 6.0
    assert in_replicas(two, v) == [3.0, 3.0]
    for change in (lambda: v.assign_add(1.0, read_value=False), lambda: v.assign_sub(1.0, read_value=False)):
        with pytest.raises(
            ValueError, match="does not support `assign_add` in cross-replica context when aggregation is set to SUM"
        ):
            act(change)
    assert v.numpy() == 6.0


@pytest.mark.parametrize(("aggregation", "expected"), [(MEAN, 2.5), (FIRST, 2.0)])
def test_a_mean_or_a_first_value_is_added_to_on_every_replica(
    two: MirroredStrategy, aggregation: Any, expected: float
) -> None:
    v = variable(two, 0.0, READ, aggregation)
    two.run(lambda: v.assign(rid() + 1.0))
    with two.scope():
        v.assign_add(1.0)
    assert v.numpy() == expected


def test_reading_without_aggregation_across_replicas_is_refused(two: MirroredStrategy) -> None:
    v = variable(two, 0.0, READ, NONE)
    two.run(lambda: v.assign(rid() + 1.0))
    assert in_replicas(two, v) == [1.0, 2.0]
    with pytest.raises(ValueError, match="aggregation NONE"):
        v.numpy()
    with two.scope(), pytest.raises(ValueError, match="aggregation NONE"):
        v.read_value()
    with two.scope():
        v.assign(4.0)
    assert in_replicas(two, v) == [4.0, 4.0]


def test_integers_are_summed_exactly(two: MirroredStrategy) -> None:
    v = variable(two, np.int64(0), READ, SUM)
    n = variable(two, 0, WRITE, SUM)

    def step() -> None:
        i = tf.cast(rid(), tf.int64)
        v.assign_add(i + tf.constant(2**40, tf.int64))
        n.assign_add(tf.cast(i, tf.int32) + 1)

    two.run(step)
    assert (v.numpy(), v.numpy().dtype) == (2**41 + 1, np.int64)
    assert (n.numpy(), n.numpy().dtype) == (3, np.int32)
    v.assign(7)  # an odd number: nothing of it is lost in the parts
    assert v.numpy() == 7


@pytest.mark.parametrize("devices", [["CPU:0"], ["CPU:0", "CPU:1"]])
@pytest.mark.parametrize("synchronization", [READ, WRITE])
def test_the_mean_of_integers_is_refused_when_a_mirrored_variable_is_made(
    devices: list[str], synchronization: Any
) -> None:
    with pytest.raises(ValueError, match="aggregation MEAN needs a float dtype"):
        variable(MirroredStrategy(devices), 1, synchronization, MEAN)


@pytest.mark.parametrize("strategy", [tf.distribute.get_strategy(), tf.distribute.OneDeviceStrategy("CPU:0")])
@pytest.mark.parametrize("synchronization", [READ, WRITE])
def test_the_mean_of_integers_is_the_value_where_nothing_is_mirrored(strategy: Any, synchronization: Any) -> None:
    v = variable(strategy, 1, synchronization, MEAN)
    strategy.run(lambda: v.assign_add(2))
    assert (v.numpy(), v.numpy().dtype) == (3, np.int32)


def test_a_mean_keeps_float64(two: MirroredStrategy) -> None:
    for synchronization in (READ, WRITE):
        v = variable(two, np.float64(0), synchronization, MEAN)
        two.run(lambda v=v: v.assign(tf.cast(rid(), tf.float64) * 1e-12 + 1.0))
        assert v.numpy() == np.mean([1.0, 1.0 + 1e-12])


def test_the_first_replicas_integer_or_boolean_is_taken(two: MirroredStrategy) -> None:
    n, flag = variable(two, 0, WRITE, FIRST), variable(two, False, WRITE, FIRST)

    def step() -> None:
        n.assign(5 - tf.cast(rid(), tf.int32))
        flag.assign(rid() < 0.5)

    two.run(step)
    assert n.numpy() == 5
    assert bool(flag.numpy()) is True


def test_scatter_follows_the_rules_of_tensorflow(two: MirroredStrategy) -> None:
    def rows(values: Any) -> Any:
        return tf.IndexedSlices(tf.constant(values), tf.constant([1]))

    summed = variable(two, [1.0, 1.0], WRITE, SUM)
    two.run(lambda: summed.scatter_add(rows([1.0])))
    assert summed.numpy().tolist() == [1.0, 3.0]  # both replicas' rows
    two.run(lambda: summed.scatter_sub(tf.IndexedSlices(rid()[None] + 1.0, tf.cast(rid()[None], tf.int32))))
    assert summed.numpy().tolist() == [0.0, 1.0]
    two.run(lambda: summed.scatter_mul(rows([3.0])))
    assert summed.numpy().tolist() == [0.0, 9.0]
    with two.scope():
        summed.scatter_div(rows([3.0]))
    assert summed.numpy().tolist() == [0.0, 3.0]
    mean = variable(two, [1.0, 1.0], WRITE, MEAN)
    two.run(lambda: mean.scatter_nd_add([[1]], rid()[None] + 1.0))
    assert mean.numpy().tolist() == [1.0, 2.5]
    diverging = variable(two, [1.0, 1.0], WRITE, NONE)
    with pytest.raises(ValueError, match="would get a different value on every replica"):
        two.run(lambda: diverging.scatter_add(tf.IndexedSlices(rid()[None], [0])))
    for method in ("scatter_min", "scatter_max", "scatter_update"):
        for aggregation in (SUM, MEAN):
            with pytest.raises(NotImplementedError, match="need aggregation NONE or ONLY_FIRST_REPLICA"):
                getattr(variable(two, [1.0, 1.0], WRITE, aggregation), method)(rows([0.0]))
        for aggregation in (NONE, FIRST):
            v = variable(two, [1.0, 1.0], WRITE, aggregation)
            getattr(v, method)(rows([5.0]))
    with pytest.raises(NotImplementedError, match="no scatter methods"):
        variable(two, [1.0, 1.0], READ, SUM).scatter_add(rows([1.0]))


def test_without_a_strategy_every_aggregation_has_every_scatter_method_also_after_a_step(two: MirroredStrategy) -> None:
    v = tf.Variable([1.0, 1.0], aggregation=SUM)
    two.run(lambda: v * 1.0)
    v.scatter_update(tf.IndexedSlices(tf.constant([5.0]), tf.constant([1])))
    assert v.numpy().tolist() == [1.0, 5.0]


def test_a_variable_from_outside_of_the_scope_is_not_assigned_in_replicas(two: MirroredStrategy) -> None:
    v = tf.Variable(1.0, name="stray")
    assert [float(x) for x in two.run(lambda: v * 2.0).values] == [2.0, 2.0]
    for change in (lambda: v.assign(3.0, read_value=False), lambda: v.assign_add(1.0, read_value=False)):
        with pytest.raises(
            RuntimeError, match=r"stray.* was created outside of strategy.scope\(\) and is assigned inside strategy.run"
        ):
            two.run(change)
    assert v.numpy() == 1.0


def test_on_one_replica_a_variable_from_outside_is_assigned() -> None:
    one = MirroredStrategy(["CPU:1"])
    v = tf.Variable(1.0)
    one.run(lambda: v.assign_add(1.0))
    assert v.numpy() == 2.0


def test_every_replica_has_its_copy_on_its_device(two: MirroredStrategy) -> None:
    v = variable(two, 2.0, WRITE, NONE)
    result = two.run(lambda: v.read_value())
    assert [x.device for x in result.values] == list(two.mesh.devices)
    assert v.read_value().devices() == {two.mesh.devices[0]}


def test_unseeded_random_initial_values_are_the_same_on_all_replicas(two: MirroredStrategy) -> None:
    with two.scope():
        layer = tf.keras.layers.Dense(3)
        layer.build((None, 4))
    first, second = two.run(lambda: layer.kernel.value).values
    assert np.array_equal(first, second)


def test_a_value_held_by_the_program_survives_the_next_steps(two: MirroredStrategy) -> None:
    v, s = variable(two, 1.0, WRITE, SUM), variable(two, 1.0, READ, SUM)

    def step() -> Any:
        v.assign_add(1.0)
        s.assign_add(1.0)
        return v.read_value()

    old, old_sum = v.read_value(), s.read_value()
    returned = two.run(step)
    two.run(step)
    assert (float(old), float(old_sum)) == (1.0, 2.0)
    assert [float(x) for x in returned.values] == [3.0, 3.0]
    assert (v.numpy(), s.numpy()) == (5.0, 6.0)


def test_a_running_total_of_reduced_values_needs_no_care(two: MirroredStrategy) -> None:
    total, count = 0.0, tf.Variable(0.0)
    for i in range(3):
        result = two.run(lambda x: x * (rid() + 1.0), args=(tf.constant(float(i)),))
        total += two.reduce("SUM", result, axis=None)
        count.assign_add(two.reduce("MEAN", result, axis=None))
    assert float(total) == 9.0
    assert count.numpy() == 4.5


def test_its_text_says_what_it_is(two: MirroredStrategy) -> None:
    v = variable(two, 2.0, WRITE, NONE, name="weight")
    assert "weight" in repr(v)
    assert "2." in repr(v)
    assert "float32" in repr(v)


def test_a_replica_assigns_in_a_branch_of_its_own_within_one_of_all(two: MirroredStrategy) -> None:
    """Measured on TensorFlow 2.15.1."""
    v = variable(two, [1.0, 0.5], READ, SUM)

    def replica() -> Any:
        def yes() -> Any:
            v.assign_add(v)
            return rid()

        def no() -> Any:
            v.assign([4.0, 5.0])
            return rid()

        return tf.cond(rid() > 0.0, yes, no)

    @tf.function
    def step() -> Any:
        def yes() -> Any:
            two.run(replica)
            return tf.reduce_sum(v)

        return tf.cond(tf.reduce_sum(v) < 100.0, yes, lambda: tf.reduce_sum(v))

    assert float(step()) == 12.0
    assert in_replicas(two, v) == [[4.0, 5.0], [2.0, 1.0]]
