"""Host functions that take many elements at once make what they make of each alone, with its errors, wherever one goes on."""

import itertools
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, final

import numpy as np
import pytest

import stratagem as tf

# Private: how many elements a function of the library is given at once shows only to a function of this kind.
from stratagem._core.step import entrywise, host_function

# Private: whether an element is ready when it is requested is for threads to say, so it is said here.
from stratagem._data.stages._read_ahead import ReadAheadIterator, Result, SerialExecutor
from stratagem.data import Dataset

COUNT = 150
TABLE = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer([b"3", b"14", b"15"], np.arange(3, dtype=np.int64)), -1
)
NUMBERS = {"n": tf.io.FixedLenFeature([], tf.int64), "pair": tf.io.FixedLenFeature([2], tf.float32)}
TEXTS = {"text": tf.io.FixedLenFeature([1], tf.string), "several": tf.io.VarLenFeature(tf.int64)}
CALLS: list[tuple[int, ...]] = []


@host_function
@entrywise
def noted(strings: Any) -> Any:
    CALLS.append(np.shape(strings))
    return strings


def number(text: Any) -> Any:
    """A program of one number, which draws another one."""
    return tf.strings.to_number(text, tf.float32) * 3.0 + tf.random.uniform((), seed=5)


def columns(text: Any) -> Any:
    one, two = tf.io.decode_csv(tf.strings.regex_replace(text, "$", ",7"), [0, 0])
    return {"one": one, "two": two + one, "text": text, "known": TABLE.lookup(text)}


def raw(text: Any) -> Any:
    return tf.io.decode_raw(tf.strings.as_string(tf.strings.to_number(text, tf.int64) % 10), tf.uint8)


def example(value: int) -> bytes:
    lists = {
        "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[value])),
        "pair": tf.train.Feature(float_list=tf.train.FloatList(value=[value, -value])),
        "text": tf.train.Feature(bytes_list=tf.train.BytesList(value=[str(value).encode()])),
        "several": tf.train.Feature(int64_list=tf.train.Int64List(value=range(value % 3))),
    }
    if value < 0:
        del lists["n"]
    return tf.train.Example(features=tf.train.Features(feature=lists)).SerializeToString()


def texts(values: list[int]) -> list[bytes]:
    return [str(value).encode() if value >= 0 else b"none" for value in values]


def examples(values: list[int]) -> list[bytes]:
    return [example(value) for value in values]


FUNCTIONS: dict[str, tuple[Callable[[list[int]], list[bytes]], Callable[[Any], Any]]] = {
    "number": (texts, number),
    "columns": (texts, columns),
    "raw": (texts, raw),
    "Example": (examples, lambda data: tf.io.parse_single_example(data, NUMBERS)),
    "Example and program": (examples, lambda data: tf.io.parse_single_example(data, NUMBERS)["pair"] * 2.0),
    "Example of texts": (examples, lambda data: tf.io.parse_single_example(data, TEXTS)["text"]),
}
BATCHED = {
    "strings": (texts, lambda batch: tf.strings.length(tf.strings.lower(batch)) * 2),
    "Examples": (examples, lambda batch: tf.io.parse_example(batch, NUMBERS)),
    "Examples of texts": (examples, lambda batch: tf.sparse.to_dense(tf.io.parse_example(batch, TEXTS)["several"])),
}


