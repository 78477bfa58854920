"""`Dataset.load` reads what TensorFlow 2.15.1 has saved (`record_tensorflow.py`)."""

import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import DataLossError, InvalidArgumentError, NotFoundError
from stratagem._base.structure_proto import Metadata
from stratagem._data import Dataset
from tests.data.recorded.answers import plain, spec
from tests.data.recorded.folders import FOLDERS

FOLDER = Path(__file__).parent / "recorded" / "saved"


@pytest.mark.parametrize("name", ["types", "batches", "nothing"])
def test_it_is_the_dataset_that_was_saved(name: str) -> None:
    wanted, found = FOLDERS[name][0](tf), Dataset.load(FOLDER / name)
    assert spec(found) == spec(wanted)
    assert [plain(element) for element in found] == [plain(element) for element in wanted]
    assert len(found) == len(wanted)


def test_shards_take_turns_or_come_as_the_reader_says() -> None:
    numbers = [int(n) for n in Dataset.load(FOLDER / "shards").as_numpy_iterator()]
    assert numbers == list(range(7))
    one_by_one = Dataset.load(FOLDER / "shards", reader_func=lambda shards: shards.flat_map(lambda shard: shard))
    assert [int(n) for n in one_by_one.as_numpy_iterator()] == [0, 3, 6, 1, 4, 2, 5]


@pytest.mark.parametrize("name", ["types", "batches", "shards"])
def test_it_goes_on_with_the_very_next_element(name: str) -> None:
    whole = [str(plain(e)) for e in Dataset.load(FOLDER / name)]
    for count in range(len(whole) + 1):
        iterator = Dataset.load(FOLDER / name).as_numpy_iterator()
        for _ in itertools.islice(iterator, count):
            pass
        again = Dataset.load(FOLDER / name).as_numpy_iterator()
        again.restore(json.dumps(json.loads(iterator.save())).encode())
        assert [str(plain(e)) for e in again] == whole[count:]
        iterator.close()


def test_it_is_mapped_and_batched() -> None:
    doubled = Dataset.load(FOLDER / "types").map(lambda row: row["int32"] * 2).batch(3)
    assert np.asarray(next(iter(doubled))).tolist() == [[0, 2], [4, 6], [8, 10]]


def test_snappy_is_told() -> None:
    with pytest.raises(DataLossError, match="or compressed by SNAPPY, which cannot be read here"):
        next(iter(Dataset.load(FOLDER / "snappy")))


def test_another_spec_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="holds elements of"):
        Dataset.load(FOLDER / "shards", element_spec=tf.TensorSpec((), tf.int32))


def test_damage_is_told(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(FOLDER / "types", tmp_path / "copy"))
    (file,) = copy.rglob("*.snapshot")
    data = file.read_bytes()
    file.write_bytes(data[:-1])
    with pytest.raises(DataLossError, match="a record is damaged"):
        list(Dataset.load(copy))
    file.write_bytes(data[: data.rindex(b"\x22") - 30])
    with pytest.raises(DataLossError):
        list(Dataset.load(copy))
    (copy / "snapshot.metadata").write_bytes(b"\xff")
    with pytest.raises(DataLossError, match="The description of the dataset that TensorFlow saved"):
        Dataset.load(copy)
    (copy / "snapshot.metadata").write_bytes(b"")
    with pytest.raises(DataLossError, match="has not finished saving"):
        Dataset.load(copy)
    (copy / "snapshot.metadata").unlink()
    with pytest.raises(NotFoundError, match="no dataset was saved there"):
        Dataset.load(copy)


def copied(name: str, folder: Path) -> tuple[Path, Path]:
    """A copy of a folder, and its run's folder there."""
    copy = Path(shutil.copytree(FOLDER / name, folder / "copy"))
    return copy, next(file.parents[1] for file in copy.rglob("*.snapshot"))


def test_another_name_of_the_run_is_damage(tmp_path: Path) -> None:
    copy, run = copied("types", tmp_path)
    metadata, name = copy / "snapshot.metadata", run.name.encode()
    good = metadata.read_bytes()
    for bit in range(8 * len(name)):
        data = bytearray(good)
        data[good.index(name) + bit // 8] ^= 1 << bit % 8
        metadata.write_bytes(data)
        with pytest.raises(DataLossError):
            Dataset.load(copy)


@pytest.mark.parametrize("name", ["/outside/run", "../../x/run", ".", ".."])
def test_a_run_is_read_in_its_folder_alone(name: str, tmp_path: Path) -> None:
    copy, run = copied("types", tmp_path)
    wanted = str(tmp_path / "outside") if name.startswith("/") else name
    (copy / "snapshot.metadata").write_bytes(
        Metadata(run_id=wanted, num_elements=3, finalized=True).SerializeToString()
    )
    shutil.copytree(run, tmp_path / "outside")
    with pytest.raises(DataLossError, match="is not the name of a folder that TensorFlow gives"):
        Dataset.load(copy)


def test_files_that_are_gone_are_damage(tmp_path: Path) -> None:
    copy, run = copied("shards", tmp_path)
    shutil.rmtree(sorted(run.iterdir())[-1])
    with pytest.raises(DataLossError, match="7 elements were saved, and its 2 shards have 5"):
        list(Dataset.load(copy))
    shutil.rmtree(run)
    with pytest.raises(DataLossError, match="7 elements were saved, and there are no files"):
        Dataset.load(copy)


def test_a_file_that_ends_between_two_elements_is_damage(tmp_path: Path) -> None:
    copy, run = copied("types", tmp_path)
    file = next(run.rglob("*.snapshot"))
    whole = len(list(Dataset.load(copy)))
    size, data = 0, file.read_bytes()
    for _ in range(len(tf.nest.flatten(Dataset.load(copy).element_spec))):
        size += 16 + int.from_bytes(data[size : size + 8], "little")
    file.write_bytes(data[:size])
    with pytest.raises(DataLossError, match=f"{whole} elements were saved"):
        list(Dataset.load(copy))
