"""TensorFlow's checkpoint files: tables, shards, strings, parts; damage and hostile files."""

import os
import shutil
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401 - NumPy knows bfloat16 from now on
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stratagem as tf
from stratagem._base.framing import masked_crc
from stratagem._base.varints import varint

# The room of TensorFlow's files has no public name of its own.
from stratagem._checkpoints.tensorflow import Bundle, ObjectGraph, write_bundle

# Tables and messages are below the room: hostile ones cannot be written through it.
from stratagem._checkpoints.tensorflow._messages import Entry, Header
from stratagem._checkpoints.tensorflow._slices import Part
from stratagem._checkpoints.tensorflow._strings import decode_strings, encode_strings
from stratagem._checkpoints.tensorflow._table import read_table, table
from tests.checkpoints.record_tensorflow import DTYPES, RECORDED

KEYS = st.dictionaries(st.binary(max_size=30), st.binary(max_size=300), max_size=200)
ERRORS = (tf.errors.DataLossError, tf.errors.UnimplementedError)


def copied(name: str, folder: Path) -> str:
    for file in RECORDED.glob(f"{name}.*"):
        shutil.copy(file, folder / file.name)
    return str(folder / name)


def test_every_dtype_is_read() -> None:
    reader = tf.train.load_checkpoint(str(RECORDED / "tensors"))
    for dtype in DTYPES.split():
        array = reader.get_tensor(dtype)
        assert array.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(array, np.arange(6).reshape(2, 3).astype(dtype))
    assert reader.get_tensor("strings").tolist() == [[b"", b"a"], ["\0\xff".encode() * 100, "ü".encode()]]
    assert reader.get_tensor("string") == b"one"
    assert reader.get_tensor("empty").shape == (0, 3)
    assert reader.get_tensor("scalar") == 2.5
    assert reader.get_variable_to_dtype_map()["strings"] == tf.string
    assert reader.get_variable_to_shape_map()["strings"] == [2, 2]
    assert b"scalar (float32) []" in reader.debug_string()
    with pytest.raises(tf.errors.NotFoundError, match="Key nothing not found"):
        reader.get_tensor("nothing")


def test_parts_of_a_variable_are_put_together() -> None:
    path = str(RECORDED / "partitioned")
    assert tf.train.list_variables(path) == [("columns", [3, 70]), ("rows", [5, 2])]
    for name, shape in (("columns", (3, 70)), ("rows", (5, 2))):
        np.testing.assert_array_equal(tf.train.load_variable(path, name), np.arange(np.prod(shape)).reshape(shape))


@pytest.mark.parametrize("value", [0, 1, 63, 64, 8191, 8192, 1 << 40, -1, -64, -65])
def test_places_of_parts_sort_as_their_numbers(value: int) -> None:
    keys = [Part((0,), (number,)).key(b"v") for number in (value - 1, value, value + 1)]
    assert keys == sorted(keys)


@given(KEYS)
@settings(max_examples=60, deadline=None)
def test_a_table_gives_back_its_entries(entries: dict[bytes, bytes]) -> None:
    assert read_table(table(sorted(entries.items())), "t") == entries


def test_a_long_table_has_several_blocks() -> None:
    entries = {f"layer-{i:05}/kernel".encode(): os.urandom(100) for i in range(9000)}
    written = table(sorted(entries.items()))
    assert read_table(written, "t") == entries
    assert written.count(b"layer-0") < len(entries) / 8  # keys share their beginnings


@given(st.lists(st.binary(max_size=200), max_size=20))
@settings(max_examples=60, deadline=None)
def test_strings_give_back_their_values(values: list[bytes]) -> None:
    data, crc = encode_strings(values)
    assert decode_strings(data, len(values), crc) == values


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_a_changed_table_is_an_error_or_the_same(data: st.DataObject) -> None:
    good = (RECORDED / "adam-1.index").read_bytes()
    changed = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(changed) - 1))
        match data.draw(st.sampled_from(["flip", "cut", "insert"])):
            case "flip":
                changed[at] ^= data.draw(st.integers(1, 255))
            case "cut":
                del changed[at : at + data.draw(st.integers(1, 50))]
            case "insert":
                changed[at:at] = data.draw(st.binary(min_size=1, max_size=20))
        if not changed:
            break
    if bytes(changed) != good:
        with pytest.raises(ERRORS, match=r"file|table"):
            read_table(bytes(changed), "the file")


def block(content: bytes) -> bytes:
    return content + b"\0" + struct.pack("<I", masked_crc(content + b"\0"))


def one_block(content: bytes, last: bytes) -> bytes:
    """A table with one block of any content and right checksums, whose last key is not after `last`."""
    data, meta = block(content), block(struct.pack("<II", 0, 1))
    place = varint(0) + varint(len(content))
    index = varint(0) + varint(len(last)) + varint(len(place)) + last + place + struct.pack("<II", 0, 1)
    footer = varint(len(data)) + varint(8) + varint(len(data) + len(meta)) + varint(len(index))
    return data + meta + block(index) + footer.ljust(40, b"\0") + table([])[-8:]


