"""tf.data's semantics: sources, dtypes, order, batches, functions, facts and errors."""

import tracemalloc
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import TensorShape, TensorSpec
from stratagem._data import (
    AUTOTUNE,
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    AutoShardPolicy,
    Dataset,
    Options,
    set_global_seed,
)

# Private: how often rows are gathered is no result, only time.
from stratagem._data.stages._columns import ArrayColumns


def listed(dataset: Dataset) -> list[Any]:
    """The elements as Python lists and numbers."""
    return [jax.tree.map(lambda leaf: leaf.tolist(), element) for element in dataset.as_numpy_iterator()]


def counted(n: int) -> tuple[Dataset, list[int]]:
    """0..n-1 from a generator, and the list of how often it was started."""
    starts: list[int] = []

    def generate() -> Iterator[int]:
        starts.append(1)
        yield from range(n)

    return Dataset.from_generator(generate, output_signature=TensorSpec((), np.int64)), starts


# The same laws for rows in memory and for elements that user code makes.
SOURCES: dict[str, Callable[[int], Dataset]] = {"rows": Dataset.range, "elements": lambda n: counted(n)[0]}
both = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())


# Sources and dtypes.


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([1, 2], "int32"),
        ([1.0, 2.0], "float32"),
        ([1, 2.5], "float32"),
        ([True, False], "bool"),
        ([2**40, 1], "int64"),
        ([np.float64(1), 2], "float64"),
        ([], "float32"),
        (np.arange(2), "int64"),
        (np.zeros(2), "float64"),
        (np.zeros(2, np.uint8), "uint8"),
        (jnp.zeros(2, jnp.bfloat16), "bfloat16"),
        ([np.arange(3), np.arange(3)], "int64"),
        (["a", "b"], "object"),
    ],
)
def test_from_tensor_slices_converts_as_tensorflow_does(value: Any, dtype: str) -> None:
    dataset = Dataset.from_tensor_slices(value)
    assert dataset.element_spec.dtype.name == dtype
    assert len(dataset) == len(value)
    assert all(element.dtype == dataset.element_spec.dtype for element in dataset)


def test_elements_are_arrays_of_exactly_the_sources_dtype() -> None:
    x = np.arange(3, dtype=np.float64) + 2**-40
    element = next(iter(Dataset.from_tensor_slices(x)))
    assert isinstance(element, jax.Array)
    assert element.dtype == np.float64
    assert float(element) == 2**-40


def test_strings_are_bytes_and_stay_numpy() -> None:
    dataset = Dataset.from_tensor_slices(["a", "é"])
    assert listed_bytes(dataset) == [b"a", "é".encode()]
    assert isinstance(next(iter(dataset)), np.ndarray)
    assert next(iter(dataset.batch(2))).tolist() == [b"a", "é".encode()]


def listed_bytes(dataset: Dataset) -> list[bytes]:
    return list(dataset.as_numpy_iterator())


def test_structures_are_kept() -> None:
    point = namedtuple("point", "x y")
    dataset = Dataset.from_tensor_slices({"a": [1, 2], "b": (point([3, 4], [[5, 6], [7, 8]]),)})
    assert listed(dataset) == [{"a": 1, "b": (point(3, [5, 6]),)}, {"a": 2, "b": (point(4, [7, 8]),)}]
    assert listed(dataset.batch(2)) == [{"a": [1, 2], "b": (point([3, 4], [[5, 6], [7, 8]]),)}]


def test_slices_of_different_lengths_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"Dimensions 3 and 4 are not compatible.*3 rows in component \['a'\]"):
        Dataset.from_tensor_slices({"a": np.zeros(3), "b": np.zeros(4)})


def test_a_scalar_has_no_slices() -> None:
    with pytest.raises(ValueError, match="from_tensors"):
        Dataset.from_tensor_slices(np.float32(3))


def test_what_is_no_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot become a tensor"):
        Dataset.from_tensors(object())


def test_from_tensors_is_one_element() -> None:
    assert listed(Dataset.from_tensors(([1, 2], 3.5))) == [([1, 2], 3.5)]


