"""Functions given to map and filter: traced once and run on many elements at once, or in Python where that is needed."""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem import Variable
from stratagem._core.values import TensorSpec
from stratagem._data import Dataset
from tests.core.step.observing import compilations
from tests.thorough import thorough_if

RNG = np.random.default_rng(0)
IMAGES = RNG.integers(0, 256, (150, 6, 5), np.uint8)
LABELS = RNG.integers(0, 10, 150).astype(np.int32)
FLOATS = RNG.normal(size=(150, 6, 5)).astype(np.float32)


def elements(dataset: Dataset) -> list[Any]:
    return list(dataset.as_numpy_iterator())


def same(mine: Any, theirs: Any) -> None:
    """Equal structures, dtypes, shapes and bits."""
    assert jax.tree.structure(mine) == jax.tree.structure(theirs)
    for a, b in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
        assert (np.asarray(a).dtype, np.shape(a)) == (np.asarray(b).dtype, np.shape(b))
        np.testing.assert_array_equal(a, b)


def one_by_one(dataset: Dataset) -> Dataset:
    """The same elements, from a source of which nothing may be read ahead."""
    return Dataset.from_generator(lambda: dataset.as_numpy_iterator(), output_signature=dataset.element_spec)


def in_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, unable to be compiled: it asks for a value."""

    def call(x: Any) -> Any:
        x.numpy()
        return function(x)

    return call


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, logger="stratagem")
    return lambda: [r.getMessage() for r in caplog.records if "runs as Python" in r.getMessage()]


# What is computed.

ELEMENTWISE: list[Callable[..., Any]] = [
    lambda x: tf.cast(x, tf.float32) / 255.0,
    lambda x: x / 255,
    lambda x: (x, {"a": tf.reshape(x, (-1,)), "b": x[::2, 1:]}),
    lambda x: tf.cast(x, tf.float64) * tf.constant(0.1, tf.float64),
    lambda x: tf.where(x > 100, x, 0),
    lambda x: tf.exp(-tf.cast(x, tf.float32) / 50.0) + tf.sin(tf.cast(x, tf.float32)),
    lambda x: tf.cond(x[0, 0] > 128, lambda: x + 1, lambda: x - 1),
    lambda x: tf.image.flip_left_right(x[..., None]),
    lambda x: tf.pad(x, [[1, 1], [0, 0]]),
    lambda x: tf.one_hot(tf.cast(x[0], tf.int32) % 10, 10),
    lambda x: tf.reduce_max(x),
    lambda x: [tf.cast(x[0, 0], tf.int32), 3, 4],
    lambda x: (x, 1.5, 7, np.float64(0.1), True),
]


@pytest.mark.sampled
@pytest.mark.parametrize("function", ELEMENTWISE)
def test_blocks_batches_single_elements_and_python_agree_bit_for_bit(function: Callable[..., Any]) -> None:
    source = Dataset.from_tensor_slices(IMAGES)
    blocks = elements(source.map(function))
    alone = elements(one_by_one(source).map(function))
    batches = [
        b for batch in elements(source.map(function).batch(40)) for b in zip(*jax.tree.leaves(batch), strict=True)
    ]
    python = elements(source.map(in_python(function)))
    for a, b, c, d in zip(blocks, alone, batches, python, strict=True):
        same(a, b)
        same(tuple(jax.tree.leaves(a)), c)
        same(a, jax.tree.map(lambda leaf: leaf[()], d))


@pytest.mark.thorough
def test_reductions_and_products_agree_with_python_to_the_last_digits() -> None:
    def function(x: Any) -> Any:
        return tf.nn.softmax(x), tf.matmul(x, x, transpose_b=True), (x - tf.reduce_mean(x)) / tf.math.reduce_std(x)

    source = Dataset.from_tensor_slices(FLOATS)
    for mine, theirs in zip(source.map(function), source.map(in_python(function)), strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=3e-6, atol=1e-6)


def test_a_result_does_not_depend_on_its_place_among_others() -> None:
    source = Dataset.from_tensor_slices(FLOATS).map(lambda x: tf.nn.softmax(x) @ tf.transpose(x))
    plain = np.stack(elements(source))
    same(np.stack(elements(source.skip(13))), plain[13:])
    same(np.stack(elements(source.shard(3, 1))), plain[1::3])
    batches = np.concatenate(elements(source.batch(64)))
    same(elements(source.skip(5).batch(64))[0], batches[5:69])


def test_64_bit_elements_keep_their_bits() -> None:
    values = np.array([0.1, 1 / 3, 1e-300], np.float64)
    same(elements(Dataset.from_tensor_slices(values).map(lambda x: x)), list(values))
    big = np.array([2**40 + 1, -(2**62)], np.int64)
    same(elements(Dataset.from_tensor_slices(big).map(lambda x: x + 1)), list(big + 1))
    same(elements(Dataset.from_tensors(values).map(lambda x: x * 3)), [values * 3])


def test_only_the_rows_that_are_needed_are_computed() -> None:
    shuffled = Dataset.from_tensor_slices((IMAGES, LABELS)).map(lambda x, y: (x / 255, y)).shuffle(150, seed=1)
    plain = {tf.constant(x / 255).numpy().tobytes(): y for x, y in zip(map(tf.constant, IMAGES), LABELS, strict=True)}
    batches = elements(shuffled.batch(64))
    assert [len(x) for x, _ in batches] == [64, 64, 22]
    assert all(plain[row.tobytes()] == label for x, y in batches for row, label in zip(x, y, strict=True))
    assert len({row.tobytes() for x, _ in batches for row in x}) == 150


def test_what_follows_a_map_is_as_after_python() -> None:
    def after(dataset: Dataset) -> Dataset:
        return dataset.skip(3).shuffle(20, seed=2).repeat(2).take(200).shard(2, 1).enumerate().cache().batch(9)

    traced = after(Dataset.range(150).map(lambda x: x * 2))
    python = after(Dataset.range(150).map(lambda x: int(x.numpy()) * 2).map(lambda x: tf.cast(x, tf.int64)))
    numbers = [sorted(np.concatenate([x for _, x in elements(d)]).tolist()) for d in (traced, python)]
    assert len(numbers[0]) == len(numbers[1]) == 100
    assert all(n % 2 == 0 and n >= 6 for n in numbers[0])


def test_maps_of_maps_and_zips_of_maps() -> None:
    doubled = Dataset.range(100).map(lambda x: x * 2).map(lambda x: (x, x + 1))
    zipped = Dataset.zip((doubled, Dataset.range(100)))
    assert [(int(a), int(b), int(c)) for (a, b), c in zipped] == [(2 * i, 2 * i + 1, i) for i in range(100)]


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 130])
def test_any_number_of_elements(count: int) -> None:
    dataset = Dataset.range(count).map(lambda x: x + 1)
    assert elements(dataset) == list(range(1, count + 1))
    assert sum(map(len, elements(dataset.batch(50)))) == count
    assert dataset.element_spec == TensorSpec((), np.int64)
    assert len(dataset) == count


@pytest.mark.sampled
@pytest.mark.parametrize(("size", "programs"), [(None, 1), (4, 1), (64, 4), (1000, 5)])
def test_few_programs_serve_all_numbers_of_rows(size: int | None, programs: int) -> None:
    with compilations() as compiled:
        for rows in (1, 2, 3, 5, 8, 13, 30, 40, 63, 64, 65, 100, 130):
            dataset = Dataset.range(rows).map(lambda x: x * 54321 + (size or 0))
            found = elements(dataset) if size is None else np.concatenate(elements(dataset.batch(size)))
            assert len(found) == rows
    assert len(compiled) == programs


# Traces, compilations and calls.


@pytest.mark.parametrize("added", [1, tf.Variable(1, dtype=tf.int64)], ids=["constant", "variable"])
def test_a_function_is_traced_once_when_it_is_given_and_never_again(added: Any) -> None:
    calls: list[Any] = []

    def function(x: Any) -> Any:
        calls.append(x)
        return x + added

    dataset = Dataset.range(200).map(function)
    assert len(calls) == 1
    assert isinstance(calls[0], jax.core.Tracer)
    elements(dataset)
    elements(dataset.shuffle(10).batch(32).repeat(2))
    _ = dataset.element_spec
    assert len(calls) == 1


def test_the_same_pipeline_made_anew_compiles_nothing() -> None:
    def epoch(scale: float) -> list[Any]:
        return elements(Dataset.range(100).map(lambda x: tf.cast(x, tf.float32) * scale + 0.125).batch(32))

    first = epoch(3.0)
    with compilations() as compiled:
        same(epoch(3.0), first)
    assert compiled == []
    with compilations() as compiled:
        assert epoch(5.0)[0][1] == 5.125
    assert compiled


def test_one_program_serves_full_and_partial_blocks() -> None:
    with compilations() as compiled:
        assert len(elements(Dataset.range(64 + 50).map(lambda x: x * 12345))) == 114
    assert len(compiled) == 1


def test_batches_of_another_size_are_another_program_and_the_spec_knows() -> None:
    batches = Dataset.range(10).batch(4).map(lambda x: (x[:, None] * 2, tf.reduce_sum(x)))
    assert batches.element_spec == (TensorSpec((None, 1), np.int64), TensorSpec((), np.int64))
    assert [int(total) for _, total in batches] == [6, 22, 17]
    assert Dataset.range(10).batch(5, drop_remainder=True).map(lambda x: x).element_spec == TensorSpec((5,), np.int64)


def test_a_batch_that_the_function_refuses_raises_the_functions_own_error() -> None:
    batches = iter(Dataset.range(10).batch(4).map(lambda x: np.zeros(4) + x))
    assert next(batches).shape == (4,)
    next(batches)
    with pytest.raises((TypeError, ValueError), match="shapes"):
        next(batches)


def test_generators_are_not_drawn_ahead() -> None:
    drawn = []

    def generator() -> Iterator[int]:
        for i in range(10):
            drawn.append(i)
            yield i

    walk = iter(Dataset.from_generator(generator, output_signature=TensorSpec((), np.int64)).map(lambda x: x + 1))
    assert drawn == []
    assert [int(next(walk)), int(next(walk))] == [1, 2]
    assert drawn == [0, 1]


def test_shuffled_zips_and_concatenations_are_mapped_in_blocks() -> None:
    calls = [0]

    def function(a: Any, b: Any) -> Any:
        calls[0] += 1
        return a * b

    pairs = Dataset.zip((Dataset.range(100).shuffle(100), Dataset.range(100)))
    mapped = pairs.concatenate(Dataset.from_tensors((np.int64(70), np.int64(80)))).map(
        lambda a, b: (a, b, function(a, b))
    )
    got = elements(mapped)
    assert len(got) == 101
    assert all(a * b == product for a, b, product in got)
    assert calls == [1]


# Variables and constants.


def test_variables_have_their_present_values() -> None:
    scale = Variable(2.0)
    dataset = Dataset.range(4).map(lambda x: tf.cast(x, tf.float32) * scale)
    walk = iter(dataset)
    assert [float(next(walk)), float(next(walk))] == [0.0, 2.0]
    scale.assign(10.0)
    assert float(next(walk)) == 20.0
    assert elements(dataset.batch(4))[0].tolist() == [0, 10, 20, 30]
    scale.assign(1.0)
    assert elements(dataset.batch(4))[0].tolist() == [0, 1, 2, 3]
    assert elements(Dataset.range(4).filter(lambda x: tf.cast(x, tf.float32) > scale)) == [2, 3]


def test_layers_are_built_and_read_when_the_function_runs() -> None:
    layer = keras.layers.Dense(3)
    dataset = Dataset.from_tensor_slices(np.eye(5, dtype=np.float32)).map(lambda x: layer(x[None])[0])
    np.testing.assert_allclose(elements(dataset), layer.kernel.numpy(), rtol=1e-6)
    layer.kernel.assign(layer.kernel.numpy() * 0 + 4)
    assert elements(dataset.batch(5))[0].tolist() == [[4.0] * 3] * 5


def test_large_arrays_of_the_closure_are_inputs_of_the_program() -> None:
    table = RNG.normal(size=(1000, 8)).astype(np.float32)
    with compilations() as compiled:
        for t in (table, table + 1):
            got = elements(Dataset.range(100).map(lambda i, t=t: tf.gather(tf.constant(t), i)).batch(100))[0]
            np.testing.assert_array_equal(got, t[:100])
    assert len(compiled) == 1, compiled


# Python, where it has to be.

FALLBACKS: list[tuple[Callable[..., Any], str, list[Any]]] = [
    (lambda x: 10 if x.numpy() > 1 else 20, "decides in Python", [20, 20, 10]),
    (lambda x: np.asarray(x) * 2, "asks for it", [0, 2, 4]),
    (lambda x: x.numpy() + 1, "asks for it", [1, 2, 3]),
    (lambda x: tf.zeros([int(x)]), "part of a shape", [[], [0.0], [0.0, 0.0]]),
    (lambda x: tf.boolean_mask(tf.range(3), tf.range(3) < tf.cast(x, tf.int32)), "depends on it", [[], [0], [0, 1]]),
    (lambda x: f"{x.numpy()}", "asks for it", [b"0", b"1", b"2"]),
    (lambda x: "a", "its result has strings", [b"a"] * 3),
    (lambda x: tf.py_function(lambda v: v.numpy() * 3, [x], tf.int64), "py_function", [0, 3, 6]),
]


@pytest.mark.parametrize(("function", "why", "expected"), FALLBACKS)
def test_what_needs_python_runs_as_python_and_the_log_says_why(
    function: Callable[..., Any], why: str, expected: list[Any], log: Callable[[], list[str]]
) -> None:
    dataset = Dataset.range(3).map(function)
    assert [np.asarray(e).tolist() for e in elements(dataset)] == expected
    (line,) = log()
    assert why in line
    assert "<lambda>" in line


def test_a_print_of_tensors_comes_with_every_element(capsys: pytest.CaptureFixture[str]) -> None:
    def function(x: Any) -> Any:
        tf.print("x is", x)
        return x

    elements(Dataset.range(3).map(function))
    assert capsys.readouterr().err == "x is 0\nx is 1\nx is 2\n"


def test_a_function_that_asks_for_strings_runs_as_python(log: Callable[[], list[str]]) -> None:
    assert elements(Dataset.from_tensor_slices([b"a", b"bcd"]).map(lambda x: len(x.numpy()))) == [1, 3]
    assert "asks for the strings" in log()[0]


def test_an_assignment_to_a_variable_happens_at_every_element() -> None:
    count = Variable(0)

    def function(x: Any) -> Any:
        count.assign_add(1)
        return x

    elements(Dataset.range(5).map(function))
    assert int(count.numpy()) == 5


def test_what_follows_a_python_map_is_traced_for_its_elements_shape() -> None:
    calls: list[Any] = []

    def second(x: Any) -> Any:
        calls.append(x)
        return x * 2

    dataset = Dataset.range(20).map(lambda x: np.full(3, int(x))).map(second)
    assert calls == []
    assert [e.tolist() for e in elements(dataset)] == [[2 * i] * 3 for i in range(20)]
    assert len(calls) == 1


def test_elements_of_other_shapes_run_as_python() -> None:
    dataset = Dataset.range(4).map(lambda x: np.zeros(int(x) % 2 + 1)).map(lambda x: x + 1)
    assert [e.tolist() for e in elements(dataset)] == [[1.0], [1.0, 1.0]] * 2


def test_a_python_function_in_threads_keeps_the_order_and_ends_its_threads() -> None:
    most, running, lock = [0], [0], threading.Lock()

    def function(x: Any) -> int:
        number = int(x.numpy())
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.02 if number % 4 == 0 else 0.005)
        with lock:
            running[0] -= 1
        return number * 10

    dataset = Dataset.range(20).map(function, num_parallel_calls=4)
    assert elements(dataset) == [10 * i for i in range(20)]
    assert 1 < most[0] <= 4
    walk = iter(dataset)
    next(walk)
    walk.close()


def test_threads_read_no_more_ahead_than_they_are() -> None:
    drawn = []

    def generator() -> Iterator[int]:
        for i in range(100):
            drawn.append(i)
            yield i

    source = Dataset.from_generator(generator, output_signature=TensorSpec((), np.int64))
    walk = iter(source.map(lambda x: int(x.numpy()), num_parallel_calls=3))
    assert int(next(walk)) == 0
    assert len(drawn) == 4


def test_threads_run_in_the_strategys_scope() -> None:
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")

    def function(x: Any) -> int:
        assert tf.distribute.get_strategy() is strategy
        return int(x.numpy())

    with strategy.scope():
        assert elements(Dataset.range(5).map(function, num_parallel_calls=tf.data.AUTOTUNE)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("calls", [0, -2])
def test_a_bad_number_of_parallel_calls_is_an_error(calls: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_calls"):
        Dataset.range(3).map(lambda x: x, num_parallel_calls=calls)


# Errors.


def fails_at_two(x: Any) -> int:
    if x.numpy() == 2:
        raise KeyError("two")
    return int(x.numpy())


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_an_error_names_its_element_and_the_walk_goes_on_after_it(threads: int | None) -> None:
    walk = iter(Dataset.range(5).map(fails_at_two, num_parallel_calls=threads).prefetch(2))
    assert [int(next(walk)), int(next(walk))] == [0, 1]
    with pytest.raises(KeyError, match="two") as caught:
        next(walk)
    assert caught.value.__notes__ == ["map_func raised at element 2 (counted from 0)."]
    assert any(entry.name == "fails_at_two" for entry in caught.traceback)
    state = walk.get_state()
    assert [int(x) for x in walk] == [3, 4]
    again = iter(Dataset.range(5).map(fails_at_two, num_parallel_calls=threads).prefetch(2))
    again.set_state(state)
    assert [int(x) for x in again] == [3, 4]


def test_an_error_of_the_function_itself_comes_when_it_is_given() -> None:
    def broken(x: Any) -> Any:
        return x.no_such_thing

    with pytest.raises(AttributeError, match="no_such_thing") as caught:
        Dataset.range(3).map(broken)
    assert caught.traceback[-1].name == "broken"


def test_an_error_of_the_function_over_nothing_comes_when_it_is_given() -> None:
    with pytest.raises(ZeroDivisionError):
        Dataset.range(0).map(lambda x: 1 / 0)


def test_a_function_that_only_a_trace_upsets_runs_as_python(log: Callable[[], list[str]]) -> None:
    def function(x: Any) -> Any:
        assert not isinstance(x, jax.core.Tracer)
        return x

    assert elements(Dataset.range(3).map(function)) == [0, 1, 2]
    assert "AssertionError" in log()[0]


def test_a_function_that_raises_stop_iteration_does_not_end_the_data() -> None:
    def function(x: Any) -> Any:
        if x == 1:
            next(iter(()))
        return x

    walk = iter(Dataset.range(3).map(function))
    next(walk)
    with pytest.raises(RuntimeError, match="map_func raised StopIteration"):
        next(walk)


def test_an_error_before_a_block_comes_after_the_results_before_it() -> None:
    source = Dataset.range(5).map(fails_at_two)
    walk = iter(source.map(lambda x: x + 1))
    assert [int(next(walk)), int(next(walk))] == [1, 2]
    with pytest.raises(KeyError):
        next(walk)
    assert [int(x) for x in walk] == [4, 5]


# Filter.


def test_filters_are_part_of_the_order() -> None:
    dataset = Dataset.from_tensor_slices((IMAGES, LABELS)).filter(lambda x, y: y % 2 == 0)
    even = np.flatnonzero(LABELS % 2 == 0)
    np.testing.assert_array_equal(np.concatenate([y for _, y in elements(dataset.batch(32))]), LABELS[even])
    np.testing.assert_array_equal(np.stack([x for x, _ in elements(dataset)]), IMAGES[even])
    shuffled = np.concatenate([y for _, y in elements(dataset.shuffle(1000).repeat(2).batch(7))])
    np.testing.assert_array_equal(np.sort(shuffled), np.sort(np.tile(LABELS[even], 2)))
    assert len(elements(dataset.cache().take(3))) == 3


def test_filters_of_computed_and_of_drawn_elements() -> None:
    expected = [i * 2 for i in range(200) if i * 2 % 3 == 0]
    assert elements(Dataset.range(200).map(lambda x: x * 2).filter(lambda x: x % 3 == 0)) == expected
    zipped = Dataset.zip((Dataset.range(200).shuffle(200), Dataset.range(200).map(lambda x: x * 2)))
    assert [b for _, b in elements(zipped.filter(lambda a, b: b % 3 == 0))] == expected
    assert elements(one_by_one(Dataset.range(200)).filter(lambda x: x > 197)) == [198, 199]
    assert elements(Dataset.range(5).filter(lambda x: bool(x == 3))) == [3]


@pytest.mark.parametrize("predicate", [lambda x: x, lambda x: (x > 1, x > 2), lambda x: [x > 1]])
def test_a_predicate_that_gives_no_bool_is_refused_when_it_is_given(predicate: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="must return a bool scalar"):
        Dataset.range(3).filter(predicate)


def test_a_filter_of_an_endless_data_set_is_lazy() -> None:
    dataset = Dataset.range(3).repeat().filter(lambda x: x == 2)
    assert elements(dataset.take(4)) == [2] * 4
    assert elements(dataset.cache().take(2)) == [2] * 2


# Cache.


def test_a_cache_computes_every_row_once_and_keeps_the_first_order() -> None:
    dataset = Dataset.range(100).map(lambda x: x * 3).shuffle(100).cache()
    first = elements(dataset)
    assert elements(dataset) == first
    assert sorted(first) == [3 * i for i in range(100)]
    assert np.concatenate(elements(dataset.batch(33))).tolist() == first
    variable = Variable(1, dtype="int64")
    read = Dataset.range(5).map(lambda x: x * variable).cache()
    kept = elements(read)
    variable.assign(7)
    assert elements(read) == kept


# Resume.

PLANS: dict[str, Callable[[], Dataset]] = {
    "rows": lambda: Dataset.range(150).map(lambda x: x * 2),
    "shuffled rows": lambda: Dataset.range(150).map(lambda x: x * 2).shuffle(40).repeat(2),
    "batches": lambda: Dataset.range(150).shuffle(150).map(lambda x: x * 2).batch(7),
    "map of batches": lambda: Dataset.range(150).shuffle(150).batch(7).map(lambda x: x * 2),
    "blocks": lambda: Dataset.zip((Dataset.range(150).shuffle(9), Dataset.range(150))).map(lambda a, b: a * b),
    "python": lambda: Dataset.range(30).shuffle(30).map(lambda x: int(x.numpy()) * 2),
    "threads": lambda: Dataset.range(30).shuffle(30).map(lambda x: int(x.numpy()) * 2, num_parallel_calls=3),
    "threads ahead": lambda: Dataset.range(30).map(lambda x: int(x.numpy()) * 2, num_parallel_calls=3).prefetch(2),
    "filter": lambda: Dataset.range(150).shuffle(150).filter(lambda x: x % 3 == 0),
    "filter, batch": lambda: Dataset.range(150).filter(lambda x: x % 3 == 0).shuffle(20).batch(4),
    "batches of a filter": lambda: Dataset.range(150).filter(lambda x: x % 3 == 0).batch(4),
    "filter of blocks": lambda: Dataset.range(150).shuffle(150).map(lambda x: x + 1).filter(lambda x: x % 3 == 0),
    "filter in python": lambda: Dataset.range(30).shuffle(30).filter(lambda x: bool(x % 3 == 0)),
    "sums": lambda: Dataset.from_tensor_slices(FLOATS).shuffle(150).map(lambda x: tf.nn.softmax(x) @ tf.transpose(x)),
    "batches of sums": lambda: Dataset.from_tensor_slices(FLOATS).shuffle(150).map(tf.nn.softmax).batch(32),
    "cached": lambda: Dataset.range(150).map(lambda x: x * 2).shuffle(150).cache().repeat(2),
    "random rows": lambda: Dataset.range(150).map(lambda x: tf.random.uniform(()) + tf.cast(x, tf.float32)),
    "random, shuffled": lambda: Dataset.range(70).map(lambda x: tf.random.normal((2,))).shuffle(70).repeat(2).batch(9),
    "random twice": lambda: (
        Dataset.range(70).map(lambda x: tf.random.uniform(())).map(lambda x: x + tf.random.uniform(())).batch(9)
    ),
    "random batches": lambda: Dataset.range(70).batch(8).map(lambda x: x + tf.random.uniform((), 0, 99, tf.int64)),
    "random blocks": lambda: Dataset.zip((Dataset.range(99).shuffle(9), Dataset.range(99))).map(
        lambda a, b: tf.random.uniform(())
    ),
    "random filter": lambda: Dataset.range(150).shuffle(20).filter(lambda x: tf.random.uniform(()) < 0.3),
    "random python": lambda: Dataset.range(20).map(lambda x: float(tf.random.uniform(()))),
    "random threads": lambda: Dataset.range(20).map(lambda x: float(tf.random.uniform(())), num_parallel_calls=3),
}


# Random numbers in two functions, in Python and in threads show it as well.
SLOW = ("random rows", "random, shuffled", "random batches", "random blocks")


@pytest.mark.sampled
@pytest.mark.parametrize("name", [pytest.param(name, marks=thorough_if(name in SLOW)) for name in PLANS])
def test_a_resumed_walk_goes_on_with_the_very_next_element(name: str) -> None:
    plan = PLANS[name]()
    elements(plan.take(2))  # not the first epoch
    walk, states = plan.as_numpy_iterator(), []
    seen: list[Any] = []
    for element in walk:
        seen.append(element)
        states.append(walk.get_state())
    for cut in (0, 1, len(seen) // 3, len(seen) // 2, len(seen) - 2, len(seen) - 1):
        other = PLANS[name]().as_numpy_iterator()  # as in another process: with other seeds
        other.set_state(states[cut])
        same(list(other), seen[cut + 1 :])


def test_the_state_of_a_walk_is_small_and_json() -> None:
    walk = PLANS["random, shuffled"]().as_numpy_iterator()
    next(walk)
    assert len(json.dumps(walk.get_state())) < 1000
