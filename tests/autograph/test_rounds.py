"""Loops that Python drives in a `tf.function`: each round is one program, traced once, and does what Python would do."""

import logging
from typing import Any

import jax
import keras
import numpy as np
import pytest

import stratagem as tf

# The first trace of a body finds its variables, the second is compiled.
TRACES = 1


@pytest.fixture
def python_rounds(caplog: pytest.LogCaptureFixture) -> Any:
    """What the log says about loops whose rounds could not be compiled."""
    caplog.set_level(logging.INFO, logger="stratagem")
    return lambda: [m for m in caplog.messages if m.startswith("the loop") and "runs in Python" in m]


def numbers(count: int = 12, batch: int = 4) -> Any:
    return tf.data.Dataset.from_tensor_slices(np.arange(count, dtype=np.float32)).batch(batch)


def regression() -> tuple[keras.Model, keras.optimizers.Optimizer]:
    """A model and an optimizer, not built yet, with the same weights at every call."""
    keras.utils.set_random_seed(7)
    return keras.Sequential([keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)]), keras.optimizers.Adam(0.01)


def test_an_epoch_over_a_dataset_is_traced_once_and_trains_to_the_weights_of_single_steps(python_rounds: Any) -> None:
    traces = []

    def step(model: Any, optimizer: Any, x: Any) -> Any:
        traces.append(1)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x[:, None]) - tf.sin(x)[:, None]) ** 2)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        return loss

    @tf.function
    def epoch(model: Any, optimizer: Any, data: Any) -> Any:
        total, batches = 0.0, 0
        for x in data:
            total += step(model, optimizer, x)
            batches += 1
        return total / tf.cast(batches, tf.float32)

    driven, single = regression(), regression()
    for _ in range(3):
        found = epoch(*driven, numbers())
    assert len(traces) == 2  # the first makes the model's variables
    compiled = tf.function(step)
    for _ in range(3):
        losses = [float(compiled(*single, x)) for x in numbers()]
    assert float(found) == pytest.approx(np.mean(losses), rel=1e-6)
    for mine, other in zip(driven[0].get_weights(), single[0].get_weights(), strict=True):
        np.testing.assert_array_equal(mine, other)
    assert not python_rounds()


@pytest.mark.parametrize("rows", [16, 13])
def test_an_epoch_over_distributed_data_is_one_program_a_kind_of_batch(rows: int, python_rounds: Any) -> None:
    strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
    traces = []

    def step(x: Any) -> Any:
        traces.append(1)
        return tf.reduce_sum(x)

    @tf.function
    def epoch(data: Any) -> Any:
        total, batches = 0.0, 0
        for x in data:
            total += strategy.reduce("sum", strategy.run(step, args=(x,)), axis=None)
            batches += 1
        return total, batches

    data = strategy.experimental_distribute_dataset(numbers(rows, 4))
    assert [float(v) for v in epoch(data)] == [rows * (rows - 1) / 2, 4]
    before = len(traces)
    assert [float(v) for v in epoch(data)] == [rows * (rows - 1) / 2, 4]
    assert len(traces) == before
    assert not python_rounds()


def test_another_iterator_or_another_tensor_that_the_body_reads_is_no_other_program(python_rounds: Any) -> None:
    traces = []

    @tf.function
    def run(iterator: Any, weight: Any) -> Any:
        scale = weight * 2.0
        total = 0.0
        for _ in tf.range(2):
            traces.append(object())
            total += tf.reduce_sum(next(iterator)) * scale
        return total

    found = [float(run(iter(numbers()), tf.constant(w))) for w in (1.0, 2.0, 3.0)]
    assert found == [56.0, 112.0, 168.0]
    assert len(traces) == TRACES + 1  # one for the attempt to compile the whole function
    assert not python_rounds()


def test_a_break_draws_no_further_element() -> None:
    @tf.function
    def first_above(iterator: Any, limit: Any) -> Any:
        found = -1.0
        for x in iterator:
            if tf.reduce_max(x) > limit:
                found = tf.reduce_max(x)
                break
        return found

    iterator = iter(numbers(20))
    assert float(first_above(iterator, tf.constant(5.0))) == 7.0
    assert next(iterator).numpy().tolist() == [8.0, 9.0, 10.0, 11.0]
    assert float(first_above(iterator, tf.constant(5.0))) == 15.0
    assert float(first_above(iterator, tf.constant(50.0))) == -1.0


def test_a_return_in_a_round_ends_the_function() -> None:
    @tf.function
    def first_above(data: Any, limit: Any) -> Any:
        for i, x in enumerate(data):
            if tf.reduce_max(x) > limit:
                return i
        return -1

    assert [int(first_above(numbers(20), tf.constant(v))) for v in (5.0, 17.0, 100.0)] == [1, 4, -1]


