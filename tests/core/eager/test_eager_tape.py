"""tf.GradientTape outside of compiled steps: TensorFlow's answers, compiled functions under it, and what it keeps."""

import contextlib
import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import jax
import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import TapeError

# Private: rules that nobody uses any more show nowhere else.
from stratagem._core.eager import _rules
from stratagem.testing import STRATEGIES
from tests.core.step.test_gradient_tape import DIFFERENT, RECORDED, REFUSED, plain
from tests.parity.tape_behaviours import BEHAVIOURS


@pytest.mark.sampled
@pytest.mark.parametrize("name", [n for n in BEHAVIOURS if n not in REFUSED and "value" in RECORDED[n]["eager"]])
def test_same_value_as_tensorflow(name: str) -> None:
    expected = DIFFERENT[name][1] if name in DIFFERENT else RECORDED[name]["eager"]["value"]
    assert plain(BEHAVIOURS[name](tf)()) == expected


@pytest.mark.parametrize("name", [n for n in BEHAVIOURS if "error" in RECORDED[n]["eager"]])
def test_same_error_as_tensorflow(name: str) -> None:
    recorded = RECORDED[name]["eager"]
    with pytest.raises(BaseException) as caught:  # noqa: PT011  # the recording says which
        BEHAVIOURS[name](tf)()
    assert recorded["error"] in {cls.__name__ for cls in type(caught.value).__mro__}


def test_python_decides_on_values_under_a_tape() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**2
        if y > 4:
            y = y * 2
        factor = float(y)
        y = y * factor
    assert type(y) is type(x)
    assert float(tape.gradient(y, x)) == 12.0 * 18.0


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_derivatives_of_any_order(order: int) -> None:
    x = tf.constant(2.0)
    with contextlib.ExitStack() as stack:
        tapes = [stack.enter_context(tf.GradientTape()) for _ in range(order)]
        for tape in tapes:
            tape.watch(x)
        y = tf.exp(3.0 * x) * x
        for tape in reversed(tapes[1:]):
            y = tape.gradient(y, x)
    found = tapes[0].gradient(y, x)
    derivative: Any = lambda x: jax.numpy.exp(3.0 * x) * x  # noqa: E731
    for _ in range(order):
        derivative = jax.grad(derivative)
    np.testing.assert_allclose(found, derivative(2.0), rtol=1e-5)


def test_tapes_that_end_in_another_order() -> None:
    x = tf.constant(3.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    first.__enter__()
    first.watch(x)
    second.__enter__()
    second.watch(x)
    y = x * x
    first.__exit__(None, None, None)
    z = y * x
    second.__exit__(None, None, None)
    w = z * x
    assert float(first.gradient(y, x)) == 6.0
    assert float(second.gradient(z, x)) == 27.0
    assert w.dtype == x.dtype
    assert jax.numpy.sin(x).dtype == x.dtype  # nothing records any more


COMPILED = pytest.mark.parametrize("call", [lambda f: f(), lambda f: tf.function(f)()], ids=["eager", "function"])


@COMPILED
@pytest.mark.parametrize("step", [tf.floor, tf.round, tf.math.ceil])
def test_steps_have_no_gradient_but_are_sources(call: Callable[..., Any], step: Callable[..., Any]) -> None:
    x = tf.constant(3.25)

    def gradients() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = step(x)
            z = 3.0 * y
        return tape.gradient(z, [x, y])

    by_x, by_y = call(gradients)
    assert by_x is None
    assert float(by_y) == 3.0


@COMPILED
@pytest.mark.parametrize("persistent", [False, True])
def test_a_source_that_is_a_target_need_not_be_watched(call: Callable[..., Any], persistent: bool) -> None:
    x, fixed, unread = tf.constant(3.0), tf.Variable(2.0, trainable=False), tf.Variable(2.0)

    def gradients() -> Any:
        with tf.GradientTape(persistent=persistent) as tape:
            y = x * fixed
        return tape.gradient([y, x, fixed, unread], [x, fixed, unread], output_gradients=[7.0, 5.0, None, 6.0])

    assert [float(g) for g in call(gradients)] == [5.0, 1.0, 6.0]


@COMPILED
def test_a_second_derivative_is_none_where_the_first_does_not_depend_on_the_source(call: Callable[..., Any]) -> None:
    x, v = tf.constant([0.5, 0.25]), tf.Variable([1.0, 2.0])

    def gradients() -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.math.multiply_no_nan(v, x)
            first = inner.gradient(y, x)
            z = first * first
        return outer.gradient(z, [x, v])

    by_x, by_v = call(gradients)
    assert by_x is None
    assert plain(by_v) == [2.0, 4.0]


def test_an_argument_that_a_compiled_function_does_not_use_is_unconnected() -> None:
    x, y, v = tf.constant(2.0), tf.constant(3.0), tf.Variable(4.0)

    @tf.function
    def product(a: Any, b: Any) -> Any:
        return a * tf.stop_gradient(b) * tf.stop_gradient(v)

    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = product(x, y)
    assert [None if g is None else float(g) for g in tape.gradient(z, [x, y, v])] == [12.0, None, None]


def test_what_a_compiled_function_only_assigns_is_unconnected() -> None:
    x, v, w, u = tf.constant([1.0, 1.0]), tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0]), tf.Variable([5.0, 6.0])

    @tf.function
    def assigning(a: Any) -> Any:
        v.assign_add(a * 2.0)
        w.assign(tf.square(u))
        return a * 3.0

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = assigning(x)
        z = tf.reduce_sum(v * x) + tf.reduce_sum(w)
    # As in TensorFlow.
    assert plain(tape.gradient(y, [x, v, w, u])) == [[3.0, 3.0], None, None, None]
    assert plain(tape.gradient(z, [x, v, w, u])) == [[3.0, 4.0], [1.0, 1.0], [1.0, 1.0], None]


