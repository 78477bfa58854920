"""`tf.TensorArray`: eagerly, in loops and branches that are compiled, in replicas; the numbers are TensorFlow 2.15's."""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf


def _eagerly(function: Callable[..., Any], *args: Any) -> Any:
    return function(*map(tf.constant, args))


def _compiled(function: Callable[..., Any], *args: Any) -> Any:
    return tf.function(function)(*map(tf.constant, args))


def _in_a_replica(function: Callable[..., Any], *args: Any) -> Any:
    return tf.distribute.OneDeviceStrategy("CPU:0").run(function, tuple(map(tf.constant, args)))


@pytest.fixture(params=[_eagerly, _compiled, _in_a_replica])
def run(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_a_loop_of_unknown_length_writes_and_reads(run: Any, caplog: pytest.LogCaptureFixture) -> None:
    def partial_sums(x: Any, count: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=5, element_shape=[2])
        for i in tf.range(count):
            before = found.read(i - 1) if i > 0 else tf.zeros([2])
            found = found.write(i, before + x[i])
        return found.stack(), found.size(), found.gather([1, 0])

    caplog.set_level(logging.INFO, logger="stratagem")
    stacked, size, chosen = run(partial_sums, np.float32([[1, 2], [3, 4], [5, 6]]), 3)
    assert np.asarray(stacked).tolist() == [[1, 2], [4, 6], [9, 12], [0, 0], [0, 0]]
    assert (int(size), np.asarray(chosen).tolist()) == (5, [[4, 6], [1, 2]])
    assert not caplog.messages, "it ran in Python"


@pytest.mark.parametrize("element_shape", [None, [2]])
def test_a_while_loop_carries_it(run: Any, element_shape: Any) -> None:
    def powers(x: Any) -> Any:
        made = tf.TensorArray(tf.float32, size=4, element_shape=element_shape)
        _, made = tf.while_loop(
            lambda i, _: i < tf.cast(x, tf.int32),
            lambda i, a: (i + 1, a.write(i, [x, x ** tf.cast(i, x.dtype)])),
            (0, made),
        )
        return made.stack()

    assert np.asarray(run(powers, 3.0)).tolist() == [[3, 1], [3, 3], [3, 9], [0, 0]]


@pytest.mark.parametrize(("x", "expected"), [(3.0, [3, 0]), (-3.0, [0, -3])])
def test_a_branch_writes_it(run: Any, x: float, expected: list[float]) -> None:
    def choose(x: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=2)
        found = found.write(0, x) if x > 0 else found.write(1, x)
        return found.stack()

    assert np.asarray(run(choose, x)).tolist() == expected


def test_a_branch_that_does_not_write_leaves_zeros(run: Any) -> None:
    def choose(x: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=2, element_shape=())
        if x > 0:
            found = found.write(0, x)
        return found.stack(), found.read(1)

    assert [np.asarray(v).tolist() for v in run(choose, -3.0)] == [[0, 0], 0]


def test_it_has_a_gradient(run: Any) -> None:
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = tf.TensorArray(tf.float32, 3)
            for i in tf.range(tf.cast(x, tf.int32)):
                found = found.write(i, x ** tf.cast(i + 1, tf.float32))
            y = tf.reduce_sum(found.stack())
        return tape.gradient(y, x)

    assert float(run(gradient, 3.0)) == 1 + 2 * 3 + 3 * 9


def test_it_grows_where_the_numbers_are_known(run: Any, caplog: pytest.LogCaptureFixture) -> None:
    def grown(x: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(3):
            found = found.write(i, x * tf.cast(i, tf.float32))
            found = found.write(found.size(), x)
        return found.stack()

    caplog.set_level(logging.INFO, logger="stratagem")
    assert np.asarray(run(grown, 2.0)).tolist() == [0, 2, 4, 2]
    assert not caplog.messages, "it ran in Python"


def test_it_grows_as_long_as_a_tensor_says_in_python() -> None:
    @tf.function
    def grown(x: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        while x < 10.0:
            found = found.write(found.size(), x)
            x *= 2
        return found.stack()

    assert np.asarray(grown(tf.constant(2.0))).tolist() == [2, 4, 8]
    assert np.asarray(grown(tf.constant(6.0))).tolist() == [6]


def test_growing_in_a_replica_says_what_to_do() -> None:
    def grown(x: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        return found.write(tf.cast(x, tf.int32), x).stack()

    with pytest.raises(TypeError, match="dynamic_size=True is written; with size= it may be"):
        _in_a_replica(grown, 2.0)


def test_parts_and_rows() -> None:
    parts = tf.TensorArray(tf.float32, 3, infer_shape=False).split(tf.range(6.0), [1, 2, 3])
    assert (np.asarray(parts.read(1)).tolist(), np.asarray(parts.concat()).tolist()) == ([1, 2], [0, 1, 2, 3, 4, 5])
    rows = tf.TensorArray(tf.float32, 3).unstack([[1.0], [2.0], [3.0]])
    assert np.asarray(rows.scatter([2, 0], [[7.0], [8.0]]).stack()).tolist() == [[8], [2], [7]]
    assert (rows.dtype, rows.element_shape, rows.dynamic_size) == (tf.float32, [1], False)
    assert tf.TensorArray(tf.float32, 0, element_shape=[3]).stack().shape == (0, 3)


def test_eager_writes_change_the_array_and_compiled_ones_do_not() -> None:
    eager = tf.TensorArray(tf.float32, size=2)
    eager.write(0, 1.0)
    assert np.asarray(eager.stack()).tolist() == [1, 0]

    @tf.function
    def unused(x: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=2, element_shape=())
        found.write(0, x)
        return found.stack()

    assert np.asarray(unused(tf.constant(1.0))).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("use", "error", "text"),
    [
        (lambda a: a.write(3, 1.0), tf.errors.OutOfRangeError, "index 3, but the array has 3 elements"),
        (lambda a: a.write(-1, 1.0), tf.errors.OutOfRangeError, "index -1 is negative"),
        (
            lambda a: a.write(1, tf.constant(1)),
            tf.errors.InvalidArgumentError,
            "dtype int32 for an array of dtype float32",
        ),
        (lambda a: a.write(1, [1.0, 2.0]), ValueError, r"shape \(2,\), expected \(\)"),
        (lambda a: a.read(3), tf.errors.OutOfRangeError, "index 3, but the array has 3 elements"),
        (lambda a: a.unstack([1.0] * 4), ValueError, "4 rows for an array of 3"),
        (lambda a: a.split([1.0] * 4, [1, 1, 1, 1]), ValueError, "4 parts for an array of 3"),
        (lambda a: a.scatter([1], [1.0, 2.0]), ValueError, "1 indices for 2 rows"),
        (lambda _: tf.TensorArray(tf.float32, 2).read(1), ValueError, "element 1 was not written"),
        (lambda _: tf.TensorArray(tf.float32, -1), tf.errors.InvalidArgumentError, "must not be negative"),
        (list, TypeError, r"Iterate over array.stack\(\)"),
    ],
)
def test_what_is_wrong_is_said(use: Callable[[Any], Any], error: type[Exception], text: str) -> None:
    array = tf.TensorArray(tf.float32, size=3).write(0, 0.0)
    with pytest.raises(error, match=text):
        use(array)
    assert np.asarray(array.stack()).tolist() == [0, 0, 0]


def test_an_array_in_which_nothing_is_written_has_the_shape_that_it_was_given() -> None:
    """TensorFlow's answers and errors, which differ between eager code and functions."""
    known = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
    assert known.stack().shape == (0, 2)
    assert tf.TensorArray(tf.float32, 3, element_shape=[2]).stack().shape == (3, 2)
    unknown = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    assert unknown.stack().shape == unknown.gather(tf.constant([], tf.int32)).shape == (0,)
    assert tf.TensorArray(tf.float32, 2).gather(tf.constant([], tf.int32)).shape == (0,)
    with pytest.raises(ValueError, match=r"TensorArray.stack: element 0 was not written, .* element_shape"):
        tf.TensorArray(tf.float32, 3).stack()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"TensorArray.concat: there are no elements"):
        unknown.concat()

    @tf.function
    def of(shape: Any, size: int, method: str) -> Any:
        array = tf.TensorArray(tf.float32, size, dynamic_size=True, element_shape=shape)
        return getattr(array, method)()

    assert of([2], 0, "stack").shape == of([None, 2], 0, "concat").shape == (0, 2)
    for size, text in ((0, "there are no elements"), (3, "element 0 was not written")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"TensorArray.stack: {text}"):
            of(None, size, "stack")


@pytest.mark.sampled
def test_a_beam_keeps_its_paths_in_arrays(run: Any) -> None:
    table = np.log(np.random.default_rng(0).dirichlet(np.ones(5), size=5).astype(np.float32))

    def search(scores: Any) -> Any:
        tokens, parents = tf.TensorArray(tf.int32, 4), tf.TensorArray(tf.int32, 4)
        last, totals = tf.zeros([3], tf.int32), tf.constant([0.0, -1e9, -1e9])
        for step in tf.range(4):
            totals, chosen = tf.math.top_k(tf.reshape(totals[:, None] + tf.gather(scores, last), [-1]), 3)
            last = chosen % 5
            tokens, parents = tokens.write(step, last), parents.write(step, chosen // 5)
        paths, row = tf.TensorArray(tf.int32, 4), tf.range(3)
        step = tf.constant(3)
        while step >= 0:
            paths = paths.write(step, tf.gather(tokens.read(step), row))
            row = tf.gather(parents.read(step), row)
            step -= 1
        return tf.transpose(paths.stack()), totals

    paths, totals = run(search, table)
    beam: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    for _ in range(4):
        longer = [((*p, n), s + table[p[-1] if p else 0, n]) for p, s in beam for n in range(5)]
        beam = sorted(longer, key=lambda found: -found[1])[:3]
    assert [tuple(p) for p in np.asarray(paths).tolist()] == [p for p, _ in beam]
    np.testing.assert_allclose(totals, [s for _, s in beam], rtol=1e-6)
