"""Updates of variables are a few calls of the library, and give the same weights as XLA's loops."""

from collections import Counter
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._core.rewrites import rewrite_finished

# Private: how many calls a program makes shows in no result.
from stratagem._core.step.programs import _program, _repeat
from stratagem._kernels import has_kernels

pytestmark = pytest.mark.skipif(not has_kernels(), reason="there is no library of kernels here")

OPTIMIZERS = ("SGD", "RMSprop", "Adam", "AdamW", "Adadelta", "Adagrad", "Adamax", "Nadam", "Lion", "Ftrl")


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The programs that were compiled since, as they reach XLA."""
    seen: list[Any] = []

    def note(closed: Any, platform: str) -> Any:
        seen.append(rewrite_finished(closed, platform))
        return seen[-1]

    for module in (_program, _repeat):
        monkeypatch.setattr(module, "rewrite_finished", note)
    return seen


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA computes each update in loops of its own."""
    for module in (_program, _repeat):
        monkeypatch.setattr(module, "rewrite_finished", lambda closed, platform: closed)


def counts(closed: Any) -> Counter[str]:
    return Counter(eqn.primitive.name for eqn in closed.jaxpr.eqns)


def trained(optimizer: Any, steps: int = 4) -> list[np.ndarray]:
    """The weights and the optimizer's slots after some steps of a small network."""
    keras.utils.set_random_seed(3)
    model = keras.Sequential([
        keras.layers.Input((6, 6, 2)),
        keras.layers.Conv2D(5, 3, kernel_regularizer="l2", use_bias=False),  # of whose gradient rounding is all,
        keras.layers.BatchNormalization(),
        keras.layers.ReLU(),
        keras.layers.Flatten(),
        keras.layers.Dense(7),
    ])  # fmt: skip
    random = np.random.default_rng(0)
    x, y = tf.constant(random.normal(size=(8, 6, 6, 2)).astype("float32")), tf.constant(random.integers(0, 7, 8))
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True)) + sum(model.losses)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    for _ in range(steps):
        step(x, y)
    return [np.asarray(v.numpy()) for v in (*model.variables, *optimizer.variables)]


def settings() -> list[Any]:
    plain = [getattr(keras.optimizers, name) for name in OPTIMIZERS]
    sgd, adam = keras.optimizers.SGD, keras.optimizers.Adam
    return [
        *(pytest.param(lambda kind=kind: kind(0.01), id=kind.__name__) for kind in plain),
        pytest.param(lambda: sgd(0.1, momentum=0.9, nesterov=True), id="nesterov"),
        pytest.param(lambda: adam(0.01, amsgrad=True), id="amsgrad"),
        pytest.param(lambda: adam(0.01, clipnorm=0.1), id="clipped by norm"),
        pytest.param(lambda: adam(0.01, global_clipnorm=0.1), id="clipped by all norms"),
        pytest.param(lambda: sgd(0.01, clipvalue=0.01), id="clipped by value"),
        pytest.param(lambda: sgd(0.01, weight_decay=0.1), id="decay"),
        pytest.param(lambda: sgd(0.01, use_ema=True, ema_overwrite_frequency=2), id="averages"),
        pytest.param(lambda: sgd(0.01, gradient_accumulation_steps=2), id="accumulated"),
    ]


@pytest.mark.parametrize("make", settings())
def test_an_optimizer_gives_the_weights_of_its_updates_apart(make: Any, request: pytest.FixtureRequest) -> None:
    together = trained(make())
    request.getfixturevalue("apart")
    for ours, expected in zip(together, trained(make()), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name != "Ftrl"])
def test_a_step_updates_all_its_variables_in_one_call(name: str, programs: list[Any]) -> None:
    trained(getattr(keras.optimizers, name)(0.01), steps=1)
    assert counts(programs[-1])["update"] == 1
    left = [eqn for eqn in programs[-1].jaxpr.eqns if eqn.primitive.name == "assigned" and eqn.outvars[0].aval.shape]
    assert not left


