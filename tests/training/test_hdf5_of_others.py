"""HDF5 files that others wrote are read by another process first, whatever opens them; what ends that process is refused."""

import ast
import contextlib
import gc
import io
import json
import os
import random
import shutil
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import keras
import numpy as np
import pytest

import stratagem as tf
from scripts.fuzz_native import changed
from stratagem._base.reader_process import Limits, Reader, answers
from stratagem._private import HDF5_PLACES, is_hdf5, opened_hdf5
from tests.training.saving_programs import model

PACKAGE = Path(tf.__file__).parent
RECORDED = Path(__file__).parent / "recorded/keras_two/files.zip"
ENDING = Reader(os.path.relpath(Path(__file__).with_name("ending_reader.py"), PACKAGE))
READER = Reader("_private/_hdf5_reader.py")
WEIGHTS = [np.full_like(each, 0.5) for each in model(tf).get_weights()]


def _trained() -> Any:
    made = model(tf)
    made.optimizer.build(made.trainable_variables)
    made.set_weights(WEIGHTS)
    return made


def _load_weights(path: Path) -> Any:
    made = _trained()
    made.load_weights(path)
    return made


def _load_weights_of_keras_alone(path: Path) -> Any:
    made = _trained()
    keras.src.saving.saving_lib.load_weights_only(made, str(path))
    return made


def _load_from_memory(path: Path) -> Any:
    return keras.src.saving.saving_lib._load_model_from_fileobj(io.BytesIO(path.read_bytes()), None, True, True)


