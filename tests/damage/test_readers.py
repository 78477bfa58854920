"""Damaged and hostile files of every kind: a typed error, or the values that were there; `make soak` reads many more."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import stratagem as tf
from stratagem._base.tensor_proto import CODES, TensorProto
from stratagem.cli import main
from stratagem.distribute.cluster_resolver import TFConfigClusterResolver
from stratagem.errors import ClusterError
from tests.damage.readers import READERS, damaged_file


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_refused_or_read(name: str, seed: int, tmp_path: Path) -> None:
    damaged_file(seed, tmp_path / "files", name)


def saved(folder: Path) -> Path:
    """A data set of 20 elements in two shards; returns the folder of the shards."""
    dataset = tf.data.Dataset.range(20).enumerate()
    dataset.save(str(folder), shard_func=lambda number, value: number % 2)
    (run,) = [each for each in folder.iterdir() if each.is_dir()]
    return run


@pytest.mark.parametrize("part", [1 << 4, 1 << 12])
def test_zeros_in_place_of_elements_are_damage(part: int, tmp_path: Path) -> None:
    # What a power cut leaves: the checksum of no bytes is 0.
    for file in saved(tmp_path).iterdir():
        data = bytearray(file.read_bytes())
        end = data.rindex(b'{"count"')
        start = len(b"STRATAGEM CACHE 1\n")
        data[start : min(start + part, end)] = bytes(min(part, end - start))
        file.write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match="element 0 is damaged"):
        list(tf.data.Dataset.load(str(tmp_path)))


def test_a_description_with_other_names_is_refused(tmp_path: Path) -> None:
    saved(tmp_path)
    file = tmp_path / "dataset.json"
    file.write_text(file.read_text().replace(".shard", ".sharb", 1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is damaged"):
        tf.data.Dataset.load(str(tmp_path))


@pytest.mark.parametrize("code", [CODES["float32"], CODES["string"]])
def test_a_message_that_asks_for_terabytes_is_refused(code: int) -> None:
    message = TensorProto(dtype=code)
    message.tensor_shape.dim.add(size=1 << 40)
    kind = tf.float32 if code == CODES["float32"] else tf.string
    with pytest.raises(tf.errors.ResourceExhaustedError, match="1099511627776"):
        tf.io.parse_tensor(message.SerializeToString(), kind)


def test_a_configuration_that_asks_for_more_than_its_file_has_is_refused(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3)])
    text = model.to_json().replace('"units": 3', '"units": 10000000000000')
    with pytest.raises(tf.errors.ResourceExhaustedError, match="10000000000000"):
        tf.keras.models.model_from_json(text)
    (tmp_path / "parts").mkdir()
    READERS["parts of models"].write(tmp_path / "parts")
    config = tmp_path / "parts" / "config.json"
    config.write_text(config.read_text().replace('"input_dim": 5', '"input_dim": 1000000000'))
    with pytest.raises(tf.errors.DataLossError, match=r"\[1000000000, 2\], and the file has 17 values in all"):
        READERS["parts of models"].read(tmp_path / "parts")


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "1", '"x"', '{"config": {}}', "[" * 100_000])
@pytest.mark.parametrize("read", [tf.keras.models.model_from_json, tf.keras.preprocessing.text.tokenizer_from_json])
def test_a_text_that_describes_nothing_is_refused(read: Any, text: str) -> None:
    with pytest.raises(ValueError, match=r"describes no tokenizer|no model") as caught:
        read(text)
    assert type(caught.value) is ValueError


@pytest.mark.parametrize("index", ["1" * 5000, json.dumps("1" * 5000)])
def test_a_task_index_of_many_digits_is_refused(index: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task = f'{{"type": "worker", "index": {index}}}'
    monkeypatch.setenv("TF_CONFIG", f'{{"cluster": {{"worker": ["127.0.0.1:1"]}}, "task": {task}}}')
    with pytest.raises(ClusterError, match="TF_CONFIG") as caught:
        TFConfigClusterResolver().task_id  # noqa: B018
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "arguments",
    [
        ["explain", "A" * 5000],
        ["explain", "a\0b"],
        ["token", "A" * 5000],
        ["profile", "A" * 5000],
        ["checkpoint", "list", "A" * 5000],
        ["launch", "A" * 5000],
        ["launch", "--workers", "9" * 30, "train.py"],
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[1][:9]!r}",
)
def test_a_command_refuses_what_is_too_long(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code != 0
    assert isinstance(done.exception, SystemExit)
    assert "Error: " in done.output


def test_a_header_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(b"\xffa,b\n1,1\n")
    with pytest.raises(ValueError, match=r"header line of .*table\.csv is not utf-8") as caught:
        tf.data.experimental.make_csv_dataset(str(tmp_path / "table.csv"), 1)
    assert type(caught.value) is ValueError


def test_texts_of_a_database_are_its_bytes(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "rows.db")
    connection.execute("create table rows (text text, rate real)")
    connection.execute("insert into rows values (cast(x'fffe' as text), 1e300)")
    connection.commit()
    connection.close()
    kinds = (tf.string, tf.int64)
    rows = tf.data.experimental.SqlDataset("sqlite", str(tmp_path / "rows.db"), "select text, rate from rows", kinds)
    assert list(rows.as_numpy_iterator()) == [(b"\xff\xfe", 2**63 - 1)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not UTF-8"):
        tf.data.experimental.SqlDataset("sqlite", "rows.db", b"select \xff", kinds)


@pytest.mark.parametrize("text", ["", "[]", "[" * 100_000])
def test_results_of_an_exporter_that_are_none_are_named(text: str, tmp_path: Path) -> None:
    exporter = tf.estimator.BestExporter(serving_input_receiver_fn=lambda: None)
    (tmp_path / "best_eval_result.json").write_text(text)
    with pytest.raises(tf.errors.DataLossError, match="is damaged"):
        exporter.export(None, str(tmp_path), "", {"loss": 1.0}, False)
