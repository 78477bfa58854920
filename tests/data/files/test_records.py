"""TFRecord files: what is written is read, here and in TensorFlow, from any place on."""

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratagem as tf
from stratagem.data import Dataset, TextLineDataset, TFRecordDataset
from stratagem.io import TFRecordOptions, TFRecordWriter
from tests.data.files import written

HERE = Path(__file__).parent


def write(path: Path, records: list[bytes], options: Any = None) -> str:
    with TFRecordWriter(path, options) as writer:
        for record in records:
            writer.write(record)
    return str(path)


def read(dataset: Dataset) -> list[Any]:
    return list(dataset.as_numpy_iterator())


def numbered(folder: Path, counts: list[int], compression: str = "") -> list[str]:
    """Files of so many records each, all different."""
    return [
        write(folder / f"{i}-{compression}", [f"{i}.{j}".encode() for j in range(n)], compression)
        for i, n in enumerate(counts)
    ]


@pytest.mark.parametrize("compression", written.COMPRESSIONS)
def test_files_that_tensorflow_wrote_are_read(compression: str) -> None:
    file = HERE / written.file_name(compression)
    assert read(TFRecordDataset(file, compression)) == written.RECORDS


def test_files_have_the_bytes_of_tensorflows(tmp_path: Path) -> None:
    mine = Path(write(tmp_path / "mine", written.RECORDS)).read_bytes()
    assert mine == (HERE / written.file_name("")).read_bytes()


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_what_is_written_is_read(tmp_path: Path, compression: str) -> None:
    @given(st.lists(st.binary(max_size=200)), st.integers(1, 300))
    def check(records: list[bytes], piece: int) -> None:
        file = write(tmp_path / "file", records, TFRecordOptions(compression))
        assert read(TFRecordDataset(file, compression, buffer_size=piece)) == records

    check()


def test_options_reach_the_compressor(tmp_path: Path) -> None:
    records = [b"the same text again " * 50] * 50
    sizes = [
        Path(write(tmp_path / str(level), records, TFRecordOptions("GZIP", compression_level=level))).stat().st_size
        for level in (0, 9)
    ]
    assert sizes[1] < sizes[0] / 20
    small_window = write(tmp_path / "window", records, TFRecordOptions("ZLIB", window_bits=9, mem_level=1))
    assert zlib.decompress(Path(small_window).read_bytes()) == gzip.decompress((tmp_path / "9").read_bytes())


@pytest.mark.parametrize("compression", ["", "GZIP"])
def test_flushed_records_can_be_read_before_the_writer_is_closed(tmp_path: Path, compression: str) -> None:
    with TFRecordWriter(tmp_path / "file", compression) as writer:
        writer.write("text")
        writer.flush()
        assert next(TFRecordDataset(tmp_path / "file", compression).as_numpy_iterator()) == b"text"


def test_a_writer_refuses_what_is_no_record_and_to_write_after_its_end(tmp_path: Path) -> None:
    writer = TFRecordWriter(tmp_path / "file")
    with pytest.raises(TypeError, match="A record is bytes, got int"):
        writer.write(3)  # type: ignore[arg-type]
    writer.close()
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="file is closed already"):
        writer.write(b"late")
    with pytest.raises(tf.errors.NotFoundError, match="Make its folder first"):
        TFRecordWriter(tmp_path / "none" / "file")


@pytest.mark.parametrize("compression", ["", "GZIP"])
def test_a_writer_that_nobody_closes_is_closed_when_it_goes(tmp_path: Path, compression: str) -> None:
    writer = TFRecordWriter(tmp_path / "file", compression)
    writer.write(bytearray(b"left"))
    del writer
    assert read(TFRecordDataset(tmp_path / "file", compression)) == [b"left"]


def test_long_records_span_many_pieces(tmp_path: Path) -> None:
    records = [bytes(1_000_000), b"short", np.random.default_rng(0).bytes(700_000)]
    assert read(TFRecordDataset(write(tmp_path / "file", records), buffer_size=1000)) == records


def test_files_are_read_in_turn(tmp_path: Path) -> None:
    files = numbered(tmp_path, [2, 1, 2])
    assert read(TFRecordDataset(files, num_parallel_reads=2)) == [b"0.0", b"1.0", b"0.1", b"2.0", b"2.1"]
    assert read(TFRecordDataset(files, num_parallel_reads=tf.data.AUTOTUNE)) == read(TFRecordDataset(files))


def test_names_may_come_from_a_data_set(tmp_path: Path) -> None:
    files = numbered(tmp_path, [1, 1, 1])
    names = Dataset.from_tensor_slices(files).filter(lambda name: name != files[1].encode())
    assert read(TFRecordDataset(names)) == [b"0.0", b"2.0"]
    assert read(TFRecordDataset(np.array(files[:1]))) == [b"0.0"]


