"""Python iterables: drawn once, begun anew for every epoch, replayed after a restore, and errors that say where."""

import json
import logging
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.job import Job
from stratagem._core.values import TensorSpec
from stratagem._data import Dataset, as_dataset
from tests.data.foreign_sources import Counting, batches
from tests.data.workers import distributed, on_all_workers, pieces


class Log:
    """Numbers one after another, or by number; remembers which were asked for."""

    def __init__(self, count: int = 6) -> None:
        self.count = count
        self.seen: list[int] = []

    def give(self) -> Iterator[int]:
        for i in range(self.count):
            yield self[i]

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        self.seen.append(index)
        return index


def numbers(dataset: Any) -> list[list[int]]:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


@pytest.mark.parametrize("once", [False, True], ids=["function", "iterator"])
def test_nothing_is_drawn_before_it_is_needed_and_nothing_twice(once: bool) -> None:
    log = Log()
    dataset = as_dataset(log.give() if once else log.give, 2)
    assert log.seen == []
    assert dataset.element_spec == TensorSpec((None,), np.int32)
    assert log.seen == [0]
    assert numbers(dataset) == [[0, 1], [2, 3], [4, 5]]
    assert log.seen == list(range(6))


def test_an_iterator_that_was_looked_at_can_be_restored() -> None:
    dataset = as_dataset(Log().give(), 2)
    assert dataset.element_spec == TensorSpec((None,), np.int32)
    first = dataset.as_numpy_iterator()
    other = dataset.as_numpy_iterator()
    other.set_state(first.get_state())
    del first
    assert [x.tolist() for x in other] == [[0, 1], [2, 3], [4, 5]]


def test_a_used_up_iterator_is_refused() -> None:
    for count in (1, 6):
        dataset = as_dataset(Log(count).give(), 2)
        numbers(dataset)
        with pytest.raises(ValueError, match="Pass a function that returns a new iterator"):
            numbers(dataset)
    values = Log().give()
    dataset = as_dataset(lambda: values, 2)
    numbers(dataset)
    with pytest.raises(ValueError, match="gave the same iterator a second time"):
        numbers(dataset)


def test_an_iterator_cannot_go_back() -> None:
    iterator = as_dataset(Log().give(), 2).as_numpy_iterator()
    next(iterator)
    state = iterator.get_state()
    next(iterator)
    iterator.set_state(state)
    with pytest.raises(ValueError, match=r"Element 2 .* but 4 elements were drawn"):
        next(iterator)


def test_items_are_fetched_by_number_and_not_replayed() -> None:
    log = Log()
    iterator = as_dataset(log, 2).as_numpy_iterator()
    next(iterator)
    log.seen.clear()
    restored = as_dataset(log, 2).as_numpy_iterator()
    restored.set_state(json.loads(json.dumps(iterator.get_state())))
    assert [x.tolist() for x in restored] == [[2, 3], [4, 5]]
    assert log.seen == [2, 3, 4, 5]
    log.seen.clear()
    shuffled = as_dataset(log).stage
    assert shuffled.cardinality == 6
    assert log.seen == []


@pytest.mark.parametrize("stream", [False, True], ids=["items", "stream"])
def test_a_worker_fetches_its_own_items_only_and_reads_all_of_a_stream(stream: bool) -> None:
    logs = [Log(10), Log(10)]

    def work(job: Job) -> list[Any]:
        log = logs[job.worker]
        return [pieces(step) for step in distributed(as_dataset(log.give if stream else log, 4), job)]

    _, second = on_all_workers(2, work)
    assert second == [[[2, 3]], [[6, 7]], [[9]]]
    assert logs[1].seen == (list(range(10)) if stream else [2, 3, 6, 7, 9])


def failing(log: Log, at: int) -> Callable[[], Iterator[int]]:
    def give() -> Iterator[int]:
        for i in log.give():
            if i == at:
                raise KeyError("lost")
            yield i

    return give


def generated(start: Callable[[], Iterator[int]]) -> Dataset:
    return Dataset.from_generator(start, output_signature=TensorSpec((), np.int32)).batch(2)


@pytest.mark.parametrize(
    ("build", "what"),
    [
        (lambda: generated(failing(Log(), 3)), "the generator of from_generator"),
        (lambda: as_dataset(failing(Log(), 3), 2), "the function give"),
        (lambda: as_dataset(failing(Log(), 3)(), 2), "the generator"),
    ],
    ids=["from_generator", "function", "iterator"],
)
def test_an_error_in_a_generator_shows_its_line_and_the_position(build: Callable[[], Dataset], what: str) -> None:
    iterator = build().as_numpy_iterator()
    next(iterator)
    with pytest.raises(KeyError, match="lost") as caught:
        next(iterator)
    text = "".join(traceback.format_exception(caught.value))
    assert 'raise KeyError("lost")' in text
    assert f"… while drawing element 3 of {what} (counted from 0)." in text


