"""Damaged, shortened and missing files: what they are called in errors, and what is still read."""

import gzip
import json
import logging
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.framing import framed, masked_crc
from stratagem.data import Dataset, TextLineDataset, TFRecordDataset
from tests.data.files.expressions import changed
from tests.data.files.test_records import numbered, read, write

SIZE = 16 + 3  # of a record like b"0.0" in a file


def damaged(folder: Path, *places: int) -> list[str]:
    """Two files of five records, the first one with changed bytes."""
    files = numbered(folder, [5, 5])
    Path(files[0]).write_bytes(changed(files[0], *places))
    return files


def outcomes(dataset: Dataset) -> list[str]:
    """Every element, or the text of the error in its place."""
    found, iterator = [], iter(dataset)
    while True:
        try:
            found.append(next(iterator).item().decode())
        except StopIteration:
            return found
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")


REST = [f"1.{i}" for i in range(5)]


def test_a_damaged_record_is_named_and_the_next_one_read(tmp_path: Path) -> None:
    files = damaged(tmp_path, 2 * SIZE + 12)
    text = f"DataLossError: Corrupted data (its checksum differs): record 2 of {files[0]}, at byte {2 * SIZE}."
    assert outcomes(TFRecordDataset(files)) == ["0.0", "0.1", text, "0.3", "0.4", *REST]


@pytest.mark.parametrize("piece", [1, 30, 1000])
def test_damage_is_where_it_is_however_the_file_is_read(tmp_path: Path, piece: int) -> None:
    found = outcomes(TFRecordDataset(damaged(tmp_path, 2 * SIZE + 12, 3 * SIZE + 16), buffer_size=piece))
    assert [("record" in o and o.split("record ")[1][0]) or o for o in found[:5]] == ["0.0", "0.1", "2", "3", "0.4"]


LENGTHS = [*[20] * 12, *[7] * 3, *[20] * 31, *[9, 9, 20] * 5, *[20] * 20]


@pytest.mark.parametrize("piece", [50, 700, 100_000])
def test_records_of_one_length_in_a_row_are_read_to_the_damage_and_behind_it(tmp_path: Path, piece: int) -> None:
    records = [bytes([65 + i % 26]) * length for i, length in enumerate(LENGTHS)]
    begins = np.cumsum([0, *(length + 16 for length in LENGTHS)]).tolist()
    whole = b"".join(map(framed, records))
    for bad in (0, 8, 9, 11, 12, 14, 15, 24, 25, 45, 46, 60, 61, 70, len(LENGTHS) - 1):
        for offset, behind in ((3, []), (9, []), (14, records[bad + 1 :]), (12 + LENGTHS[bad] + 1, records[bad + 1 :])):
            data = bytearray(whole)
            data[begins[bad] + offset] ^= 0x40
            (tmp_path / "file").write_bytes(data)
            found = outcomes(TFRecordDataset(str(tmp_path / "file"), buffer_size=piece))
            assert found[:bad] + found[bad + 1 :] == [record.decode() for record in (*records[:bad], *behind)]
            assert f"record {bad} of {tmp_path / 'file'}, at byte {begins[bad]}" in found[bad]


@pytest.mark.parametrize("place", [0, 8])
def test_behind_a_damaged_length_the_file_is_lost_and_the_next_one_read(tmp_path: Path, place: int) -> None:
    files = damaged(tmp_path, 2 * SIZE + place)
    text = f"nothing behind it can be read: record 2 of {files[0]}, at byte {2 * SIZE}."
    assert outcomes(TFRecordDataset(files)) == [
        "0.0", "0.1", f"DataLossError: Corrupted length, so {text}", *REST,
    ]  # fmt: skip


def test_another_kind_of_file_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"Some text, and no record at all.")
    with pytest.raises(tf.errors.DataLossError, match="Is this even a TFRecord file"):
        read(TFRecordDataset(tmp_path / "text"))
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        read(TFRecordDataset(tmp_path))


@pytest.mark.parametrize("cut", [1, 4, 5, 8, 16, 18])
def test_a_truncated_file_is_an_error_wherever_it_ends(tmp_path: Path, cut: int) -> None:
    files = numbered(tmp_path, [5, 5])
    Path(files[0]).write_bytes(Path(files[0]).read_bytes()[:-cut])
    text = f"DataLossError: The file is truncated: it ends within a record: record 4 of {files[0]}, at byte {4 * SIZE}."
    assert outcomes(TFRecordDataset(files)) == ["0.0", "0.1", "0.2", "0.3", text, *REST]


