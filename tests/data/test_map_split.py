"""Functions of strings given to `map`: host functions for each element, NumPy for unknown sizes, a program for the rest."""

import logging
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.data import Dataset
from tests.core.step.observing import compilations

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

SIZES = [(40, 52), (33, 41), (64, 30), (41, 33), (52, 40), (30, 64), (45, 45), (38, 59), (50, 31)]


def write_images(folder: Path, sizes: list[tuple[int, int]], channels: int = 3) -> list[str]:
    paths = []
    for number, (height, width) in enumerate(sizes):
        pixels = np.random.default_rng(number).integers(0, 256, (height, width, channels)).astype(np.uint8)
        paths.append(str(folder / f"{number:03}.jpg"))
        tf.io.write_file(paths[-1], tf.io.encode_jpeg(pixels))
    return paths


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    return write_images(tmp_path, SIZES)


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, logger="stratagem")
    return lambda: [record.getMessage() for record in caplog.records if record.name == "stratagem"]


def decoded(path: Any) -> Any:
    return tf.io.decode_jpeg(tf.io.read_file(path), channels=3)


def resized(path: Any, label: Any) -> Any:
    return tf.image.resize(decoded(path), [24, 20]), label


def augmented(path: Any, label: Any) -> Any:
    image = tf.image.convert_image_dtype(decoded(path), tf.float32)
    image = tf.image.random_crop(tf.image.resize(image, [24, 20]), [16, 16, 3])
    return tf.image.random_brightness(tf.image.random_flip_left_right(image), 0.2), label


def parts_of_sums(path: Any, label: Any) -> Any:
    """Random parts of images that were converted and resized, smaller and larger, by sums over few pixels and over many."""
    image = tf.cast(decoded(path), tf.float32) / 127.5 - 1.0
    found = {"twice": tf.image.resize(image, [90, 20]), "again": tf.image.resize(image, [9, 9], method="nearest")}
    for method, antialias, size in (
        ("area", False, (17, 20)),
        ("bicubic", False, (80, 12)),
        ("lanczos3", True, (12, 70)),
    ):
        small = tf.image.resize(
            tf.image.convert_image_dtype(decoded(path), tf.float32), size, method, antialias=antialias
        )
        found[method] = tf.image.random_crop(small, [10, 11, 3])
    edge = tf.image.resize(decoded(path), [30, 30])
    start = tf.random.uniform((2,), 15, 40, tf.int32)  # beyond the last that fits
    found["edge"] = tf.slice(edge, [start[0] % 11, start[1] % 11, 0], [20, 20, 3])
    return found, label


def flipped_before(path: Any, label: Any) -> Any:
    image = tf.image.random_flip_up_down(tf.cast(decoded(path), tf.float32) / 127.5 - 1.0)
    return tf.image.resize(image, [24, 20], method="bicubic"), label


def cropped(path: Any, label: Any) -> Any:
    image = tf.image.convert_image_dtype(decoded(path), tf.float32)
    return tf.image.random_crop(image, [24, 20, 3]) * 2.0, label


def padded(path: Any, label: Any) -> Any:
    image = tf.image.random_flip_left_right(decoded(path))
    return tf.image.resize_with_crop_or_pad(image, 44, 44), label


def nearest(path: Any, label: Any) -> Any:
    image = tf.image.convert_image_dtype(decoded(path), tf.float32)
    return {"image": tf.image.resize(image, [24, 20], method="nearest"), "label": label, "path": path}


def divided(path: Any, label: Any) -> Any:
    """Whole numbers, of which XLA divides by zero in its own way, as NumPy does not."""
    image = tf.truncatediv(tf.cast(decoded(path), tf.int32), tf.cast(label, tf.int32))  # the first label is 0
    return tf.image.resize_with_crop_or_pad(image, 24, 20), label


def saturated(path: Any, label: Any) -> Any:
    """Numbers that are too large for the type that they are converted to."""
    image = tf.cast(tf.cast(decoded(path), tf.float32) * 1e8, tf.int32)
    return tf.image.resize_with_crop_or_pad(image, 24, 20), label


def used_twice(path: Any, label: Any) -> Any:
    """A value that NumPy may not overwrite, for it is used again."""
    image = tf.cast(decoded(path), tf.float32) * 0.5
    return tf.image.resize_with_crop_or_pad((image + 1.0) * image, 24, 20), label