@pytest.mark.parametrize("args", [(5,), (2, 9), (1, 10, 3), (5, 0, -2), (3, 3), (5, 1)])
def test_range_counts_in_int64(args: tuple[int, ...]) -> None:
    dataset = Dataset.range(*args)
    assert listed(dataset) == list(range(*args))
    assert dataset.element_spec == TensorSpec((), np.int64)


def test_range_takes_an_output_type_and_no_zero_step() -> None:
    assert next(iter(Dataset.range(3, output_type=np.int32))).dtype == np.int32
    with pytest.raises(InvalidArgumentError, match="step must be a non-zero"):
        Dataset.range(1, 2, 0)


def test_later_changes_of_the_users_array_do_not_show() -> None:
    x = np.zeros(100, np.float32)
    dataset = Dataset.from_tensor_slices(x).batch(100)
    before = next(iter(dataset))
    x[:] = 1
    assert before.sum() == 0
    assert next(iter(dataset)).sum() == 0


def test_a_read_only_source_is_not_copied() -> None:
    x = np.zeros(1_000_000, np.float32)
    x.setflags(write=False)
    tracemalloc.start()
    try:
        assert int(Dataset.from_tensor_slices(x).cardinality()) == len(x)
        assert tracemalloc.get_traced_memory()[1] < x.nbytes / 2
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("make", [lambda d: d, lambda d: d.batch(2), lambda d: d.cache(), lambda d: d.shuffle(4)])
def test_numpy_elements_belong_to_the_caller(make: Callable[[Dataset], Dataset]) -> None:
    dataset = make(Dataset.from_tensor_slices(np.zeros((4, 2))))
    for _ in range(2):
        for element in dataset.as_numpy_iterator():
            assert element.sum() == 0
            element += 1


def test_a_generator_may_reuse_its_array() -> None:
    def generate() -> Iterator[np.ndarray]:
        buffer = np.zeros(2)
        for i in range(3):
            buffer[:] = i
            yield buffer

    dataset = Dataset.from_generator(generate, output_signature=TensorSpec((2,), np.float64))
    assert listed(dataset.batch(3)) == [[[0, 0], [1, 1], [2, 2]]]


def test_from_generator_takes_old_and_new_signatures_and_arguments() -> None:
    old = Dataset.from_generator(lambda n: range(n), args=(3,), output_types=np.int32)
    assert listed(old) == [0, 1, 2]
    assert old.element_spec == TensorSpec(None, np.int32)
    shaped = Dataset.from_generator(
        lambda: [(1, [2.5])], (np.int64, np.float64), (TensorShape([]), TensorShape([None]))
    )
    assert listed(shaped) == [(1, [2.5])]
    assert shaped.element_spec == (TensorSpec((), np.int64), TensorSpec((None,), np.float64))
    with pytest.raises(TypeError, match="`output_signature` argument or the `output_types`"):
        Dataset.from_generator(lambda: [1])


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        ("x", InvalidArgumentError, "expected type was int32, but the yielded element was 'x'"),
        ([1], InvalidArgumentError, r"shape \(1,\) where an element of shape \(\) was expected"),
    ],
)
def test_a_generators_elements_are_checked(value: Any, error: type[Exception], text: str) -> None:
    dataset = Dataset.from_generator(lambda: [1, value], output_signature=TensorSpec((), np.int32))
    with pytest.raises(error, match=text):
        list(dataset)


def test_a_generators_structure_is_checked() -> None:
    dataset = Dataset.from_generator(lambda: [(1, 2, 3)], output_signature=(TensorSpec((), np.int32),) * 2)
    with pytest.raises(InvalidArgumentError, match="structure"):
        next(iter(dataset))


# Order and number.


