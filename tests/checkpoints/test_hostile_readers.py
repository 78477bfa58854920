"""Every attack on every reader of models: one table. Nothing outside is touched, nothing is executed, the file is named.

The files of this table have right checksums where their author could give them. Other tests go into the depth of one reader:
`test_hostile`, `test_tensorflow_files`, `tests/saved_models/test_damage`, `tests/training/test_archives`.
"""

import os
import pickle
import re
import shutil
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, final

import h5py
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.framing import masked_crc
from tests.checkpoints.faults import manifest_of, reseal
from tests.checkpoints.test_tensorflow_files import entry, forged
from tests.saved_models.stranger import description_of, replaced
from tests.training.saving_programs import model

SECRET = b"a file outside of the model"
REFUSALS = (tf.errors.OpError, ValueError, OSError)
ATTACKS = ("a path with ../", "an absolute path", "a link", "2 TB", "malformed", "a pickle", "a Lambda", "a bomb")

# Reader → the name of its file or folder, and what reads it.
READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "our checkpoint": ("c", lambda path: tf.train.Checkpoint(v=tf.Variable([7.0, 7.0])).restore(path)),
    "TensorFlow's checkpoint": ("t", lambda path: tf.train.load_variable(str(path), "v")),
    "our SavedModel": ("s", tf.saved_model.load),
    "TensorFlow's SavedModel": ("f", lambda path: _load_weights(path)),
    ".keras": ("m.keras", tf.keras.models.load_model),
    ".h5": ("m.h5", tf.keras.models.load_model),
    ".h5 of weights": ("w.h5", lambda path: _load_weights(path)),
    ".weights.h5": ("w.weights.h5", lambda path: _load_weights(path)),
}
IN_HDF5 = (".h5", ".h5 of weights", ".weights.h5")


def _load_weights(path: Path) -> None:
    made = model(tf)
    made.load_weights(path)
    made.get_weights()


@final
class Bait:
    """Unpickled, it writes a file."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return (open, (self.path, "w"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model for each reader that has done nothing wrong."""
    folder, made, module = tmp_path_factory.mktemp("whole"), model(tf), tf.Module()
    tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(str(folder / "c"))
    forged(folder / "t", {b"v": entry((2,), size=8, crc32c=masked_crc(bytes(8)))}, data=bytes(8))
    module.factor = tf.Variable([2.0, 3.0])
    module.scaled = tf.function(lambda x: x * module.factor, input_signature=[tf.TensorSpec([None, 2])])
    tf.saved_model.save(module, folder / "s")
    (folder / "f/variables").mkdir(parents=True)
    (folder / "f/saved_model.pb").write_bytes(b"\x08\x01")
    options = tf.train.CheckpointOptions(format="tensorflow")
    tf.train.Checkpoint(made).write(str(folder / "f/variables/variables"), options=options)
    made.save(folder / "m.keras")
    made.save(folder / "m.h5")
    for name in ("w.h5", "w.weights.h5"):
        made.save_weights(folder / name)
    return folder


def _data(path: Path) -> Path:
    return path / str(manifest_of(path)["generation"])


def _first_array(path: Path) -> tuple[h5py.File, str]:
    file, names = h5py.File(path, "r+"), list[str]()
    file.visititems(lambda name, each: names.append(name) if isinstance(each, h5py.Dataset) else None)
    return file, next(name for name in names if "optimizer" not in name)


def _elsewhere(kind: str, path: Path, target: str) -> None:
    """An array that is in another file."""
    if kind == "link":
        file, name = _first_array(path)
        del file[name]
        file[name] = h5py.ExternalLink(target, "/x")
    else:
        file, name = _first_array(path)
        shape = file[name].shape
        del file[name]
        file.create_dataset(name, shape, "float32", external=[(target, 0, 4 * int(np.prod(shape)))])
    file.close()


