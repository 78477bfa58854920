"""Readers of files that strangers write and disks damage, each with files of its kind, and ways of damaging them.

`make test` reads a few damaged files of each kind, `make soak` many (rows D of docs/reliability.md).
"""

import json
import random
import shutil
import sqlite3
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

import stratagem as tf
from stratagem._base.errors import StratagemError
from tests.checkpoints.scenarios import Trial

SAVED_BY_TENSORFLOW = Path(__file__).parents[1] / "data" / "recorded" / "saved"


@final
@dataclass(frozen=True)
class Reader:
    """A kind of files.

    write: makes good ones in a folder. read: returns what is in them, as plain values. sealed: whether all that they have is
    under checksums, so that damaged files are refused or read as they were.
    """

    write: Callable[[Path], None]
    read: Callable[[Path], Any]
    sealed: bool = False


def plain(value: Any) -> Any:
    """Nests of arrays as lists and bytes, which can be compared."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return np.asarray(value).tolist()


def _elements(dataset: Any) -> Any:
    return [plain(element) for element in dataset.as_numpy_iterator()]


def _dataset() -> tf.data.Dataset:
    rows = {"number": np.arange(40.0).reshape(20, 2), "text": np.array([b"t%d" % n for n in range(20)], object)}
    return tf.data.Dataset.from_tensor_slices(rows)


def _save(folder: Path, compression: str | None) -> None:
    _dataset().save(str(folder / "saved"), compression=compression)


def _save_cache(folder: Path) -> None:
    list(_dataset().cache(str(folder / "elements")))


def _read_cache(folder: Path) -> Any:
    return _elements(_dataset().cache(str(folder / "elements")))


def _copy_of_tensorflow(name: str) -> Callable[[Path], None]:
    def copy(folder: Path) -> None:
        shutil.copytree(SAVED_BY_TENSORFLOW / name, folder / "saved")

    return copy


def _write_table(folder: Path) -> None:
    lines = ["number,text,rate", *(f'{n},"a text, of {n}",{n / 4}' for n in range(20))]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")


def _read_table(folder: Path) -> Any:
    return _elements(tf.data.experimental.make_csv_dataset(str(folder / "table.csv"), 4, num_epochs=1, shuffle=False))


def _read_csv(folder: Path) -> Any:
    kinds = [tf.int32, tf.string, tf.float32]
    return _elements(tf.data.experimental.CsvDataset(str(folder / "table.csv"), kinds, header=True))


def _write_database(folder: Path) -> None:
    connection = sqlite3.connect(folder / "rows.db")
    connection.execute("create table rows (number integer, text text, rate real)")
    connection.executemany("insert into rows values (?, ?, ?)", [(n, f"text {n}", n / 4) for n in range(60)])
    connection.commit()
    connection.close()


def _read_database(folder: Path) -> Any:
    kinds = (tf.int32, tf.string, tf.float64)
    query = "select number, text, rate from rows order by number"
    return _elements(tf.data.experimental.SqlDataset("sqlite", str(folder / "rows.db"), query, kinds))


def _write_words(folder: Path) -> None:
    (folder / "words.txt").write_text("".join(f"word{n}\n" for n in range(50)))
    (folder / "numbers.txt").write_text("".join(f"{n * n}\n" for n in range(50)))


def _read_words(folder: Path) -> Any:
    words, numbers = str(folder / "words.txt"), str(folder / "numbers.txt")
    layer, integers = tf.keras.layers.StringLookup(vocabulary=words), tf.keras.layers.IntegerLookup(vocabulary=numbers)
    index = tf.lookup.TextFileIndex
    lines = tf.lookup.TextFileInitializer(words, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
    column = tf.feature_column.categorical_column_with_vocabulary_file("k", words, num_oov_buckets=1)
    dense = tf.keras.layers.DenseFeatures(tf.feature_column.indicator_column(column))
    table = tf.lookup.StaticHashTable(lines, -1)
    found = table.lookup(tf.constant(["word3"])), dense({"k": tf.constant([["word3"]])})
    return plain([layer(tf.constant(["word3"])), integers(tf.constant([9])), *found])


def _write_tokenizer(folder: Path) -> None:
    tokenizer = tf.keras.preprocessing.text.Tokenizer(num_words=20)
    tokenizer.fit_on_texts(["the cat sat", "the dog sat on the cat"])
    (folder / "tokenizer.json").write_text(tokenizer.to_json())


def _read_tokenizer(folder: Path) -> Any:
    text = (folder / "tokenizer.json").read_text(errors="surrogateescape")
    return plain(tf.keras.preprocessing.text.tokenizer_from_json(text).word_index)


def _write_configuration(folder: Path) -> None:
    inputs = tf.keras.Input((6,))
    hidden = tf.keras.layers.Dense(4, activation="relu", kernel_regularizer="l2")(inputs)
    both = tf.keras.layers.Concatenate()([hidden, tf.keras.layers.Dropout(0.5)(inputs)])
    outputs = tf.keras.layers.Reshape((5, 2))(tf.keras.layers.BatchNormalization()(both))
    (folder / "model.json").write_text(tf.keras.Model(inputs, outputs).to_json())


def _read_configuration(folder: Path) -> Any:
    text = (folder / "model.json").read_text(errors="surrogateescape")
    return [list(variable.shape) for variable in tf.keras.models.model_from_json(text).variables]


def _write_model(folder: Path) -> None:
    words = tf.keras.layers.TextVectorization(vocabulary=["a", "b"], output_sequence_length=3)
    layers = [tf.keras.Input((1,), dtype="string"), words, tf.keras.layers.Embedding(5, 2), tf.keras.layers.Flatten()]
    tf.keras.Sequential([*layers, tf.keras.layers.Dense(1)]).save(folder / "model.keras")


def _read_model(folder: Path) -> Any:
    return [plain(weight) for weight in tf.keras.models.load_model(folder / "model.keras").get_weights()]


def _write_parts(folder: Path) -> None:
    _write_model(folder)
    with zipfile.ZipFile(folder / "model.keras") as archive:
        archive.extractall(folder)
    (folder / "model.keras").unlink()


def _read_parts(folder: Path) -> Any:
    """The model whose archive has these parts, as somebody else packs them."""
    path = folder.with_name("packed.keras")
    with zipfile.ZipFile(path, "w") as archive:
        for part in sorted(each for each in folder.rglob("*") if each.is_file()):
            archive.write(part, part.relative_to(folder))
    return [plain(weight) for weight in tf.keras.models.load_model(path).get_weights()]


def _write_records(folder: Path) -> None:
    with tf.io.TFRecordWriter(str(folder / "rows.tfrecord")) as writer:
        for n in range(20):
            writer.write(tf.io.serialize_tensor(tf.fill([3], n)).numpy())


def _read_records(folder: Path) -> Any:
    records = tf.data.TFRecordDataset(str(folder / "rows.tfrecord"))
    return _elements(records.map(lambda record: tf.io.parse_tensor(record, tf.int32)))


def _write_message(folder: Path) -> None:
    (folder / "tensor").write_bytes(tf.io.serialize_tensor(tf.reshape(tf.range(24), [2, 3, 4])).numpy())
    (folder / "texts").write_bytes(tf.io.serialize_tensor(tf.constant(["a", "longer"])).numpy())


def _read_message(folder: Path) -> Any:
    numbers, texts = (folder / "tensor").read_bytes(), (folder / "texts").read_bytes()
    return plain([tf.io.parse_tensor(numbers, tf.int32), tf.io.parse_tensor(texts, tf.string)])


READERS = {
    "saved data sets": Reader(lambda folder: _save(folder, None), lambda f: _elements(_load(f)), sealed=True),
    "compressed data sets": Reader(lambda folder: _save(folder, "GZIP"), lambda f: _elements(_load(f)), sealed=True),
    "data sets of TensorFlow": Reader(_copy_of_tensorflow("types"), lambda f: _elements(_load(f))),
    "GZIP of TensorFlow": Reader(_copy_of_tensorflow("batches"), lambda f: _elements(_load(f))),
    "shards of TensorFlow": Reader(_copy_of_tensorflow("shards"), lambda f: _elements(_load(f))),
    "caches": Reader(_save_cache, _read_cache, sealed=True),
    "records": Reader(_write_records, _read_records),  # a file that is cut between two records is a shorter one
    "tensors": Reader(_write_message, _read_message),
    "tables": Reader(_write_table, _read_table),
    "CSV": Reader(_write_table, _read_csv),
    "SQLite": Reader(_write_database, _read_database),
    "vocabularies": Reader(_write_words, _read_words),
    "tokenizers": Reader(_write_tokenizer, _read_tokenizer),
    "configurations": Reader(_write_configuration, _read_configuration),
    "parts of models": Reader(_write_parts, _read_parts),
    "models": Reader(_write_model, _read_model, sealed=True),
}


def _load(folder: Path) -> tf.data.Dataset:
    return tf.data.Dataset.load(str(folder / "saved"))


def _flip_bits(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 3))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _zero(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    length = min(rng.choice((1, 12, 64, 4096)), len(data) - start)
    data[start : start + length] = bytes(length)


def _cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def _repeat(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    part = data[start : start + rng.choice((1, 16, 256))]
    data[start:start] = part


def _noise(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data) + 1)
    data[start:start] = rng.randbytes(rng.choice((1, 8, 100)))


def _numbers(data: bytearray, rng: random.Random) -> None:
    """Other numbers and words of JSON and of tables, as somebody might write them."""
    places = [i for i, byte in enumerate(data) if chr(byte).isdigit()]
    if places:
        at = rng.choice(places)
        value = rng.choice(["-1", "1e999", "9" * 30, "null", "[]", "{}", '"x"', "1" * 5000, "[" * 3000, "2147483648"])
        data[at : at + 1] = value.encode()


DAMAGES = (_flip_bits, _zero, _cut, _repeat, _noise, _numbers)


def damage(folder: Path, rng: random.Random) -> str:
    """Damages one file of a folder, or removes it. Returns what was done."""
    file = rng.choice(sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size))
    kind = rng.choice((*DAMAGES, None))
    if kind is None:
        file.unlink()
        return f"{file.name} removed"
    data = bytearray(file.read_bytes())
    kind(data, rng)
    file.write_bytes(data)
    return f"{file.name}: {kind.__name__}"


def is_typed(error: Exception) -> bool:
    """Returns whether an error is one of those that readers document."""
    return isinstance(error, StratagemError) or type(error) in (ValueError, TypeError)


def damaged_file(seed: int, directory: Path, name: str) -> Trial:
    """D: a damaged file is refused with a typed error, or read; where there are checksums, as it was."""
    reader, rng, began = READERS[name], random.Random(f"{name} {seed}"), time.perf_counter()
    directory.mkdir(parents=True)
    reader.write(directory)
    good = reader.read(directory)
    done = damage(directory, rng)
    looked = time.perf_counter()
    try:
        found = reader.read(directory)
    except Exception as error:
        if not (is_typed(error) or (isinstance(error, FileNotFoundError) and done.endswith("removed"))):
            raise AssertionError(f"seed {seed}, {done}: {error!r:.500}") from error
    else:
        assert not reader.sealed or json.dumps(found, default=repr) == json.dumps(good, default=repr), (
            f"seed {seed}, {done}"
        )
    return Trial(time.perf_counter() - began, time.perf_counter() - looked)
