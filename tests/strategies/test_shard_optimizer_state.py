"""shard_optimizer_state: replicas keep shards of an optimizer's slots, and everything else is as without."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stratagem as tf
from stratagem._base.errors import DivergenceError
from stratagem._core.values import ShardLayout
from tests.thorough import thorough_but

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

optimizers = keras.optimizers
STEPS, ROWS = 20, 8
X = np.random.default_rng(0).normal(size=(STEPS, ROWS, 5))


def replicas(count: int, *, sharded: bool) -> Any:
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)], shard_optimizer_state=sharded)


class Training:
    """A linear model with a matrix (5, 3), a vector (3,) and a scalar, and its steps.

    apply: what a replica does with the gradients. kernel: options of the matrix.
    """

    def __init__(
        self, strategy: Any, make: Callable[[], Any], apply: Callable[..., Any] | None = None, **kernel: Any
    ) -> None:
        self.strategy = strategy
        start = np.random.default_rng(1).normal(size=(5, 3))
        with strategy.scope():
            self.weights = [
                tf.Variable(start, name="matrix", **kernel),
                tf.Variable(np.ones(3), name="vector"),
                tf.Variable(np.float64(0.5), name="scalar"),
            ]
            self.optimizer = make()
            self.optimizer.build(self.weights)
        apply = apply or (lambda optimizer, pairs: optimizer.apply_gradients(pairs))

        def replica(x: Any) -> Any:
            matrix, vector, scalar = self.weights
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(tf.sin(x @ matrix) * scalar - vector)) / ROWS
            apply(self.optimizer, list(zip(tape.gradient(loss, self.weights), self.weights, strict=True)))
            return loss

        self.replica = replica
        self.step = tf.function(lambda x: strategy.reduce("SUM", strategy.run(replica, args=(x,)), axis=None))

    def run(self, batches: np.ndarray = X, rows: int = ROWS) -> "Training":
        data = tf.data.Dataset.from_tensor_slices(batches.reshape(-1, 5)).batch(rows)
        for batch in self.strategy.experimental_distribute_dataset(data):
            self.step(batch)
        return self

    @property
    def state(self) -> list[np.ndarray]:
        return [v.numpy() for v in (*self.weights, *self.optimizer.variables)]


def assert_equal(found: Training, wanted: Training) -> None:
    """In float64, where XLA may round an expression once in place of twice, and add norms up in another order."""
    for a, b in zip(found.state, wanted.state, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


MAKE: dict[str, Callable[[], Any]] = {
    "Adam": lambda: optimizers.Adam(0.05),
    "momentum": lambda: optimizers.SGD(0.05, 0.9, nesterov=True),
    "clipvalue": lambda: optimizers.Adam(0.05, clipvalue=0.01),
    "clipnorm": lambda: optimizers.Adam(0.05, clipnorm=0.1),
    "global_clipnorm": lambda: optimizers.Adam(0.05, global_clipnorm=0.1),
    "AdamW, average": lambda: optimizers.AdamW(0.05, weight_decay=0.1, use_ema=True, ema_overwrite_frequency=3),
    "accumulated": lambda: optimizers.Adam(0.05, gradient_accumulation_steps=3),
    "loss scale": lambda: optimizers.LossScaleOptimizer(optimizers.Adam(0.05), initial_scale=1.0),
    "Lamb": lambda: optimizers.Lamb(0.05),
    "Adafactor": lambda: optimizers.Adafactor(0.05),
    "Muon": lambda: optimizers.Muon(0.05),
}


QUICK = ("Adam", "global_clipnorm", "AdamW, average", "loss scale", "Muon")


@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(QUICK, MAKE))
def test_weights_and_slots_are_those_without_after_twenty_steps(name: str) -> None:
    # Four replicas leave zeros behind the fifteen elements of the matrix, and one replica has none of the vector's three.
    found, wanted = (Training(replicas(4, sharded=s), MAKE[name]).run() for s in (True, False))
    assert_equal(found, wanted)
    assert found.step.experimental_get_tracing_count() == 1


def test_each_device_has_its_share_of_the_slots_and_users_see_whole_ones() -> None:
    made = Training(replicas(4, sharded=True), MAKE["Adam"])
    # Private: what a variable stores.
    stored = [v._value for v in made.optimizer.variables if v.shape.rank]
    assert [sorted(s.data.shape for s in array.addressable_shards) for array in stored] == [
        *[[(1, 4)] * 4] * 2,
        *[[(1, 1)] * 4] * 2,
    ]
    assert all(len({s.device for s in array.addressable_shards}) == 4 for array in stored)
    slot = made.optimizer.variables[2]
    assert slot.shape == slot.numpy().shape == slot.values[3].numpy().shape == (5, 3)


def test_reading_and_assigning_a_slot_is_as_without() -> None:
    made = Training(replicas(4, sharded=True), MAKE["momentum"])
    slot, value = made.optimizer.momentums[0], np.arange(15.0).reshape(5, 3)
    slot.assign(value)
    np.testing.assert_array_equal(slot.numpy(), value)

    def replica() -> Any:
        before = tf.identity(slot)
        slot.assign_add(tf.ones_like(slot))
        slot.assign(tf.cond(before[0, 0] < 1.0, lambda: slot * 2.0, lambda: slot + 0.0))
        return before, tf.identity(slot)

    @tf.function
    def step() -> Any:
        return made.strategy.run(replica), tf.reduce_sum(slot)

    (before, after), total = step()
    for found, wanted in ((before, value), (after, (value + 1) * 2)):
        assert len(found.values) == 4
        for one in found.values:
            np.testing.assert_array_equal(one, wanted)
    np.testing.assert_array_equal(slot.numpy(), (value + 1) * 2)
    assert float(total) == float(((value + 1) * 2).sum())


@pytest.mark.parametrize("what", ["assigned", "not summed", "another rate", "replica's id"])
def test_what_would_differ_between_replicas_is_refused(what: str) -> None:
    made = Training(replicas(2, sharded=True), MAKE["momentum"])

    class Scaled(optimizers.SGD):  # type: ignore[misc]
        """Scales gradients by a number that every replica has another one of."""

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            replica = tf.distribute.get_replica_context().replica_id_in_sync_group
            number = tf.cast(replica, variable.dtype) if what == "replica's id" else numbers[0]
            super().update_step(gradient * number, variable, learning_rate)

    numbers: list[Any] = []
    with made.strategy.scope():
        scaled = Scaled(0.1, 0.5)
        scaled.build(made.weights)

    def replica(x: Any) -> None:
        if what in ("another rate", "replica's id"):
            numbers[:] = [tf.reduce_sum(x)]
            scaled.apply_gradients([(x[:, :3], made.weights[0])])
        elif what == "assigned":
            made.optimizer.momentums[1].assign(x[0, :3])
        else:
            made.optimizer.apply_gradients([(x[:, :3], made.weights[0])], skip_gradients_aggregation=True)

    (batch,) = made.strategy.experimental_distribute_dataset(
        tf.data.Dataset.from_tensor_slices(X.reshape(-1, 5)[:10]).batch(10)
    )
    with pytest.raises(
        DivergenceError, match=r"test_shard_optimizer_state.py:\d+: .* different value on every replica"
    ):
        made.strategy.run(replica, args=(batch,))


def applied_in_a_branch(optimizer: Any, pairs: Any) -> None:
    tf.cond(optimizer.iterations >= 0, lambda: optimizer.apply_gradients(pairs), lambda: optimizer.iterations)


def applied_in_cross_replica_code(optimizer: Any, pairs: Any) -> None:
    def merged(strategy: Any, gradients: Any) -> None:
        optimizer.apply(
            strategy.extended.batch_reduce_to("SUM", [(g, v) for g, (_, v) in zip(gradients, pairs, strict=True)])
        )

    tf.distribute.get_replica_context().merge_call(merged, args=([g for g, _ in pairs],))


def applied_after_a_sum(optimizer: Any, pairs: Any) -> None:
    sums = tf.distribute.get_replica_context().all_reduce("SUM", [g for g, _ in pairs])
    optimizer.apply_gradients(
        [(g, v) for g, (_, v) in zip(sums, pairs, strict=True)], experimental_aggregate_gradients=False
    )


@pytest.mark.sampled
@pytest.mark.parametrize("apply", [applied_in_a_branch, applied_in_cross_replica_code, applied_after_a_sum])
def test_gradients_may_be_applied_anywhere(apply: Callable[..., Any]) -> None:
    found = Training(replicas(2, sharded=True), MAKE["Adam"], apply).run(X[:3])
    assert_equal(found, Training(replicas(2, sharded=False), MAKE["Adam"], apply).run(X[:3]))


def test_uneven_batches_and_steps_that_run_as_python() -> None:
    for eagerly in (False, True):
        tf.config.run_functions_eagerly(eagerly)
        try:
            found, wanted = (Training(replicas(2, sharded=s), MAKE["global_clipnorm"]) for s in (True, False))
            for made in (found, wanted):
                made.run(X[:2, :7], rows=7 if eagerly else 5)
        finally:
            tf.config.run_functions_eagerly(False)
        assert_equal(found, wanted)


def test_a_step_whose_loss_is_infinite_is_left_out_with_a_loss_scale() -> None:
    batches = X[:3].copy()
    batches[1, 0, 0] = np.inf
    found, wanted = (Training(replicas(2, sharded=s), MAKE["loss scale"]).run(batches) for s in (True, False))
    assert_equal(found, wanted)
    assert np.isfinite(found.state[0]).all()
    assert float(found.optimizer.dynamic_scale) == 0.5


class Centred(keras.constraints.Constraint):  # type: ignore[misc]
    """Columns with the mean 0: no operation on elements."""

    def __call__(self, w: Any) -> Any:
        return w - keras.ops.mean(w, axis=0, keepdims=True)


def test_constraints_see_whole_weights() -> None:
    found, wanted = (
        Training(replicas(4, sharded=s), MAKE["Adam"], constraint=Centred()).run(X[:3]) for s in (True, False)
    )
    assert_equal(found, wanted)
    np.testing.assert_allclose(found.state[0].mean(axis=0), 0, atol=1e-12)


class Odd(optimizers.Optimizer):  # type: ignore[misc]
    """Of a user's own, with all kinds of operations: sorts, cumulative sums, noise, loops, branches, maxima, prints."""

    def __init__(self) -> None:
        super().__init__(learning_rate=0.05)

    def build(self, variables: list[Any]) -> None:
        super().build(variables)
        self.states = self.add_optimizer_variables(variables, "state", initializer="ones")

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        state = self.states[self._get_variable_index(variable)]
        if not gradient.shape:
            self.assign_sub(variable, gradient * 0.05)
            return
        ops = keras.ops
        rate = ops.cast(learning_rate, variable.dtype)
        flat = ops.reshape(gradient, (-1,))
        ranked = ops.reshape(ops.sort(flat), gradient.shape) + ops.reshape(ops.cumsum(flat), gradient.shape)
        largest, least = ops.max(ops.abs(gradient)), ops.min(variable)
        jax.lax.cond(largest > 1e6, lambda: jax.debug.print("{}", gradient), lambda: None)
        halved = jax.lax.while_loop(lambda g: ops.any(ops.abs(g) > 0.5), lambda g: g / 2, gradient)
        chosen = jax.lax.cond(ops.all(state > 0), lambda g: g + 0.0 * ranked, lambda g: -g, halved)
        chosen = chosen + jax.random.uniform(jax.random.key(3), gradient.shape, variable.dtype)
        self.assign(state, state * 0.9 + ops.where(gradient > 0, chosen, ops.sum(state, axis=0, keepdims=True)))
        self.assign_sub(
            variable, rate * (chosen + least * state / (1 + largest) + ops.cast(ops.argmax(flat), rate.dtype))
        )


