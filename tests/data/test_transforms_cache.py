"""A cache in a file: who reads it, what is believed, damage, and several writers."""

import gc
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from stratagem._base.errors import DataLossError, InvalidArgumentError, NotFoundError
from stratagem._core.values import TensorSpec
from stratagem._data import Dataset
from tests import prepared
from tests.data.recorded.answers import plain

ELEMENTS: dict[str, Any] = {
    "float32": np.arange(6, dtype=np.float32).reshape(3, 2),
    "bfloat16": jnp.asarray([1.5, -2.0, 3.0], jnp.bfloat16),
    "complex128": np.asarray([1 + 2j, 0, 3]),
    "bool": np.asarray([True, False, True]),
    "uint8": np.arange(3, dtype=np.uint8),
    "strings": np.asarray([[b"a\0", "é".encode()], [b"", b"x" * 300], [b"\xff", b"\0"]], object),
    "nothing in a row": np.zeros((3, 0, 2), np.int16),
    "a tuple": (np.arange(3), (np.asarray([1.0, 2.0, 3.0]),)),
}


NUMBER = TensorSpec((), np.int64)
PAIR = (TensorSpec((), np.int32), TensorSpec((), object))


def seen(dataset: Dataset) -> list[Any]:
    """The elements as JSON, with their dtypes and shapes."""
    return [plain(element) for element in dataset]


def listed(dataset: Dataset) -> list[int]:
    return [int(number) for number in dataset.as_numpy_iterator()]


def unread(spec: Any = NUMBER) -> Dataset:
    """A source that must not be asked."""

    def generate() -> Iterator[Any]:
        raise AssertionError("the source was asked")
        yield

    return Dataset.from_generator(generate, output_signature=spec)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("batched", [False, True])
def test_what_is_read_from_the_file_is_what_was_written(tmp_path: Path, batched: bool) -> None:
    dataset = Dataset.from_tensor_slices(ELEMENTS)
    dataset = dataset.batch(2) if batched else dataset
    expected = seen(dataset)
    assert seen(dataset.cache(tmp_path / "c")) == expected
    assert seen(unread(dataset.element_spec).cache(tmp_path / "c")) == expected


def test_another_program_reads_it(tmp_path: Path) -> None:
    program = (
        "import numpy as np, stratagem as tf\n"
        "d = tf.data.Dataset.from_tensor_slices({'n': np.arange(5), 's': [b'a', b'', b'ccc', b'd', b'e']})\n"
        f"assert len(list(d.shuffle(5, seed=3).cache({str(tmp_path / 'c')!r}))) == 5\n"
    )
    prepared.run(program).check_returncode()
    spec = {"n": TensorSpec((), np.int64), "s": TensorSpec((), object)}
    found = [(int(e["n"]), e["s"]) for e in unread(spec).cache(tmp_path / "c").as_numpy_iterator()]
    assert sorted(found) == [(0, b"a"), (1, b""), (2, b"ccc"), (3, b"d"), (4, b"e")]


def test_the_file_keeps_the_order_of_a_shuffle_before_it(tmp_path: Path) -> None:
    cached = Dataset.range(30).shuffle(30).cache(tmp_path / "c")
    first = listed(cached)
    assert sorted(first) == list(range(30))
    assert [listed(cached), listed(Dataset.range(30).shuffle(30).cache(tmp_path / "c"))] == [first, first]


def test_nothing_is_a_cache_too(tmp_path: Path) -> None:
    assert listed(Dataset.range(0).cache(tmp_path / "c")) == []
    assert listed(unread().cache(tmp_path / "c")) == []


def test_many_elements_are_found_at_once(tmp_path: Path) -> None:
    dataset = Dataset.range(5000).cache(tmp_path / "c")
    assert listed(dataset) == list(range(5000))
    state = {}
    for place in (0, 1, 1023, 1024, 1025, 4999, 5000):
        iterator = dataset.stage.walk()
        state = {**iterator.get_state(), "position": place}
        iterator.set_state(state)
        assert [int(n) for n in iterator] == list(range(place, 5000))