def test_truncated_and_broken_compressed_files(tmp_path: Path) -> None:
    data = gzip.compress("".join(f"{i}\n" for i in range(5000)).encode())
    (tmp_path / "cut").write_bytes(data[:-30])
    (tmp_path / "broken").write_bytes(data[:5000] + b"\xff" * 50 + data[5050:])
    (tmp_path / "plain").write_bytes(b"no gzip")
    found = [outcomes(TextLineDataset(tmp_path / name, "GZIP", 1000)) for name in ("cut", "broken", "plain")]
    for lines in found:
        assert lines[:-1] == [str(i) for i in range(len(lines) - 1)]
    assert "The file is truncated: its compressed data has no end: record" in found[0][-1]
    assert "The file cannot be decompressed (Error" in found[1][-1]
    assert f"record {len(found[1]) - 1} of {tmp_path / 'broken'}" in found[1][-1]
    assert [len(lines) > 100 for lines in found] == [True, True, False]


@pytest.mark.parametrize(
    ("place", "before", "text"),
    [
        (-6, 5, "record 5 of .*, at byte 95"),  # the checksum of all, behind the last record
        (0, 0, "record 0 of .*, at byte 0"),  # the header
    ],
)
def test_of_a_damaged_gzip_file_everything_before_the_damage_is_read(
    tmp_path: Path, place: int, before: int, text: str
) -> None:
    file = Path(numbered(tmp_path, [5], "GZIP")[0])
    file.write_bytes(changed(str(file), place))
    found = outcomes(TFRecordDataset(file, "GZIP"))
    assert found[:-1] == [f"0.{i}" for i in range(before)]
    assert re.match(f"DataLossError: The file cannot be decompressed .*: {text}", found[-1])


def test_a_record_that_gzip_damage_changed_is_named_and_the_next_one_read(tmp_path: Path) -> None:
    records = [bytes([65 + i]) * 30 + np.random.default_rng(i).bytes(20_000) for i in range(50)]
    file = Path(write(tmp_path / "file", records, "GZIP"))
    file.write_bytes(changed(str(file), file.stat().st_size // 2))
    read_on = [o[0] if not o.startswith("DataLoss") else o for o in outcomes_of_bytes(TFRecordDataset(file, "GZIP"))]
    assert "".join(o for o in read_on if len(o) == 1) == "".join(chr(65 + i) for i in range(50) if i != 24)
    assert f"its checksum differs): record 24 of {file}, at byte {24 * 20_046}" in read_on[24]
    assert f"incorrect data check): record 50 of {file}" in read_on[-1]


def outcomes_of_bytes(dataset: Dataset) -> list[str]:
    """The `outcomes` of records that are no text."""
    return outcomes(dataset.map(lambda record: record.item().decode("latin-1")))


def test_a_length_that_lies_reads_and_allocates_nothing(tmp_path: Path) -> None:
    for name, length in (("huge", 1 << 62), ("longer", 300 << 20)):
        size = length.to_bytes(8, "little")
        with (tmp_path / name).open("wb") as file:
            file.write(framed(b"first") + size + masked_crc(size).to_bytes(4, "little"))
            file.truncate(256 << 20)  # zeros that take no space
        tracemalloc.start()
        found = outcomes(TFRecordDataset(tmp_path / name))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found == [
            "first",
            f"DataLossError: The file is truncated: it ends within a record: record 1 of {tmp_path / name}, at byte 21.",
        ]
        assert peak < 8 << 20


def test_what_the_system_cannot_read_is_named() -> None:
    with pytest.raises(
        tf.errors.DataLossError, match=r"cannot read the file on .*: record 0 of /proc/self/mem, at byte 0"
    ):
        read(TFRecordDataset("/proc/self/mem"))


def test_a_resumed_walk_meets_the_same_damage(tmp_path: Path) -> None:
    stage = TFRecordDataset(damaged(tmp_path, 1 * SIZE + 12, 3 * SIZE)).stage

    def rest_of(walk: Any) -> tuple[list[str], list[Any]]:
        found, states = [], [json.loads(json.dumps(walk.get_state()))]
        while True:
            try:
                found.append(next(walk).item().decode())
            except StopIteration:
                return found, states
            except tf.errors.DataLossError as error:
                found.append(str(error))
            states.append(json.loads(json.dumps(walk.get_state())))

    whole, states = rest_of(stage.walk())
    assert len(whole) == 4 + 5
    for place, state in enumerate(states):
        walk = stage.walk()
        walk.set_state(state)
        assert rest_of(walk)[0] == whole[place:], place


# Missing files.


def test_files_that_cannot_be_opened_have_the_errors_of_tensorflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = numbered(tmp_path, [1])[0]
    (tmp_path / "link").symlink_to(file)
    (tmp_path / "broken").symlink_to("gone")
    assert read(TFRecordDataset([tmp_path / "link"])) == [b"0.0"]
    with pytest.raises(tf.errors.NotFoundError, match="broken; No such file"):
        read(TFRecordDataset(Dataset.list_files(f"{tmp_path}/bro*")))
    with pytest.raises(tf.errors.FailedPreconditionError, match="0-/x; Not a directory"):
        read(TFRecordDataset(f"{file}/x"))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"'a.x00b' is no name of a file"):
        read(TFRecordDataset("a\0b"))

    def forbidden(*arguments: Any, **keywords: Any) -> Any:  # root may open every file
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", forbidden)
        with pytest.raises(tf.errors.PermissionDeniedError, match="0-; Permission denied"):
            read(TFRecordDataset(file))
    with monkeypatch.context() as patched:
        # The class that opens a file of this machine for writing: the kernel, which it asks, refuses root nothing.
        patched.setattr("stratagem._base.storage._local.OutputFile", forbidden)
        with pytest.raises(tf.errors.PermissionDeniedError, match="0-; Permission denied"):
            tf.io.TFRecordWriter(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"none; No such file or directory \(0 records"):
        read(TFRecordDataset(tmp_path / "none"))


def test_a_file_that_vanishes_between_two_files_is_named_with_what_was_read(tmp_path: Path) -> None:
    files = numbered(tmp_path, [3, 3, 2])
    iterator = iter(TFRecordDataset(files))
    found = [next(iterator).item() for _ in range(3)]
    Path(files[1]).unlink()
    with pytest.raises(
        tf.errors.NotFoundError, match=r"1-; No such file .*\(3 records of other files were read before"
    ):
        next(iterator)
    assert found + [r.item() for r in iterator] == [b"0.0", b"0.1", b"0.2", b"2.0", b"2.1"]


# ignore_errors.


@pytest.mark.parametrize("log_warning", [False, True])
def test_ignored_damage_is_counted_at_the_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, log_warning: bool
) -> None:
    files = damaged(tmp_path, 1 * SIZE + 12, 3 * SIZE)
    dataset = TFRecordDataset([*files, str(tmp_path / "none")]).ignore_errors(log_warning)
    with caplog.at_level(logging.WARNING, "stratagem"):
        assert outcomes(dataset) == ["0.0", "0.2", *REST]
    each, last = caplog.messages[:-1], caplog.messages[-1]
    assert last.startswith("3 failed elements were skipped; the last one: NotFoundError: ")
    assert [m.split(":")[0] for m in each] == (
        ["Element skipped. DataLossError"] * 2 + ["Element skipped. NotFoundError"] if log_warning else []
    )


