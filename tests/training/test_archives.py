"""Files of whole models that are damaged, or made by an enemy: they are refused by name, and no weight is another."""

import io
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import stratagem as tf
from tests.training.saving_programs import model

FILE = "stratagem_model.keras"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[np.ndarray]]:
    """Returns the bytes of a model's file, and its weights."""
    path, made = tmp_path_factory.mktemp("saved") / "model.keras", model(tf)
    made.save(path)
    return path.read_bytes(), made.get_weights()


def loaders(folder: Path, content: bytes) -> dict[str, Callable[[], Any]]:
    """What reads such a file: of its own, and in a folder of `model.save`."""
    (folder / "f").mkdir(exist_ok=True)
    for name in ("m.keras", f"f/{FILE}"):
        (folder / name).write_bytes(content)
    again = model(tf)

    def weights(path: Path) -> Any:
        again.load_weights(path)
        return again

    return {
        "m.keras": lambda: tf.keras.models.load_model(folder / "m.keras"),
        FILE: lambda: tf.keras.models.load_model(folder / "f"),
        "m.keras'": lambda: weights(folder / "m.keras"),
        f"f/{FILE}": lambda: weights(folder / "f"),
    }


def refused(load: Callable[[], Any]) -> str | None:
    """Returns what the error says; None if there is none."""
    try:
        load()
    except tf.errors.DataLossError as error:
        return str(error)
    return None


def regions(content: bytes) -> dict[str, range]:
    """Where the bytes of each kind are in an archive."""
    parts, directory = content.index(b"PK\1\2"), content.rindex(b"PK\5\6")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        first, weights = archive.infolist()[0], archive.getinfo("model.weights.h5")
    at = weights.header_offset + 30 + len(weights.filename)
    assert parts == at + weights.file_size
    return {
        "header": range(first.header_offset, first.header_offset + 30),
        "name": range(first.header_offset + 30, first.header_offset + 30 + len(first.filename)),
        "times": range(weights.header_offset + 10, weights.header_offset + 14),
        "weights": range(at, at + weights.file_size),
        "directory": range(parts, directory),
        "system": range(parts + 4, parts + 6),
        "end": range(directory, directory + 22),
        "seal": range(directory + 22, len(content)),
        "all": range(len(content)),
    }


def test_flipped_bits_and_cuts_are_noticed(saved: tuple[bytes, list[np.ndarray]], tmp_path: Path) -> None:
    """100 of 100, also of bits that mean nothing (times, systems), in the seal, and of what lacks less than the seal."""
    content, _ = saved
    places = list(regions(content).values())
    for seed in range(100):
        rng, damaged = random.Random(seed), bytearray(content)
        if seed % 10:
            damaged[rng.choice(places[seed % 10 - 1])] ^= 1 << rng.randrange(8)
        else:
            del damaged[-rng.choice([rng.randrange(1, 60), rng.randrange(1, len(damaged))]) :]
        file, load = list(loaders(tmp_path, bytes(damaged)).items())[seed // 10 % 4]
        said = refused(load)
        assert said is not None, f"seed {seed} was not noticed"
        assert file in said, f"{file} is not named in: {said}"


def test_a_directory_that_leads_before_the_file_is_damage(saved: tuple[bytes, Any], tmp_path: Path) -> None:
    """The system refuses to look there; also of a file without a seal."""
    content = bytearray(saved[0])
    end = content.rindex(b"PK\5\6")
    content[end + 16 : end + 20] = (int.from_bytes(content[end + 16 : end + 20], "little") + (1 << 30)).to_bytes(
        4, "little"
    )
    for damaged in (bytes(content), bytes(content[: end + 20]) + b"\0\0"):
        for file, load in loaders(tmp_path, damaged).items():
            assert file.strip("'") in str(refused(load))


def test_archives_without_a_seal_and_those_that_others_changed_load(
    saved: tuple[bytes, list[np.ndarray]], tmp_path: Path
) -> None:
    path = tmp_path / "m.keras"
    path.write_bytes(saved[0])
    assert zipfile.ZipFile(path).comment.startswith(b"stratagem: the CRC32C of the 0x")
    with zipfile.ZipFile(path, "a") as file:  # keeps the comment
        file.writestr("notes.txt", b"of another program")
    with zipfile.ZipFile(path) as sealed, zipfile.ZipFile(tmp_path / "n.keras", "w") as plain:
        for name in sealed.namelist():
            plain.writestr(name, sealed.read(name))
    for each in (path, tmp_path / "n.keras"):
        found = tf.keras.models.load_model(each, compile=False).get_weights()
        for a, b in zip(found, saved[1], strict=True):
            np.testing.assert_array_equal(a, b)


def test_an_answer_of_no_leaves_the_archive_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path := tmp_path / "m.keras").write_bytes(b"another file")
    monkeypatch.setattr("builtins.input", lambda *asked: "n")
    model(tf).save(path, overwrite=False)
    assert path.read_bytes() == b"another file"
    model(tf).save(path, zipped=True)
    assert zipfile.ZipFile(path).comment


