"""File names as elements: patterns, order, and the part of each worker."""

import os
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.job import Job
from stratagem._data import AutoShardPolicy, set_global_seed
from stratagem.data import Dataset, TFRecordDataset
from tests.data.files.test_records import numbered, read
from tests.data.workers import distributed, on_all_workers, pieces, steps_by_worker, with_policy


def listed(dataset: Dataset) -> list[str]:
    return [Path(os.fsdecode(name)).name for name in dataset.as_numpy_iterator()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for i in range(8):
        (tmp_path / f"f{i}").touch()
    return tmp_path


def test_every_iteration_has_another_order_of_the_same_names(folder: Path) -> None:
    dataset = Dataset.list_files(f"{folder}/f*", seed=4)
    epochs = [listed(dataset) for _ in range(3)]
    assert [sorted(epoch) for epoch in epochs] == [[f"f{i}" for i in range(8)]] * 3
    assert len(set(map(tuple, epochs))) == 3
    again = Dataset.list_files(f"{folder}/f*", seed=4)
    assert [listed(again) for _ in range(3)] == epochs


def test_the_global_seed_repeats_an_order(folder: Path) -> None:
    orders = []
    for _ in range(2):
        tf.random.set_seed(7)
        orders.append(listed(Dataset.list_files(f"{folder}/f*")))
    set_global_seed(None)
    assert orders[0] == orders[1] != sorted(orders[0])


def test_files_that_come_later_are_not_listed(folder: Path) -> None:
    dataset = Dataset.list_files(f"{folder}/f*", shuffle=False)
    (folder / "f9").touch()
    assert "f9" not in listed(dataset)
    assert len(dataset) == 8


def test_patterns_below_the_working_directory_keep_their_form(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "sub").mkdir()
    (folder / "sub" / "f7").touch()
    assert read(Dataset.list_files("f[12]", shuffle=False)) == [b"f1", b"f2"]
    assert read(Dataset.list_files("./f1", shuffle=False)) == [b"./f1"]
    assert read(Dataset.list_files("*/f?", shuffle=False)) == [b"sub/f7"]


def test_names_that_are_no_text_stay_what_they_are(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff"
    Path(os.fsdecode(name)).touch()
    assert read(Dataset.list_files(os.fsencode(tmp_path) + b"/*")) == [name]
    assert read(tf.data.TextLineDataset(Dataset.list_files(os.fsencode(tmp_path) + b"/*"))) == []


def test_workers_divide_the_files_before_each_shuffles_its_own(folder: Path) -> None:
    for file in folder.iterdir():
        file.write_text(file.name)

    def epochs(job: Job) -> list[list[bytes]]:
        data = distributed(tf.data.TextLineDataset(Dataset.list_files(f"{folder}/f*", seed=1)).batch(2), job)
        return [[name for step in data for (piece,) in [pieces(step)] for name in piece] for _ in range(4)]

    for worker, orders in enumerate(on_all_workers(2, epochs)):
        assert [sorted(order) for order in orders] == [[b"f%d" % i for i in range(worker, 8, 2)]] * 4
        assert len(set(map(tuple, orders))) > 1


@pytest.mark.parametrize("given", ["list", "dataset", "array"])
def test_names_that_are_known_can_be_divided(tmp_path: Path, given: str) -> None:
    files = numbered(tmp_path, [1, 1, 1])
    names = {"list": files, "dataset": Dataset.from_tensor_slices(files), "array": np.array(files)}[given]
    dataset = with_policy(TFRecordDataset(names).batch(2), AutoShardPolicy.FILE)
    first, second = steps_by_worker(lambda: dataset, workers=2)
    assert first == [[[b"0.0"]], [[b"2.0"]]]
    assert second == [[[b"1.0"]], [[]]]


def test_reading_is_pure_and_not_cheap(tmp_path: Path) -> None:
    stage = TFRecordDataset(numbered(tmp_path, [1])).stage
    assert (stage.pure, stage.cheap, stage.batch_size) == (True, False, None)
    assert int(TFRecordDataset([]).cardinality()) == 0