def test_a_loop_with_convolutions_compiles_one_round(python_rounds: Any) -> None:
    kernel = tf.constant(np.random.default_rng(0).normal(size=(3, 3, 1, 1)).astype(np.float32))
    traces = []

    def shrink(x: Any, rounds: Any) -> Any:
        for _ in tf.range(rounds):
            traces.append(object())
            x = tf.nn.conv2d(x, kernel, 1, "SAME") * 0.3
        steps = 0
        while tf.reduce_sum(x * x) > 0.001:
            traces.append(object())
            x = tf.nn.conv2d(x, kernel, 1, "SAME") * 0.1
            steps += 1
        return x, steps

    x = tf.ones([1, 6, 6, 1])
    compiled = tf.function(shrink)
    for rounds in (3, 100, 101):
        found, steps = compiled(x, tf.constant(rounds))
        count = len(traces)
        expected, expected_steps = shrink(x, rounds)
        del traces[count:]
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        assert int(steps) == expected_steps
    assert len(traces) <= 2 * TRACES + 1
    assert not python_rounds()


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["while_loop", "map_fn", "scan", "foldl"])
@pytest.mark.parametrize("rows", [3, 70])
def test_a_function_of_loops_with_convolutions_compiles_one_round(name: str, rows: int, python_rounds: Any) -> None:
    """Up to 64 rows are written out; in a longer loop the kernel, another tensor at each call, is an argument of the round."""
    traces = []

    def convolved(x: Any, kernel: Any) -> Any:
        traces.append(object())
        return tf.nn.conv2d(x, kernel, 1, "SAME")

    def loop(images: Any, kernel: Any) -> Any:
        def added(total: Any, image: Any) -> Any:
            return total * 0.5 + convolved(image, kernel)

        if name == "while_loop":
            body = lambda i, total: (i + 1, added(total, images[i]))  # noqa: E731
            return tf.while_loop(lambda i, _: i < tf.shape(images)[0], body, [tf.constant(0), images[0] * 0.0])
        if name == "map_fn":
            return tf.map_fn(lambda image: convolved(image, kernel), images)
        return getattr(tf, name)(added, images, initializer=images[0] * 0.0)

    random = np.random.default_rng(0)
    images, *kernels = (
        tf.constant(random.normal(size=shape).astype(np.float32))
        for shape in ((rows, 1, 6, 6, 1), (3, 3, 1, 1), (3, 3, 1, 1))
    )
    compiled = tf.function(loop)
    found = [compiled(images, kernel) for kernel in kernels]
    assert len(traces) <= TRACES * (rows if rows == 3 and name != "while_loop" else 1) + 4
    for kernel, value in zip(kernels, found, strict=True):
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), value, loop(images, kernel))
    assert not python_rounds()


def test_what_local_functions_capture_are_arguments_of_a_round(python_rounds: Any) -> None:
    traces = []

    @tf.function
    def weighted(data: Any, weight: Any) -> Any:
        def scaled(x: Any) -> Any:
            traces.append(object())
            return x * weight

        def total_of(x: Any) -> Any:
            return tf.reduce_sum(scaled(x)) + total

        total = tf.constant(0.0)
        for x in data:
            total = total_of(x)
        return total

    assert [float(weighted(numbers(), tf.constant(w))) for w in (1.0, 2.0, 3.0)] == [66.0, 132.0, 198.0]
    assert len(traces) == TRACES
    assert not python_rounds()


def test_what_a_round_keeps_outside_of_the_loop_is_kept_in_every_round(python_rounds: Any) -> None:
    class Log:
        def __init__(self) -> None:
            self.means: list[Any] = []
            self.last: Any = None

    log, history, named, total = Log(), [], {}, tf.constant(0.0)

    @tf.function
    def to_a_list(data: Any) -> None:
        for x in data:
            history.append(float(tf.reduce_sum(x)))

    @tf.function
    def to_an_object(data: Any) -> None:
        for x in data:
            log.means.append(tf.reduce_mean(x))
            log.last = tf.reduce_max(x)

    @tf.function
    def to_a_dict(data: Any) -> None:
        for i, x in enumerate(data):
            named[f"batch {len(named)}"] = i, tf.reduce_max(x)

    def add(x: Any) -> None:
        nonlocal total
        total += tf.reduce_sum(x)

    @tf.function
    def to_a_variable(data: Any) -> None:
        for x in data:
            add(x)

    for function in (to_a_list, to_an_object, to_a_dict, to_a_variable):
        function(numbers())
    assert float(total) == 66.0
    assert history == [6.0, 22.0, 38.0]
    assert [float(v) for v in log.means] == [1.5, 5.5, 9.5]
    assert float(log.last) == 11.0
    assert [(k, float(v[1])) for k, v in named.items()] == [("batch 0", 3.0), ("batch 1", 7.0), ("batch 2", 11.0)]
    assert len(python_rounds()) == 4


def test_a_body_that_needs_numbers_runs_in_python(python_rounds: Any) -> None:
    @tf.function
    def total(data: Any) -> float:
        found = 0.0
        for x in data:
            found += x.numpy().sum()
        return found

    assert total(numbers()) == 66.0
    assert len(python_rounds()) == 1


