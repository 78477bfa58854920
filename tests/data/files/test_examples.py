"""Examples as messages, what parsing makes of them, and how that behaves as tensors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratagem as tf
from stratagem._base.errors import TracedDecisionError
from stratagem._core.context import entered
from stratagem.data import Dataset, TFRecordDataset
from tests.data.files.expressions import Names
from tests.data.recording import HostNeeded, StepRecorder

INT = tf.io.FixedLenFeature([], tf.int64)


@pytest.fixture(scope="module")
def names() -> Iterator[Names]:
    made = Names(tf)
    yield made
    made.close()


# Messages.


def test_messages_have_the_interface_of_tensorflows(names: Names) -> None:
    example = tf.train.Example.FromString(names.one())
    assert list(example.features.feature["i"].int64_list.value) == [1, -2, 3]
    assert example.features.feature["s"].bytes_list.value[0] == b"a"
    assert example.features.feature["none"].WhichOneof("kind") is None
    again = tf.train.Example()
    again.ParseFromString(example.SerializeToString())
    again.features.feature["new"].float_list.value.extend([0.5])
    assert again.DESCRIPTOR.full_name == "tensorflow.Example"
    assert sorted(again.features.feature) == ["f", "i", "new", "none", "one", "s"]
    sequence = tf.train.SequenceExample.FromString(names.sequence())
    assert [list(f.int64_list.value) for f in sequence.feature_lists.feature_list["x"].feature] == [
        [0, 1],
        [1, 2],
        [2, 3],
    ]


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40),
    st.lists(st.floats(width=32, allow_nan=False), max_size=40),
    st.lists(st.binary(max_size=20), max_size=5),
)
def test_every_value_comes_back(integers: list[int], floats: list[float], texts: list[bytes]) -> None:
    t = tf.train
    lists = {
        "i": t.Feature(int64_list=t.Int64List(value=integers)),
        "f": t.Feature(float_list=t.FloatList(value=floats)),
        "s": t.Feature(bytes_list=t.BytesList(value=texts)),
    }
    record = t.Example(features=t.Features(feature=lists)).SerializeToString()
    dtypes = {"i": tf.int64, "f": tf.float32, "s": tf.string}
    values = {"i": integers, "f": floats, "s": texts}
    fixed = tf.io.parse_single_example(
        record, {k: tf.io.FixedLenFeature([len(values[k])], d) for k, d in dtypes.items()}
    )
    rows = tf.io.parse_example([record, record], {k: tf.io.VarLenFeature(d) for k, d in dtypes.items()})
    for key, expected in values.items():
        assert fixed[key].tolist() == expected
        assert rows[key].values.tolist() == expected * 2
        assert fixed[key].dtype == rows[key].dtype == tf.as_dtype(dtypes[key]).dtype


def test_floats_that_another_program_did_not_pack() -> None:
    unpacked = b"".join(b"\x0d" + np.float32(v).tobytes() for v in (1.5, 2.5))
    unknown = b"\x30\x07"  # a field of a later version
    feature = b"\x12" + bytes([len(unpacked + unknown)]) + unpacked + unknown
    entry = b"\x0a\x01f\x12" + bytes([len(feature)]) + feature
    features = b"\x0a" + bytes([len(entry)]) + entry
    record = b"\x0a" + bytes([len(features)]) + features
    assert tf.io.parse_single_example(record, {"f": tf.io.FixedLenFeature([2], tf.float32)})["f"].tolist() == [1.5, 2.5]


# Errors.


@pytest.mark.parametrize(
    ("spec", "fits", "text"),
    [
        ({"q": INT}, {"q": [1]}, r"Feature: q \(data type: int64\) is required but could not be found"),
        ({"i": tf.io.FixedLenFeature([3], tf.float32)}, {"i": [1.0] * 3}, "Key: i.  Data types don't match. .*: float"),
        ({"i": INT}, {"i": [1]}, r"Key: i.  Can't parse .* it has 3 values, but the shape is \[\]"),
        (
            {"i": tf.io.FixedLenSequenceFeature([2], tf.int64, True)},
            {"i": [1, 2]},
            r"Key: i. .* no rows of shape \[2\]",
        ),
        ({"i": tf.io.VarLenFeature(tf.float32)}, {"i": [1.0]}, "Key: i.  Data types don't match."),
    ],
)
def test_errors_name_the_feature(names: Names, spec: dict[str, Any], fits: dict[str, Any], text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"^{text}"):
        tf.io.parse_single_example(names.one(), spec)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"^Name: b, Index: 1, {text}"):
        tf.io.parse_example([names.example(**fits), names.one()], spec, ["a", "b"])


def test_what_there_is_not_says_what_to_use() -> None:
    with pytest.raises(AttributeError, match=r"tf.io.decode_proto is not provided; use .*protobuf"):
        tf.io.decode_proto  # noqa: B018
    with pytest.raises(tf.errors.InvalidArgumentError, match="is int64, float32 or string, got uint8"):
        tf.io.VarLenFeature(tf.uint8)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"default_value \[1, 2\] does not fit"):
        tf.io.FixedLenFeature([3], tf.int64, [1, 2])
    with pytest.raises(ValueError, match=r"Use tf\.io\.FixedLenFeature"):
        tf.io.parse_single_example(b"", {"i": tf.int64})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="takes strings, got int32"):
        tf.io.decode_raw(5, tf.uint8)


# Values in the host's memory.


def test_parsed_numbers_compute_as_tensors_do() -> None:
    pixels = tf.io.decode_raw(b"\x00\x80\xff", tf.uint8)
    for result in (pixels / 255.0, 1.0 - pixels / 255.0, np.float32(1) * pixels, -(pixels / 2.0)):
        assert isinstance(result, jax.Array)
        assert result.dtype == np.float32
    assert isinstance(pixels[1], jax.Array)
    assert isinstance(pixels == 128, jax.Array)
    assert (pixels + 1).tolist() == [1, 129, 0]
    assert tf.cast(pixels, tf.float32).tolist() == tf.reshape(pixels, (3, 1))[:, 0].tolist() == [0, 128, 255]
    assert pixels.numpy().tolist() == [0, 128, 255]
    assert np.add.reduce(pixels) == pixels.sum() == 383
    wide = tf.io.decode_raw(np.float64(0.1).tobytes(), tf.float64)
    assert (wide * 3).dtype == np.float64
    assert (wide * 3).tolist() == [0.1 * 3]


def test_parsed_numbers_cannot_be_changed() -> None:
    pixels = tf.io.decode_raw(b"\x00\x80\xff", tf.uint8)
    with pytest.raises(ValueError, match="read-only"):
        pixels.fill(1)
    assert tf.io.parse_single_example(b"", {"q": tf.io.FixedLenFeature([], tf.int64, 4)})["q"].flags.writeable is False


def test_a_step_is_left_where_values_are_needed() -> None:
    def size(x: Any) -> Any:
        return tf.strings.length(tf.io.serialize_tensor(x))

    with entered(recorder=StepRecorder()), pytest.raises(HostNeeded, match=r"it calls tf\.io\.serialize_tensor"):
        jax.make_jaxpr(size)(np.float32(1))
    with pytest.raises(TracedDecisionError, match=r"tf\.io\.serialize_tensor needs the values"):
        jax.make_jaxpr(size)(np.float32(1))
    assert int(tf.function(size)(tf.zeros(10))) == 4 + 6 + 40


# In a pipeline.


def examples(folder: Path, count: int) -> TFRecordDataset:
    """Records with a number, that many values, and nine pixels."""
    t = tf.train
    with tf.io.TFRecordWriter(folder / "examples") as writer:
        for i in range(count):
            lists = {
                "label": t.Feature(int64_list=t.Int64List(value=[i])),
                "values": t.Feature(int64_list=t.Int64List(value=range(i % 3))),
                "image": t.Feature(bytes_list=t.BytesList(value=[bytes([i] * 9)])),
            }
            writer.write(t.Example(features=t.Features(feature=lists)).SerializeToString())
    return TFRecordDataset(folder / "examples")


SPEC = {"label": INT, "image": tf.io.FixedLenFeature([], tf.string)}


def test_parsing_before_and_after_batching_is_the_same(tmp_path: Path) -> None:
    records = examples(tmp_path, 7)
    one = records.map(lambda r: tf.io.parse_single_example(r, SPEC)).batch(3)
    many = records.batch(3).map(lambda r: tf.io.parse_example(r, SPEC))
    for a, b in zip(one, many, strict=True):
        assert isinstance(a["label"], jax.Array)
        assert a["label"].tolist() == b["label"].tolist()
        assert a["image"].tolist() == b["image"].tolist()
    assert one.element_spec == many.element_spec


def test_a_whole_pipeline_of_images(tmp_path: Path) -> None:
    def decode(record: Any) -> Any:
        parsed = tf.io.parse_single_example(record, SPEC)
        image = tf.reshape(tf.io.decode_raw(parsed["image"], tf.uint8), (3, 3, 1))
        return tf.cast(image, tf.float32) / 255.0, parsed["label"]

    dataset = examples(tmp_path, 10).map(decode, num_parallel_calls=2).shuffle(5, seed=1).batch(4)
    specs = [(s.shape.as_list(), s.dtype) for s in dataset.element_spec]
    assert specs == [([None, 3, 3, 1], np.float32), ([None], np.int64)]
    for images, labels in dataset:
        assert images[:, 0, 0, 0].tolist() == pytest.approx((labels / 255.0).tolist())


def test_rows_of_any_length_go_through_a_pipeline(tmp_path: Path) -> None:
    records = examples(tmp_path, 5)
    spec = {"values": tf.io.VarLenFeature(tf.int64)}
    sparse = records.map(lambda r: tf.io.parse_single_example(r, spec)["values"])
    assert [s.values.tolist() for s in sparse] == [[], [0], [0, 1], [], [0]]
    padded = sparse.map(tf.sparse.to_dense).padded_batch(5, [None])
    (dense,) = records.batch(5).map(lambda r: tf.sparse.to_dense(tf.io.parse_example(r, spec)["values"]))
    assert dense.tolist() == next(iter(padded)).tolist() == [[0, 0], [0, 0], [0, 1], [0, 0], [0, 0]]


def test_sparse_tensors_of_one_shape_are_batched_and_divided(tmp_path: Path) -> None:
    spec = {"values": tf.io.VarLenFeature(tf.int64)}
    records = examples(tmp_path, 6)
    equal = records.skip(2).take(1).repeat(2).map(lambda r: tf.io.parse_single_example(r, spec)["values"])
    (batch,) = equal.batch(2)
    assert tf.sparse.to_dense(batch).tolist() == [[0, 1], [0, 1]]
    batches = records.batch(4).map(lambda r: tf.io.parse_example(r, spec))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Cannot batch .*dense_to_sparse_batch"):
        list(records.map(lambda r: tf.io.parse_single_example(r, spec)).batch(2))
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    sizes = [
        [part.dense_shape.tolist() for part in batch["values"].values]
        for batch in strategy.experimental_distribute_dataset(batches)
    ]
    labels = records.batch(4).map(lambda r: tf.io.parse_example(r, {"label": INT}))
    rows = [[len(part) for part in batch["label"].values] for batch in strategy.experimental_distribute_dataset(labels)]
    assert [[size[0] for size in batch] for batch in sizes] == rows
    assert sizes[0] == [[2, 2], [2, 2]]


def test_bytes_with_zeros_at_their_end_stay_whole() -> None:
    data = [b"a\0", b"\0\0"]
    assert list(Dataset.from_tensor_slices(data).as_numpy_iterator()) == data
    assert tf.constant(data).tolist() == data
    assert list(Dataset.from_tensors(0).map(lambda _: b"a\0").as_numpy_iterator()) == [b"a\0"]


def test_a_batch_of_sparse_rows_is_a_tree_of_tensors() -> None:
    made = tf.sparse.SparseTensor(np.array([[0, 1]]), np.array([5]), np.array([2, 2]))
    assert len(jax.tree.leaves(made)) == 3
    assert made.shape == (2, 2)
    with pytest.raises(TypeError, match=r"must be a SparseTensor: .* got ndarray"):
        tf.sparse.to_dense(np.zeros(3))  # type: ignore[arg-type]


def test_strings_of_a_data_set_have_numpy_as_tensors_have(tmp_path: Path) -> None:
    record = next(iter(examples(tmp_path, 2)))
    assert tf.train.Example.FromString(record.numpy()).features.feature["label"].int64_list.value == [0]
    (batch,) = examples(tmp_path, 2).batch(2)
    assert batch.numpy().tolist() == batch.tolist()
    assert type(batch.numpy()) is np.ndarray
    assert type(tf.io.serialize_tensor(tf.constant([1, 2])).numpy()) is bytes
    assert tf.constant("text").numpy() == b"text"
    parsed = tf.io.parse_single_example(record, SPEC)["image"]
    assert parsed.numpy() == bytes(9)
    assert [name.numpy() for name in Dataset.from_tensor_slices(["a", "b"]).map(lambda s: s)] == [b"a", b"b"]
