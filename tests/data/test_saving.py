"""Datasets in folders, rows of databases and rejected elements: damage, positions, workers, and what is refused."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import DataLossError, InvalidArgumentError, NotFoundError
from stratagem._base.job import Job
from stratagem._data import Dataset, Options
from tests.data.workers import distributed, on_all_workers, pieces

E = tf.data.experimental


def listed(dataset: Any) -> list[Any]:
    return [np.asarray(element).tolist() for element in dataset.as_numpy_iterator()]


def shards(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.shard"))


# Folders.


def test_saving_again_removes_the_earlier_files(tmp_path: Path) -> None:
    Dataset.range(3).save(tmp_path)
    (first,) = shards(tmp_path)
    Dataset.range(4).save(tmp_path)
    (second,) = shards(tmp_path)
    assert first != second
    assert listed(Dataset.load(tmp_path)) == [0, 1, 2, 3]


def test_a_dataset_can_be_saved_where_it_was_loaded_from(tmp_path: Path) -> None:
    Dataset.range(3).save(tmp_path)
    Dataset.load(tmp_path).map(lambda x: x + 1).save(tmp_path)
    assert listed(Dataset.load(tmp_path)) == [1, 2, 3]


def test_saving_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    Dataset.range(3).save(tmp_path)

    def fail(x: Any) -> Any:
        if int(x) == 2:
            raise KeyError("no")
        return x

    with pytest.raises(KeyError):
        Dataset.range(9).map(fail).save(tmp_path)
    assert listed(Dataset.load(tmp_path)) == [0, 1, 2]
    assert len(shards(tmp_path)) == 1


def test_compressed_elements_are_smaller(tmp_path: Path) -> None:
    rows = Dataset.from_tensors(np.zeros(10000))
    rows.save(tmp_path / "a")
    rows.save(tmp_path / "b", compression="GZIP")
    sizes = [shards(tmp_path / name)[0].stat().st_size for name in "ab"]
    assert sizes[1] < sizes[0] / 50
    assert listed(Dataset.load(tmp_path / "b")) == [[0.0] * 10000]


def test_a_damaged_element_is_told_and_skipped_by_the_next_call(tmp_path: Path) -> None:
    Dataset.range(3).save(tmp_path)
    (file,) = shards(tmp_path)
    data = bytearray(file.read_bytes())
    data[data.index(np.int64(1).tobytes(), 100)] ^= 255
    file.write_bytes(data)
    iterator = iter(Dataset.load(tmp_path))
    next(iterator)
    with pytest.raises(DataLossError, match="element 1 is damaged"):
        next(iterator)
    assert int(next(iterator)) == 2


def test_a_missing_shard_and_another_description_are_told(tmp_path: Path) -> None:
    Dataset.range(3).save(tmp_path)
    shards(tmp_path)[0].unlink()
    with pytest.raises(NotFoundError, match="a part of a saved dataset, does not exist"):
        Dataset.load(tmp_path)
    (tmp_path / "dataset.json").write_text("[]")
    with pytest.raises(InvalidArgumentError, match="does not describe a saved dataset"):
        Dataset.load(tmp_path)


@pytest.mark.parametrize(
    "changed", [{"folder": "../other"}, {"folder": "/"}, {"folder": ""}, {"files": ["../../x.shard"]}], ids=str
)
def test_a_description_names_nothing_outside_of_its_folder(changed: dict[str, Any], tmp_path: Path) -> None:
    """Saving again removes what the earlier one names."""
    (tmp_path / "other").mkdir()
    Dataset.range(3).save(tmp_path / "saved")
    description = tmp_path / "saved" / "dataset.json"
    description.write_text(json.dumps({**json.loads(description.read_text()), **changed}))
    for use in (Dataset.load, Dataset.range(3).save):
        with pytest.raises(InvalidArgumentError, match="does not describe a saved dataset"):
            use(tmp_path / "saved")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "saved"]


REFUSED: dict[str, tuple[Callable[[Path], Any], type[Exception], str]] = {
    "windows": (lambda at: Dataset.range(4).window(2).save(at), TypeError, "DatasetSpec cannot be saved"),
    "compression": (lambda at: Dataset.range(4).save(at, "LZ4"), InvalidArgumentError, 'must be None, "AUTO"'),
    "compression of a snapshot": (lambda at: Dataset.range(4).snapshot(at, "LZ4"), InvalidArgumentError, "'LZ4'"),
    "checkpoint_args": (
        lambda at: Dataset.range(4).save(at, checkpoint_args={"every": 2}), TypeError, r"takes \['checkpoint_interval'",
    ),
    "a row as a shard": (
        lambda at: Dataset.range(4).save(at, shard_func=lambda x: np.asarray([1])), InvalidArgumentError, "scalar int64",
    ),
    "a shard of other elements": (
        lambda at: [Dataset.range(4).save(at), listed(Dataset.range(4).map(float).snapshot(at))],
        InvalidArgumentError, "was made of other elements",
    ),
    "a class without a share": (
        lambda at: listed(Dataset.range(4).rejection_resample(lambda x: x, [0.1, 0.9])),
        InvalidArgumentError, "returned 2, and there are 2 classes",
    ),
    "no shares": (lambda at: Dataset.range(4).rejection_resample(lambda x: x, [-1.0, 2.0]), ValueError, "the shares of"),
    "shares of other classes": (
        lambda at: Dataset.range(4).rejection_resample(lambda x: x, [1, 1], [1, 1, 1]), ValueError, "has 2 classes",
    ),
    "no dataset": (lambda at: E.at([1, 2], 0), TypeError, "must be a Dataset, got list"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(name: str, tmp_path: Path) -> None:
    call, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text):
        call(tmp_path)


# Snapshots.


def test_a_snapshot_spares_the_work_of_a_later_program(tmp_path: Path) -> None:
    calls: list[int] = []

    def count(x: Any) -> Any:
        calls.append(int(x))
        return np.int64(int(x) + 1)

    assert listed(Dataset.range(4).map(count).snapshot(tmp_path)) == [1, 2, 3, 4]
    before = len(calls)
    later = Dataset.range(4).map(count).snapshot(tmp_path)
    _ = later.element_spec  # found out by mapping one
    made = len(calls)
    assert listed(later) == [1, 2, 3, 4]
    assert before >= 4
    assert len(calls) == made


@pytest.mark.parametrize("written", [False, True])
def test_a_snapshot_goes_on_with_the_very_next_element(written: bool, tmp_path: Path) -> None:
    """Whether it was there when the iteration began, and whether it is there when it goes on."""

    def make() -> Dataset:
        return Dataset.range(6).map(lambda x: x * 2).snapshot(tmp_path)

    if written:
        listed(make())
    iterator = make().as_numpy_iterator()
    assert [next(iterator) for _ in range(3)] == [0, 2, 4]
    state = iterator.save()
    iterator.close()
    for _ in range(2):
        again = make().as_numpy_iterator()
        again.restore(state)
        assert list(again) == [6, 8, 10]
        assert listed(make()) == [0, 2, 4, 6, 8, 10]  # now it is there in any case


def test_an_iteration_that_was_left_leaves_no_files(tmp_path: Path) -> None:
    iterator = iter(Dataset.range(6).snapshot(tmp_path))
    next(iterator)
    assert len(list(tmp_path.iterdir())) == 1
    iterator.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["snapshot", "load"])
def test_workers_divide_it(kind: str, tmp_path: Path) -> None:
    Dataset.range(8).save(tmp_path / "load")

    def work(job: Job) -> list[Any]:
        whole = Dataset.load(tmp_path / "load") if kind == "load" else Dataset.range(8).snapshot(tmp_path / "snapshot")
        return [[pieces(step) for step in distributed(whole.batch(4), job)] for _ in range(2)]

    for epoch in zip(*on_all_workers(2, work), strict=True):
        assert epoch == ([[[0, 1]], [[4, 5]]], [[[2, 3]], [[6, 7]]])


# Other positions.


def _database(folder: Path) -> str:
    path = str(folder / "x.db")
    connection = sqlite3.connect(path)
    connection.execute("create table t (i integer)")
    connection.executemany("insert into t values (?)", [(i,) for i in range(6)])
    connection.commit()
    connection.close()
    return path


PLACES: dict[str, Callable[[Path], Dataset]] = {
    "rows of a database": lambda at: E.SqlDataset(
        "sqlite", str(at / "x.db"), "select i from t order by i", (tf.int32,)
    ),
    "saved": lambda at: Dataset.load(at / "saved"),
    "reduced": lambda at: Dataset.range(9).apply(
        E.group_by_reducer(lambda x: x % 5, E.Reducer(lambda k: k, lambda s, x: s + x, lambda s: s))
    ),
    "resampled": lambda at: Dataset.range(90).rejection_resample(lambda x: x % 2, [0.1, 0.9], seed=1),
    "resampled from known shares": lambda at: Dataset.range(90).rejection_resample(
        lambda x: x % 2, [0.1, 0.9], [0.5, 0.5], seed=1
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", PLACES)
def test_a_restored_iterator_goes_on_with_the_very_next_element(name: str, tmp_path: Path) -> None:
    _database(tmp_path)
    Dataset.range(7).save(tmp_path / "saved", shard_func=lambda x: x % 2)
    whole = [str(e) for e in PLACES[name](tmp_path).as_numpy_iterator()]
    assert len(whole) >= 5
    iterator = PLACES[name](tmp_path).as_numpy_iterator()
    for count in range(len(whole) + 1):
        state = iterator.save()
        if count % 3 == 1:
            again = PLACES[name](tmp_path).as_numpy_iterator()
            again.restore(state)
            assert [str(e) for e in again] == whole[count:]
        if count < len(whole):
            iterator.next()
    with pytest.raises(StopIteration):
        iterator.next()
    iterator.close()


def test_a_database_is_only_read_whatever_its_name_is(tmp_path: Path) -> None:
    folder = tmp_path / "a?mode=rw #%41"
    folder.mkdir()
    path = _database(folder)
    rows = E.SqlDataset("sqlite", path, "select i from t where i > 3 order by i", (tf.int32,))
    assert [int(i) for (i,) in rows.as_numpy_iterator()] == [4, 5]
    with pytest.raises(tf.errors.UnknownError, match="attempt to write a readonly database"):
        next(iter(E.SqlDataset("sqlite", path, "delete from t", (tf.int32,))))


def test_a_database_that_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.UnknownError, match="unable to open database file"):
        next(iter(E.SqlDataset("sqlite", str(tmp_path / "no.db"), "select 1", (tf.int32,))))
    assert list(tmp_path.iterdir()) == []


# Modes and options.


def test_debug_mode_runs_functions_as_python(monkeypatch: pytest.MonkeyPatch) -> None:
    # The mode has no end, in TensorFlow too: the test sees to it.
    from stratagem._data.functions import _map_mode

    monkeypatch.setattr(_map_mode, "_debugged", False)
    seen: list[int] = []

    def look(x: Any) -> Any:
        if not isinstance(x, tf.Tensor) or not hasattr(x, "aval"):
            raise TypeError(type(x))
        seen.append(int(x))
        return x

    E.enable_debug_mode()
    assert listed(Dataset.range(3).map(look)) == [0, 1, 2]
    assert seen[-3:] == [0, 1, 2]


def test_options_go_along_and_what_a_dataset_has_is_not_set() -> None:
    options = Options()
    options.autotune.autotune_algorithm = E.AutotuneAlgorithm.STAGE_BASED
    options.experimental_external_state_policy = E.ExternalStatePolicy.IGNORE
    found = Dataset.range(3).with_options(options).map(lambda x: x).batch(2).options()
    assert found == options
    with pytest.raises(ValueError, match=r"Setting `enabled` of what `tf\.data\.Dataset\.options\(\)` returned"):
        found.autotune.enabled = True


def test_a_position_is_json(tmp_path: Path) -> None:
    Dataset.range(3).save(tmp_path)
    iterator = Dataset.load(tmp_path).as_numpy_iterator()
    next(iterator)
    assert json.loads(iterator.save())["position"] == 1