def alone(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same function, behind one that takes a single element."""
    return lambda text: function(tf.strings.join([text]))


def outcomes(walk: Any) -> list[str]:
    """What an iterator gives: elements, and errors in place of some."""
    found: list[str] = []
    while True:
        try:
            found.append(
                repr(
                    tf.nest.map_structure(
                        lambda leaf: (type(leaf), getattr(leaf, "dtype", 0), np.asarray(leaf).tolist()), next(walk)
                    )
                )
            )
        except StopIteration:
            return found
        except tf.errors.OpError as error:
            found.append(f"{type(error).__name__}: {error}")


def pipelines(name: str, values: list[int], after: tuple[int, bool] | None) -> tuple[Dataset, Dataset]:
    """The dataset of a function, and of the same one that takes single elements. after: batches of the results."""
    make, function = FUNCTIONS[name]
    source = Dataset.from_tensor_slices(make(values))
    both = [source.map(each) for each in (function, alone(function))]
    if after is not None:
        both = [each.batch(after[0], drop_remainder=after[1]) for each in both]
    return both[0], both[1]


@pytest.mark.sampled
@pytest.mark.parametrize("after", [None, (7, False), (7, True), (64, False)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_and_errors_are_those_of_single_elements(name: str, after: tuple[int, bool] | None) -> None:
    values = list(range(COUNT))
    if name != "Example of texts":
        for bad in (0, 40, 41, 99, 149):
            values[bad] = -1
    found, wanted = (outcomes(each.as_numpy_iterator()) for each in pipelines(name, values, after))
    assert found == wanted
    assert len(found) > 1


@pytest.mark.sampled
@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("name", BATCHED)
def test_batches_that_are_taken_together_are_those_that_are_taken_alone(name: str, drop: bool) -> None:
    make, function = BATCHED[name]
    for count, size in ((COUNT, 4), (COUNT, 50), (3, 4), (0, 4)):
        batches = Dataset.from_tensor_slices(make(list(range(count)))).batch(size, drop_remainder=drop)
        found, wanted = (batches.map(each) for each in (function, alone(function)))
        assert outcomes(found.as_numpy_iterator()) == outcomes(wanted.as_numpy_iterator())


@pytest.mark.sampled
@pytest.mark.parametrize("after", [None, (7, False), (7, True)])
@pytest.mark.parametrize("name", ["number", "Example and program"])
def test_an_iteration_goes_on_anywhere(name: str, after: tuple[int, bool] | None) -> None:
    values = list(range(COUNT))
    if name != "number":
        values[75] = -1  # whose error is in the middle of a block
    dataset = pipelines(name, values, after)[0]
    walk = iter(dataset)
    states, found = [walk.get_state()], []
    while True:
        try:
            found.append(repr(tf.nest.map_structure(lambda leaf: leaf.numpy().tolist(), next(walk))))
        except StopIteration:
            break
        except tf.errors.OpError:
            found.append("error")
        states.append(walk.get_state())
    for place in range(0, len(states), 1 if after else 11):
        again = iter(dataset)
        again.set_state(states[place])
        rest: list[str] = []
        while True:
            try:
                rest.append(repr(tf.nest.map_structure(lambda leaf: leaf.numpy().tolist(), next(again))))
            except StopIteration:
                break
            except tf.errors.OpError:
                rest.append("error")
        assert rest == found[place:], place


def test_errors_of_files_are_in_place_of_their_records(tmp_path: Any) -> None:
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path) as writer:
        for value in range(60):
            writer.write(example(value))
    data = bytearray(tmp_path.joinpath("records").read_bytes())
    data[len(data) // 2] ^= 1
    tmp_path.joinpath("records").write_bytes(data)
    for size in (1, 8):
        records = tf.data.TFRecordDataset(path).batch(size)
        found, wanted = (
            outcomes(records.map(each).as_numpy_iterator())
            for each in (BATCHED["Examples"][1], alone(BATCHED["Examples"][1]))
        )
        assert found == wanted
        assert sum("DataLossError" in line for line in found) == 1


def test_functions_get_more_elements_at_once_as_long_as_these_are_small() -> None:
    for size, most in ((10, 2000), (100_000, 64)):
        CALLS.clear()
        dataset = Dataset.from_tensor_slices([b"x" * size]).repeat(2000).map(noted)
        assert sum(1 for _ in dataset) == 2000
        given = [shape[0] for shape in CALLS if shape]
        assert given[0] <= 64
        assert sum(given) == 2000
        assert 64 < max(given) <= 4096 if most == 2000 else max(given) <= 64


def test_functions_whose_first_argument_is_no_element_take_elements_alone() -> None:
    words = np.array([b"a", b"b"], object)
    found = Dataset.from_tensor_slices([b"a", b"[ab]"]).map(
        lambda pattern: tf.strings.regex_replace(words, pattern, "c")
    )
    assert [row.tolist() for row in found.as_numpy_iterator()] == [[b"c", b"b"], [b"c", b"c"]]


def test_places_of_parts_are_those_of_each_element() -> None:
    found = Dataset.from_tensor_slices([b"abc", b"def"]).map(lambda text: tf.strings.substr(text, [0, 1], [1, 2]))
    assert [row.tolist() for row in found.as_numpy_iterator()] == [[b"a", b"bc"], [b"d", b"ef"]]
    found = Dataset.from_tensor_slices([b"abc", b"def"]).map(lambda text: tf.strings.substr(text, 1, 2))
    assert list(found.as_numpy_iterator()) == [b"bc", b"ef"]


def test_rows_that_must_be_taken_alone_are_tried_less_often() -> None:
    CALLS.clear()
    strings = [b"%d" % (i % 7 * 10**6) for i in range(2000)]  # of different lengths, which decode_raw refuses
    dataset = Dataset.from_tensor_slices(strings).map(lambda s: tf.strings.length(tf.io.serialize_tensor(noted(s))))
    assert sum(1 for _ in dataset) == 2000
    assert set(CALLS) == {()}  # serialize_tensor has no form for many
    CALLS.clear()
    lengths = [
        len(row) for row in Dataset.from_tensor_slices(strings).map(lambda s: tf.io.decode_raw(noted(s), tf.uint8))
    ]
    assert lengths == [len(s) for s in strings]
    assert sum(bool(shape) for shape in CALLS) < 10


@final
class Numbers(ReadAheadIterator.__mro__[1]):  # type: ignore[misc]  # StageIterator
    def __init__(self, size: int) -> None:
        super().__init__()
        self._next, self._size = 0, size

    def __next__(self) -> Any:
        self._next += 1
        return np.full(self._size, self._next)

    def get_state(self) -> Any:
        return {"next": self._next}

    def set_state(self, state: Any) -> None:
        self._next = state["next"]


class _Late(Future[Result]):
    """Is computed when it is told to, or when it is needed."""

    job: Any

    def result(self, timeout: float | None = None) -> Result:
        if not self.done():
            self.set_result(self.job())
        return super().result()


@final
class Told(SerialExecutor):
    def __init__(self) -> None:
        self.waiting: list[_Late] = []

    def submit(self, job: Callable[[], Result]) -> Future[Result]:
        late = _Late()
        late.job = job
        self.waiting.append(late)
        return late

    def stop(self) -> None:
        self.waiting.clear()

    def run(self) -> int:
        """Computes all; returns how many were wanted."""
        count = len([late.result() for late in self.waiting if not late.done()])
        self.waiting.clear()
        return count


@pytest.mark.parametrize(("size", "depths"), [(10, [2, 4, 8, 16, 16]), (100_000, [2, 2, 2])])
def test_more_elements_are_kept_ready_where_they_come_several_at_once(size: int, depths: list[int]) -> None:
    executor = Told()
    walk = ReadAheadIterator(Numbers(size), 2, executor, grows=True)
    numbers = itertools.count(1)

    def draw() -> None:
        assert next(walk)[0] == next(numbers)

    draw()
    assert len([late for late in executor.waiting if not late.done()]) == 2
    for depth in depths:
        executor.run()
        for _ in range(depth):
            draw()
        ready = len([late for late in executor.waiting if not late.done()])
        assert ready == depth
        draw()  # had all of them, and now none: waits
    executor.run()


def test_no_more_elements_are_kept_ready_where_each_takes_its_time() -> None:
    executor = Told()
    walk = ReadAheadIterator(Numbers(10), 2, executor, grows=True)
    for _ in range(20):
        next(walk)
    assert len([late for late in executor.waiting if not late.done()]) == 2