@given(st.lists(st.one_of(st.binary(max_size=9), st.integers(0, 300).map(varint)), max_size=40).map(b"".join))
@settings(max_examples=300, deadline=None)
def test_any_content_with_right_checksums_is_a_table_or_an_error(content: bytes) -> None:
    forged = one_block(content + struct.pack("<II", 0, 1), b"\xff" * 200)
    problem = _problem(lambda: read_table(forged, "the file"))
    assert "the file" in problem or list(read_table(forged, "the file")) == sorted(read_table(forged, "the file"))


def _problem(call: Callable[[], object]) -> str:
    try:
        call()
    except ERRORS as error:
        return str(error)
    return ""


@given(st.binary(max_size=120), st.binary(max_size=120))
@settings(max_examples=200, deadline=None)
def test_any_header_and_entry_are_facts_or_an_error(header: bytes, entry: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(f"{folder}/t.index").write_bytes(table([(b"", header), (b"v", entry)]))
        problem = _problem(lambda: Bundle(f"{folder}/t").verify())
        assert f"{folder}/t." in problem or Bundle(f"{folder}/t").facts.keys() == {"v"}


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["tensors", "objects-1", "partitioned"])
@pytest.mark.parametrize("kind", ["index", "data-00000-of-00001"])
def test_every_changed_byte_is_noticed(name: str, kind: str, tmp_path: Path) -> None:
    path = copied(name, tmp_path)
    file = Path(f"{path}.{kind}")
    good = file.read_bytes()
    for at in range(0, len(good), 1 if len(good) < 500 else 3):
        changed = bytearray(good)
        changed[at] ^= 1 << at % 8
        file.write_bytes(changed)
        with pytest.raises(ERRORS, match=r"\.index|\.data-00000-of-00001"):
            Bundle(path).verify()
    for length in range(0, len(good), 50):
        file.write_bytes(good[:length])
        with pytest.raises(tf.errors.DataLossError, match=kind):
            Bundle(path).verify()
    file.write_bytes(good)
    Bundle(path).verify()


def test_a_missing_shard_is_named_and_nothing_is_restored(tmp_path: Path) -> None:
    path = copied("objects-1", tmp_path)
    os.remove(f"{path}.data-00000-of-00001")
    step = tf.Variable(1, dtype=tf.int64)
    with pytest.raises(tf.errors.DataLossError, match=r"objects-1\.data-00000-of-00001' is damaged: it is missing"):
        tf.train.Checkpoint(step=step).restore(path)
    assert step.numpy() == 1
    assert tf.train.latest_checkpoint(tmp_path) is None


def forged(path: Path, entries: dict[bytes, bytes], *, shards: int = 1, data: bytes = b"\0" * 64) -> str:
    header = Header(num_shards=shards, version={"producer": 1}).SerializeToString()
    Path(f"{path}.index").write_bytes(table(sorted({b"": header, **entries}.items())))
    Path(f"{path}.data-00000-of-00001").write_bytes(data)
    return str(path)


def entry(shape: tuple[int, ...], *, dtype: int = 1, **facts: Any) -> bytes:
    made = Entry(dtype=dtype, **facts)
    made.shape.SetInParent()
    for size in shape:
        made.shape.dim.add(size=size)
    return bytes(made.SerializeToString())


@pytest.mark.parametrize(
    ("entries", "shards", "problem"),
    [
        ({b"v": entry((1 << 39,), size=1 << 41)}, 1, "it has 64 bytes, and a tensor of 2199023255552"),
        ({b"v": entry((1 << 39,), size=4)}, 1, "tensor v of shape .* has 4 bytes"),
        ({b"v": entry((1 << 62, 1 << 62), size=0)}, 1, "tensor v of shape"),
        ({b"v": entry((-1,), size=4)}, 1, "has the shape"),
        ({b"v": entry((1,), size=4, offset=1 << 60)}, 1, "it has 64 bytes"),
        ({b"v": entry((1,), size=4, offset=-5)}, 1, "at byte -5"),
        ({b"v": entry((1,), size=4, shard_id=3)}, 1, "is in shard 3"),
        ({b"v": entry((1,), size=4, shard_id=-1)}, 1, "is in shard -1"),
        ({b"v": entry((1,), size=4)}, 1 << 30, "it has 1073741824 shards"),
        ({b"v": entry((1,), size=4)}, 0, "it has 0 shards"),
        ({b"v": b"\xff\xff"}, 1, "v cannot be read"),
        ({b"\xff\xfe": entry((1,), size=4)}, 1, "has the name"),
        ({b"v": entry((1 << 40,), dtype=7, size=60)}, 1, "tensor v of shape"),
        ({b"v": entry((1,) * 99, size=4)}, 1, "has the shape"),
        ({b"v": entry((4,), slices=[{"extent": [{"start": 0, "length": 2}]}])}, 1, "a part of tensor v is missing"),
    ],
)
def test_a_hostile_table_is_refused(entries: dict[bytes, bytes], shards: int, problem: str, tmp_path: Path) -> None:
    path = forged(tmp_path / "t", entries, shards=shards)
    with pytest.raises(tf.errors.DataLossError, match=problem):
        Bundle(path).verify()


