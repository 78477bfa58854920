"""HDF5 files that are damaged are refused by name, although HDF5 has no checksums; those of other programs load as ever."""

import json
import random
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import stratagem as tf
from tests.sample import day
from tests.training.saving_programs import model

# Name of a file → what writes and what reads it.
KINDS: dict[str, tuple[Callable[[Any, Path], Any], Callable[[Path], Any]]] = {}


def _weights(path: Path) -> Any:
    made = model(tf)
    made.set_weights([0 * w for w in made.get_weights()])
    made.load_weights(path)
    return made


def _save_shards(made: Any, path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.save_weights(path, max_shard_size=3e-8)


KINDS["w.weights.h5"] = (lambda made, path: made.save_weights(path), _weights)
KINDS["w.h5"] = (lambda made, path: made.save_weights(path), _weights)
KINDS["unnamed"] = (lambda made, path: made.save_weights(path, save_format="h5"), _weights)
KINDS["m.h5"] = (lambda made, path: made.save(path), tf.keras.models.load_model)
KINDS["m.hdf5"] = (lambda made, path: made.save(path, include_optimizer=False), tf.keras.models.load_model)
KINDS["whole"] = (lambda made, path: made.save(path, save_format="h5"), tf.keras.models.load_model)
KINDS["s.weights.json"] = (_save_shards, _weights)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of every kind."""
    folder, made = tmp_path_factory.mktemp("sealed"), model(tf)
    for name, (write, _) in KINDS.items():
        (folder / name).mkdir()
        write(made, folder / name / name)
    return folder


@pytest.mark.parametrize("name", KINDS)
def test_flipped_bits_and_cuts_are_noticed(name: str, saved: Path, tmp_path: Path) -> None:
    """100 of 100, of which a run looks at a ninth: whichever file and bit, in the seal, too, and where they mean nothing."""
    folder, read = tmp_path / "damaged", KINDS[name][1]
    whole = read(shutil.copytree(saved / name, folder) / name)
    for a, b in zip(whole.get_weights(), model(tf).get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)
    files = sorted(folder.iterdir())
    assert len(files) > 1 or name != "s.weights.json"
    for seed in range(day() % 9, 100, 9):
        rng = random.Random(seed)
        file = rng.choice(files)
        content = file.read_bytes()
        damaged = bytearray(content)
        if seed % 4:
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        else:  # what lacks less than the seal has all its weights
            del damaged[rng.randrange(len(damaged) - 60) :]
        file.write_bytes(damaged)
        with pytest.raises((tf.errors.DataLossError, ValueError), match=file.name):
            read(folder / name)
        file.write_bytes(content)


def test_others_read_a_sealed_file_and_what_they_change_loads(saved: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(saved / "w.weights.h5" / "w.weights.h5", tmp_path))
    with h5py.File(path, "r+") as file:
        kernel = file["layers/dense/vars/0"]
        assert kernel[0, 0] == model(tf).get_weights()[0][0, 0]
        kernel[0, 0] = 8.0
    assert _weights(path).get_weights()[0][0, 0] == 8.0


def test_files_without_a_seal_load(saved: Path, tmp_path: Path) -> None:
    for name, (_, read) in KINDS.items():
        folder = Path(shutil.copytree(saved / name, tmp_path / name))
        for file in folder.iterdir():
            if file.suffix == ".json":
                listed = {key: each for key, each in json.loads(file.read_text()).items() if "stratagem" not in key}
                file.write_text(json.dumps(listed))
            else:
                h5py.File(file, "r+").close()
                assert b"stratagem: the CRC32C" not in file.read_bytes()
        np.testing.assert_array_equal(read(folder / name).get_weights()[0], model(tf).get_weights()[0])


def test_a_shard_that_is_gone_is_named(saved: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(saved / "s.weights.json", tmp_path / "s"))
    gone = max(folder.glob("*.h5"))
    gone.unlink()
    with pytest.raises(tf.errors.DataLossError, match=gone.name):
        _weights(folder / "s.weights.json")


def test_an_answer_of_no_leaves_the_file_alone(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda *asked: "n")
    for name in ("w.weights.h5", "m.h5", "w.h5"):
        path = tmp_path / name
        path.write_bytes(b"another file")
        (model(tf).save if name == "m.h5" else model(tf).save_weights)(path, overwrite=False)
        assert path.read_bytes() == b"another file"