@pytest.mark.parametrize("name", ["c", b"c", Path("c"), np.asarray("c", object)])
def test_a_name_may_have_any_type_of_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert listed(Dataset.range(2).cache(name)) == [0, 1]
    assert files(tmp_path) == ["c.cache"]
    monkeypatch.undo()


# An unfinished file.


def test_an_iteration_that_does_not_come_to_its_end_leaves_no_cache(tmp_path: Path) -> None:
    values = np.zeros((4, 1 << 20), np.uint8)  # each of them is written at once
    cached = Dataset.from_tensor_slices(values).cache(tmp_path / "c")
    iterator = iter(cached)
    next(iterator), next(iterator)
    (partial,) = files(tmp_path)
    assert partial.startswith("c.cache.")
    assert partial.endswith(".partial")
    assert len(list(cached)) == 4  # another walk does not take it for a cache
    assert files(tmp_path) == sorted(["c.cache", partial])
    del iterator
    gc.collect()
    assert files(tmp_path) == ["c.cache"]


def test_closing_a_walk_removes_its_unfinished_file(tmp_path: Path) -> None:
    walk = Dataset.from_tensor_slices(np.zeros((4, 1 << 20), np.uint8)).cache(tmp_path / "c").stage.walk()
    next(walk)
    assert len(files(tmp_path)) == 1
    walk.close()
    assert files(tmp_path) == []


def test_an_error_in_the_source_leaves_no_cache(tmp_path: Path) -> None:
    def generate() -> Iterator[int]:
        yield 1
        raise ZeroDivisionError

    cached = Dataset.from_generator(generate, output_signature=NUMBER).cache(tmp_path / "c")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            list(cached)
    gc.collect()
    assert files(tmp_path) == []


def test_what_a_killed_program_left_is_removed_after_a_day_and_not_before(tmp_path: Path) -> None:
    old, new, others = (tmp_path / f"{name}.partial" for name in ("c.cache.old", "c.cache.new", "d.cache.old"))
    for path in (old, new, others):
        path.write_bytes(b"STRATAGEM CACHE 1\n")
    for path in (old, others):
        os.utime(path, times=(time.time() - 25 * 3600,) * 2)
    assert listed(Dataset.range(2).cache(tmp_path / "c")) == [0, 1]
    assert files(tmp_path) == sorted(["c.cache", new.name, others.name])


# Damage.


def small_cache(folder: Path) -> tuple[Path, bytes]:
    """A cache of three elements, and its bytes."""
    list(Dataset.from_tensor_slices(([1, 2, 3], ["a", "bc", ""])).cache(folder / "c"))
    path = folder / "c.cache"
    return path, path.read_bytes()


def reading(folder: Path) -> list[Any]:
    return seen(unread(PAIR).cache(folder / "c"))


def test_every_changed_bit_is_found_and_the_file_named(tmp_path: Path) -> None:
    path, whole = small_cache(tmp_path)
    assert len(reading(tmp_path)) == 3
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        with pytest.raises((DataLossError, InvalidArgumentError), match=r"c\.cache"):
            reading(tmp_path)