@pytest.mark.parametrize("in_replicas", [False, True])
def test_what_a_compiled_function_reads_after_an_assignment_is_read_of_the_variable(in_replicas: bool) -> None:
    strategy = tf.distribute.MirroredStrategy(["cpu:0"]) if in_replicas else tf.distribute.get_strategy()
    with strategy.scope():
        v, average = tf.Variable(3.0), tf.Variable(0.5, trainable=False)

    def steps(x: Any) -> Any:
        product = v * x
        v.assign(product * 2.0)  # 12
        with tf.GradientTape() as inner:
            cube = v**3
        gradient = inner.gradient(cube, v)  # of the value that was assigned: 432
        v.assign_sub(gradient / 72.0)  # 6
        average.assign(0.9 * average + 0.1 * x)  # 0.65
        return v * v * x + average * x

    call = (lambda x: strategy.run(steps, args=(x,))) if in_replicas else tf.function(steps)
    for _ in range(2):
        v.assign(3.0)
        average.assign(0.5)
        x = tf.constant(2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, average])
            y = call(x)
        # TensorFlow 2.15.1's: v * v + average, 2 * v * x of the value that is read last, and x.
        assert float(y) == pytest.approx(73.3)
        found = [float(g) for g in tape.gradient(y, [x, v, average])]
        assert found == pytest.approx([36.65, 24.0, 2.0])


def test_what_is_assigned_is_unconnected_to_what_it_was_computed_from() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as inner:
            inner.watch(x)
            v.assign(x * 2.0)
            y = v * 3.0
        return y, inner.gradient(y, [x, v])

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, inside = step(x)
    assert plain(inside) == plain(tape.gradient(y, [x, v])) == [None, 3.0]


def test_the_average_over_replicas_is_read_of_the_variable() -> None:
    strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)

    @tf.function
    def step(x: Any) -> Any:
        strategy.run(lambda: v.assign(x * (1.0 + tf.distribute.get_replica_context().replica_id_in_sync_group)))
        return v * x

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = step(x)
    assert plain([y, *tape.gradient(y, [x, v])]) == [6.0, 3.0, 2.0]


@COMPILED
@pytest.mark.parametrize("make", [lambda x: tf.fill([2], x), lambda x: tf.linspace(x, x, 2)])
def test_what_is_made_from_a_tensor_is_recorded(call: Callable[..., Any], make: Callable[..., Any]) -> None:
    x = tf.constant(3.0)

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = make(x)
        return tape.gradient(y, x)

    assert float(call(gradient)) == 2.0