FUNCTIONS = [used_twice, resized, augmented, parts_of_sums, flipped_before, cropped, padded, nearest]


def in_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which only Python can run."""

    def asking(path: Any, label: Any) -> Any:
        path.numpy()
        return function(path, label)

    return asking


def dataset(paths: list[str], function: Callable[..., Any], threads: int | None = None) -> Dataset:
    return Dataset.from_tensor_slices((paths, np.arange(len(paths)))).map(function, num_parallel_calls=threads)


def elements(data: Dataset) -> list[list[np.ndarray]]:
    tf.random.set_seed(4)
    return [[np.asarray(leaf) for leaf in tf.nest.flatten(element)] for element in data.as_numpy_iterator()]


def same(found: list[list[np.ndarray]], expected: list[list[np.ndarray]]) -> None:
    assert len(found) == len(expected)
    for mine, other in zip(found, expected, strict=True):
        for a, b in zip(mine, other, strict=True):
            assert a.dtype == b.dtype
            if a.dtype.kind == "f":
                np.testing.assert_allclose(a, b, rtol=2e-6, atol=4e-5)  # bicubic sums of numbers up to 255
            else:
                np.testing.assert_array_equal(a, b)


@pytest.mark.sampled
@pytest.mark.filterwarnings(
    "ignore:(invalid value|divide by zero)"
)  # as errors they would make Python run the function
@pytest.mark.parametrize("function", [divided, saturated])
def test_arithmetic_that_numpy_has_in_its_own_way_is_not_left_to_it(paths: list[str], function: Any) -> None:
    same(elements(dataset(paths, function)), elements(dataset(paths, in_python(function))))


@pytest.mark.sampled
@pytest.mark.parametrize("function", FUNCTIONS)
def test_elements_and_batches_are_those_of_python(
    paths: list[str], function: Callable[..., Any], log: Callable[[], list[str]]
) -> None:
    with compilations() as made:
        found = [elements(dataset(paths, function, threads)) for threads in (None, 3)]
        batched = elements(dataset(paths, function, 2).batch(4))
    assert log() == []
    programs = [name for name in made if "input_function" in name]
    assert len(programs) <= 4, "one for single elements, blocks and batches each, and one for random numbers"
    expected = elements(dataset(paths, in_python(function)))
    assert "runs as Python for every element" in log()[0]
    same(found[0], expected)
    same(found[1], expected)
    assert [len(batch[0]) for batch in batched] == [4, 4, 1]
    rows = [[leaf[i] for leaf in batch] for batch in batched for i in range(len(batch[0]))]
    same([[np.asarray(leaf) for leaf in row] for row in rows], expected)


def test_many_sizes_have_one_program(tmp_path: Path) -> None:
    sizes = [(20 + i, 60 - i) for i in range(30)]
    paths = write_images(tmp_path, sizes)
    data = dataset(paths, augmented, 2).batch(10)
    elements(data.take(1))
    with compilations() as made:
        assert len(elements(data)) == 3
    assert [name for name in made if "input_function" in name] == []


def test_results_of_many_sizes_have_a_few_programs_and_numpy_computes_the_others(
    tmp_path: Path, log: Callable[[], list[str]]
) -> None:
    paths = write_images(tmp_path, [(20 + i, 60 - i) for i in range(12)])

    def scaled(path: Any, label: Any) -> Any:
        return tf.cast(decoded(path), tf.float32) / 255.0, label

    with compilations() as made:
        found = elements(dataset(paths, scaled, 2))
    assert 1 <= sum("input_function" in name for name in made) <= 4
    (line,) = log()
    assert "has 4 programs" in line
    same(found, elements(dataset(paths, in_python(scaled))))
    padded_batches = elements(dataset(paths, scaled, 2).padded_batch(6))
    assert [batch[0].shape for batch in padded_batches] == [(6, 25, 60, 3), (6, 31, 54, 3)]


def test_a_function_that_looks_at_sizes_decides_for_each_of_them(
    paths: list[str], log: Callable[[], list[str]]
) -> None:
    def upright(path: Any, label: Any) -> Any:
        image = decoded(path)
        if image.shape[0] < image.shape[1]:
            image = tf.image.rot90(image)
        return tf.image.resize(image, [20, 10]), label

    found = elements(dataset(paths, upright, 2))
    assert any("has 4 programs" in line for line in log())
    same(found, elements(dataset(paths, in_python(upright))))


def test_a_batch_of_different_shapes_is_an_error(paths: list[str]) -> None:
    data = Dataset.from_tensor_slices(paths).map(decoded, num_parallel_calls=2).batch(3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot batch tensors with different shapes"):
        next(iter(data))


@pytest.mark.sampled
@pytest.mark.parametrize("batch", [None, 4])
@pytest.mark.parametrize("threads", [None, 3])
def test_an_iterator_goes_on_from_a_saved_state(paths: list[str], threads: int | None, batch: int | None) -> None:
    def walk() -> Any:
        tf.random.set_seed(7)
        source = Dataset.from_tensor_slices((paths * 2, np.arange(2 * len(paths)))).shuffle(20, seed=1)
        data = source.map(augmented, num_parallel_calls=threads)
        return iter(data if batch is None else data.batch(batch))

    def rest(iterator: Any) -> list[list[np.ndarray]]:
        return [[np.asarray(leaf) for leaf in element] for element in iterator]

    iterator = walk()
    for _ in range(3):
        next(iterator)
    state = iterator.get_state()
    expected = rest(iterator)
    for before in (0, 1, 4):
        again = walk()
        for _ in range(before):
            next(again)
        again.set_state(state)
        found = rest(again)
        assert len(found) == len(expected)
        for mine, other in zip(found, expected, strict=True):
            for a, b in zip(mine, other, strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("threads", [None, 3])
def test_an_error_names_its_element_and_line_and_the_walk_goes_on_after_it(
    paths: list[str], threads: int | None
) -> None:
    whole = Path(paths[2]).read_bytes()
    Path(paths[2]).write_bytes(whole[: len(whole) // 2])
    walk = iter(dataset(paths, resized, threads))
    assert [int(next(walk)[1]), int(next(walk)[1])] == [0, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data") as caught:
        next(walk)
    assert caught.value.__notes__ == [f"map_func raised at element 2 (counted from 0), of {paths[2]!r}."]
    assert any(entry.name == "decoded" for entry in caught.traceback)
    state = walk.get_state()
    assert [int(label) for _, label in walk] == [3, 4, 5, 6, 7, 8]
    again = iter(dataset(paths, resized, threads))
    again.set_state(state)
    assert [int(label) for _, label in again] == [3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("threads", [None, 3])
def test_a_batch_ends_at_an_error_and_the_next_begins_after_it(paths: list[str], threads: int | None) -> None:
    Path(paths[1]).unlink()
    walk = iter(dataset(paths, resized, threads).batch(3))
    with pytest.raises(tf.errors.NotFoundError, match=re.escape(paths[1])) as caught:
        next(walk)
    assert caught.value.__notes__ == [f"map_func raised at element 1 (counted from 0), of {paths[1]!r}."]
    state = walk.get_state()
    assert [label.tolist() for _, label in walk] == [[2, 3, 4], [5, 6, 7], [8]]
    again = iter(dataset(paths, resized, threads).batch(3))
    again.set_state(state)
    assert [label.tolist() for _, label in again] == [[2, 3, 4], [5, 6, 7], [8]]


def test_a_first_file_that_is_damaged_does_not_keep_the_others_from_a_program(
    paths: list[str], log: Callable[[], list[str]]
) -> None:
    Path(paths[0]).write_bytes(b"no image")
    walk = iter(dataset(paths, resized, 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown image file format"):
        next(walk)
    assert [int(label) for _, label in walk] == list(range(1, 9))
    assert log() == []


def test_an_image_that_a_crop_does_not_fit_into_is_an_error(tmp_path: Path) -> None:
    walk = iter(dataset(write_images(tmp_path, [(40, 40), (40, 19), (40, 40)]), cropped, 2))
    next(walk)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"fits into the shape \(40, 19, 3\)"):
        next(walk)
    assert int(next(walk)[1]) == 2


@pytest.mark.parametrize("end", ["close", "exhaust", "drop"])
def test_threads_end_with_their_walk(paths: list[str], end: str) -> None:
    def threads() -> int:
        return sum(thread.name == "stratagem-read-ahead" for thread in threading.enumerate())

    walk = iter(dataset(paths, resized, 3).batch(2))
    next(walk)
    assert threads() == 3
    if end == "close":
        walk.close()
    elif end == "exhaust":
        list(walk)
        walk.close()
    if end == "drop":
        del walk  # conftest finds the threads that stay
    else:
        assert threads() == 0


def test_drop_remainder_and_batches_of_batches(paths: list[str]) -> None:
    found = elements(dataset(paths, resized, 2).batch(4, drop_remainder=True))
    assert [label.tolist() for _, label in found] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    texts = Dataset.from_tensor_slices([b"a", b"bcd", b"ef"]).batch(2).map(tf.strings.length, num_parallel_calls=2)
    assert [lengths.tolist() for lengths in texts.as_numpy_iterator()] == [[1, 3], [2]]


def test_a_variable_has_its_present_value_at_every_element(paths: list[str]) -> None:
    factor = tf.Variable(1.0)

    def scaled(path: Any, label: Any) -> Any:
        return tf.image.resize(decoded(path), [4, 4]) * factor, label

    walk = iter(dataset(paths, scaled))
    first = np.asarray(next(walk)[0])
    factor.assign(0.0)
    assert np.any(first != 0)
    assert not np.any(np.asarray(next(walk)[0]))


def test_host_functions_of_numbers_are_split_off_too() -> None:
    def doubled(x: Any) -> Any:
        return tf.strings.length(tf.strings.as_string(x)) * 2, tf.strings.as_string(x)

    found = list(Dataset.from_tensor_slices([7, 123, 45]).map(doubled).as_numpy_iterator())
    assert found == [(2, b"7"), (6, b"123"), (4, b"45")]


SCALE = tf.Variable(2.0)
FUNCTIONS_OF_PATHS = {
    "strings": lambda path, label: tf.strings.length(path),
    "numbers of strings": lambda path, label: tf.strings.length(path) + tf.cast(label, tf.int32),
    "a variable": lambda path, label: tf.cast(tf.strings.length(path), tf.float32) * SCALE,
    "random numbers": lambda path, label: tf.cast(tf.strings.length(path), tf.float32) * tf.random.uniform(()),
    "a branch on a variable": lambda path, label: tf.cond(
        tf.strings.length(path) > 3, lambda: SCALE * 2.0, lambda: 1.0
    ),
    "an image": resized,
}


@pytest.mark.parametrize("function", FUNCTIONS_OF_PATHS.values(), ids=FUNCTIONS_OF_PATHS)
def test_python_of_a_split_function_runs_once_however_many_elements_there_are(
    paths: list[str], function: Callable[..., Any]
) -> None:
    calls: list[Any] = []

    def counted(path: Any, label: Any) -> Any:
        calls.append(path)
        return function(path, label)

    data = dataset(paths, counted, 2)
    elements(data)
    elements(data)
    assert len(calls) == 1


def test_python_of_a_split_function_runs_once_more_where_it_builds_a_layer(paths: list[str]) -> None:
    calls, layer = [], tf.keras.layers.Dense(2, kernel_initializer="ones")

    def counted(path: Any, label: Any) -> Any:
        calls.append(path)
        return layer(tf.cast(tf.strings.length([path]), tf.float32)[:, None])

    lengths = [[[[len(path)] * 2]] for path in paths]
    np.testing.assert_array_equal(elements(dataset(paths, counted)), lengths)
    assert len(calls) == 2
    assert len(layer.weights) == 2


@pytest.mark.parametrize("split", [tf.strings.split, lambda text: tf.strings.split([text])[0]], ids=["text", "list"])
def test_texts_are_split_into_any_number_of_words(split: Callable[[Any], Any]) -> None:
    texts = ["a b", "c", "d e f", "g", "h i"]
    words = Dataset.from_tensor_slices(texts).map(split)
    expected = [text.encode().split() for text in texts]
    assert [each.tolist() for each in words.as_numpy_iterator()] == expected
    assert [rows.to_list() for rows in words.ragged_batch(2)] == [expected[:2], expected[2:4], expected[4:]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot batch tensors with different shapes"):
        list(words.batch(2))