def test_every_shorter_file_is_refused(tmp_path: Path) -> None:
    path, whole = small_cache(tmp_path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises((DataLossError, InvalidArgumentError), match=r"c\.cache"):
            reading(tmp_path)


def test_a_damaged_element_is_named_and_the_next_ones_are_read(tmp_path: Path) -> None:
    path, whole = small_cache(tmp_path)
    path.write_bytes(whole.replace(b"bc", b"bd"))
    iterator = iter(unread(PAIR).cache(tmp_path / "c"))
    assert int(next(iterator)[0]) == 1
    with pytest.raises(DataLossError, match=r"c\.cache: element 1 is damaged\. Delete it"):
        next(iterator)
    assert int(next(iterator)[0]) == 3


@pytest.mark.parametrize("place", [0, 4, 7])
def test_an_iteration_over_elements_whose_places_are_lost_comes_to_an_end(tmp_path: Path, place: int) -> None:
    path, whole = small_cache(tmp_path)
    changed = bytearray(whole)
    changed[len(b"STRATAGEM CACHE 1\n") + place] ^= 1  # in the length of the first element
    path.write_bytes(changed)
    cached = unread(PAIR).cache(tmp_path / "c")
    assert seen(cached.ignore_errors()) == []
    iterator = iter(cached)
    for _ in range(3):  # each element is missed once
        with pytest.raises(DataLossError):
            next(iterator)
    assert list(iterator) == []


def test_a_file_that_vanishes_while_it_is_read_is_named(tmp_path: Path) -> None:
    big = Dataset.from_tensor_slices(np.zeros((4, 1 << 20), np.uint8)).cache(tmp_path / "c")
    list(big)
    iterator = iter(big)
    next(iterator)
    (tmp_path / "c.cache").unlink()
    with pytest.raises(NotFoundError, match=r"c\.cache has gone"):
        list(iterator)


# What does not belong together.


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda d: d.map(lambda x: x * 1.5), r"made for other elements: it has int64, and this dataset has float\d\d"),
        (lambda d: d.enumerate(), r"it has int64, and this dataset has int64 at \[0\], int64 at \[1\]"),
        (lambda d: d.map(lambda x: {"a": x}), r"it has int64, and this dataset has int64 at \['a'\]"),
        (lambda d: d.take(2), r"made of another part of the data"),
        (lambda d: d.shard(2, 0), r"made of another part of the data.*Give every worker's cache a name of its own"),
    ],
)
def test_a_cache_of_other_elements_is_refused(tmp_path: Path, change: Callable[[Dataset], Dataset], text: str) -> None:
    list(Dataset.range(4).cache(tmp_path / "c"))
    with pytest.raises(InvalidArgumentError, match=text):
        list(change(Dataset.range(4)).cache(tmp_path / "c"))


def test_another_programs_file_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "c.cache").write_bytes(b"important")
    with pytest.raises(InvalidArgumentError, match=r"c\.cache is not a cache of a dataset"):
        list(Dataset.range(4).cache(tmp_path / "c"))
    assert (tmp_path / "c.cache").read_bytes() == b"important"


def test_windows_and_missing_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"cannot be cached in a file\. Use `cache\(\)` for memory"):
        list(Dataset.range(4).window(2).cache(tmp_path / "c"))
    with pytest.raises(NotFoundError, match=r"The folder of the cache file .* does not exist"):
        list(Dataset.range(4).cache(tmp_path / "none" / "c"))
    gc.collect()
    assert files(tmp_path) == []


# Two writers.


def test_the_first_of_two_writers_to_finish_has_made_the_file(tmp_path: Path) -> None:
    datasets = [Dataset.range(9).shuffle(9, seed=seed).cache(tmp_path / "c") for seed in (1, 2)]
    slow, fast = iter(datasets[0]), iter(datasets[1])
    begun = [int(next(slow)) for _ in range(4)]
    quick = [int(n) for n in fast]
    late = begun + [int(n) for n in slow]
    assert sorted(late) == sorted(quick) == list(range(9))  # each gave its own elements to the end
    assert late != quick
    assert [listed(dataset) for dataset in datasets] == [quick, quick]
    assert files(tmp_path) == ["c.cache"]


def test_writers_in_threads_leave_one_file_and_all_read_it(tmp_path: Path) -> None:
    def epochs(_: int) -> list[list[int]]:
        dataset = Dataset.range(200).cache(tmp_path / "c")
        return [listed(dataset) for _ in range(2)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(epochs, range(8)))
    assert found == [[list(range(200))] * 2] * 8
    gc.collect()
    assert files(tmp_path) == ["c.cache"]


def test_a_writer_of_another_part_is_told_that_the_file_is_not_its_own(tmp_path: Path) -> None:
    mine = iter(Dataset.range(8).shard(2, 0).cache(tmp_path / "c"))
    next(mine)
    assert listed(Dataset.range(8).shard(2, 1).cache(tmp_path / "c")) == [1, 3, 5, 7]
    with pytest.raises(InvalidArgumentError, match="made of another part of the data"):
        list(mine)
    assert listed(Dataset.range(8).shard(2, 1).cache(tmp_path / "c")) == [1, 3, 5, 7]