@pytest.mark.parametrize(
    ("activation", "expected"),  # by TensorFlow 2.15.1
    [
        (lambda x: tf.nn.gelu(x, approximate=True), 0.0010617444641510092),
        (tf.nn.selu, 0.8304673250123256),
        (lambda x: tf.nn.leaky_relu(x, 0.1), 0.10000000149011612),  # an attribute of TensorFlow's, in float32
    ],
)
def test_activations_have_tensorflows_gradients_in_float64(activation: Callable[..., Any], expected: float) -> None:
    x = tf.constant(-0.75, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = activation(x)
    np.testing.assert_allclose(tape.gradient(y, x), expected, rtol=1e-13)


def test_two_networks_share_a_forward_pass() -> None:
    x, a, b = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0]), tf.Variable(5.0)
    with tf.GradientTape() as left, tf.GradientTape() as right:
        shared = a * x
        one, two = tf.reduce_sum(shared * b), tf.reduce_sum(shared**2)
    assert [plain(g) for g in left.gradient(one, [a, b])] == [[5.0, 10.0], 11.0]
    assert plain(right.gradient(two, a)) == [6.0, 32.0]


def test_a_persistent_tape_that_is_differentiated_under_another() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as inner:
        inner.watch(x)
        y = x**3
    with tf.GradientTape() as outer:
        outer.watch(x)
        g = inner.gradient(y, x)
    assert float(g) == 27.0
    assert float(outer.gradient(g, x)) == 18.0


@pytest.mark.parametrize("decorate", [lambda f: f, tf.function], ids=["in Python", "compiled"])
def test_a_function_gives_the_gradients_of_arguments_variables_and_what_it_captures(
    decorate: Callable[[Any], Any],
) -> None:
    x, w = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])

    @decorate
    def f(x: Any) -> Any:
        return tf.reduce_sum(w * x * x), x > 1

    for _ in range(2):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)[0] * 2
            dx, dw = inner.gradient(y, [x, w])
        assert (plain(dx), plain(dw)) == ([12.0, 32.0], [2.0, 8.0])
        assert [plain(g) for g in outer.gradient(dx, [x, w])] == [[12.0, 16.0], [4.0, 8.0]]


@pytest.mark.parametrize("shape", [(), (2, 2)], ids=["scalar", "matrix"])
def test_tensors_that_a_compiled_function_captures_have_gradients(shape: tuple[int, ...]) -> None:
    x, other = tf.fill(shape, 3.0), tf.fill(shape, 5.0)
    square = tf.function(lambda y: tf.reduce_sum(x * x * y * other))
    alone = tf.function(lambda: tf.reduce_sum(x * x))
    y = tf.fill(shape, 2.0)
    square(y)  # compiled before a tape is open
    for _ in range(2):
        with tf.GradientTape() as outer:
            outer.watch([x, y])
            with tf.GradientTape() as inner:
                inner.watch(x)
                z = square(y)
            dx = inner.gradient(z, x)
        assert plain(dx) == plain(tf.fill(shape, 60.0))
        assert [plain(g) for g in outer.gradient(dx, [x, y])] == [plain(tf.fill(shape, v)) for v in (20.0, 30.0)]
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = x * 2.0
            again = tf.function(lambda y, made=made: tf.reduce_sum(made * y))(y) + alone()
        assert plain(tape.gradient(again, x)) == plain(tf.fill(shape, 10.0))
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = square(y)
    assert plain(tape.gradient(z, y)) == plain(tf.fill(shape, 45.0))


def test_tensors_that_a_replica_function_captures_have_gradients() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    x = tf.constant([3.0, 4.0])
    data = tf.data.Dataset.from_tensor_slices(np.ones([4, 2], np.float32)).batch(4)
    (batch,) = strategy.experimental_distribute_dataset(data)
    with tf.GradientTape() as tape:
        tape.watch(x)
        losses = strategy.run(lambda batch: tf.reduce_sum(batch * x * x), args=(batch,))
        loss = strategy.reduce("SUM", losses, axis=None)
    assert plain(tape.gradient(loss, x)) == [24.0, 32.0]


@pytest.mark.sampled
@pytest.mark.parametrize("name", STRATEGIES)
def test_a_tape_around_strategy_run(name: str) -> None:
    strategy = STRATEGIES[name]()
    replicas = strategy.num_replicas_in_sync
    with strategy.scope():
        v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        c = tf.constant(5.0)
        tape.watch(c)
        total = strategy.reduce("SUM", strategy.run(lambda c: v * v * c, args=(c,)), axis=None)
    assert float(total) == 20.0 * replicas
    if strategy.remote_variables:
        with pytest.raises(TapeError, match="variables on servers"):
            tape.gradient(total, v)
        return
    assert [float(g) for g in tape.gradient(total, [v, c])] == [20.0 * replicas, 4.0 * replicas]