def _path_in(reader: str, path: Path, secret: str) -> None:
    """A name that leads elsewhere, in the place where the format has names of files."""
    match reader:
        case "our checkpoint":
            reseal(path, files={secret: {"bytes": len(SECRET), "crc32c": "00000000"}})
        case "our SavedModel":
            file = description_of(path)
            replaced(path, file, file.read_text().replace("functions/", f"{secret}/").encode())
        case ".keras":
            with zipfile.ZipFile(path) as archive:
                parts = {name: archive.read(name) for name in archive.namelist()}
            with zipfile.ZipFile(path, "w") as archive:
                # The configuration ends the load.
                for name, part in (parts | {secret: b"x", "config.json": b"{}"}).items():
                    archive.writestr(name, part)
        case _:
            _elsewhere("link", path, secret)


def _linked(reader: str, path: Path, secret: Path) -> None:
    """A link in the place of a file; in HDF5 an array whose bytes are in another file."""
    match reader:
        case "our checkpoint" | "our SavedModel":
            file = _data(path) / "arrays.safetensors"
        case "TensorFlow's checkpoint":
            file = Path(f"{path}.index")
        case "TensorFlow's SavedModel":
            file = path / "variables/variables.index"
        case ".keras":  # what the path leads to is the user's choice, and this leads to no model
            file = path
        case _:
            _elsewhere("external", path, str(secret))
            return
    file.unlink()
    file.symlink_to(secret)


def _of_two_terabytes(reader: str, path: Path, secret: Path) -> None:
    huge = entry((1 << 39,), size=1 << 41)
    match reader:
        case "our checkpoint" | "our SavedModel":
            arrays = manifest_of(path)["arrays"]
            reseal(path, arrays={key: fact | {"shape": [1 << 39]} for key, fact in arrays.items()})
        case "TensorFlow's checkpoint":
            forged(path, {b"v": huge})
        case "TensorFlow's SavedModel":
            forged(path / "variables/variables", {b"v": huge})
        case ".keras":
            with zipfile.ZipFile(path) as archive:
                parts = {name: archive.read(name) for name in archive.namelist()}
            weights = path.with_name("inner.h5")
            weights.write_bytes(parts["model.weights.h5"])
            _of_two_terabytes(".h5", weights, secret)
            with zipfile.ZipFile(path, "w") as archive:
                for name, part in (parts | {"model.weights.h5": weights.read_bytes()}).items():
                    archive.writestr(name, part)
        case _:
            file, name = _first_array(path)
            del file[name]
            file.create_dataset(name, (1 << 20, 1 << 19), "float32", chunks=(1 << 10, 1 << 10))
            file.close()


def _of_content(content: bytes) -> Callable[[str, Path, Path], None]:
    """Other bytes in the place of the file that is read first."""

    def attack(reader: str, path: Path, secret: Path) -> None:
        match reader:
            case "our checkpoint":
                (path / "manifest.json").write_bytes(content)
            case "our SavedModel":
                replaced(path, description_of(path), content)
            case "TensorFlow's checkpoint":
                Path(f"{path}.index").write_bytes(content)
            case "TensorFlow's SavedModel":
                (path / "variables/variables.index").write_bytes(content)
            case _:
                path.write_bytes(content)

    return attack


def _pickled(reader: str, path: Path, secret: Path) -> None:
    bait = pickle.dumps(Bait(secret.with_name("executed")))
    match reader:
        case ".keras":
            with zipfile.ZipFile(path, "w") as archive:
                for name in ("config.json", "metadata.json", "model.weights.h5", "stratagem.json"):
                    archive.writestr(name, bait)
        case ".h5":
            with h5py.File(path, "r+") as file:
                file.attrs["model_config"] = file.attrs["training_config"] = np.void(bait)
        case ".h5 of weights" | ".weights.h5":
            file, name = _first_array(path)
            del file[name]
            file[name] = np.void(bait)
            file.close()
        case _:
            _of_content(bait)(reader, path, secret)


def _with_lambda(reader: str, path: Path, secret: Path) -> None:
    """A model that a process saves in which it is code; it is read as another process would."""
    target = secret.with_name("executed")
    name = str(target)
    run = tf.keras.layers.Lambda(lambda x: open(name, "w").close() or x)
    tf.keras.Sequential([tf.keras.layers.Input((3,)), run]).save(path)
    target.unlink()