def test_steps_of_one_execution_give_the_bits_of_single_steps(programs: list[Any]) -> None:
    def weights(steps: int) -> list[np.ndarray]:
        keras.utils.set_random_seed(3)
        model = keras.Sequential([keras.layers.Input((5,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
        model.compile("adam", "mse", steps_per_execution=steps)
        x = np.random.default_rng(0).normal(size=(32, 5)).astype("float32")
        model.fit(x, x[:, :2], batch_size=4, epochs=1, verbose=0, shuffle=False)
        return [np.asarray(v) for v in model.variables]

    for one, several in zip(weights(1), weights(4), strict=True):
        np.testing.assert_array_equal(one, several)
    assert all(counts(program)["update"] == 1 for program in programs)
    assert len(programs) > 1


def run(step: Any, *variables: Any, times: int = 1) -> list[np.ndarray]:
    compiled = tf.function(step)
    for _ in range(times):
        compiled()
    return [v.numpy() for v in variables]


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def test_variables_that_swap_their_values_have_the_others(programs: list[Any]) -> None:
    a, b = tf.Variable(numbers(700, seed=1)), tf.Variable(numbers(700, seed=2))
    first, second = a.numpy(), b.numpy()

    def swap() -> None:
        old = a + 0.0
        a.assign(b * 2.0)
        b.assign(old * 3.0)

    swapped = run(swap, a, b)
    np.testing.assert_array_equal(swapped[0], second * 2)
    np.testing.assert_array_equal(swapped[1], first * 3)
    assert counts(programs[-1])["update"] == 1


def test_a_variable_that_is_read_in_a_different_shape_is_read_before_it_is_written(programs: list[Any]) -> None:
    """XLA may give the same memory to a variable and its reshaped copy, which a different update of the call reads."""
    a, b = tf.Variable(numbers(64, 48, seed=1)), tf.Variable(numbers(64 * 48, seed=2))
    first, second = a.numpy(), b.numpy()

    def step() -> None:
        old = tf.reshape(a, [-1])
        a.assign(a * 2.0 + 1.0)
        b.assign(b - old * 0.5)

    new = run(step, a, b)
    np.testing.assert_allclose(new[0], first * 2 + 1, rtol=1e-6)
    np.testing.assert_allclose(new[1], second - first.reshape(-1) * 0.5, rtol=1e-6, atol=1e-7)
    assert sum(len(eqn.params["updates"]) for eqn in programs[-1].jaxpr.eqns if eqn.primitive.name == "update") == 2


def test_a_variable_may_be_assigned_twice_and_returned(programs: list[Any]) -> None:
    v = tf.Variable(numbers(300))
    before = v.numpy()

    @tf.function
    def step() -> Any:
        v.assign_add(tf.ones(300))
        v.assign(v * v)
        return v * 2.0, v

    doubled, value = step()
    np.testing.assert_allclose(v.numpy(), (before + 1) ** 2, rtol=1e-6)
    np.testing.assert_array_equal(value.numpy(), v.numpy())
    np.testing.assert_array_equal(doubled.numpy(), v.numpy() * 2)


def test_two_variables_of_one_value_are_two_arrays() -> None:
    a, b = tf.Variable(numbers(500)), tf.Variable(numbers(500, seed=4))

    def step() -> None:
        value = (a + b) * 0.5
        a.assign(value)
        b.assign(value)

    once = run(step, a, b, times=3)
    np.testing.assert_array_equal(*once)


def test_a_value_that_goes_through_unchanged_is_assigned() -> None:
    a, b = tf.Variable(numbers(500)), tf.Variable(numbers(500, seed=4))
    before = b.numpy()

    def step() -> None:
        a.assign(b)
        b.assign(b * 2.0)

    first, second = run(step, a, b)
    np.testing.assert_array_equal(first, before)
    np.testing.assert_array_equal(second, before * 2)


def test_what_no_variable_is_assigned_is_left_to_xla(programs: list[Any]) -> None:
    v = tf.Variable(numbers(300))

    @tf.function
    def step(x: Any) -> Any:
        v.assign(tf.tanh(v) * tf.reduce_sum(x))
        return x * 2.0 + 1.0

    step(tf.constant(numbers(300)))
    assert counts(programs[-1])["tanh"] == 1
    names = [eqn.params["updates"] for eqn in programs[-1].jaxpr.eqns if eqn.primitive.name == "update"]
    assert sum(map(len, names)) == 1  # the product of few elements; the sum of x is none


@pytest.mark.parametrize(("elements", "calls"), [(1 << 18, 1), ((1 << 18) + 1, 0)])
def test_large_variables_are_left_to_xla(elements: int, calls: int, programs: list[Any]) -> None:
    v = tf.Variable(np.zeros(elements, "float32"))
    run(lambda: v.assign_add(v * 0.5 + 1.0), v)
    assert counts(programs[-1])["update"] == calls


def test_many_variables_take_several_calls(programs: list[Any]) -> None:
    """Not one: it would need the gradients of all of them in memory at the same time."""
    variables = [tf.Variable(np.full(1 << 15, i, "float32")) for i in range(20)]

    def step() -> None:
        for v in variables:
            v.assign(v * 2.0 + 1.0)

    for i, value in enumerate(run(step, *variables)):
        np.testing.assert_array_equal(value, np.full(1 << 15, 2 * i + 1))
    assert counts(programs[-1])["update"] == 5


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16", "int32"])
def test_other_dtypes_are_left_to_xla(dtype: str, programs: list[Any]) -> None:
    v = tf.Variable(np.arange(300).astype("float32"), dtype=dtype)
    run(lambda: v.assign_add(v), v)
    assert counts(programs[-1])["update"] == 0
    np.testing.assert_array_equal(
        np.asarray(v.numpy(), "float32"), np.asarray(tf.cast(np.arange(300) * 2.0, dtype), "float32")
    )


def test_a_tape_around_a_step_has_its_derivatives() -> None:
    """Programs that a tape records are not changed: updates have no derivatives."""
    v = tf.Variable(numbers(300))

    @tf.function
    def step(x: Any) -> Any:
        v.assign(v * 2.0 + 1.0)
        return tf.reduce_sum(v * x)

    x = tf.constant(numbers(300, seed=2))
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = step(x)
    np.testing.assert_allclose(tape.gradient(result, x).numpy(), v.numpy(), rtol=1e-6)


def test_replicas_have_the_same_weights(programs: list[Any]) -> None:
    strategy = tf.distribute.MirroredStrategy(tf.config.list_logical_devices("CPU")[:2])
    with strategy.scope():
        v = tf.Variable(numbers(400))
        optimizer = keras.optimizers.Adam(0.1)
    before = v.numpy()

    @tf.function
    def step() -> None:
        def replica() -> None:
            with tf.GradientTape() as tape:
                context = tf.distribute.get_replica_context()
                loss = tf.reduce_sum(v * tf.cast(context.replica_id_in_sync_group + 1, tf.float32))
            optimizer.apply_gradients([(tape.gradient(loss, v), v)])

        strategy.run(replica)

    step()
    first, second = (np.asarray(value) for value in strategy.experimental_local_results(v))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, before - 0.1, atol=1e-5)
    assert counts(programs[-1])["update"] == 1


def test_a_check_that_fails_leaves_the_variables(programs: list[Any]) -> None:
    v = tf.Variable(numbers(300))
    before = v.numpy()

    @tf.function
    def step(x: Any) -> None:
        v.assign_add(v * x)
        tf.debugging.assert_less(x, 1.0)

    with pytest.raises(tf.errors.InvalidArgumentError):
        step(tf.constant(2.0))
    np.testing.assert_array_equal(v.numpy(), before)


def test_an_assignment_that_a_later_one_replaces_leaves_nothing(programs: list[Any]) -> None:
    v, w = tf.Variable(numbers(300)), tf.Variable(numbers(300, seed=3))
    before = w.numpy()

    def step() -> None:
        v.assign(w * 2.0)
        v.assign(tf.zeros(300))
        w.assign(w + 1.0)

    zeros, added = run(step, v, w)
    assert not zeros.any()
    np.testing.assert_array_equal(added, before + 1)