def test_values_of_replicas_have_their_own_gradients() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        first, second = strategy.run(lambda: v * v).values
        total = first + 3 * second
    assert float(tape.gradient(total, v)) == 16.0


def test_a_step_between_the_tape_and_its_gradient_changes_nothing() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        v = tf.Variable(2.0)
    w, x = tf.Variable([3.0, 4.0]), tf.constant([1.0, 2.0])

    @tf.function
    def loss() -> Any:
        return tf.reduce_sum(w * x * x)

    @tf.function
    def update() -> None:
        w.assign(w * 2)
        v.assign(v * 2)

    update()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(w * w) + v * v + loss()
        update()  # gives the program the variables' buffers
    update()
    assert [plain(g) for g in tape.gradient(y, [w, v])] == [[13.0, 20.0], 8.0]


def test_a_step_may_have_the_buffers_that_a_compiled_function_read_under_a_tape() -> None:
    w, x = tf.Variable([3.0, 4.0]), tf.constant([1.0, 2.0])

    @tf.function
    def loss(x: Any) -> Any:
        return tf.reduce_sum(w * w * x)

    @tf.function
    def update() -> None:
        w.assign(w * 2)

    update()
    with tf.GradientTape() as tape:
        y = loss(x)
    update()  # not under the tape: it is given the buffer of `w`
    assert plain(tape.gradient(y, w)) == [12.0, 32.0]


def test_reading_and_assigning_under_a_tape() -> None:
    v, other = tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        other.assign(v)
        v.assign_add(1.0)
        y = y + v * other
    assert [float(g) for g in tape.gradient(y, [v, other])] == [4.0 + 2.0, 3.0]


def test_a_keras_model_trains_as_in_a_compiled_step() -> None:
    x = np.random.default_rng(0).normal(size=(16, 4)).astype("float32")

    def trained(decorate: Callable[[Any], Any]) -> list[Any]:
        keras.utils.set_random_seed(1)
        # Of two shapes only: each operation is a program for each shape.
        layers = [keras.layers.Dense(4, "relu"), keras.layers.BatchNormalization(), keras.layers.Dense(4)]
        model, optimizer = keras.Sequential(layers), keras.optimizers.Adam(0.01)

        @decorate
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(x, training=True) - 1.0))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        for _ in range(3):
            step(x)
        return [w.numpy() for w in model.weights]

    for eager, compiled in zip(trained(lambda f: f), trained(tf.function), strict=True):
        np.testing.assert_allclose(eager, compiled, rtol=2e-5, atol=2e-6)