def test_an_error_in_an_item_names_it() -> None:
    class Items(Log):
        def __getitem__(self, index: int) -> int:
            if index == 3:
                raise StopIteration
            if index == 5:
                raise OSError("gone")
            return index

    with pytest.raises(RuntimeError, match="Element 3 of the Items raised StopIteration"):
        numbers(as_dataset(Items(), 4))
    with pytest.raises(OSError, match="gone") as caught:
        as_dataset(Items(), 4).stage.columns.gather(np.array([4, 5]))  # type: ignore[attr-defined]
    assert caught.value.__notes__ == ["… while drawing element 5 of the Items (counted from 0)."]


def test_an_element_of_a_generator_with_another_shape_is_named() -> None:
    dataset = Dataset.from_generator(lambda: iter([1, [2]]), output_signature=TensorSpec((), np.int32))
    with pytest.raises(ValueError, match=r"shape \(1,\)") as caught:
        list(dataset)
    assert caught.value.__notes__ == ["… while drawing element 1 of the generator of from_generator (counted from 0)."]


WRONG: dict[str, tuple[list[Any], Any, str]] = {
    "a text for a number": ([1, "a"], TensorSpec((), np.int32), "expected type was int32"),
    "a number for a text": ([b"a", 1], TensorSpec((), object), "expected type was string"),
    "a complex number": ([1, 1j], TensorSpec((), np.float32), "expected type was float32"),
    "no number": ([1, float("nan")], TensorSpec((), np.int64), "expected type was int64"),
    "a list for a tuple": ([(1, 2), [1, 2]], (TensorSpec((), np.int32),) * 2, "structure of its signature"),
    "a missing key": ([{"a": 1}, {}], {"a": TensorSpec((), np.int32)}, "structure of its signature"),
    "None": ([1, None], TensorSpec((), np.int32), "yielded element was None"),
}


@pytest.mark.parametrize(("values", "signature", "message"), WRONG.values(), ids=WRONG.keys())
def test_an_element_that_is_not_as_signed_is_named(values: list[Any], signature: Any, message: str) -> None:
    walk = Dataset.from_generator(lambda: iter(values), output_signature=signature).as_numpy_iterator()
    next(walk)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message) as caught:
        next(walk)
    assert caught.value.__notes__ == ["… while drawing element 1 of the generator of from_generator (counted from 0)."]


def test_a_generator_gives_bytes_with_zeros_and_keys_in_order() -> None:
    assert list(Dataset.from_generator(lambda: [b"a\0"], output_types=object).as_numpy_iterator()) == [b"a\0"]
    signature = {"b": TensorSpec((), np.int32), "a": TensorSpec((), np.int64)}
    (element,) = Dataset.from_generator(lambda: [{"a": 1, "b": 2}], output_signature=signature).as_numpy_iterator()
    assert list(element.items()) == [("b", 2), ("a", 1)]
    with pytest.raises(TypeError, match=r"must contain objects that are subclass of `tf\.TypeSpec`"):
        Dataset.from_generator(lambda: [[1]], output_signature=[TensorSpec((), np.int32)])


@pytest.mark.parametrize("build", [lambda log: generated(log.give), lambda log: as_dataset(log.give, 2)])
def test_a_restored_generator_is_replayed_with_one_warning(
    build: Callable[[Log], Dataset], caplog: pytest.LogCaptureFixture
) -> None:
    iterator = build(Log()).as_numpy_iterator()
    start = iterator.get_state()
    next(iterator)
    next(iterator)
    log = Log()
    restored = build(log).as_numpy_iterator()
    with caplog.at_level(logging.WARNING, "stratagem"):
        restored.set_state(start)
        assert caplog.records == []
        restored.set_state(iterator.get_state())
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "replaying 4 of its elements" in caplog.text
    assert log.seen == [0, 1, 2, 3]
    assert next(restored).tolist() == [4, 5]
    with pytest.raises(ValueError, match=r"behind element 4 of .*, but now it ended after 3"):
        build(Log(3)).as_numpy_iterator().set_state(iterator.get_state())


def test_two_iterations_of_one_stateful_source_are_both_restored(caplog: pytest.LogCaptureFixture) -> None:
    class Places(Counting):
        """Every iteration has its own place; the state is that of the latest."""

        def __iter__(self) -> Iterator[dict[str, Any]]:
            begin, self._next = self._next, 0
            for place, element in enumerate(batches()):
                if place >= begin:
                    self._next = place + 1
                    yield element
            self._next = 0

    dataset = as_dataset(Places())
    first, second = dataset.as_numpy_iterator(), dataset.as_numpy_iterator()
    next(first)
    assert first.get_state()["stream"]["saved"] is not None
    next(second)
    next(first)
    state = json.dumps(first.get_state())
    restored = as_dataset(Places()).as_numpy_iterator()
    restored.set_state(json.loads(state))
    assert "replaying 2 of its elements" in caplog.text
    assert next(restored)["y"].tolist() == [8, 9]


def test_a_state_that_is_no_json_is_refused() -> None:
    class Odd(Counting):
        def state_dict(self) -> Any:
            return {"lock": object()}

    with pytest.raises(TypeError, match="cannot be saved: it has a object in it"):
        as_dataset(Odd()).as_numpy_iterator().get_state()