def _unfolding(reader: str, path: Path, secret: Path) -> None:
    """Far more bytes than the file has."""
    match reader:
        case "TensorFlow's checkpoint" | "TensorFlow's SavedModel":  # a block that says that it is compressed
            index = Path(f"{path}.index") if reader.endswith("checkpoint") else path / "variables/variables.index"
            content = bytearray(index.read_bytes())
            first = content.index(b"\0\0\0\0\1\0\0\0") + 8
            content[first] = 1
            content[first + 1 : first + 5] = masked_crc(bytes(content[: first + 1])).to_bytes(4, "little")
            index.write_bytes(content)
        case ".keras":
            with zipfile.ZipFile(path) as archive:
                parts = {name: archive.read(name) for name in archive.namelist()}
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, part in (parts | {"config.json": b" " * (300 << 20)}).items():
                    archive.writestr(name, part)
        case _:
            file, name = _first_array(path)
            del file[name]
            file.create_dataset(name, data=np.zeros((1 << 10, 1 << 12), "float32"), compression="gzip")
            file.close()


MADE: dict[str, Callable[[str, Path, Path], None]] = {
    "a path with ../": lambda reader, path, secret: _path_in(reader, path, "../secret"),
    "an absolute path": lambda reader, path, secret: _path_in(reader, path, str(secret)),
    "a link": _linked,
    "2 TB": _of_two_terabytes,
    "malformed": _of_content(bytes(range(256)) * 8),
    "a pickle": _pickled,
    "a Lambda": _with_lambda,
    "a bomb": _unfolding,
}
# What an error says of attacks that would be refused for another reason if they were made wrongly.
SAID = {
    "a link": "link|external Dataset|does not end as a table does|not a zip file",
    "2 TB": "memory|2.00 TB|2199023255552",
    "a Lambda": "`Lambda` layer whose `function` is a Python lambda",
    "a bomb": r"is compressed|would unfold|[Ss]hape",
}
# What a format has no place for.
IMPOSSIBLE = {
    **{
        (attack, reader): "names of tensors, which lead nowhere (test_names_lead_nowhere)"
        for attack in ("a path with ../", "an absolute path")
        for reader in ("TensorFlow's checkpoint", "TensorFlow's SavedModel")
    },
    **{("a Lambda", reader): "no code" for reader in READERS if reader not in (".keras", ".h5")},
    **{("a bomb", reader): "nothing is compressed" for reader in ("our checkpoint", "our SavedModel")},
}


@pytest.mark.parametrize("reader", READERS)
def test_what_nobody_has_touched_is_read(reader: str, whole: Path) -> None:
    name, read = READERS[reader]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of an optimizer that has not begun
        read(whole / name)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("reader", READERS)
def test_every_attack_on_every_reader_is_refused(
    reader: str, attack: str, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (attack, reader) in IMPOSSIBLE:
        return
    shutil.copytree(whole, tmp_path / "in")
    secret = tmp_path / "secret"
    secret.write_bytes(SECRET)
    name, read = READERS[reader]
    MADE[attack](reader, tmp_path / "in" / name, secret)
    monkeypatch.chdir(tmp_path / "in")
    before = sorted(os.walk(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # Keras skips parts of archives with a warning
        with pytest.raises(REFUSALS) as raised:
            read(tmp_path / "in" / name)
    assert sorted(os.walk(tmp_path)) == before, "something was written"
    assert secret.read_bytes() == SECRET
    said = "\n".join([str(raised.value), *getattr(raised.value, "__notes__", [])])
    assert re.search(SAID.get(attack, ""), said), f"another thing was refused: {said}"
    assert str(tmp_path / "in" / name) in said, f"the file is not named in: {said}"


def test_the_table_is_whole() -> None:
    assert set(MADE) == set(ATTACKS)
    assert len(IMPOSSIBLE) == 12