def test_what_a_tape_holds_is_freed_with_its_gradient() -> None:
    x = tf.constant(np.ones(1000, "float32"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        hidden = tf.exp(x)
        y = tf.reduce_sum(tf.tanh(hidden) * hidden)
    held = weakref.ref(hidden)
    del hidden
    assert held() is not None
    tape.gradient(y, x)
    gc.collect()
    assert held() is None


def test_a_tape_is_consumed_by_its_gradient() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(TapeError, match="non-persistent GradientTape"):
        tape.gradient(y, x)


def test_a_tape_is_opened_once_at_a_time() -> None:
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="still recording"), tape:
        pass


def test_an_error_in_the_block_leaves_nothing_recording() -> None:
    x = tf.constant(3.0)
    with pytest.raises(TypeError), tf.GradientTape():
        tf.constant("text") * x
    with tf.GradientTape() as again:
        again.watch(x)
        y = x * x
    assert float(again.gradient(y, x)) == 6.0


def test_other_threads_record_on_their_own() -> None:
    x, found = tf.constant(3.0), []

    def other() -> None:
        with tf.GradientTape() as mine:
            mine.watch(x)
            y = x * x * x
        found.append(float(mine.gradient(y, x)))

    with tf.GradientTape() as tape:
        tape.watch(x)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        y = x * x
    assert (found, float(tape.gradient(y, x))) == ([27.0], 6.0)


def test_a_tape_from_outside_is_refused_in_a_compiled_step() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(
        TapeError, match=r"tape\.gradient is called in a compiled step, but the tape was opened outside"
    ):
        tf.function(lambda: tape.gradient(y, x))()


def test_an_uneven_step_under_a_tape_is_refused_when_it_is_differentiated() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        v = tf.Variable(2.0)
    (batch,) = strategy.experimental_distribute_dataset(
        tf.data.Dataset.from_tensor_slices(np.ones(3, "float32")).batch(3)
    )
    with tf.GradientTape() as tape:
        total = strategy.reduce("SUM", strategy.run(lambda x: tf.reduce_sum(x * v), args=(batch,)), axis=None)
    assert float(total) == 6.0
    with pytest.raises(TapeError, match="uneven batch"):
        tape.gradient(total, v)


def test_a_gradient_whose_operands_are_gone_is_refused_when_another_tape_differentiates_it() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = x**3
    with tf.GradientTape() as outer:
        outer.watch(x)
        g = inner.gradient(y, x) * x
    assert float(g) == 81.0
    with pytest.raises(TapeError, match="Open this tape first, or make the other one persistent"):
        outer.gradient(g, x)


def test_functions_with_their_own_derivative() -> None:
    @jax.custom_vjp
    def twice(x: Any, y: Any) -> Any:
        return {"sum": x + y, "product": x * y}

    twice.defvjp(lambda x, y: (twice(x, y), (x, y)), lambda saved, g: (100.0 * g["product"] * saved[1], g["sum"] * 7.0))
    x, y = tf.constant(3.0), tf.constant(5.0)
    for _ in range(2):
        with tf.GradientTape() as outer:
            outer.watch([x, y])
            with tf.GradientTape() as inner:
                inner.watch([x, y])
                found = twice(x, y)
                loss = found["sum"] + found["product"]
            dx, dy = inner.gradient(loss, [x, y])
        assert [float(dx), float(dy)] == [500.0, 7.0]
        assert plain(outer.gradient(dx, [x, y])) == [None, 100.0]


def test_what_does_not_matter_is_not_connected() -> None:
    x, w = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    first = tf.function(lambda x, w: (x * 2.0, w * 3.0))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b = first(x, w)
        shaped, stopped = tf.ones_like(x) * 5.0, tf.stop_gradient(x) * 3.0
    # As in TensorFlow, the results of a compiled function are differentiated together.
    assert plain(tape.gradient(a, [x, w])) == [[2.0, 2.0], [0.0, 0.0]]
    assert plain(tape.gradient(b, [x, w])) == [[0.0, 0.0], [3.0, 3.0]]
    assert plain(tape.gradient([shaped, stopped], [x])) == [None]


class Factor:
    """An object that a function captures, so that every object makes another function."""

    value = 2.0


def test_what_is_known_of_a_function_is_dropped_with_it() -> None:
    x = tf.constant(3.0)

    def train() -> float:
        factor = Factor()
        f = tf.function(lambda x: x * factor.value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return float(tape.gradient(y, x))

    def known() -> int:
        gc.collect()
        train()  # a new function: those that are gone are dropped
        return len(_rules._owned)

    before = known()
    assert [train() for _ in range(3)] == [2.0] * 3
    assert known() == before


def test_a_callback_is_an_error_only_for_its_gradient() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = jax.pure_callback(lambda v: np.float32(v * 2.0), jax.ShapeDtypeStruct((), np.float32), x)
        z = x * x
    assert (float(y), float(tape.gradient(z, x))) == (6.0, 6.0)
    with pytest.raises(TapeError, match="an operation that JAX cannot differentiate"):
        tape.gradient(y, x)


@pytest.mark.parametrize("decorate", [lambda f: f, tf.function], ids=["in Python", "compiled"])
def test_recording_is_stopped_once_at_a_time(decorate: Callable[[Any], Any]) -> None:
    @decorate
    def step(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            with tape.stop_recording():
                with pytest.raises(ValueError, match="Tape is not recording"), tape.stop_recording():
                    pass
                unseen = x * 5.0
            y = x * x
        with pytest.raises(ValueError, match="Tape is not recording"), tape.stop_recording():
            pass
        return tape.gradient(y, x), tape.gradient(unseen, x)

    assert plain(step(tf.constant(3.0))) == [6.0, None]