def test_nothing_is_logged_without_errors(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "stratagem"):
        assert len(read(TFRecordDataset(numbered(tmp_path, [5])).ignore_errors())) == 5
    assert caplog.messages == []


def test_the_count_survives_a_resume(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    dataset = TFRecordDataset(damaged(tmp_path, 1 * SIZE + 12, 3 * SIZE + 12)).ignore_errors()
    walk = dataset.stage.walk()
    assert [next(walk).item() for _ in range(2)] == [b"0.0", b"0.2"]
    fresh = dataset.stage.walk()
    fresh.set_state(json.loads(json.dumps(walk.get_state())))
    assert [r.item().decode() for r in fresh] == ["0.4", *REST]
    assert "2 failed elements" in caplog.text


def test_errors_of_a_map_function_are_ignored_element_by_element() -> None:
    def picky(number: Any) -> Any:
        if int(number) % 3 == 0:
            raise ValueError("divisible by three")
        return number

    assert read(Dataset.range(8).map(picky).ignore_errors()) == [1, 2, 4, 5, 7]
    assert read(Dataset.range(8).map(picky).ignore_errors().batch(5))[0].tolist() == [1, 2, 4, 5, 7]
    batches = read(Dataset.range(9).map(picky).batch(2).ignore_errors())
    assert [b.tolist() for b in batches] == [[1, 2], [4, 5], [7, 8]]


def test_a_source_that_only_fails_is_no_endless_loop() -> None:
    def broken() -> Any:
        raise ValueError("always")

    dataset = Dataset.from_generator(broken, output_signature=tf.TensorSpec((), tf.int32)).ignore_errors()
    with pytest.raises(ValueError, match="always"):
        read(dataset)


def test_ignore_errors_can_be_the_middle_of_a_plan(tmp_path: Path) -> None:
    files = damaged(tmp_path, 2 * SIZE + 12)
    dataset = TFRecordDataset(files).ignore_errors()
    assert int(dataset.cardinality()) == tf.data.UNKNOWN_CARDINALITY
    assert dataset.element_spec == tf.TensorSpec((), tf.string)
    assert sorted(read(dataset.shuffle(100, seed=1).prefetch(2))) == sorted(
        name.encode() for name in ["0.0", "0.1", "0.3", "0.4", *REST]
    )
    stage = dataset.stage
    assert [r.item() for r in stage.with_parents(*stage.parents).walk()] == read(dataset)


def test_the_spec_of_a_map_over_damaged_files_is_known(tmp_path: Path) -> None:
    files = damaged(tmp_path, 12, 1 * SIZE)
    empty = write(tmp_path / "empty", [])
    dataset = TFRecordDataset([empty, *files]).map(tf.strings.length)
    assert dataset.element_spec == tf.TensorSpec((), tf.int32)
    with pytest.raises(tf.errors.DataLossError, match="record 0 of"):
        read(dataset)