@both
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda d: d.take(3), [0, 1, 2]),
        (lambda d: d.take(-1), list(range(10))),
        (lambda d: d.take(0), []),
        (lambda d: d.skip(7), [7, 8, 9]),
        (lambda d: d.skip(-1), []),
        (lambda d: d.skip(11), []),
        (lambda d: d.shard(3, 1), [1, 4, 7]),
        (lambda d: d.repeat(2).skip(8).take(4), [8, 9, 0, 1]),
        (lambda d: d.repeat().skip(8).take(4), [8, 9, 0, 1]),
        (lambda d: d.repeat(0), []),
        (lambda d: d.batch(4), [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]),
        (lambda d: d.batch(4, drop_remainder=True), [[0, 1, 2, 3], [4, 5, 6, 7]]),
        (lambda d: d.repeat(2).batch(8), [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 0, 1, 2, 3, 4, 5], [6, 7, 8, 9]]),
        (lambda d: d.batch(4).repeat(2).skip(2).take(2), [[8, 9], [0, 1, 2, 3]]),
        (lambda d: d.batch(2).shard(2, 1), [[2, 3], [6, 7]]),
        (lambda d: d.batch(2).batch(3).take(1), [[[0, 1], [2, 3], [4, 5]]]),
        (lambda d: d.batch(4).unbatch(), list(range(10))),
        (lambda d: d.take(3).enumerate(5), [(5, 0), (6, 1), (7, 2)]),
        (lambda d: d.take(2).concatenate(d.skip(8)), [0, 1, 8, 9]),
        (lambda d: d.prefetch(AUTOTUNE).take(2), [0, 1]),
        (lambda d: d.cache().take(2), [0, 1]),
        (lambda d: d.map(lambda x: x * x).filter(lambda x: x % 2 == 1).take(2), [1, 9]),
        (lambda d: Dataset.zip((d.take(2), {"a": d.skip(3)})), [(0, {"a": 3}), (1, {"a": 4})]),
        (lambda d: Dataset.zip(d.take(1), d.skip(3)), [(0, 3)]),
        (lambda d: d.apply(lambda dataset: dataset.take(1)), [0]),
    ],
)
def test_elements_come_in_tensorflows_order(
    source: Callable[[int], Dataset], change: Callable[[Dataset], Dataset], expected: list[Any]
) -> None:
    dataset = change(source(10))
    assert listed(dataset) == expected
    assert listed(dataset) == expected  # again, from a new iterator
    length = int(dataset.cardinality())
    assert length in (len(expected), UNKNOWN_CARDINALITY)


@both
@pytest.mark.parametrize("buffer_size", [1, 3, 10, 99, UNKNOWN_CARDINALITY])
def test_a_shuffle_is_a_permutation(source: Callable[[int], Dataset], buffer_size: int) -> None:
    assert sorted(listed(source(10).shuffle(buffer_size))) == list(range(10))


@both
def test_a_small_buffer_gives_out_only_what_it_has_seen(source: Callable[[int], Dataset]) -> None:
    assert all(value < position + 3 for position, value in enumerate(listed(source(40).shuffle(3))))


@both
def test_a_seed_repeats_the_order_of_a_program_and_not_of_an_epoch(source: Callable[[int], Dataset]) -> None:
    one, other = source(30).shuffle(30, seed=5), source(30).shuffle(30, seed=5)
    epochs = [listed(one), listed(one)]
    assert epochs == [listed(other), listed(other)]
    assert epochs[0] != epochs[1]
    assert listed(source(30).shuffle(30, seed=5).repeat(2)) == epochs[0] + epochs[1]


@both
def test_without_reshuffling_every_epoch_is_the_same(source: Callable[[int], Dataset]) -> None:
    dataset = source(30).shuffle(30, reshuffle_each_iteration=False)
    assert listed(dataset) == listed(dataset)
    epochs = listed(dataset.repeat(2))
    assert epochs[:30] == epochs[30:]


@both
def test_the_global_seed_makes_unseeded_shuffles_repeatable(source: Callable[[int], Dataset]) -> None:
    def orders() -> list[list[int]]:
        set_global_seed(1)
        return [listed(source(30).shuffle(30)) for _ in range(2)]

    try:
        first, second = orders()
        assert [first, second] == orders()
        assert first != second
    finally:
        set_global_seed(None)


