"""Batches of Examples that are laid out alike are parsed by columns, with the results and the errors of messages one by one."""

import random
from typing import Any

import numpy as np
import pytest

import stratagem as tf

# The test compares with parsing without columns, which no public name turns off.
from stratagem._data.files import _parse

KEYS = ("a", "bc", "é", "d" * 130)
FEATURES = {
    "fixed": lambda dtype, size: tf.io.FixedLenFeature([size], dtype),
    "default": lambda dtype, size: tf.io.FixedLenFeature([], dtype, b"x" if dtype == tf.string else 1),
    "rows": lambda dtype, size: tf.io.FixedLenSequenceFeature([max(size, 1)], dtype, allow_missing=True),
    "sparse": lambda dtype, size: tf.io.VarLenFeature(dtype),
    "ragged": lambda dtype, size: tf.io.RaggedFeature(dtype),
}
DTYPES = (tf.string, tf.float32, tf.int64)  # in the order of the fields of a Feature

CHANGES = (None, None, "order", "unpacked", "twice", "unknown", "missing", "count", "empty", "cut", "byte")


def varint(number: int) -> bytes:
    """A number in protobuf's wire format."""
    number %= 2**64
    made = bytearray()
    while number >= 128:
        made.append(number % 128 + 128)
        number //= 128
    return bytes([*made, number])


def block(field: int, content: bytes) -> bytes:
    """A field of so many bytes."""
    return varint(field * 8 + 2) + varint(len(content)) + content


class Writer:
    """Writes Examples of one layout, some of them with a change that is valid, and some damaged."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        count = self.random.randint(1, len(KEYS))
        self.kinds = {key: (self.random.randrange(3), self.random.choice((0, 1, 1, 2, 3))) for key in KEYS[:count]}
        self.texts = self.random.choice((0, 3, 200))
        self.change = self.random.choice(CHANGES)

    def record(self, changed: bool) -> bytes:
        """One Example."""
        change = self.change if changed else None
        keys = list(self.kinds)
        if change == "order":
            keys.reverse()
        if change == "twice":
            keys.append(keys[0])
        if change == "missing":
            keys.pop()
        entries = [block(1, block(1, key.encode()) + block(2, self.feature(*self.kinds[key], change))) for key in keys]
        if change == "unknown":
            entries.append(varint(9 * 8) + b"\x05")
        made = block(1, b"".join(entries))
        if change == "cut":
            return made[: self.random.randrange(len(made))]
        if change == "byte":
            place = self.random.randrange(len(made))
            return made[:place] + bytes([self.random.randrange(256)]) + made[place + 1 :]
        return made

    def feature(self, kind: int, size: int, change: str | None) -> bytes:
        """One Feature with `size` values."""
        if change == "empty":
            return b""
        size += change == "count"
        if kind == 0:
            return block(1, b"".join(block(1, self.random.randbytes(self.texts)) for _ in range(size)))
        values = [self.value(kind) for _ in range(size)]
        if change == "unpacked":
            return block(kind + 1, b"".join((b"\x0d" if kind == 1 else b"\x08") + value for value in values))
        return block(kind + 1, block(1, b"".join(values)) if values else b"")

    def value(self, kind: int) -> bytes:
        """A number of the field: of 4 bytes, or a varint, mostly of one byte so that records have one size."""
        if kind == 1:
            return np.float32(self.random.uniform(-9, 9)).tobytes()
        return varint(
            self.random.randrange(128) if self.random.random() < 0.9 else self.random.randrange(-(2**63), 2**63)
        )


def answer(records: list[bytes], wanted: dict[str, Any]) -> Any:
    """What parsing gives, in a form to compare, or the error."""
    try:
        return {key: plain(value) for key, value in tf.io.parse_example(records, wanted).items()}
    except tf.errors.InvalidArgumentError as error:
        return str(error)


def plain(value: Any) -> Any:
    """A tensor, or the parts of a sparse or ragged one, with types and shapes."""
    if isinstance(value, tf.SparseTensor):
        return [plain(part) for part in (value.indices, value.values, value.dense_shape)]
    if isinstance(value, tf.RaggedTensor):
        return [plain(value.values), plain(value.row_splits)]
    array = np.asarray(value)
    return [array.dtype.name, array.shape, array.tolist() if array.dtype == object else array.tobytes()]


@pytest.mark.parametrize("first", range(0, 240, 60))
def test_columns_are_what_messages_one_by_one_are(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    by_columns = 0
    for seed in range(first, first + 60):
        writer = Writer(seed)
        records = [writer.record(writer.random.random() < 0.1) for _ in range(writer.random.choice((1, 5, 40)))]
        wanted = {
            key: FEATURES[writer.random.choice(sorted(FEATURES))](DTYPES[kind], size)
            for key, (kind, size) in writer.kinds.items()
            if writer.change == "byte" or writer.random.random() < 0.9  # columns that nobody asks for are not looked at
        } or {"a": tf.io.VarLenFeature(tf.string)}
        found = answer(records, wanted)
        by_columns += _parse.columns_of(records, wanted) is not None
        with monkeypatch.context() as patch:
            patch.setattr(_parse, "columns_of", lambda *_: None)
            assert found == answer(records, wanted), seed
    assert by_columns >= 10


def test_numbers_of_all_sizes_are_in_one_column() -> None:
    numbers = [n for size in range(63) for n in (2**size, -(2**size), 2**size - 1)]
    t = tf.train
    records = []
    for n in numbers * 4:
        feature = t.Feature(int64_list=t.Int64List(value=[n, 5 - n % 3]))
        records.append(t.Example(features=t.Features(feature={"n": feature})).SerializeToString())
    found = tf.io.parse_example(records, {"n": tf.io.FixedLenFeature([2], tf.int64)})["n"]
    assert np.asarray(found).tolist() == [[n, 5 - n % 3] for n in numbers * 4]