def test_options_of_a_data_set_of_names_stay(tmp_path: Path) -> None:
    options = tf.data.Options()
    options.deterministic = False
    names = Dataset.from_tensor_slices(numbered(tmp_path, [1])).with_options(options)
    assert TFRecordDataset(names).options().deterministic is False


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"compression_type": "LZ"}, 'Use "", "GZIP" or "ZLIB"'),
        ({"num_parallel_reads": 0}, "`num_parallel_reads` must be greater than zero"),
        ({"buffer_size": -1}, "`buffer_size` must be >= 0"),
    ],
)
def test_arguments_out_of_range(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        TFRecordDataset("file", **arguments)


# Resuming.

PLANS = {
    "records": lambda d, c: TFRecordDataset(numbered(d, [3, 0, 4, 1], c), c, buffer_size=20),
    "in turn": lambda d, c: TFRecordDataset(numbered(d, [3, 0, 4, 1], c), c, buffer_size=50, num_parallel_reads=3),
    "shuffled files": lambda d, c: TFRecordDataset(
        Dataset.list_files(numbered(d, [3, 2, 4], c), seed=3), c, num_parallel_reads=2
    ).repeat(2),
    "lines": lambda d, c: TextLineDataset([blob(d, b"a\r\nbc\n\n", c), blob(d, b"", c), blob(d, b"d\ne", c)], c, buffer_size=2),
    "fixed": lambda d, c: tf.data.FixedLengthRecordDataset(
        blob(d, b"hh" + bytes(range(48)) + b"fff", c), 3, 2, 3, compression_type=c, buffer_size=5
    ),
    "table": lambda d, c: tf.data.experimental.CsvDataset(
        [blob(d, b'i,s\n1,a\n2,"b\nc"\n3,"d"""\n4,\n', c), blob(d, b"i,s\n5,e", c)],
        [[0], [""]], c, buffer_size=3, header=True,
    ),
}  # fmt: skip


def blob(folder: Path, data: bytes, compression: str) -> str:
    """A file that holds `data`, compressed or not."""
    path = folder / f"{len(list(folder.iterdir()))}"
    path.write_bytes({"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}[compression](data))
    return str(path)


@pytest.mark.parametrize("compression", ["", "GZIP"])
@pytest.mark.parametrize("plan", PLANS)
def test_resumed_at_every_place_a_walk_goes_on_with_the_very_next_record(
    tmp_path: Path, plan: str, compression: str
) -> None:
    def rest_of(walk: Any) -> list[Any]:
        return [tf.nest.map_structure(lambda leaf: leaf.tolist(), element) for element in walk]

    dataset = PLANS[plan](tmp_path, compression)
    walk = dataset.stage.walk()
    states = [json.loads(json.dumps(walk.get_state()))]
    whole = []
    for element in walk:
        whole += rest_of([element])
        states.append(json.loads(json.dumps(walk.get_state())))
    assert len(whole) >= 5
    for place, state in enumerate(states):
        fresh = dataset.stage.walk()
        fresh.set_state(state)
        assert rest_of(fresh) == whole[place:], place
        walk.set_state(state)  # also a walk that is somewhere else
        assert rest_of(walk) == whole[place:], place
        assert list(walk) == []


def test_a_position_survives_in_any_order_of_reading_and_resuming(tmp_path: Path) -> None:
    files = numbered(tmp_path, [5, 0, 9, 2, 7])
    whole = read(TFRecordDataset(files, num_parallel_reads=2))

    @given(st.lists(st.integers(0, 6), max_size=6), st.integers(1, 60))
    def check(steps: list[int], piece: int) -> None:
        stage = TFRecordDataset(files, num_parallel_reads=2, buffer_size=piece).stage
        walk, found = stage.walk(), []
        for step in steps:
            found += [e.item() for _, e in zip(range(step), walk, strict=False)]
            state, walk = walk.get_state(), stage.walk()
            walk.set_state(state)
        assert (found + [e.item() for e in walk]) == whole

    check()


def test_a_saved_place_is_three_numbers_a_file(tmp_path: Path) -> None:
    file = write(tmp_path / "file", [b"x" * 100] * 50)
    walk = TFRecordDataset(file).stage.walk()
    for _ in range(7):
        next(walk)
    assert walk.get_state()["files"] == [{"file": file, "record": 7, "offset": 7 * 116, "lost": False}]
    assert len(json.dumps(walk.get_state())) < 400


def test_a_file_that_became_shorter_is_noticed_on_resuming(tmp_path: Path) -> None:
    for compression in ("", "GZIP"):
        file = write(tmp_path / "file", [b"x" * 100] * 50, compression)
        walk = TFRecordDataset(file, compression).stage.walk()
        for _ in range(20):
            next(walk)
        write(tmp_path / "file", [b"x" * 100] * 5, compression)
        fresh = TFRecordDataset(file, compression).stage.walk()
        fresh.set_state(walk.get_state())
        with pytest.raises(
            tf.errors.DataLossError, match=r"changed since this place .* is shorter: record 20 of .*, at byte 2320"
        ):
            next(fresh)
