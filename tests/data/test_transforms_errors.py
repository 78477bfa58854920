"""What is refused, when, and what the error says; and that a program's seed makes every draw repeatable."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import DataLossError, InvalidArgumentError
from stratagem._core.values import TensorSpec
from stratagem._data import Dataset, set_global_seed


def ragged(*rows: list[int]) -> Dataset:
    """Pairs of a row of unknown length and its length."""
    signature = {"row": TensorSpec((None,), np.int64), "n": TensorSpec((), np.int32)}
    return Dataset.from_generator(lambda: ({"row": row, "n": len(row)} for row in rows), output_signature=signature)


# Different sizes.


@pytest.mark.parametrize(
    ("tensors", "text"),
    [
        (([1, 2], [1, 2, 3]), r"Dimensions 2 and 3 .*2 rows in component \[0\], 3 rows in component \[1\]"),
        (
            {"x": np.zeros((4, 2)), "y": {"z": [1, 2]}},
            r"Dimensions 4 and 2 .*4 rows in component \['x'\], 2 rows in component \['y'\]\['z'\]",
        ),
        (([], [1.0]), r"Dimensions 0 and 1 .*0 rows in component \[0\], 1 rows in component \[1\]"),
    ],
)
def test_components_of_different_lengths_are_named_with_their_lengths(tensors: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Dataset.from_tensor_slices(tensors)


def test_a_ragged_batch_says_which_element_has_which_shape_and_names_padded_batch() -> None:
    batches = iter(ragged([1], [2], [3], [4, 5], [6]).batch(3))
    assert next(iter(ragged([1], [2]).batch(2)))["row"].tolist() == [[1], [2]]
    assert next(batches)["row"].tolist() == [[1], [2], [3]]
    text = r"component 1\. First element had shape \[2\] and element 1 had shape \[1\].*Use `padded_batch`"
    with pytest.raises(InvalidArgumentError, match=text):
        next(batches)


def test_padding_that_does_not_fit_names_the_component_and_both_sizes() -> None:
    with pytest.raises(DataLossError, match=r"component 1 is to have shape \[2\], and an element .* has size \[3\]"):
        list(ragged([1], [2, 3, 4]).padded_batch(2, {"row": [2], "n": []}))
    with pytest.raises(TypeError, match="padding_values` values type float32 does not match type int64"):
        ragged([1]).padded_batch(2, padding_values={"row": 1.5, "n": 0})
    with pytest.raises(TypeError, match=r"`padded_shapes` must have the structure of the elements"):
        ragged([1]).padded_batch(2, ([None], []))
    with pytest.raises(ValueError, match=r"`padded_shapes` must have the structure of the elements"):
        ragged([1]).padded_batch(2, {"row": [None]})
    with pytest.raises(ValueError, match=r"shape \(3, 3\) is not compatible with the shape \(None,\)"):
        ragged([1]).padded_batch(2, {"row": [3, 3], "n": []})


def test_components_with_different_rows_are_not_unbatched() -> None:
    with pytest.raises(ValueError, match=r"different numbers of rows: their shapes are \(2,\), \(3,\)"):
        Dataset.from_tensors(([1, 2], [1, 2, 3])).unbatch()
    unknown = {"row": TensorSpec((None,), np.int64), "other": TensorSpec((None,), np.int64)}
    late = Dataset.from_generator(lambda: [{"row": [1, 2], "other": [1]}], output_signature=unknown).unbatch()
    with pytest.raises(InvalidArgumentError, match=r"different numbers of rows: their shapes are \(1,\), \(2,\)"):
        list(late)


def test_the_spec_of_new_batches_does_not_promise_what_is_known_of_one_batch_only() -> None:
    dataset = Dataset.range(3).map(lambda x: np.zeros(int(x) + 2)).rebatch(2)
    assert dataset.element_spec == TensorSpec((None,), np.float64)
    assert [len(batch) for batch in dataset] == [2, 2, 2, 2, 1]


# Wrong arguments.

WHOLE: dict[str, Callable[[Dataset, Any], Any]] = {
    "batch_size": lambda d, n: d.batch(n),
    "batch_size of padded_batch": lambda d, n: d.padded_batch(n),
    "batch_size of rebatch": lambda d, n: d.batch(2).rebatch([2, n]),
    "size": lambda d, n: d.window(n),
    "shift": lambda d, n: d.window(2, n),
    "stride": lambda d, n: d.window(2, 2, n),
    "count": lambda d, n: d.take(n),
    "count of skip": lambda d, n: d.skip(n),
    "count of repeat": lambda d, n: d.repeat(n),
    "num_shards": lambda d, n: d.shard(n, 0),
    "index": lambda d, n: d.shard(2, n),
    "start": lambda d, n: d.enumerate(n),
    "buffer_size": lambda d, n: d.shuffle(n),
    "buffer_size of prefetch": lambda d, n: d.prefetch(n),
    "seed": lambda d, n: d.shuffle(2, seed=n),
    "seed of random": lambda d, n: Dataset.random(n),
    "a bound of range": lambda d, n: Dataset.range(1, n),
    "cycle_length": lambda d, n: d.interleave(lambda x: Dataset.range(2), n),
    "block_length": lambda d, n: d.interleave(lambda x: Dataset.range(2), 2, n),
    "num_parallel_calls": lambda d, n: d.interleave(lambda x: Dataset.range(2), 2, 1, n),
    "window_size": lambda d, n: d.group_by_window(lambda x: x, lambda k, w: w, n),
    "a length in bucket_boundaries": lambda d, n: d.bucket_by_sequence_length(lambda x: x, [n], [1, 1]),
    "a size in bucket_batch_sizes": lambda d, n: d.bucket_by_sequence_length(lambda x: x, [1], [1, n]),
    "a size in padded_shapes": lambda d, n: d.batch(2).padded_batch(2, [n]),
    "expected_cardinality": lambda d, n: d.apply(tf.data.experimental.assert_cardinality(n)),
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("value", [1.5, np.float32(1), "1", [1, 1]], ids=repr)
def test_what_is_no_integer_is_refused_by_name(name: str, value: Any) -> None:
    argument = name.partition(" of ")[0] if not name.startswith("a ") else name
    if name == "batch_size of rebatch":
        value = value if np.ndim(value) == 0 else 2.5  # a list of lists is another error
        value = value if not isinstance(value, str) else 1.25  # NumPy makes strings of both
    with pytest.raises(TypeError, match=f"`{argument}` must be an integer, got"):
        WHOLE[name](Dataset.range(3), value)


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("kind", [np.int32, np.uint8, jnp.int32, lambda n: tf.constant(n, tf.int64)])
def test_integers_of_every_library_count(name: str, kind: Callable[[int], Any]) -> None:
    WHOLE[name](Dataset.range(3), kind(1))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda d: d.cache(5), TypeError, "`filename` argument must contain `tf.string` elements. Got int32"),
        (lambda d: d.cache(["a", "b"]), TypeError, "`filename` must be one name, got 2"),
        (
            lambda d: d.with_options({"deterministic": True}),
            TypeError,
            "`options` must be a `tf.data.Options`, got dict",
        ),
        (lambda d: d.apply(5), TypeError, "`transformation_func` must be callable, got int: 5"),
        (lambda d: d.reduce(0, None), TypeError, "`reduce_func` must be callable, got NoneType"),
        (lambda d: d.take(0).reduce(0, None), TypeError, "`reduce_func` must be callable"),
        (lambda d: d.scan(0, 5), TypeError, "`scan_func` must be callable"),
        (lambda d: d.filter("x"), TypeError, "`predicate` must be callable, got str: 'x'"),
        (lambda d: d.flat_map(d), TypeError, "`map_func` must be callable, got Dataset"),
        (lambda d: d.group_by_window(1, 2, 3), TypeError, "`key_func` must be callable"),
        (lambda d: d.concatenate([1]), TypeError, "`concatenate` takes a Dataset, got list"),
        (lambda d: d.concatenate(d.enumerate()), TypeError, "Incompatible dataset elements"),
        (lambda d: d.batch(2).concatenate(d.enumerate()), TypeError, "Incompatible dataset elements"),
        (lambda d: d.rebatch(2), ValueError, "rank of >= 1 .* adding the `batch` transformation"),
        (lambda d: d.batch(2).rebatch([]), ValueError, "an integer or a list of at least one"),
        (lambda d: d.batch(2).rebatch([[1, 2]]), ValueError, "an integer or a list of at least one"),
        (lambda d: d.window(0), InvalidArgumentError, "Window size must be greater than zero, got 0"),
        (lambda d: d.window(2, 0), InvalidArgumentError, "Window shift must be greater than zero"),
        (lambda d: d.window(2, 1, -1), InvalidArgumentError, "Window stride must be greater than zero, got -1"),
        (lambda d: Dataset.counter("a"), TypeError, "`start` must be a number, got str: 'a'"),
        (lambda d: Dataset.counter(0, [1]), TypeError, r"`step` must be a number, got list: \[1\]"),
        (lambda d: Dataset.zip((d, 5)), TypeError, "found int"),
        (
            lambda d: Dataset.choose_from_datasets([d, d.enumerate()], d),
            TypeError,
            r"compatible element specs.\n Dataset 0 element_spec=TensorSpec.*\nDataset 1 element_spec=\(",
        ),
        (lambda d: Dataset.choose_from_datasets([d], 5), TypeError, "`choice_dataset` must be a Dataset, got 5"),
        (
            lambda d: Dataset.sample_from_datasets([d, d], [1.0]),
            ValueError,
            r"`len\(weights\)=1` vs. `len\(datasets\)=2`",
        ),
        (lambda d: tf.data.experimental.from_list([1, (1, 1)]), TypeError, "the first has .* and number 1 has"),
        (
            lambda d: Dataset.from_generator(lambda: [1], tf.int32, output_signature=TensorSpec((), tf.int32)),
            TypeError,
            "can not be used together",
        ),
        (
            lambda d: d.group_by_window(lambda x: x / 2, lambda k, w: w, 2),
            ValueError,
            "`key_func` must return a single",
        ),
        (lambda d: d.scan(np.int64(0), lambda s, x: (s / 2, x)), TypeError, "The element types for the new state"),
        (lambda d: d.scan(np.int64(0), lambda s, x: ((s, s), x)), TypeError, "The element types for the new state"),
        (
            lambda d: d.reduce(np.int64(0), lambda s, x: s / 2),
            TypeError,
            "Expected TensorSpec.*int64.*; got TensorSpec.*fl",
        ),
        (lambda d: d.reduce(np.int64(0), lambda s, x: (s, s)), TypeError, r"Expected TensorSpec.*; got \(TensorSpec"),
    ],
)
def test_wrong_arguments_are_refused_at_once(call: Callable[[Dataset], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"(?s){text}"):
        call(Dataset.range(3))


def test_user_code_with_a_wrong_structure_is_refused_when_it_comes() -> None:
    dataset = Dataset.range(3).map(lambda x: int(x.numpy())).scan(np.int64(0), lambda s, x: ((s, s), int(x)))
    with pytest.raises(TypeError, match="The element types for the new state must match"):
        next(iter(dataset))
    with pytest.raises(TypeError, match=r"must return a `Dataset` object\. Got .*Use `map`"):
        next(iter(Dataset.range(3).flat_map(lambda x: x)))


# The program's seed.

DRAWS: dict[str, Callable[[Path], Dataset]] = {
    "shuffled rows": lambda _: Dataset.range(50).shuffle(50),
    "shuffled elements": lambda _: Dataset.range(50).map(lambda x: int(x.numpy())).shuffle(20),
    "shuffled and repeated": lambda _: Dataset.range(25).shuffle(25).repeat(2),
    "a cached order": lambda _: Dataset.range(50).shuffle(50).cache(),
    "random numbers": lambda _: Dataset.random(),
    "sampled datasets": lambda _: Dataset.sample_from_datasets([Dataset.range(50), Dataset.range(100, 150)]),
    "files": lambda folder: Dataset.list_files(str(folder / "*")).map(lambda name: int(np.asarray(name).item()[-2:])),
    "mapped at random": lambda _: Dataset.range(50).map(lambda x: tf.random.uniform([])),
    "shuffled in a function": lambda _: Dataset.range(5).flat_map(lambda x: Dataset.range(20).shuffle(20)),
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Files with numbers for names; the program has no seed afterwards."""
    for i in range(40):
        (tmp_path / f"{i:02}").touch()
    yield tmp_path
    set_global_seed(None)


@pytest.mark.sampled
@pytest.mark.parametrize("name", DRAWS)
def test_a_programs_seed_repeats_every_draw_without_one(name: str, folder: Path) -> None:
    def drawn(seed: int) -> list[Any]:
        tf.random.set_seed(seed)
        first, second = DRAWS[name](folder), DRAWS[name](folder)
        return [[x.tolist() for x in map(np.asarray, itertools.islice(d, 50))] for d in (first, first, second)]

    once = drawn(3)
    assert drawn(3) == once
    assert drawn(4)[0] != once[0]
    assert once[2] != once[0]  # two datasets of one program draw differently


def test_without_a_programs_seed_nothing_repeats() -> None:
    set_global_seed(None)
    orders = [list(Dataset.range(50).shuffle(50).as_numpy_iterator()) for _ in range(2)]
    assert orders[0] != orders[1]
