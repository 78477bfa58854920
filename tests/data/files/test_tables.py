"""Comma-separated values: records of every form, from files read in pieces of every size."""

import collections
import csv
import io
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratagem as tf
from stratagem.data import Dataset
from stratagem.data.experimental import CsvDataset, make_csv_dataset

TEXT = st.text(st.sampled_from('ab,"\n\r 1é'), max_size=6)
ROWS = st.lists(st.tuples(TEXT, st.integers(-(2**31), 2**31 - 1), TEXT), max_size=8)


@pytest.mark.sampled
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("header", "quoting"), [(True, csv.QUOTE_MINIMAL), (False, csv.QUOTE_NONNUMERIC)])
def test_what_the_csv_module_writes_is_read(tmp_path: Path, end: str, header: bool, quoting: Any) -> None:
    @given(ROWS, st.integers(1, 40))
    def check(rows: list[Any], piece: int) -> None:
        if end == "\n":  # the module leaves a lone carriage return without quotes then
            rows = [(a.replace("\r", ""), n, b.replace("\r", "")) for a, n, b in rows]
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator=end, quoting=quoting).writerows([("é\n", 'n,"', "")] * header + rows)
        (tmp_path / "file").write_bytes(text.getvalue().encode())
        dataset = CsvDataset(tmp_path / "file", [[""], tf.int32, [""]], header=header, buffer_size=piece)
        assert list(dataset.as_numpy_iterator()) == [(a.encode(), n, b.encode()) for a, n, b in rows]

    check()


def test_a_wrong_record_is_named_and_the_next_one_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b'n,s\n1,a\n2\n3,b\nx,c\n4,d"e\n5,"f"g\n6,h\n')
    for piece in (1, 100):
        iterator = CsvDataset(
            tmp_path / "file", [tf.int32, tf.string], header=True, buffer_size=piece
        ).as_numpy_iterator()
        found: list[Any] = []
        while len(found) < 7:
            try:
                found.append(next(iterator)[0])
            except tf.errors.InvalidArgumentError as error:
                found.append(str(error).replace(str(tmp_path), ""))
        with pytest.raises(StopIteration):
            next(iterator)
        assert found == [
            1,
            "Expect 2 fields but have 1 in record: record 1 of /file, at byte 8.",
            3,
            "Field 0 in record is not a valid int32: x: record 3 of /file, at byte 14.",
            "Unquoted fields cannot have quotes inside: record 4 of /file, at byte 18.",
            "Quote inside a string has to be escaped by another quote: record 5 of /file, at byte 24.",
            6,
        ]


def test_a_quote_that_is_never_closed_is_an_error_of_its_record(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b'1,a\n2,"b\n3,c\n')
    dataset = CsvDataset(tmp_path / "file", [tf.int32, tf.string], buffer_size=3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="without closing quoted field in record: record 1 of"):
        list(dataset)
    assert [int(n) for n, _ in dataset.ignore_errors()] == [1]


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"record_defaults": [[1, 2]]}, ValueError, r"record_defaults\[0\] is \[1, 2\]"),
        ({"record_defaults": [True]}, ValueError, "give float32, float64, int32, int64 or string"),
        ({"record_defaults": tf.int32}, TypeError, "`record_defaults` must be a list"),
        ({"record_defaults": [1], "field_delim": "::"}, ValueError, "field_delim should be only 1 char"),
        ({"record_defaults": [1], "select_cols": [0, 1]}, ValueError, "2 columns, 1 record_defaults"),
    ],
)
def test_arguments_out_of_range(arguments: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        CsvDataset("file", **arguments)


def titles(folder: Path, rows: int) -> list[str]:
    """Two files with a column of numbers and one of text."""
    for name, start in (("a", 0), ("b", rows)):
        lines = [f"{i},t{i}\n" for i in range(start, start + rows)]
        (folder / f"{name}.csv").write_text("z,a\n" + "".join(lines))
    return [str(folder / "a.csv"), str(folder / "b.csv")]


def test_columns_keep_the_order_of_the_file(tmp_path: Path) -> None:
    titles(tmp_path, 3)
    dataset = make_csv_dataset(f"{tmp_path}/*.csv", 4, num_epochs=1, shuffle=False)
    batch = next(iter(dataset))
    assert type(batch) is collections.OrderedDict
    assert list(batch) == list(dataset.element_spec) == ["z", "a"]
    assert isinstance(batch["z"], jax.Array)
    assert batch["a"].tolist() == [b"t0", b"t1", b"t2", b"t3"]


def test_shuffled_epochs_have_every_row_once_and_are_repeatable(tmp_path: Path) -> None:
    files = titles(tmp_path, 10)

    def epochs() -> list[list[int]]:
        dataset = make_csv_dataset(files, 20, label_name="z", num_epochs=3, shuffle_seed=5)
        return [label.tolist() for _, label in dataset.as_numpy_iterator()]

    found = epochs()
    assert found == epochs()
    assert [sorted(epoch) for epoch in found] == [list(range(20))] * 3
    assert len({tuple(epoch) for epoch in found}) == 3


def test_without_epochs_full_batches_come_for_ever(tmp_path: Path) -> None:
    dataset = make_csv_dataset(titles(tmp_path, 3), 4, shuffle=False)
    assert dataset.element_spec["z"].shape == (4,)
    assert [b["z"].tolist() for b in dataset.take(3).as_numpy_iterator()] == [[0, 1, 2, 3], [4, 5, 0, 1], [2, 3, 4, 5]]


def test_a_training_set_of_tables_resumes_at_the_next_batch(tmp_path: Path) -> None:
    def make() -> Dataset:
        return make_csv_dataset(titles(tmp_path, 9), 4, num_epochs=2, shuffle_seed=3, num_parallel_reads=2)

    def rest(walk: Any) -> list[Any]:
        return [batch["z"].tolist() for batch in walk]

    walk = make().stage.walk()
    states, whole = [walk.get_state()], []
    for batch in walk:
        whole.append(batch["z"].tolist())
        states.append(walk.get_state())
    walk.close()
    assert sorted(n for batch in whole for n in batch) == sorted([*range(18)] * 2)
    for place, state in enumerate(states):
        fresh = make().stage.walk()
        fresh.set_state(state)
        assert rest(fresh) == whole[place:]
        fresh.close()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"select_columns": ["q"]}, r"names 'q', which is none of the columns \['z', 'a'\]"),
        ({"column_defaults": [1]}, r"1 `column_defaults` were given for the columns \['z', 'a'\]"),
    ],
)
def test_columns_that_do_not_fit(tmp_path: Path, arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make_csv_dataset(titles(tmp_path, 1), 2, **arguments)


def test_types_are_found_in_the_first_records_of_all_files(tmp_path: Path) -> None:
    (tmp_path / "1").write_text("a,b\n1,\n")
    (tmp_path / "2").write_text("a,b\n2.5,7\nx,y\n")
    files = [str(tmp_path / "1"), str(tmp_path / "2")]

    def spec(rows: int | None) -> list[Any]:
        found = make_csv_dataset(files, 2, num_rows_for_inference=rows).element_spec
        return [s.dtype for s in found.values()]

    assert spec(1) == [np.int32, object]
    assert spec(2) == [np.float32, np.int32]
    assert spec(None) == spec(3) == [object, object]