@both
def test_a_cache_after_a_shuffle_repeats_its_order(source: Callable[[int], Dataset]) -> None:
    cached = source(30).shuffle(30).cache()
    assert listed(cached) == listed(cached)
    again = source(30).cache().shuffle(30)
    assert listed(again) != listed(again)


def test_a_cache_asks_its_source_once() -> None:
    dataset, starts = counted(3)
    cached = dataset.cache()
    next(iter(cached))  # an iteration that does not come to the end is no epoch
    assert [listed(cached.repeat(2)), listed(cached)] == [[0, 1, 2] * 2, [0, 1, 2]]
    assert len(starts) == 2


def test_repeating_nothing_for_ever_ends() -> None:
    assert listed(Dataset.range(0).repeat()) == []
    assert listed(counted(0)[0].repeat()) == []


# Gathering.


def test_a_batch_of_shuffled_rows_is_one_gather(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    gather = ArrayColumns.gather

    def counting(self: ArrayColumns, indices: np.ndarray) -> Any:
        sizes.append(len(indices))
        return gather(self, indices)

    monkeypatch.setattr(ArrayColumns, "gather", counting)
    rows = Dataset.from_tensor_slices((np.zeros((100, 3)), np.arange(100)))
    dataset = rows.skip(4).shuffle(1000).repeat(2).shard(2, 1).take(90).prefetch(2).batch(20)
    assert [x.shape for x, _ in dataset.as_numpy_iterator()] == [(20, 3)] * 4 + [(10, 3)]
    assert sizes == [20, 20, 20, 20, 10]


def test_single_rows_are_gathered_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    gather = ArrayColumns.gather

    def counting(self: ArrayColumns, indices: np.ndarray) -> Any:
        sizes.append(len(indices))
        return gather(self, indices)

    monkeypatch.setattr(ArrayColumns, "gather", counting)
    assert len(listed(Dataset.from_tensor_slices(np.zeros(3000)).shuffle(3000))) == 3000
    assert sizes == [1024, 1024, 952]


# Functions.


def test_a_map_gets_arrays_and_a_tuples_members_as_arguments() -> None:
    def f(x: Any, y: Any) -> Any:
        assert isinstance(x, jax.Array)
        return {"scaled": x / 255.0, "label": y + 1}

    dataset = Dataset.from_tensor_slices((np.array([255], np.uint8), [4])).map(f)
    element = next(iter(dataset))
    assert (element["scaled"].dtype, element["label"].dtype) == (np.float32, np.int32)
    assert listed(dataset) == [{"scaled": 1.0, "label": 5}]


def test_a_map_gets_a_dict_whole_and_a_returned_list_is_a_tuple() -> None:
    dataset = Dataset.from_tensor_slices({"a": [1, 2]}).map(lambda d: [d["a"], d["a"]])
    assert listed(dataset) == [(1, 1), (2, 2)]


def test_a_filter_needs_a_bool_scalar() -> None:
    with pytest.raises(ValueError, match=r"`predicate` must return a bool scalar, but it returned int64 of shape \(\)"):
        list(Dataset.range(3).filter(lambda x: x))


def test_an_error_of_a_map_reaches_the_caller_and_the_iteration_can_go_on() -> None:
    def f(x: Any) -> Any:
        if x == 1:
            raise ZeroDivisionError("one")
        return x

    iterator = iter(Dataset.range(3).map(f).prefetch(2))
    assert next(iterator) == 0
    with pytest.raises(ZeroDivisionError, match="one"):
        next(iterator)
    assert next(iterator) == 2


def test_batches_need_equal_shapes() -> None:
    dataset = Dataset.range(3).map(lambda x: np.zeros(x.numpy())).batch(2)
    with pytest.raises(InvalidArgumentError, match=r"component 0. First .* \[0\] and element 1 .* \[1\]"):
        next(iter(dataset))


def test_batches_need_equal_dtypes() -> None:
    dataset = Dataset.range(3).map(lambda x: 1 if x.numpy() == 0 else 1.5).batch(2)
    with pytest.raises(InvalidArgumentError, match=r"dtypes: int32, float32"):
        next(iter(dataset))


def test_unbatching_scalars_of_user_code_is_an_error_when_they_come() -> None:
    dataset = Dataset.range(3).map(lambda x: int(x.numpy())).unbatch()
    with pytest.raises(ValueError, match="scalar components"):
        next(iter(dataset))


def test_the_spec_of_a_python_map_over_nothing_cannot_be_found() -> None:
    with pytest.raises(ValueError, match="there is none"):
        _ = Dataset.range(0).map(lambda x: int(x.numpy())).element_spec


def test_reduce_folds_elements() -> None:
    assert Dataset.range(5).reduce(np.int64(0), lambda state, x: state + x) == 10
    pairs = Dataset.zip((Dataset.range(3), Dataset.range(3)))
    assert pairs.reduce(np.int64(0), lambda state, pair: state + pair[0] * pair[1]) == 5


# Facts.


@pytest.mark.parametrize(
    ("dataset", "spec"),
    [
        (Dataset.from_tensor_slices(np.zeros((4, 3))).batch(2), TensorSpec((None, 3), np.float64)),
        (Dataset.from_tensor_slices(np.zeros((4, 3))).batch(2, True), TensorSpec((2, 3), np.float64)),
        (Dataset.range(5).batch(2).unbatch(), TensorSpec((), np.int64)),
        (Dataset.from_tensor_slices([1]).map(lambda x: x / 2), TensorSpec((), np.float32)),
        (
            Dataset.range(5).batch(2).map(lambda x: (x, np.ones(3, np.float32))),
            (TensorSpec((None,), np.int64), TensorSpec((3,), np.float32)),
        ),
        (Dataset.range(5).batch(2, True).map(lambda x: x).batch(3), TensorSpec((None, 2), np.int64)),
        (Dataset.range(5).enumerate(), (TensorSpec((), np.int64), TensorSpec((), np.int64))),
        (counted(2)[0].enumerate(), (TensorSpec((), np.int64), TensorSpec((), np.int64))),
        (Dataset.range(3).batch(2).concatenate(Dataset.range(2).batch(2, True)), TensorSpec((None,), np.int64)),
    ],
)
def test_element_specs_are_tensorflows(dataset: Dataset, spec: Any) -> None:
    assert dataset.element_spec == spec
    assert iter(dataset).element_spec == spec


def test_asking_for_a_spec_starts_no_epoch() -> None:
    def first_epoch(ask: bool) -> list[int]:
        dataset = Dataset.range(20).shuffle(20, seed=3).map(lambda x: x)
        if ask:
            assert dataset.element_spec == TensorSpec((), np.int64)
        return listed(dataset)

    assert first_epoch(ask=True) == first_epoch(ask=False)


@pytest.mark.parametrize(
    ("dataset", "cardinality"),
    [
        (Dataset.range(5).repeat(), INFINITE_CARDINALITY),
        (Dataset.range(5).repeat().batch(2), INFINITE_CARDINALITY),
        (Dataset.range(5).repeat().take(7).batch(2), 4),
        (Dataset.range(5).repeat().shard(2, 0), INFINITE_CARDINALITY),
        (Dataset.range(5).filter(lambda x: True), UNKNOWN_CARDINALITY),
        (Dataset.range(5).batch(2).unbatch(), UNKNOWN_CARDINALITY),
        (Dataset.range(5).batch(2, True).unbatch(), 4),
        (Dataset.range(0).repeat(), 0),
        (Dataset.zip((Dataset.range(5).repeat(), Dataset.range(3))), 3),
        (Dataset.zip((counted(2)[0], Dataset.range(3))), UNKNOWN_CARDINALITY),
        (Dataset.range(5).concatenate(Dataset.range(5).repeat()), INFINITE_CARDINALITY),
    ],
)
def test_cardinalities_are_tensorflows(dataset: Dataset, cardinality: int) -> None:
    found = dataset.cardinality()
    assert found == cardinality
    assert found.dtype == np.int64


def test_len_is_an_error_where_it_is_not_known() -> None:
    assert len(Dataset.range(5).batch(2)) == 3
    with pytest.raises(TypeError, match="infinite"):
        len(Dataset.range(5).repeat())
    with pytest.raises(TypeError, match="unknown"):
        len(Dataset.range(5).filter(lambda x: True))
    assert Dataset.range(0)  # never false, as the length may cost


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda d: d.batch(0), InvalidArgumentError, "Batch size must be greater than zero, got 0"),
        (lambda d: d.shuffle(0), InvalidArgumentError, "buffer_size must be greater than zero"),
        (lambda d: d.shard(2, 2), InvalidArgumentError, r"Index must be between 0 and 1 \(currently index = 2\)"),
        (lambda d: d.shard(0, 0), InvalidArgumentError, "Number of shards must be greater than zero"),
        (lambda d: d.prefetch(-2), InvalidArgumentError, "AUTOTUNE"),
        (lambda d: d.unbatch(), ValueError, "Cannot unbatch an input with scalar components"),
        (lambda d: d.map(3), TypeError, "`map_func` must be callable"),
        (lambda d: d.apply(lambda _: 3), TypeError, "must return a `tf.data.Dataset` object. Got <class 'int'>"),
        (lambda d: d.concatenate(Dataset.from_tensors(1.0)), TypeError, "Incompatible dataset elements"),
        (lambda d: Dataset.zip([d]), TypeError, "tuple instead of a list"),
        (lambda d: Dataset.zip(), TypeError, "not both"),
        (lambda d: Dataset(d), TypeError, "from_tensor_slices"),
    ],
)
def test_wrong_arguments_are_named_at_once(call: Callable[[Dataset], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(Dataset.range(3))


def test_printing_runs_no_user_code() -> None:
    assert repr(Dataset.range(3)) == "<Dataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"
    assert "unknown" in repr(Dataset.range(3).map(lambda x: 1 / x.numpy()))


# Options.


def test_later_options_overrule_what_they_set() -> None:
    first, second = Options(), Options()
    first.deterministic = False
    first.experimental_distribute.auto_shard_policy = AutoShardPolicy.OFF
    second.deterministic = True
    options = Dataset.range(3).with_options(first).map(lambda x: x).with_options(second).options()
    assert options.deterministic is True
    assert options.experimental_distribute.auto_shard_policy is AutoShardPolicy.OFF
    assert first.deterministic is False
    assert Dataset.range(3).options() == Options()


def test_unknown_options_and_wrong_types_are_refused() -> None:
    options = Options()
    with pytest.raises(AttributeError, match="Cannot set the property foo on Options"):
        options.foo = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match='"auto_shard_policy" must be of type'):
        options.experimental_distribute.auto_shard_policy = "OFF"  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ([tf.constant("a"), tf.constant("b")], [b"a", b"b"]),
        ([[tf.constant("a")], [b"b"]], [[b"a"], [b"b"]]),
        ((tf.constant("a"), "b"), [(b"a", b"b")]),
        ([np.array("a"), np.array("bcd")], [b"a", b"bcd"]),
        ([np.array("é"), "x"], ["é".encode(), b"x"]),
    ],
    ids=["a list", "rows", "a tuple", "arrays of NumPy", "an array and text"],
)
def test_scalar_tensors_of_strings_in_a_list_are_one_tensor(value: Any, wanted: Any) -> None:
    make = tf.data.Dataset.from_tensors if isinstance(value, tuple) else tf.data.Dataset.from_tensor_slices
    found = list(make(value).as_numpy_iterator())
    assert [each.tolist() if isinstance(each, np.ndarray) else each for each in found] == wanted


def test_arrays_of_different_sizes_in_a_list_are_no_tensor() -> None:
    uneven = np.empty(2, object)
    uneven[:] = [np.array([1, 2]), np.array([1])]
    with pytest.raises(TypeError, match="cannot become a tensor"):
        tf.data.Dataset.from_tensor_slices(uneven)
