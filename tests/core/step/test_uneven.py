"""Uneven batches: the same update, loss and metric as one device computes from the same examples."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import DivergenceError, InvalidArgumentError, UnimplementedError
from stratagem._core.values import Separate, per_replica
from tests.core.step.observing import compilations, cuts_made, programs_made
from tests.thorough import thorough_but

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

FEATURES = 3
LAYOUTS = [[3, 2], [2, 2, 1], [1, 0, 0], [3, 2, 0], [20, 2]]


def mirrored(replicas: int) -> Any:
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])


def batch(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, FEATURES)), rng.normal(size=(rows, 1))


def split(strategy: Any, values: np.ndarray, layout: Sequence[int]) -> Any:
    """The rows, dealt out to the replicas."""
    return per_replica(np.split(values, np.cumsum(layout)[:-1]), strategy.mesh)


class Training:
    """A float64 model with everything that reduces: loss, regularization, optimizer, metrics."""

    def __init__(self, strategy: Any, optimizer: str = "Adam") -> None:
        self.strategy = strategy
        with strategy.scope():
            self.model = keras.Sequential(
                [
                    keras.Input((FEATURES,), dtype="float64"),
                    keras.layers.Dense(4, "tanh", kernel_regularizer=keras.regularizers.L2(0.01), dtype="float64"),
                    keras.layers.Dense(1, dtype="float64"),
                ]
            )
            for i, v in enumerate(self.model.variables):
                v.assign(np.random.default_rng(i).normal(size=v.shape))
            self.optimizer = getattr(keras.optimizers, optimizer)(0.05)
            self.metrics = [keras.metrics.MeanSquaredError(dtype="float64"), keras.metrics.Mean(dtype="float64")]

    def replica(self, x: Any, y: Any, size: Any) -> Any:
        with tf.GradientTape() as tape:
            predicted = self.model(x, training=True)
            per_example = tf.reduce_sum((predicted - y) ** 2, axis=1)
            loss = tf.nn.compute_average_loss(per_example, global_batch_size=size)
            loss += tf.nn.scale_regularization_loss(tf.add_n(self.model.losses))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables, strict=True))
        self.metrics[0].update_state(y, predicted)
        self.metrics[1].update_state(per_example)
        return loss

    def step(self, layout: Sequence[int], seed: int) -> float:
        x, y = batch(sum(layout), seed)
        rows = [split(self.strategy, v, layout) for v in (x, y)]
        losses = self.strategy.run(self.replica, args=(*rows, sum(layout)))
        return float(self.strategy.reduce("SUM", losses, axis=None))

    def state(self) -> list[np.ndarray]:
        variables = [*self.model.variables, *self.optimizer.variables]
        return [*(v.numpy() for v in variables), *(np.asarray(m.result()) for m in self.metrics)]


@pytest.mark.parametrize("layout", thorough_but([[1, 0, 0]], LAYOUTS), ids=str)
def test_trains_as_one_device_does(layout: list[int]) -> None:
    several, one = Training(mirrored(len(layout))), Training(mirrored(1))
    even = [2] * len(layout)
    for seed, rows in enumerate([layout, even, layout, even]):
        assert several.step(rows, seed) == pytest.approx(one.step([sum(rows)], seed), rel=1e-9)
    for a, b in zip(several.state(), one.state(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_an_uneven_step_compiles_once() -> None:
    training = Training(mirrored(2), "SGD")
    training.step([3, 2], 0)
    with compilations() as compiled:
        for seed in range(3):
            training.step([3, 2], seed)
    assert compiled == []


@pytest.mark.sampled
@pytest.mark.parametrize("compiled", [False, True], ids=["run", "tf.function"])
def test_an_uneven_end_is_traced_once_for_each_number_of_rows(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more program: two traces, because the last batch gives the replicas 2 rows and 1. Later epochs find both ready."""
    training = Training(mirrored(2), "SGD")
    data = tf.data.Dataset.from_tensor_slices(batch(11, 0)).batch(4)
    batches = training.strategy.experimental_distribute_dataset(data)

    def step(x: Any, y: Any) -> Any:
        return training.strategy.run(training.replica, args=(x, y, 4))

    step = tf.function(step) if compiled else step
    traces, programs = programs_made(monkeypatch), cuts_made(monkeypatch)
    for rows in batches:
        step(*rows)
    assert (len(traces), len(programs)) == (3, 1)
    with compilations() as again:
        for _ in range(2):
            for rows in batches:
                step(*rows)
    assert (len(traces), len(programs), again) == (3, 1, [])