def _edit(path: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        keras.saving.KerasFileEditor(str(path))


def _save_shards(made: Any, path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.save_weights(path, max_shard_size=3e-8)


load_model = tf.keras.models.load_model
# What opens HDF5 → the name of its file, and what reads it.
DOORS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "load_model": ("m.h5", load_model),
    "load_model without an ending": ("whole", load_model),
    "load_model of an archive": ("m.keras", load_model),
    "load_model of a folder": ("folder", load_model),
    "load_model of a model of Keras 2": ("adamw.h5", load_model),
    "load_model of an archive of Keras 2": ("adamw.keras", load_model),
    "load_weights of layers": ("w.h5", _load_weights),
    "load_weights without an ending": ("unnamed", _load_weights),
    "load_weights": ("w.weights.h5", _load_weights),
    "load_weights of shards": ("s.weights.json", _load_weights),
    "load_weights of a model": ("m.h5", _load_weights),
    "load_weights of an archive": ("m.keras", _load_weights),
    "load_weights of a folder": ("folder", _load_weights),
    "Keras' own function": ("w.weights.h5", _load_weights_of_keras_alone),
    "an open file": ("m.keras", _load_from_memory),
    "an editor": ("w.weights.h5", _edit),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file for every door, which this process has not written as far as it knows."""
    folder, made = tmp_path_factory.mktemp("written"), _trained()
    for name in ("m.h5", "m.keras"):
        made.save(folder / name)
    made.save(folder / "whole", save_format="h5")
    made.save(folder / "folder")
    for name in ("w.h5", "w.weights.h5"):
        made.save_weights(folder / name)
    made.save_weights(folder / "unnamed", save_format="h5")
    _save_shards(made, folder / "s.weights.json")
    with zipfile.ZipFile(RECORDED) as archive:
        archive.extractall(folder, ["adamw.h5", "adamw.keras"])
    return Path(shutil.copytree(folder, tmp_path_factory.mktemp("files") / "of others"))


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    """Keras leaves an archive of weights that it cannot read to the collector, which complains."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@contextlib.contextmanager
def _reader(program: Reader, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        # Private: no file that ends HDF5's library does so with every version.
        patched.setattr("stratagem._private._hdf5_rewritten._READER", program)
        yield


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many files each process has read."""
    found: list[int] = []

    def counted(program: Reader, requests: Any, limits: Limits, **options: Any) -> list[bytes | str]:
        found.extend([len(requests)] * bool(requests))
        return answers(program, requests, limits, **options)

    # Private: how often a process is started shows only in how long a load takes.
    monkeypatch.setattr("stratagem._private._hdf5_rewritten.answers", counted)
    return found


@pytest.mark.parametrize("door", DOORS)
def test_every_door_refuses_what_ends_its_reader(door: str, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, read = DOORS[door]
    with _reader(ENDING, monkeypatch), pytest.raises(tf.errors.DataLossError) as raised:
        read(files / name)
    said = str(raised.value)
    assert "it ended the process that read it, with SIGSEGV. Nothing was loaded." in said
    assert "get it again from whoever wrote it" in said
    assert (files / name).stem.partition(".")[0] in said or door == "an open file"


@pytest.mark.sampled
@pytest.mark.parametrize("door", DOORS)
def test_every_door_reads_what_nobody_has_touched(door: str, files: Path, processes: list[int]) -> None:
    """One process for one load."""
    name, read = DOORS[door]
    made = read(files / name)
    if made is not None and "adamw" not in name:
        for found, wanted in zip(made.get_weights(), WEIGHTS, strict=True):
            np.testing.assert_array_equal(found, wanted)
    assert len(processes) == 1
    assert processes[0] == (len(list(files.glob("s_*"))) if "shards" in door else 1)


def test_what_keeps_its_reader_or_takes_its_memory_is_refused(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        # Private: a minute otherwise.
        patched.setattr("stratagem._private._hdf5_rewritten._LONGEST", 0.0)
        with pytest.raises(tf.errors.DataLossError, match=r"w\.weights\.h5.*was not read within 0 s"):
            _load_weights(files / "w.weights.h5")
    with h5py.File(tmp_path / "w.weights.h5", "w") as file:
        file.create_dataset("x", shape=(1 << 39,), dtype="float32", chunks=(1 << 20,))
    with pytest.raises(tf.errors.DataLossError, match=r"w\.weights\.h5.*would take 2199023255552 bytes of memory"):
        _load_weights(tmp_path / "w.weights.h5")


def test_what_this_process_wrote_is_opened_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until anybody else has it: a checksum in it does not say who wrote it."""
    made = _trained()
    made.save(tmp_path / "m.keras")
    made.save(tmp_path / "folder")
    made.save_weights(tmp_path / "w.weights.h5")
    _save_shards(made, tmp_path / "s.weights.json")
    with _reader(ENDING, monkeypatch):
        for name in ("m.keras", "folder"):
            assert load_model(tmp_path / name).count_params() == made.count_params()
            np.testing.assert_array_equal(_load_weights(tmp_path / name).get_weights()[0], WEIGHTS[0])
        for name in ("w.weights.h5", "s.weights.json"):
            np.testing.assert_array_equal(_load_weights(tmp_path / name).get_weights()[0], WEIGHTS[0])
    for name, file in (
        ("m.keras", "m.keras"),
        ("w.weights.h5", "w.weights.h5"),
        ("s.weights.json", "s_00001.weights.h5"),
    ):
        content, facts = (tmp_path / file).read_bytes(), os.stat(tmp_path / file)
        (tmp_path / file).write_bytes(content)
        os.utime(tmp_path / file, ns=(facts.st_atime_ns, facts.st_mtime_ns))  # who changes a file may change this
        with _reader(ENDING, monkeypatch), pytest.raises(tf.errors.DataLossError, match="SIGSEGV"):
            _load_weights(tmp_path / name)


def test_a_file_is_as_it_was_when_it_is_written_again(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "f.h5", "w", userblock_size=1024) as file:
        file["single"], file["double/of another order"] = np.arange(10, dtype="f4"), np.arange(5, dtype=">f8")
        file["double/the same"], file["double/itself"] = file["single"], file["double"]
        file.create_dataset("chunks", data=np.arange(1000), chunks=(10,), compression="gzip")
        file.create_dataset("never written", (4,), "f4")
        file["bools"], file["complex"], file["scalar"] = np.array([True, False]), np.array([1j]), 3.5
        file["texts"], file["none"], file["empty"] = ["a", "ä"], h5py.Empty("f4"), np.zeros((0, 3))
        file["a link"] = h5py.SoftLink("/single")
        file.attrs["text"], file.attrs["bytes"], file.attrs["none"] = "ä" * 100_000, b"b", h5py.Empty("f4")
        file["single"].attrs["names"] = np.array([b"a", b"bcd"])
        file["fields"] = np.array([(1, 2.0)], [("x", "i4"), ("y", "f4")])
        file["left out"] = np.array([file["single"].ref], h5py.ref_dtype)
    with h5py.File(tmp_path / "f.h5") as file, opened_hdf5(tmp_path / "f.h5") as again:
        assert set(again) == set(file) - {"left out"}
        assert again["double/the same"] == again["single"]
        assert again["double/itself/itself"] == again["double"]
        assert isinstance(again.get("a link", getlink=True), h5py.SoftLink)
        for name in (*(set(again) - {"double"}), "double/of another order"):
            assert again[name].dtype == file[name].dtype
            assert np.array_equal(again[name][()], file[name][()]) or name == "none"
        assert again["none"].shape is None
        assert {name: value for name, value in again.attrs.items() if name != "none"} == {
            "text": "ä" * 100_000,
            "bytes": "b",
        }
        assert list(again["single"].attrs["names"]) == [b"a", b"bcd"]


@pytest.mark.parametrize("kind", ["link", "external", "virtual"])
def test_what_is_in_another_file_is_refused_unread(kind: str, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "f.h5", "w") as file:
        if kind == "link":
            file["x"] = h5py.ExternalLink("other.h5", "/x")
        elif kind == "external":
            file.create_dataset("x", (4,), "f4", external=[("other", 0, 16)])
        else:
            layout = h5py.VirtualLayout((4,), "f4")
            layout[:] = h5py.VirtualSource("other.h5", "x", (4,))
            file.create_virtual_dataset("x", layout)
    with pytest.raises(
        tf.errors.DataLossError, match=rf"f\.h5.*{'a link to another file' if kind == 'link' else kind}"
    ):
        opened_hdf5(tmp_path / "f.h5")


def test_a_file_that_is_written_meanwhile_is_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["x"] = np.zeros(4)
        with pytest.raises(BlockingIOError, match="A program is writing this HDF5 file"):
            opened_hdf5(tmp_path / "f.h5")
    with opened_hdf5(tmp_path / "f.h5") as read:
        os.truncate(tmp_path / "f.h5", 100)
        with pytest.raises(OSError, match=r"became shorter|[Cc]an't"):
            read["x"][()]


def test_hdf5_is_known_by_its_signature(tmp_path: Path) -> None:
    for at in (0, 512, 2048):
        (tmp_path / str(at)).write_bytes(bytes(at) + b"\x89HDF\r\n\x1a\n" + bytes(100))
        assert is_hdf5(str(tmp_path / str(at)))
    (tmp_path / "100").write_bytes(bytes(100) + b"\x89HDF\r\n\x1a\n" + bytes(2000))
    assert not is_hdf5(str(tmp_path / "100"))
    assert not is_hdf5(str(tmp_path / "none"))


@pytest.mark.parametrize("name", ["w.weights.h5", "adamw.h5"])
def test_changed_files_are_refused_or_read(name: str, files: Path, tmp_path: Path) -> None:
    """What `scripts/fuzz_native.py` does for longer: no file ends this process, whatever it does to the one that reads it."""
    content, counts = (files / name).read_bytes(), dict.fromkeys((True, False), 0)
    first = random.randrange(1 << 30)
    print("seeds from", first, "on")  # which is shown if the test fails
    handles: list[Any] = []
    with contextlib.ExitStack() as stack:
        for seed in range(first, first + 24):
            (tmp_path / str(seed)).write_bytes(changed(content, seed))
            handles.append(stack.enter_context((tmp_path / str(seed)).open("rb")))
            handles.append(stack.enter_context((tmp_path / f"{seed} again").open("w+b")))
        pairs = list(zip(handles[::2], handles[1::2], strict=True))
        requests = [
            json.dumps({"source": a.fileno(), "target": b.fileno(), "largest": 1 << 30}).encode() for a, b in pairs
        ]
        numbers = [each.fileno() for each in handles]
        for answer in answers(READER, requests, Limits(20.0, 1 << 32), handles=numbers):
            counts[isinstance(answer, bytes) and "excerpts" in json.loads(answer)] += 1
        for seed in range(first, first + 24, 4):
            with contextlib.suppress(tf.errors.DataLossError), opened_hdf5(tmp_path / str(seed)) as file:
                file.visititems(lambda _, found: found[()] if isinstance(found, h5py.Dataset) else None)
    assert sum(counts.values()) == 24
    assert counts[False], "nothing is noticed"


def _calls(path: Path, names: tuple[str, ...]) -> bool:
    """Returns whether a module calls something of h5py."""
    text = path.read_text()
    return "h5py" in text and any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func) in names
        for node in ast.walk(ast.parse(text))
    )


OPENING = ("h5py.File", "h5py.is_hdf5", "h5py.h5f.open", "h5py.h5f.open_file_image", "h5py.h5f.is_hdf5")


def test_hdf5_is_opened_in_one_place() -> None:
    """A new door calls `opened_hdf5`; a new one of Keras' has to be hooked."""
    ours = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if _calls(path, OPENING)}
    assert ours == {"_private/_hdf5_files.py", "_private/_hdf5_reader.py"}
    folder = Path(keras.__file__).parent
    tested = {path for path in folder.rglob("*.py") if _calls(path, OPENING) and not path.stem.endswith("_test")}
    modules = {".".join(("keras", *path.relative_to(folder).with_suffix("").parts)) for path in tested}
    assert {f"{each}.h5py" for each in modules} == set(HDF5_PLACES)
