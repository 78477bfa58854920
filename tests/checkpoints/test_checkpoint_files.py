"""Only what was written to its end is a checkpoint."""

import json
import logging
import random
import shutil
import threading
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from stratagem import function
from stratagem._base.errors import CheckpointError, DataLossError, NotFoundError

# Private: a process dies, or a disk is full, between the parts of a save; where what is read lies.
from stratagem._checkpoints import _arrays_file, _checkpoint_files, _parallel_reads, _safe_reads
from stratagem._core.values import Variable
from stratagem.train import Checkpoint, CheckpointManager, checkpoints_iterator, latest_checkpoint
from tests.checkpoints.faults import reseal
from tests.checkpoints.models import read


def saved(directory: Path, *values: float) -> Checkpoint:
    checkpoint = Checkpoint(v=Variable(0.0))
    manager = CheckpointManager(checkpoint, directory, None)
    for value in values:
        checkpoint.v.assign(value)
        manager.save()
    return checkpoint


def restored(path: Any) -> float:
    checkpoint = Checkpoint(v=Variable(0.0))
    checkpoint.restore(path)
    return float(read(checkpoint.v))


class Crash(BaseException):
    """The process dies here."""


@pytest.mark.parametrize("point", ["write_arrays", "sync_tree", "write_text"])
def test_a_crash_while_writing_leaves_the_older_checkpoint_the_latest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    checkpoint = saved(tmp_path, 1.0)

    def die(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(_checkpoint_files, point, die)
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)  # a dead process does not clean up
        with pytest.raises(Crash):
            checkpoint.save(tmp_path / "ckpt")
    assert latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-1")
    with pytest.raises(NotFoundError, match="the save never finished"):
        checkpoint.restore(tmp_path / "ckpt-2")
    checkpoint.restore(tmp_path / "ckpt-1")
    assert checkpoint.save(tmp_path / "ckpt") == latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-2")


@pytest.mark.parametrize("point", ["write_arrays", "sync_tree", "write_text"])
def test_a_crash_while_replacing_leaves_the_old_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    checkpoint = Checkpoint(v=Variable(1.0))
    path = checkpoint.write(tmp_path / "best")
    checkpoint.v.assign(2.0)

    def die(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(_checkpoint_files, point, die)
        with pytest.raises(Crash):
            checkpoint.write(path)
    assert restored(path) == 1.0
    checkpoint.write(path)
    assert restored(path) == 2.0
    assert len(list(Path(path).iterdir())) == 2  # the manifest and one generation


def test_a_failed_save_leaves_no_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_checkpoint_files, "write_arrays", full)
    with pytest.raises(OSError, match="No space left"):
        Checkpoint(v=Variable(1.0)).save(tmp_path / "ckpt")
    assert list(tmp_path.iterdir()) == []


def test_the_latest_is_the_newest_that_is_complete_and_others_are_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    saved(tmp_path, 1.0, 2.0, 3.0)
    shutil.rmtree(tmp_path / "ckpt-3")
    (tmp_path / "ckpt-2" / "manifest.json").unlink()
    with caplog.at_level(logging.WARNING):
        assert latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-1")
    assert "ckpt-3" in caplog.text
    assert "ckpt-2" in caplog.text
    shutil.rmtree(tmp_path / "ckpt-1")
    assert latest_checkpoint(tmp_path) is None


def test_a_file_cut_short_makes_a_checkpoint_incomplete(tmp_path: Path) -> None:
    saved(tmp_path, 1.0)
    data = next((tmp_path / "ckpt-1").rglob("arrays.safetensors"))
    data.write_bytes(data.read_bytes()[:-1])
    assert latest_checkpoint(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "another"}'])
def test_a_strange_manifest_is_not_believed(tmp_path: Path, text: str) -> None:
    saved(tmp_path, 1.0)
    (tmp_path / "ckpt-1" / "manifest.json").write_text(text)
    assert latest_checkpoint(tmp_path) is None


def test_every_bit_of_a_manifest_counts(tmp_path: Path) -> None:
    checkpoint = saved(tmp_path, 1.0)
    manifest, rng = tmp_path / "ckpt-1" / "manifest.json", random.Random(1)
    content = manifest.read_bytes()
    for place in [0, 5, 12, 22, 23, len(content) - 1, *(rng.randrange(len(content)) for _ in range(200))]:
        changed = bytearray(content)
        changed[place] ^= 1 << rng.randrange(8)
        manifest.write_bytes(changed)
        with pytest.raises(DataLossError, match=r"manifest\.json"):
            checkpoint.restore(tmp_path / "ckpt-1")


@pytest.mark.parametrize("version", [1, 99])
def test_a_different_format_is_refused_with_both_versions(tmp_path: Path, version: int) -> None:
    checkpoint = saved(tmp_path, 1.0)
    reseal(tmp_path / "ckpt-1", version=version)
    with pytest.raises(CheckpointError, match=f"format version {version}, and this library reads 2"):
        checkpoint.restore(tmp_path / "ckpt-1")