def test_what_only_the_loop_sets_has_its_last_value_after_it() -> None:
    traces = []

    @tf.function
    def run(data: Any) -> Any:
        for step, x in enumerate(data, 5):  # noqa: B007
            traces.append(1)
            mean = tf.reduce_mean(x)
        return step, mean

    for _ in range(2):
        step, mean = run(numbers())
        assert (int(step), float(mean), step.dtype) == (7, 9.5, tf.int64)
    assert len(traces) == TRACES


def test_a_tensor_array_and_numbers_that_a_body_reads_are_arguments(python_rounds: Any) -> None:
    traces = []

    @tf.function
    def run(n: Any, weight: Any) -> Any:
        start = float(weight.numpy())
        table = np.full(3, start, np.float32)
        squares = tf.TensorArray(tf.float32, size=3).unstack(weight * tf.constant([1.0, 4.0, 9.0]))
        total = tf.constant(0.0)
        for i in range(n):
            traces.append(1)
            total += squares.read(i) + tf.gather(table, i)
        return total

    assert [float(run(tf.constant(3), tf.constant(w))) for w in (1.0, 2.0)] == [17.0, 34.0]
    assert not python_rounds()
    assert len(traces) == TRACES


def test_a_function_that_is_defined_around_a_loop_is_the_same_at_every_call(python_rounds: Any) -> None:
    traces = []

    @tf.function
    def run(data: Any) -> Any:
        def doubled(x: Any) -> Any:
            return 2.0 * x if tf.reduce_sum(x) > 10.0 else x

        total = tf.constant(0.0)
        for x in data:
            traces.append(1)
            total += tf.reduce_sum(doubled(x))
        return total

    assert [float(run(numbers())) for _ in range(3)] == [126.0] * 3
    assert not python_rounds()
    assert len(traces) == TRACES


def test_a_return_in_an_inner_loop_ends_the_outer_one() -> None:
    @tf.function
    def run(iterator: Any) -> Any:
        total = tf.constant(0.0)
        for _ in tf.range(2):
            for x in iterator:
                total += tf.reduce_sum(x)
                if total > 5.0:
                    return total
        return total

    iterator = iter(numbers())
    assert [float(run(iterator)) for _ in range(3)] == [6.0, 22.0, 38.0]


def test_a_counter_around_a_loop_is_told_to_be_a_part_of_its_program(caplog: pytest.LogCaptureFixture) -> None:
    @tf.function
    def run(data: Any) -> Any:
        total = tf.constant(0.0)
        for epoch in range(7):
            for x in data:
                total += tf.reduce_sum(x) * epoch
        return total

    assert float(run(numbers())) == 66.0 * 21
    (warning,) = [m for m in caplog.messages if "was traced" in m]
    assert "epoch" in warning


def test_attributes_and_variables_are_carried() -> None:
    class Counter(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rows = tf.constant(0)
            self.total = tf.Variable(0.0)

        @tf.function
        def count(self, data: Any) -> None:
            for x in data:
                self.rows += tf.shape(x)[0]
                self.total.assign_add(tf.reduce_sum(x))

    counter = Counter()
    for _ in range(2):
        counter.count(numbers(10))
    assert (int(counter.rows), float(counter.total)) == (20, 90.0)


def test_a_tape_around_the_call_sees_through_the_rounds() -> None:
    weight = tf.Variable(3.0)

    @tf.function
    def loss(data: Any) -> Any:
        total = 0.0
        for x in data:
            total += tf.reduce_sum(x * x) * weight
        return total

    with tf.GradientTape() as tape:
        found = loss(numbers())
    assert (float(found), float(tape.gradient(found, weight))) == (1518.0, 506.0)


def test_a_failed_check_ends_the_loop_after_the_rounds_before(python_rounds: Any) -> None:
    seen = tf.Variable(0)

    @tf.function
    def run(data: Any) -> None:
        for x in data:
            tf.debugging.assert_less(tf.reduce_max(x), 5.0)
            seen.assign_add(1)

    with pytest.raises(tf.errors.InvalidArgumentError):
        run(numbers())
    assert int(seen) == 1
    assert not python_rounds()


def test_loops_in_loops_compile_the_inner_rounds(python_rounds: Any) -> None:
    traces = []

    @tf.function
    def run(data: Any) -> Any:
        total = tf.constant(0.0)
        for epoch in range(3):
            for x in data:
                traces.append(object())
                if tf.reduce_sum(x) > 10.0:
                    continue
                total += tf.reduce_sum(x) + tf.cast(epoch, tf.float32)
        return total

    assert float(run(numbers())) == 21.0
    assert len(traces) <= 3 * TRACES  # `epoch`, a Python number, is a part of the program
    assert not python_rounds()


def test_without_autograph_python_runs_every_round() -> None:
    traces = []

    @tf.function(autograph=False)
    def run(data: Any) -> Any:
        total = 0.0
        for x in data:
            traces.append(1)
            total += tf.reduce_sum(x)
        return total

    assert float(run(numbers())) == 66.0
    assert len(traces) == 3
