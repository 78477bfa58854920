"""Batches cut from the pieces of files have the elements, the errors and the states of records read one by one."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.framing import framed, masked_crc, masked_crcs

# Below the door: how a piece of a file is cut, which no dataset shows by itself.
from stratagem._data.files._format import RecordPosition
from stratagem._data.files._tfrecord import TFRecords
from stratagem.data import Dataset, TextLineDataset, TFRecordDataset
from tests.data.files.expressions import changed
from tests.data.files.test_damage import SIZE, damaged
from tests.data.files.test_records import numbered, write

SIZES = (1, 2, 3, 5, 7, 40, 1000)


def outcomes(walk: Any) -> tuple[list[Any], list[Any]]:
    """Every element as lists, or the error in its place as text; and the states before each and at the end, as JSON."""
    found, states = [], [json.dumps(walk.get_state())]
    while True:
        try:
            element = next(walk)
        except StopIteration:
            return found, states
        except tf.errors.OpError as error:
            found.append(f"{type(error).__name__}: {error}")
        else:
            found.append([np.asarray(p).tolist() for p in (element if isinstance(element, tuple) else (element,))])
        states.append(json.dumps(walk.get_state()))


def batched(elements: list[Any], size: int, drop_remainder: bool) -> list[Any]:
    """The batches of elements, by the rules: an error is in place of the batch that has begun."""
    made: list[Any] = []
    part: list[Any] = []
    for element in elements:
        if isinstance(element, str):
            made.append(element)
            part = []
            continue
        part.append(element)
        if len(part) == size:
            made.append([list(column) for column in zip(*part, strict=True)])
            part = []
    if part and not drop_remainder:
        made.append([list(column) for column in zip(*part, strict=True)])
    return made


def check(dataset: Dataset) -> None:
    """Compares batches of several sizes with those of the elements, from the start and from every state."""
    elements, _ = outcomes(dataset.stage.walk())
    for size in SIZES:
        for drop_remainder in (False, True):
            stage = dataset.batch(size, drop_remainder=drop_remainder).stage
            found, states = outcomes(stage.walk())
            assert found == batched(elements, size, drop_remainder), (size, drop_remainder)
            for place in range(0, len(states), 1 + len(states) // 5):
                walk = stage.walk()
                walk.set_state(json.loads(states[place]))
                assert outcomes(walk)[0] == found[place:], (size, drop_remainder, place)


def random_files(folder: Path, compression: str = "") -> list[str]:
    """Four files of records of uneven sizes, some of them empty; one file has none."""
    source = random.Random(1)
    counts = (17, 0, 1, 31)
    return [
        write(folder / f"{i}", [source.randbytes(source.choice((0, 1, 9, 300))) for _ in range(n)], compression)
        for i, n in enumerate(counts)
    ]


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
@pytest.mark.parametrize("piece", [1, 200, None])
def test_batches_of_files_are_those_of_their_elements(tmp_path: Path, compression: str, piece: int | None) -> None:
    check(TFRecordDataset(random_files(tmp_path, compression), compression, buffer_size=piece))


BETWEEN: dict[str, Callable[[Dataset], Dataset]] = {
    "repeat": lambda d: d.repeat(3),
    "shuffle": lambda d: d.shuffle(7, seed=3, reshuffle_each_iteration=False),
    "take": lambda d: d.take(20),
    "skip": lambda d: d.skip(5),
    "take of a repeat": lambda d: d.repeat().take(60),
    "shard": lambda d: d.shard(3, 1),
    "another first": lambda d: Dataset.from_tensor_slices([b"x", b"y"]).concatenate(d),
}


@pytest.mark.parametrize("between", BETWEEN)
def test_batches_behind_other_stages_are_those_of_their_elements(tmp_path: Path, between: str) -> None:
    check(BETWEEN[between](TFRecordDataset(random_files(tmp_path), buffer_size=100)))


def test_files_in_turn_give_their_records_in_turn_to_batches(tmp_path: Path) -> None:
    check(TFRecordDataset(random_files(tmp_path), num_parallel_reads=3))


def test_lines_and_records_of_one_length_and_tables_are_batched_alike(tmp_path: Path) -> None:
    lines = [tmp_path / "lines", tmp_path / "more"]
    for number, file in enumerate(lines):
        file.write_text("".join(f"{i},{i / 4},{'x' * (i % 5)}\n" for i in range(number, 23)))
    check(TextLineDataset(lines, buffer_size=50))
    check(tf.data.FixedLengthRecordDataset([write(tmp_path / "f", [b"abc", b"defgh"])], 6, buffer_size=15))
    check(tf.data.experimental.CsvDataset([str(f) for f in lines], [tf.int64, tf.float32, tf.string], buffer_size=50))


def test_a_batch_of_one_piece_may_be_written_to_and_the_rest_stays(tmp_path: Path) -> None:
    walk = TFRecordDataset(numbered(tmp_path, [6])[0]).batch(3).stage.walk()
    first = next(walk)
    state = json.dumps(walk.get_state())
    first[...] = b"changed"
    assert next(walk).tolist() == [b"0.3", b"0.4", b"0.5"]
    walk.set_state(json.loads(state))
    assert next(walk).tolist() == [b"0.3", b"0.4", b"0.5"]


@pytest.mark.parametrize("piece", [1, 60, None])
@pytest.mark.parametrize(
    "places", [[2 * SIZE + 12], [12], [4 * SIZE + 16], [SIZE + 12, 3 * SIZE + 12], [2 * SIZE], [SIZE + 12, 3 * SIZE]]
)
def test_damage_is_in_place_of_the_batch_in_which_it_is(tmp_path: Path, places: list[int], piece: int | None) -> None:
    check(TFRecordDataset(damaged(tmp_path, *places), buffer_size=piece))


def test_the_damaged_record_of_a_batch_is_named_and_the_batch_after_begins_behind_it(tmp_path: Path) -> None:
    files = damaged(tmp_path, 3 * SIZE + 12)
    found, _ = outcomes(TFRecordDataset(files).batch(2).stage.walk())
    text = f"DataLossError: Corrupted data (its checksum differs): record 3 of {files[0]}, at byte {3 * SIZE}."
    assert found[:3] == [[[b"0.0", b"0.1"]], text, [[b"0.4", b"1.0"]]]


def test_truncated_and_missing_files_are_the_errors_of_batches(tmp_path: Path) -> None:
    files = numbered(tmp_path, [5, 5])
    Path(files[0]).write_bytes(Path(files[0]).read_bytes()[:-5])
    check(TFRecordDataset(files))
    check(TFRecordDataset([files[1], str(tmp_path / "none"), files[1]]))
    found, _ = outcomes(TFRecordDataset([files[1], str(tmp_path / "none")]).batch(3).stage.walk())
    assert "(5 records of other files were read before)" in found[-1]


def test_damage_of_a_batch_can_be_ignored(tmp_path: Path) -> None:
    files = damaged(tmp_path, 3 * SIZE + 12)
    elements = outcomes(TFRecordDataset(files).stage.walk())[0]
    found = outcomes(TFRecordDataset(files).batch(2).ignore_errors(log_warning=False).stage.walk())[0]
    assert found == [batch for batch in batched(elements, 2, False) if not isinstance(batch, str)]


# Cutting pieces, and checksums.


def test_damage_among_many_records_of_a_piece_is_found_wherever_it_is(tmp_path: Path) -> None:
    first = TFRecords._FIRST_CHECKED
    count = 11 * first + 5
    file = write(tmp_path / "file", [b"%04d" % i for i in range(count)])
    for place in (0, 1, first - 1, first, 2 * first + 7, 4 * first - 1, 8 * first, count - 1):
        data = changed(file, place * 20 + 13)
        found = TFRecords().cut(data, RecordPosition("file"), last=True)
        assert [len(found.records), len(found.sizes)] == [place, place]
        assert found.damage is not None
        assert found.damage.size == 20
        assert f"record {place} of file, at byte {place * 20}" in str(found.damage.error)


@pytest.mark.parametrize("every", [1, 20])
def test_records_behind_a_damaged_one_are_not_all_cut_again_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    count, checked = 5000, [0]
    data = bytearray(b"".join(framed(b"%04d" % i) for i in range(count)))
    data[13 :: 20 * every] = b"x" * (count // every)
    (tmp_path / "file").write_bytes(data)

    def counted(records: list[bytes]) -> np.ndarray:
        checked[0] += len(records)
        return masked_crcs(records)

    # Below the door: the number of checksums is what took the time.
    monkeypatch.setattr("stratagem._data.files._tfrecord.masked_crcs", counted)
    whole = list(TFRecordDataset(tmp_path / "file").ignore_errors(log_warning=False))
    assert len(whole) == count - count // every
    assert count <= checked[0] <= 2 * TFRecords._FIRST_CHECKED * count


def test_checksums_of_several_records_are_those_of_each() -> None:
    source = random.Random(0)
    for count in (0, 1, 2, 7, 300):
        records = [source.randbytes(source.choice((0, 1, 3, 8, 64, source.randrange(3000)))) for _ in range(count)]
        found = masked_crcs(records)
        assert (found.dtype, found.shape) == (np.uint32, (count,))
        assert found.tolist() == [masked_crc(record) for record in records]
    assert masked_crcs([b"123456789"]).tolist() == [0xC78AB0E5]  # E3069283 turned by 15 bits, and the constant added