def test_a_directory_with_a_number_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "ckpt-7").mkdir()
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "ckpt-7"\nall_model_checkpoint_paths: "ckpt-7"\n')
    assert latest_checkpoint(tmp_path) is None
    assert latest_checkpoint(tmp_path / "absent") is None


def test_quotes_and_backslashes_in_names_survive(tmp_path: Path) -> None:
    checkpoint = Checkpoint(v=Variable(1.0))
    path = checkpoint.save(tmp_path / 'a "b" \\c')
    assert latest_checkpoint(tmp_path) == path


def test_an_evaluator_sees_every_new_checkpoint_and_stops_waiting(tmp_path: Path) -> None:
    checkpoint = saved(tmp_path, 1.0)
    seen = []
    for path in checkpoints_iterator(tmp_path, timeout=0.05):
        seen.append(Path(path).name)
        if len(seen) < 3:
            checkpoint.save(tmp_path / "ckpt")
    assert seen == ["ckpt-1", "ckpt-2", "ckpt-3"]
    asked: list[bool] = []
    assert (
        list(
            checkpoints_iterator(
                tmp_path / "no", timeout=0.05, timeout_fn=lambda: bool(asked.append(True) or len(asked) == 2)
            )
        )
        == []
    )
    assert len(asked) == 2


def test_arrays_are_a_file_of_safetensors(tmp_path: Path) -> None:
    path = Checkpoint(a=Variable(np.arange(6, dtype=np.float32).reshape(2, 3)), b=Variable(np.int64(5))).write(
        tmp_path / "c"
    )
    (file,) = Path(path).rglob("arrays.safetensors")
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    assert (8 + length) % 64 == 0
    assert {name: (entry["dtype"], entry["shape"]) for name, entry in header.items()} == {
        "a": ("F32", [2, 3]),
        "b": ("I64", []),
    }
    begin, end = header["a"]["data_offsets"]
    assert np.array_equal(np.frombuffer(data[8 + length :][begin:end], np.float32), np.arange(6))


def test_large_arrays_are_read_in_parts_by_several_threads_and_damage_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_parallel_reads, "_SMALL", 1 << 10)
    monkeypatch.setattr(_parallel_reads, "_STEP", 1 << 9)
    monkeypatch.setattr(_parallel_reads, "_THREADS", 2)
    monkeypatch.setattr(_arrays_file, "_PART", 1 << 11)
    readers: set[int] = set()
    both = threading.Barrier(2, timeout=60)
    read_into = _safe_reads.OpenedFile.read_into

    def noting(self: Any, target: np.ndarray, start: int) -> None:
        me = threading.get_ident()
        if start and me not in readers:
            readers.add(me)
            both.wait()  # until another thread reads, too
        read_into(self, target, start)

    monkeypatch.setattr(_safe_reads.OpenedFile, "read_into", noting)
    rng = np.random.default_rng(0)
    arrays = {"a": rng.normal(size=(70, 41)), "empty": np.zeros((0, 3)), "b": rng.integers(0, 9, (5000,), np.uint8)}
    path = Checkpoint(**{name: Variable(array) for name, array in arrays.items()}).write(tmp_path / "c")
    found = _checkpoint_files.read(path).arrays
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert np.asarray(found[name]).ctypes.data % 64 == 0 or not array.size
    assert len(readers) == 2
    (file,) = Path(path).glob("*/arrays.safetensors")
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(DataLossError, match=r"array b: its checksum is"):
        _checkpoint_files.read(path)


@pytest.mark.parametrize("size", [100, 1 << 21], ids=["small", "large"])
def test_a_variable_has_the_memory_that_its_value_was_read_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    layer = keras.layers.Dense(size)
    layer.build((None, 1))
    checkpoint = Checkpoint(v=Variable(np.arange(size, dtype=np.float32)), layer=layer)
    kernel = read(layer.kernel)
    path = checkpoint.write(tmp_path / "c")
    made: list[np.ndarray] = []
    allocate = _arrays_file.aligned_array

    def noting(*args: Any) -> np.ndarray:
        made.append(allocate(*args))
        return made[-1]

    monkeypatch.setattr(_arrays_file, "aligned_array", noting)
    layer.kernel.assign(np.zeros(kernel.shape))
    checkpoint.read(path).assert_consumed()
    places = {array.ctypes.data for array in made}
    assert {v.value.unsafe_buffer_pointer() for v in (checkpoint.v, layer.kernel, layer.bias)} == places
    held = checkpoint.v.value
    step = function(lambda: checkpoint.v.assign_add(np.ones(size, np.float32)))
    step()
    step()  # which writes the new value where the old one is
    np.testing.assert_array_equal(read(checkpoint.v), np.arange(size) + 2)
    np.testing.assert_array_equal(held, np.arange(size))
    np.testing.assert_array_equal(read(layer.kernel), kernel)