def test_parts_that_overlap_are_refused(tmp_path: Path) -> None:
    boxes = [Part((0,), (2,)), Part((1,), (2,))]
    slices = [{"extent": [{"start": each.starts[0], "length": each.lengths[0]}]} for each in boxes]
    parts = {each.key(b"v"): entry((2,), size=8) for each in boxes}
    path = forged(tmp_path / "t", {b"v": entry((4,), slices=slices), **parts})
    with pytest.raises(tf.errors.DataLossError, match="overlap or leave values out"):
        Bundle(path)


def test_keys_that_share_much_do_not_fill_the_memory(tmp_path: Path) -> None:
    key = b"k" * 60_000
    entries = [(key + i.to_bytes(3, "big"), b"") for i in range(20_000)]
    content = table(entries[:1])  # the writer repeats whole keys, so that its tables have few such bytes
    forged_table = _sharing(entries)
    assert len(forged_table) < 400_000
    with pytest.raises(tf.errors.DataLossError, match="keys are longer"):
        read_table(forged_table, "t")
    assert read_table(content, "t") == dict(entries[:1])


def _sharing(entries: list[tuple[bytes, bytes]]) -> bytes:
    """A table whose keys share everything but their ends."""
    content, last = bytearray(), b""
    for key, value in entries:
        shared = len(key) - 3 if last else 0
        content += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        last = key
    return one_block(bytes(content) + struct.pack("<II", 0, 1), last)


def test_names_lead_nowhere(tmp_path: Path) -> None:
    """A tensor's name is never a path, and the number of shards only a number."""
    data = np.float32(1.5).tobytes()
    path = forged(tmp_path / "t", {b"../../v": entry((), size=4, crc32c=masked_crc(data))}, data=data)
    assert tf.train.load_variable(path, "../../v") == 1.5
    assert sorted(os.listdir(tmp_path)) == ["t.data-00000-of-00001", "t.index"]


@pytest.mark.parametrize(
    ("graph", "problem"),
    [
        (ObjectGraph(nodes=[{"children": [{"node_id": 9, "local_name": "a"}]}]), "has no object 9"),
        (ObjectGraph(nodes=[{"children": [{"node_id": -1, "local_name": "a"}]}]), "has no object -1"),
        (ObjectGraph(nodes=[{"attributes": [{"name": "VARIABLE_VALUE", "checkpoint_key": "gone"}]}]), "gone is in"),
        (ObjectGraph(), "is empty"),
    ],
)
def test_a_hostile_graph_is_refused(graph: Any, problem: str, tmp_path: Path) -> None:
    serialized = np.empty((), object)
    serialized[()] = graph.SerializeToString()
    write_bundle(str(tmp_path / "t"), {"_CHECKPOINTABLE_OBJECT_GRAPH": serialized})
    with pytest.raises(tf.errors.DataLossError, match=problem):
        tf.train.Checkpoint(v=tf.Variable(1.0)).restore(tmp_path / "t")


def test_a_circle_in_the_graph_ends(tmp_path: Path) -> None:
    serialized = np.empty((), object)
    node = {"children": [{"node_id": 0, "local_name": "v"}]}
    serialized[()] = ObjectGraph(nodes=[node]).SerializeToString()
    write_bundle(str(tmp_path / "t"), {"_CHECKPOINTABLE_OBJECT_GRAPH": serialized})
    status = tf.train.Checkpoint(v=tf.Variable(1.0)).read(tmp_path / "t")
    with pytest.raises(AssertionError, match="v"):
        status.assert_existing_objects_matched()


def test_replacing_leaves_the_new_files_only(tmp_path: Path) -> None:
    for number in range(3):
        write_bundle(str(tmp_path / "t"), {"v": np.full((3,), number)})
        assert (Bundle(str(tmp_path / "t")).read("v") == number).all()
        assert len(os.listdir(tmp_path)) == (3 if number == 1 else 2)


def test_a_reader_goes_on_with_files_that_were_replaced(tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    write_bundle(path, {"v": np.arange(3), "w": np.arange(4)})
    bundle = Bundle(path)
    bundle.verify()
    write_bundle(path, {"v": np.zeros(3)})
    np.testing.assert_array_equal(bundle.read("w"), np.arange(4))