def test_a_flipped_weight_is_noticed_by_all_that_read_it(saved: tuple[bytes, list[np.ndarray]], tmp_path: Path) -> None:
    content, weights = saved
    at = content.index(weights[0].tobytes())
    damaged = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    for file, load in loaders(tmp_path, damaged).items():
        with pytest.raises(tf.errors.DataLossError, match=r"model\.weights\.h5' has another checksum") as raised:
            load()
        assert file in str(raised.value)


@pytest.mark.parametrize("name", ["config.json", "model.weights.h5", "stratagem.json"])
def test_a_bomb_is_refused_before_it_unfolds(name: str, saved: tuple[bytes, Any], tmp_path: Path) -> None:
    """A part that says that it has a terabyte."""
    (tmp_path / "whole.keras").write_bytes(saved[0])
    with zipfile.ZipFile(tmp_path / "whole.keras") as whole:
        parts = {each: whole.read(each) for each in whole.namelist()} | {name: bytes(1 << 16)}
    with zipfile.ZipFile(tmp_path / "bomb.keras", "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in parts.items():
            archive.writestr(each, content)
        archive.getinfo(name).file_size = 1 << 40  # which the directory at the end repeats
    for file, load in loaders(tmp_path, (tmp_path / "bomb.keras").read_bytes()).items():
        with pytest.raises(tf.errors.DataLossError, match=rf"refused: its part '{name}' would unfold") as raised:
            load()
        assert file in str(raised.value)


@pytest.mark.parametrize("record", [b"[1, 2]", b'{"a": 3}', b'{"a": ["os"]}', b"[" * 100_000, b"\xff"])
def test_a_record_of_classes_that_is_none_is_refused(record: bytes, saved: tuple[bytes, Any], tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(saved[0])
    with zipfile.ZipFile(tmp_path / FILE, "a") as file:
        file.writestr("stratagem.json", record)
    with pytest.raises(tf.errors.DataLossError, match=r"damaged: its stratagem\.json"):
        tf.keras.models.load_model(tmp_path)


def test_a_part_with_a_path_to_elsewhere_is_not_written_there(
    saved: tuple[bytes, list[np.ndarray]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "m.keras").write_bytes(saved[0])
    with zipfile.ZipFile(tmp_path / "in" / "m.keras", "a") as file:
        for name in ("../outside", "assets/../../outside", str(tmp_path / "outside")):
            file.writestr(name, b"x")
    monkeypatch.chdir(tmp_path / "in")
    with pytest.warns(UserWarning, match="Skipping invalid path"):
        found = tf.keras.models.load_model("m.keras", compile=False)
    for a, b in zip(found.get_weights(), saved[1], strict=True):
        np.testing.assert_array_equal(a, b)
    assert sorted(os.listdir(tmp_path)) == ["in"]


def test_weights_of_two_terabytes_are_refused(tmp_path: Path) -> None:
    """HDF5 keeps nothing of an array that was never written: the file has a few kilobytes."""
    made = model(tf)
    for name in ("w.weights.h5", "w.h5"):
        made.save_weights(tmp_path / name)
        with h5py.File(tmp_path / name, "r+") as file:
            found: list[str] = []
            file.visititems(lambda at, each, found=found: found.append(at) if isinstance(each, h5py.Dataset) else None)
            del file[found[0]]
            file.create_dataset(found[0], shape=(1 << 20, 1 << 19), dtype="float32", chunks=(1 << 10, 1 << 10))
        with pytest.raises(tf.errors.DataLossError, match=f"{name}.*would take 2199023255552 bytes of memory"):
            made.load_weights(tmp_path / name)