def test_any_optimizer_is_right_and_what_needs_whole_values_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "stratagem"):
        found, wanted = (Training(replicas(4, sharded=s), Odd).run(X[:4]) for s in (True, False))
    assert_equal(found, wanted)
    (told,) = [r.getMessage() for r in caplog.records if "shard_optimizer_state" in r.getMessage()]
    assert "updates of Odd need whole values, not elements, for" in told
    assert "sort" in told


def test_gradients_in_bfloat16_are_the_same_bits() -> None:
    class Kept(optimizers.SGD):  # type: ignore[misc]
        """Keeps the sums of gradients, as they are."""

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            self.assign(self.momentums[self._get_variable_index(variable)], gradient)

    def sums(sharded: bool) -> list[np.ndarray]:
        options = tf.distribute.experimental.CommunicationOptions(gradient_dtype="bfloat16")
        strategy = tf.distribute.MultiWorkerMirroredStrategy(
            communication_options=options, shard_optimizer_state=sharded
        )
        return Training(strategy, lambda: Kept(0.1, 0.5)).run(X[:1]).state

    for a, b in zip(sums(True), sums(False), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.sampled
@pytest.mark.parametrize(("before", "after"), [(4, 1), (1, 4), (2, 4)])
def test_checkpoints_do_not_know_of_shards(before: int, after: int, tmp_path: Path) -> None:
    """One replica has no shards."""
    made = Training(replicas(before, sharded=True), MAKE["Adam"]).run(X[:2])
    path = tf.train.Checkpoint(weights=made.weights, optimizer=made.optimizer).save(str(tmp_path / "ckpt"))
    other = Training(replicas(after, sharded=True), MAKE["Adam"])
    tf.train.Checkpoint(weights=other.weights, optimizer=other.optimizer).restore(path).assert_consumed()
    for a, b in zip(other.state, made.state, strict=True):
        np.testing.assert_array_equal(a, b)
    assert_equal(other.run(X[2:4]), made.run(X[2:4]))


def fitted(sharded: bool, **options: Any) -> Any:
    keras.utils.set_random_seed(0)
    with replicas(2, sharded=sharded).scope():
        model = keras.Sequential([keras.layers.Input((5,)), keras.layers.Dense(3, dtype="float64")])
        model.compile(optimizers.Adam(0.05), "mse", **options)
    model.fit(X.reshape(-1, 5)[:20], X.reshape(-1, 5)[:20, :3], batch_size=6, epochs=2, shuffle=False, verbose=0)
    return model


def test_fit_and_files_of_models(tmp_path: Path) -> None:
    found, wanted = (fitted(s, steps_per_execution=3) for s in (True, False))  # the last batch has two rows
    for a, b in zip(found.get_weights(), wanted.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    found.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    for a, b in zip(loaded.optimizer.variables, found.optimizer.variables, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_an_element_of_a_slot_that_is_not_finite_stops_training_but_not_what_lies_behind_the_last_one() -> None:
    strategy = replicas(2, sharded=True)
    strategy.non_finite = "stop"
    # Zeros behind the fifteen elements become NaN in its update.
    made = Training(strategy, lambda: optimizers.RMSprop(0.05, momentum=0.5, epsilon=0.0)).run(X[:3])
    slot = made.optimizer._momentums[0]
    value = np.zeros((5, 3))
    value[4, 2] = np.inf  # in the second replica's shard
    slot.assign(value)
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"are not finite.*{slot.path}"):
        made.run(X[:3])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 5), max_size=3), st.integers(1, 8))
def test_a_value_is_joined_of_its_shards(shape: list[int], count: int) -> None:
    value = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    layout = ShardLayout(tuple(shape), count)
    shards = layout.cut(value)
    assert shards.shape == (count, layout.length)
    assert layout.filled == shards.size - value.size < max(count, 1)
    np.testing.assert_array_equal(layout.joined(shards), value)
    np.testing.assert_array_equal(layout.cut_in_program(value), shards)
