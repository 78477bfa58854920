"""What functions given to map may return, hold and meet; compiled many at a time, they give what Python gives one by one."""

import threading
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from typing import Any

import jax
import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stratagem as tf
from stratagem import Variable
from stratagem._core.values import TensorSpec
from stratagem._data import Dataset

Point = namedtuple("Point", "x y")


def elements(dataset: Dataset) -> list[Any]:
    return list(dataset.as_numpy_iterator())


def in_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, unable to be compiled: it asks for a value."""

    def call(x: Any) -> Any:
        x.numpy()
        return function(x)

    return call


# Random programs.

SCALARS = [np.uint8, np.int8, np.int32, np.int64, np.uint64, np.float16, np.float32, np.float64, np.bool_]
WHOLE: list[Callable[[Any], Any]] = [
    lambda x: x + x,
    lambda x: x * 3,
    lambda x: x - 7,
    lambda x: x // 3,
    lambda x: x % 5,
    lambda x: tf.maximum(x, tf.cast(9, x.dtype)),
    lambda x: tf.where(x > 4, x, x + 1),
    lambda x: tf.cast(x, tf.uint8),
    lambda x: tf.cast(x, tf.int64) + 100,
    lambda x: tf.reverse(x, [0]),
    lambda x: x[..., ::2],
    lambda x: x[:0],
    lambda x: tf.reshape(x, (-1,)),
    lambda x: tf.reduce_sum(x, axis=0, keepdims=True),
    lambda x: tf.cond(tf.reduce_all(x > 4), lambda: x + 1, lambda: x),
    lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + y), (tf.constant(0), x))[1],
    lambda x: tf.one_hot(tf.cast(tf.reshape(x, (-1,)), tf.int32) % 3, 3, dtype=tf.int32),
    lambda x: tf.gather(tf.constant([7, 8, 9]), tf.cast(x, tf.int32) % 3),
]
REAL: list[Callable[[Any], Any]] = [  # all keep positive numbers positive: no difference of rounded numbers grows
    lambda x: tf.sqrt(x),
    lambda x: tf.exp(-x),
    lambda x: x * x + tf.cast(0.5, x.dtype),
    lambda x: tf.cast(1.0, x.dtype) / (x + tf.cast(1.0, x.dtype)),
    lambda x: tf.cast(x, tf.float64),
    lambda x: tf.cast(x, tf.float32),
    lambda x: tf.cast(x, tf.bfloat16),
    lambda x: tf.reduce_mean(x, axis=-1, keepdims=True),
    lambda x: tf.where(x > 1, x, tf.constant(np.nan, x.dtype)),
    *WHOLE[9:13],
]
SHAPES: list[Callable[[Any], Any]] = [
    lambda x: x,
    lambda x: (x,),
    lambda x: [x, x[..., 0], 1.5],
    lambda x: {"b": x, "a": (x, 3)},
    lambda x: {2: x, 1: [7, 8]},
    lambda x: Point(x, OrderedDict([("z", x), ("y", True)])),
]


def agree(mine: Any, theirs: Any) -> None:
    """Equal structures, dtypes and shapes; whole numbers equal, others but for the rounding of a fused operation."""
    assert type(mine) is type(theirs) or isinstance(mine, np.generic | np.ndarray)
    if isinstance(mine, dict):
        assert list(mine) == list(theirs)
        mine, theirs = tuple(mine.values()), tuple(theirs.values())
    if isinstance(mine, tuple):
        for a, b in zip(mine, theirs, strict=True):
            agree(a, b)
        return
    assert (mine.dtype, np.shape(mine)) == (theirs.dtype, theirs.shape)
    if mine.dtype.kind in "iub":
        np.testing.assert_array_equal(mine, theirs)
    else:
        ulp = float(jax.numpy.finfo(mine.dtype).eps)
        wide = [np.asarray(a).astype(np.float64) for a in (mine, theirs)]
        np.testing.assert_allclose(*wide, rtol=8 * ulp, atol=float(jax.numpy.finfo(mine.dtype).tiny))


@st.composite
def programs(draw: st.DrawFn) -> tuple[np.ndarray, Callable[[Any], Any]]:
    """Rows of a random dtype and a function of a few random operations and a random result."""
    whole = draw(st.booleans())
    steps = draw(st.lists(st.sampled_from(WHOLE if whole else REAL), max_size=4))
    pack = draw(st.sampled_from(SHAPES))
    random = np.random.default_rng(draw(st.integers(0, 9)))
    if whole:
        dtype = draw(st.sampled_from([np.uint8, np.int8, np.int32, np.int64, np.uint64]))
        rows = random.integers(0, 120, (9, 4, 3)).astype(dtype)
    else:
        rows = random.uniform(0.5, 2, (9, 4, 3)).astype(draw(st.sampled_from([np.float16, np.float32, np.float64])))

    def function(x: Any) -> Any:
        for step in steps:
            if x.ndim > 0:
                x = step(x)
        return pack(x)

    return rows, function


@settings(max_examples=15)
@given(programs())
def test_random_programs_give_what_python_gives(program: tuple[np.ndarray, Callable[[Any], Any]]) -> None:
    rows, function = program
    source = Dataset.from_tensor_slices(rows)
    compiled = elements(source.map(function))
    batched = elements(source.map(function).batch(5).unbatch())
    alone = elements(source.map(in_python(function)))
    for a, b, c in zip(compiled, batched, alone, strict=True):
        agree(a, c)
        agree(b, c)
    by_python = source.map(in_python(function))
    assert jax.tree.leaves(by_python.element_spec) == jax.tree.leaves(source.map(function).element_spec)


# What comes back.


@pytest.mark.parametrize("way", [lambda f: f, in_python], ids=["compiled", "python"])
def test_results_have_tensorflows_structure(way: Callable[[Any], Any]) -> None:
    source = Dataset.range(3)
    assert elements(source.map(way(lambda x: [x, 1.5])))[1] == (1, 1.5)  # a list is a tuple
    assert [part.tolist() for part in elements(source.map(way(lambda x: [[x], [x, x]])))[2]] == [[2], [2, 2]]
    assert [part.tolist() for part in elements(source.map(way(lambda x: ([x, x], [x]))))[2]] == [[2, 2], [2]]
    assert list(elements(source.map(way(lambda x: {"b": x, "a": x})))[0]) == ["b", "a"]
    assert list(source.map(way(lambda x: {"b": x, "a": x})).element_spec) == ["b", "a"]
    point = elements(source.map(way(lambda x: Point(x, x * 2))).map(lambda p: Point(p.y, p.x)))[2]
    assert point == Point(4, 2)
    assert isinstance(point, Point)
    assert elements(source.map(way(lambda x: {1: x, 0: (x, None)})))[2] == {1: 2, 0: (2, None)}
    assert elements(source.map(way(lambda x: (x,))))[1] == (1,)


@pytest.mark.parametrize("nothing", [None, (), [], {}])
@pytest.mark.parametrize("threads", [None, 2])
def test_a_result_without_a_tensor_is_an_error(nothing: Any, threads: int | None) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must return at least one tensor"):
        Dataset.range(2).map(lambda x: nothing)
    mapped = Dataset.range(2).map(in_python(lambda x: nothing), num_parallel_calls=threads)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Is there a `return` missing"):
        elements(mapped)


@pytest.mark.parametrize("value", [object(), {1, 2}])
def test_a_result_that_is_no_tensor_is_named(value: Any) -> None:
    with pytest.raises(TypeError, match=f"{type(value).__name__} cannot become a tensor"):
        Dataset.range(2).map(lambda x: value)


def test_keys_that_cannot_be_sorted_are_named() -> None:
    with pytest.raises(TypeError, match=r"must be sortable, found \[1, 'a'\]"):
        elements(Dataset.range(2).map(lambda x: {1: x, "a": x}))


@pytest.mark.parametrize("dtype", SCALARS)
def test_numbers_keep_their_dtype_and_wrap_as_in_tensorflow(dtype: Any) -> None:
    values = np.array([0, 1, 100]).astype(dtype)
    (first, *_), spec = elements(Dataset.from_tensor_slices(values).map(lambda x: x)), TensorSpec((), dtype)
    assert first.dtype == dtype
    assert Dataset.from_tensor_slices(values).map(lambda x: x).element_spec == spec
    if dtype is np.uint8:
        wrapped = Dataset.from_tensor_slices(np.array([250, 255], np.uint8))
        assert elements(wrapped.map(lambda x: x + 10)) == [4, 9]
        assert elements(wrapped.map(lambda x: x + 300)) == [38, 43]
        assert elements(wrapped.map(in_python(lambda x: x + 10))) == [4, 9]


def test_elements_without_values_have_results() -> None:
    rows = Dataset.from_tensor_slices(np.zeros((3, 0, 2), np.float32)).map(lambda x: (x * 2, tf.reduce_sum(x)))
    assert rows.element_spec == (TensorSpec((0, 2), np.float32), TensorSpec((), np.float32))
    assert [(a.shape, float(b)) for a, b in elements(rows)] == [((0, 2), 0.0)] * 3


# Python's own state.


def test_python_runs_once_as_in_tensorflow_and_its_values_stay(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Any] = []
    random = np.random.default_rng(0)

    def function(x: Any) -> Any:
        seen.append(x)
        print("traced")
        return x + len(seen), float(random.uniform())

    dataset = Dataset.range(3).map(function)
    found = elements(dataset) + elements(dataset)
    assert [int(n) for n, _ in found] == [1, 2, 3] * 2
    assert len({float(r) for _, r in found}) == 1
    assert capsys.readouterr().out == "traced\n"


PLANS: dict[str, Callable[[Dataset, Any], Dataset]] = {
    "rows": lambda d, f: d.map(f),
    "drawn": lambda d, f: Dataset.zip((d.shuffle(1), d)).map(lambda a, b: f(b)),
    "batches": lambda d, f: d.batch(1).map(lambda x: f(x[0])),
    "mapped": lambda d, f: d.map(lambda x: x * 1).map(f),
    "python": lambda d, f: d.map(in_python(f)),
    "filtered": lambda d, f: d.filter(lambda x: f(x) >= 0).map(f),
    "cached": lambda d, f: d.cache().map(f),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_variable_that_changes_between_elements_is_seen(name: str) -> None:
    variable = Variable(10, dtype="int64")
    walk = iter(PLANS[name](Dataset.range(4), lambda x: x + variable))
    assert [int(next(walk)), int(next(walk))] == [10, 11]
    variable.assign(100)
    assert [int(x) for x in walk] == [102, 103]


# TensorFlow's ways to call Python.


def test_shapes_may_be_told_behind_python_functions() -> None:
    def function(x: Any) -> Any:
        double, ones = tf.py_function(lambda v: (v * 2, [1.0, 1.0]), [x], [tf.int64, tf.float32])
        double.set_shape([])
        ones.set_shape([None])
        row = tf.numpy_function(lambda v: np.array([v, v], np.float32), [x], tf.float32)
        return double, ones, tf.ensure_shape(row, [2])

    found = elements(Dataset.range(3).map(function))
    assert [int(a) for a, _, _ in found] == [0, 2, 4]
    assert [(b.tolist(), c.tolist()) for _, b, c in found] == [([1, 1], [float(i)] * 2) for i in range(3)]
    with pytest.raises(ValueError, match=r"shape \(2,\) is not compatible with supplied shape \[3\]"):
        elements(Dataset.range(3).map(lambda x: tf.zeros(2).set_shape([3])))


@pytest.mark.parametrize(
    "make",
    [
        lambda: keras.layers.Normalization(mean=[1.0, 2.0, 3.0], variance=[1.0, 4.0, 9.0]),
        lambda: keras.layers.Rescaling(1 / 255),
        lambda: keras.layers.Discretization(bin_boundaries=[0.5, 4.5]),
    ],
)
def test_a_layer_that_was_built_in_a_map_lives_on(make: Callable[[], Any]) -> None:
    layer, rows = make(), np.arange(12, dtype=np.float32).reshape(4, 3)
    first = np.stack(elements(Dataset.from_tensor_slices(rows).map(layer)))
    np.testing.assert_allclose(elements(Dataset.from_tensor_slices(rows).map(in_python(layer))), first, rtol=1e-6)
    np.testing.assert_allclose(tf.function(lambda x: layer(x))(tf.constant(rows)), first, rtol=1e-6)


# Ends.


@pytest.mark.parametrize("end", ["break", "error", "del", "close"])
def test_threads_end_with_their_walk(end: str) -> None:
    before = threading.active_count()

    def fail(x: Any) -> int:
        if int(x.numpy()) == 5 and end == "error":
            raise KeyError(end)
        return int(x.numpy())

    walk = iter(Dataset.range(50).map(fail, num_parallel_calls=3).batch(2).prefetch(2))
    if end == "error":
        with pytest.raises(KeyError):
            list(walk)
    else:
        for _ in walk:
            break
        assert threading.active_count() > before
    if end == "close":
        walk.close()
    del walk  # conftest finds the threads that stay