def test_without_a_global_batch_size_every_replica_averages_over_its_own_rows() -> None:
    """As in TF: divided by the replica's rows times the replicas, so that rows of a short replica weigh more."""
    strategy, layout = mirrored(3), [3, 1, 0]
    with strategy.scope():
        w = tf.Variable(np.ones(FEATURES))
    x, _ = batch(4, 0)

    def replica(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(tf.reduce_sum(x * w, axis=1))
        return loss, tape.gradient(loss, w)

    losses, slopes = strategy.run(replica, args=(split(strategy, x, layout),))
    for loss, slope, rows in zip(losses.values, slopes.values, np.split(x, [3, 4]), strict=True):
        np.testing.assert_allclose(slope, rows.sum(0) / max(3 * len(rows), 1), rtol=1e-12)
        np.testing.assert_allclose(loss, rows.sum() / max(3 * len(rows), 1), rtol=1e-12)


def test_nested_functions_and_two_orders_of_gradients() -> None:
    """A tf.function in the replica function, with a collective of its own, differentiated twice."""
    strategy, layout = mirrored(3), [3, 2, 0]
    with strategy.scope():
        w = tf.Variable(np.float64(0.5))
    x, _ = batch(5, 0)

    @tf.function
    def shared(total: Any) -> Any:
        return tf.distribute.get_replica_context().all_reduce("SUM", total)

    @tf.function
    def cubes(x: Any) -> Any:
        return tf.reduce_sum((x * w) ** 3)

    def replica(x: Any) -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                value = cubes(x)
            slope = inner.gradient(value, w)
        return shared(value), shared(slope), shared(outer.gradient(slope, w))

    found = strategy.run(replica, args=(split(strategy, x, layout),))
    sums = (x**3).sum() * np.array([0.5**3, 3 * 0.5**2, 6 * 0.5])
    for values, expected in zip(found, sums, strict=True):
        np.testing.assert_allclose([float(v) for v in values.values], [expected] * 3, rtol=1e-12)


def test_dropout_is_what_one_device_computes_with_the_same_masks() -> None:
    """Masks are drawn a replica, so one device would draw others; given those that were drawn, all is the same."""
    strategy, layout = mirrored(3), [40, 20, 0]
    with strategy.scope():
        w = tf.Variable(np.ones(FEATURES))
        dropout = keras.layers.Dropout(0.5, dtype="float64", seed=3)
    x = np.ones([60, FEATURES])

    def replica(x: Any) -> Any:
        with tf.GradientTape() as tape:
            kept = dropout(x, training=True)
            loss = tf.nn.compute_average_loss(tf.reduce_sum((kept * w) ** 2, axis=1), global_batch_size=60)
        total = tf.distribute.get_replica_context().all_reduce("SUM", tape.gradient(loss, w))
        w.assign_sub(0.25 * total)
        return kept

    kept = strategy.run(replica, args=(split(strategy, x, layout),))
    masks = np.asarray(strategy.gather(kept, axis=0))
    assert set(np.unique(masks)) == {0.0, 2.0}
    assert 0.3 < masks.mean() / 2 < 0.7
    assert not np.array_equal(masks[:20], masks[40:])  # another mask on every replica
    np.testing.assert_allclose(w.numpy(), 1.0 - 0.25 * 2 * (masks**2).sum(0) / 60, rtol=1e-12)


@pytest.mark.sampled
@pytest.mark.parametrize("axis", [0, 1])
def test_all_gather_of_uneven_values(axis: int) -> None:
    """Along the axis that differs, every replica gets all rows; its gradient goes back to the replica that gave them."""
    strategy = mirrored(3)
    x, _ = batch(5, 0)
    pieces = [np.moveaxis(p, 0, axis) for p in np.split(x, [3, 5])]

    def replica(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            every = tf.distribute.get_replica_context().all_gather(x, axis=axis)
            loss = tf.reduce_sum(every**2)
        return every, tape.gradient(loss, x)

    every, slopes = strategy.run(replica, args=(per_replica(pieces, strategy.mesh),))
    for value, slope, piece in zip(every.values, slopes.values, pieces, strict=True):
        np.testing.assert_array_equal(value, np.moveaxis(x, 0, axis))
        np.testing.assert_allclose(slope, 2 * piece * 3, rtol=1e-12)  # the sum of all replicas' losses


def test_gathering_what_differs_in_another_dimension_is_refused() -> None:
    strategy = mirrored(2)
    x, _ = batch(5, 0)
    with pytest.raises(
        InvalidArgumentError, match=r"gather along axis 1: the values may differ in that dimension only"
    ):
        strategy.run(
            lambda x: tf.distribute.get_replica_context().all_gather(x, axis=1), args=(split(strategy, x, [3, 2]),)
        )


def test_reducing_no_rows_anywhere_is_nothing() -> None:
    """As in TF: a sum of nothing is 0, a mean of nothing NaN; the mean of integers is a float."""
    strategy = mirrored(2)
    nothing = per_replica([np.zeros([0, FEATURES])] * 2, strategy.mesh)
    np.testing.assert_array_equal(strategy.reduce("SUM", nothing, axis=0), np.zeros(FEATURES))
    assert np.isnan(strategy.reduce("MEAN", nothing, axis=0)).all()
    counts = per_replica([np.array([1, 2, 4], np.int32), np.zeros([0], np.int32)], strategy.mesh)
    assert float(strategy.reduce("MEAN", counts, axis=0)) == pytest.approx(7 / 3, rel=1e-6)


def test_an_error_of_the_users_code_names_the_replica() -> None:
    strategy = mirrored(3)
    x, _ = batch(2, 0)

    def replica(x: Any) -> Any:
        if x.shape[0] == 0:
            raise ValueError("a share of nothing")
        return tf.reduce_sum(x)

    with pytest.raises(ValueError, match="a share of nothing") as caught:
        strategy.run(replica, args=(split(strategy, x, [2, 0, 0]),))
    notes = [note for note in caught.value.__notes__ if "replica 1 of 3 on an uneven batch" in note]
    assert len(notes) == 1
    assert "drop_remainder=True" in notes[0]


def test_copies_stay_equal_to_the_last_bit() -> None:
    training = Training(mirrored(3))
    for seed in range(3):
        training.step([3, 2, 0], seed)
    for v in training.model.trainable_variables:
        copies = [np.asarray(s.data) for s in v._value.addressable_shards]
        assert all(np.array_equal(copies[0], c) for c in copies[1:])


def test_results_have_their_own_rows() -> None:
    strategy = mirrored(3)
    x, _ = batch(5, 0)
    result = strategy.run(lambda x: {"x": x * 2, "rows": tf.shape(x)[0], "n": 1}, args=(split(strategy, x, [3, 2, 0]),))
    assert isinstance(result["x"], Separate)
    assert [v.shape for v in result["x"].values] == [(3, FEATURES), (2, FEATURES), (0, FEATURES)]
    assert [int(v) for v in result["rows"].values] == [3, 2, 0]
    assert result["n"] == 1
    np.testing.assert_array_equal(strategy.gather(result["x"], axis=0), x * 2)
    np.testing.assert_allclose(strategy.reduce("SUM", result["x"], axis=0), x.sum(0) * 2)
    np.testing.assert_allclose(strategy.reduce("MEAN", result["x"], axis=0), x.mean(0) * 2)


def test_all_reduce_between_local_computations() -> None:
    """Two collectives that depend on each other, with local work between them: the mean, then the variance."""
    strategy = mirrored(3)
    x, _ = batch(5, 0)

    def replica(x: Any) -> Any:
        context = tf.distribute.get_replica_context()
        rows = context.all_reduce("SUM", tf.cast(tf.shape(x)[0], x.dtype))
        mean = context.all_reduce("SUM", tf.reduce_sum(x, axis=0)) / rows
        variance = context.all_reduce("SUM", tf.reduce_sum((x - mean) ** 2, axis=0)) / rows
        return mean, variance, (x - mean) / tf.sqrt(variance)

    mean, variance, normal = strategy.run(replica, args=(split(strategy, x, [3, 2, 0]),))
    for value in mean.values:
        np.testing.assert_allclose(value, x.mean(0), rtol=1e-12)
    for value in variance.values:
        np.testing.assert_allclose(value, x.var(0), rtol=1e-12)
    np.testing.assert_allclose(strategy.gather(normal, axis=0), (x - x.mean(0)) / x.std(0), rtol=1e-9)


def test_replica_ids_are_right_in_every_part() -> None:
    strategy = mirrored(3)
    x, _ = batch(5, 0)

    def replica(x: Any) -> Any:
        return tf.distribute.get_replica_context().replica_id_in_sync_group + tf.shape(x)[0] * 10

    found = strategy.run(replica, args=(split(strategy, x, [2, 1, 2]),))
    assert [int(v) for v in found.values] == [20, 11, 22]


def test_batch_statistics_survive_replicas_without_rows() -> None:
    strategy = mirrored(2)
    with strategy.scope():
        layer = keras.layers.BatchNormalization()
        layer.build((None, FEATURES))
    x = batch(2, 0)[0].astype("float32")
    strategy.run(lambda x: layer(x, training=True), args=(split(strategy, x, [2, 0]),))
    assert all(np.isfinite(v.numpy()).all() for v in layer.variables)


def test_a_collective_in_a_loop_is_refused() -> None:
    strategy = mirrored(2)
    x, _ = batch(5, 0)

    def replica(x: Any) -> Any:
        def reduced(value: Any) -> Any:
            return tf.distribute.get_replica_context().all_reduce("SUM", value)

        return tf.while_loop(lambda i, t: i < 2, lambda i, t: (i + 1, reduced(t)), [0, tf.reduce_sum(x)])[1]

    assert len(strategy.run(replica, args=(split(strategy, x[:4], [2, 2]),)).values) == 2
    with pytest.raises(UnimplementedError, match=r"inside a `while`.*works on even batches only.*Move it out"):
        strategy.run(replica, args=(split(strategy, x, [3, 2]),))


@pytest.mark.parametrize("limit", [-1e9, 1e9])
def test_a_collective_in_a_branch_that_all_replicas_take_alike(limit: float) -> None:
    strategy = mirrored(2)
    x, _ = batch(5, 0)

    def replica(x: Any) -> Any:
        context = tf.distribute.get_replica_context()
        total = tf.reduce_sum(x)
        everything = context.all_reduce("SUM", total)
        return tf.cond(everything > limit, lambda: context.all_reduce("SUM", total * total), lambda: total)

    parts = [float(x[:3].sum()), float(x[3:].sum())]
    expected = [sum(p * p for p in parts)] * 2 if limit < 0 else parts
    found = strategy.run(replica, args=(split(strategy, x, [3, 2]),)).values
    assert [float(v) for v in found] == pytest.approx(expected, rel=1e-6)


def test_an_all_reduce_of_rows_is_refused() -> None:
    strategy = mirrored(2)
    x, _ = batch(5, 0)

    def replica(x: Any) -> Any:
        return tf.distribute.get_replica_context().all_reduce("SUM", x)

    with pytest.raises(
        InvalidArgumentError, match=r"collective 0 differs between replicas.*reduce over the rows first"
    ):
        strategy.run(replica, args=(split(strategy, x, [3, 2]),))


def test_another_number_of_collectives_is_refused() -> None:
    strategy = mirrored(2)
    x, _ = batch(5, 0)

    def replica(x: Any) -> Any:
        total = tf.reduce_sum(x)
        return tf.distribute.get_replica_context().all_reduce("SUM", total) if x.shape[0] > 2 else total

    with pytest.raises(InvalidArgumentError, match=r"different numbers of collectives \(1 and 0\)"):
        strategy.run(replica, args=(split(strategy, x, [3, 2]),))


def test_another_structure_of_results_is_refused() -> None:
    strategy = mirrored(2)
    x, _ = batch(5, 0)
    with pytest.raises(InvalidArgumentError, match="return different structures"):
        strategy.run(lambda x: [x] * x.shape[0], args=(split(strategy, x, [3, 2]),))


def test_other_python_values_are_refused() -> None:
    strategy = mirrored(2)
    x, _ = batch(5, 0)
    with pytest.raises(InvalidArgumentError, match=r"different Python values, 3 and 2.*tf\.shape"):
        strategy.run(lambda x: (x, x.shape[0]), args=(split(strategy, x, [3, 2]),))


def test_every_number_of_rows_is_reduced_as_it_is() -> None:
    """A number of rows is a constant, another one on every replica: in all ways to reduce it."""
    strategy = mirrored(3)
    with strategy.scope():
        added = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
        averaged = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)
    x, _ = batch(6, 0)

    def replica(x: Any) -> Any:
        rows = tf.cast(tf.shape(x)[0], tf.float32)
        added.assign_add(rows)
        averaged.assign(rows)
        return tf.distribute.get_replica_context().all_reduce("MEAN", rows), rows

    mean, rows = strategy.run(replica, args=(split(strategy, x, [3, 2, 1]),))
    assert [float(v) for v in mean.values] == [2.0] * 3
    assert (float(added), float(averaged)) == (6.0, 2.0)
    assert float(strategy.reduce("SUM", rows, axis=None)) == 6.0


def test_assigning_the_number_of_rows_is_divergence() -> None:
    strategy = mirrored(2)
    with strategy.scope():
        v = tf.Variable(0)
    x, _ = batch(5, 0)
    with pytest.raises(DivergenceError, match="depends on the number of a replica's rows"):
        strategy.run(lambda x: v.assign(x.shape[0]), args=(split(strategy, x, [3, 2]),))
    assert int(v) == 0


def test_even_batches_stay_one_program(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = cuts_made(monkeypatch)
    Training(mirrored(2), "SGD").step([2, 2], 0)
    assert cut == []
