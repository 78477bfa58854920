"""A checkpoint that a stranger wrote, sealed as it should be, is refused: nothing outside of it is read or written."""

import itertools
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stratagem._core.values import Variable
from stratagem.errors import DataLossError
from stratagem.train import Checkpoint, CheckpointManager, latest_checkpoint
from tests.checkpoints.faults import manifest_of, reseal, seal
from tests.checkpoints.models import read

SECRET = b"a file outside of the checkpoint"


@pytest.fixture
def step(tmp_path: Path) -> Path:
    """A checkpoint that is whole, and a file that is none of its business."""
    (tmp_path / "secret").write_bytes(SECRET)
    return Path(Checkpoint(v=Variable([1.0, 2.0])).save(tmp_path / "ckpts" / "ckpt"))


def refused(step: Path) -> str:
    """Nothing asks for it and gets it; why."""
    objects = Checkpoint(v=Variable([7.0, 7.0]))
    with pytest.raises((DataLossError, ValueError)) as raised:
        objects.restore(step)
    assert read(objects.v).tolist() == [7.0, 7.0]
    assert (step.parents[1] / "secret").read_bytes() == SECRET
    return str(raised.value)


def test_a_manifest_sealed_again_without_changes_is_restored(step: Path) -> None:
    reseal(step)
    objects = Checkpoint(v=Variable([7.0, 7.0]))
    objects.restore(step).assert_consumed()
    assert read(objects.v).tolist() == [1.0, 2.0]


FACT = {"bytes": len(SECRET), "crc32c": "00000000"}
ARRAY = {"shape": [2], "dtype": "float32", "crc32c": "00000000"}
ROOT_NODE = {"path": "", "kind": "object", "children": {}}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "changes",
    [
        {"files": {"../../../secret": FACT}},
        {"files": {"/etc/hostname": FACT}},
        {"files": {"d/../../../../secret": FACT}},
        {"files": {"": FACT}},
        {"files": {"a\0b": FACT}},
        {"files": {"_METADATA": {"bytes": -1, "crc32c": "00000000"}}},
        {"files": {"_METADATA": {"bytes": 1e300, "crc32c": "00000000"}}},
        {"files": {"_METADATA": {"bytes": True, "crc32c": "00000000"}}},
        {"files": {"_METADATA": [1, 2]}},
        {"files": []},
        {"files": None},
        {"generation": "../../secret"},
        {"generation": "/etc"},
        {"generation": ""},
        {"generation": 5},
        {"saved_at": "yesterday"},
        {"version": "1"},
        {"version": -1},
        {"version": True},
        {"arrays": {"v": ARRAY | {"shape": [-1]}}},
        {"arrays": {"v": ARRAY | {"shape": "2"}}},
        {"arrays": {"v": ARRAY | {"shape": [1] * 1000}}},
        {"arrays": {"v": ARRAY | {"dtype": "object"}}},
        {"arrays": {"v": ARRAY | {"dtype": "V1000000"}}},
        {"arrays": {"v": ARRAY | {"dtype": "no such type"}}},
        {"arrays": {"v": ARRAY | {"dtype": ",float32"}}},
        {"arrays": {"v": ARRAY | {"dtype": "f,,,loat32"}}},
        {"arrays": {"v": ARRAY | {"crc32c": 7}}},
        {"arrays": {"v\n../x": ARRAY}},
        {"arrays": {"v": {}}},
        {"nodes": []},
        {"nodes": {}},
        {"nodes": [{"path": ""}]},
        {"nodes": [ROOT_NODE | {"children": {"v": 5}}]},
        {"nodes": [ROOT_NODE | {"children": {"v": -1}}]},
        {"nodes": [ROOT_NODE | {"kind": "program"}]},
        {"nodes": [ROOT_NODE | {"__class__": "os"}]},
        {"nodes": [{"path": "w", "kind": "variable", "children": {}}]},
        {"nodes": [{"path": "w", "kind": "state", "children": {}}]},
        {"states": []},
        {"naming": "../x"},
        {"naming": ["stratagem"]},
        {"slots": {}},
        {"slots": [[0, 0, "m"]]},
        {"slots": [[0, 99, "m", 0]]},
        {"slots": [[0, 0, 5, 0]]},
    ],
    ids=str,
)
def test_a_manifest_that_says_what_is_never_written_is_refused(step: Path, changes: dict[str, Any]) -> None:
    reseal(step, **changes)
    assert "manifest.json: it is sealed, but not by this library" in refused(step)
    assert latest_checkpoint(step.parent) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"arrays": {"v": ARRAY | {"shape": [1 << 60]}}}, "bytes of memory for it"),
        ({"arrays": {"v": ARRAY | {"shape": [1 << 40, 1 << 40]}}}, "bytes of memory for it"),
        ({"arrays": {"v": ARRAY | {"shape": [1000]}}}, "arrays cannot be read"),
        ({"arrays": {"v": ARRAY | {"dtype": "int32"}}}, "arrays cannot be read"),
        ({"arrays": {"v": ARRAY, "../../secret": ARRAY}}, "arrays cannot be read"),
        ({"arrays": {"v": ARRAY}}, "array v: its checksum is"),
    ],
    ids=str,
)
def test_arrays_that_are_not_as_the_manifest_says_are_refused(step: Path, changes: dict[str, Any], said: str) -> None:
    kept = {"save_counter": manifest_of(step)["arrays"]["save_counter"]}
    reseal(step, arrays=changes["arrays"] | kept)  # in the order of the file
    assert said in refused(step)


@pytest.mark.parametrize("text", ["", "\0" * 100, "[" * 100_000, '{"crc32c": "00000000",\n}', '{"a": ' * 50_000])
def test_a_manifest_that_is_none_is_refused(step: Path, text: str) -> None:
    (step / "manifest.json").write_text(text)
    refused(step)


def test_a_sealed_manifest_of_endless_depth_is_refused(step: Path) -> None:
    body = '"states": ' + "[" * 200_000
    seal(step, body)
    assert "sealed, but not by this library" in refused(step)


def test_a_giant_manifest_is_refused_before_it_is_read(step: Path) -> None:
    os.truncate(step / "manifest.json", 1 << 40)  # sparse
    assert "bytes, and more than" in refused(step)


def _linked(file: Path) -> None:
    target = file.parent / "copy"
    file.rename(target)
    file.symlink_to(target)


def _linked_outside(file: Path) -> None:
    target = file.parents[2] / "elsewhere"
    file.rename(target)
    file.symlink_to(target)


def _pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _socket(file: Path) -> None:
    file.unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(file.parent)
        try:
            listener.bind(file.name)
        finally:
            os.chdir(here)


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    ("which", "change"),
    [
        *itertools.product(
            ["manifest.json", "arrays.safetensors"], [_linked, _linked_outside, _pipe, _socket, _folder]
        ),
        *itertools.product(["unnamed"], [_linked, _linked_outside, _pipe, _socket]),
        *itertools.product(["generation"], [_linked, _linked_outside]),
    ],
)
def test_a_link_or_pipe_in_a_checkpoint_is_refused_and_never_waited_for(
    step: Path, which: str, change: Callable[[Path], None]
) -> None:
    data = step / str(manifest_of(step)["generation"])
    (data / "unnamed").touch()
    file = {"manifest.json": step / which, "generation": data}.get(which, data / which)
    change(file)
    assert file.name in refused(step)


def test_a_list_of_checkpoints_leads_to_none_outside_its_directory(tmp_path: Path) -> None:
    victim = Path(Checkpoint(v=Variable(1.0)).save(tmp_path / "others" / "ckpt"))
    directory = tmp_path / "ckpts"
    directory.mkdir()
    names = ["../others/ckpt-1", str(victim), "ckpt-1/../../others/ckpt-1"]
    lines = [f'model_checkpoint_path: "{names[0]}"', *(f'all_model_checkpoint_paths: "{name}"' for name in names)]
    (directory / "checkpoint").write_text("\n".join(lines) + "\n")
    assert latest_checkpoint(directory) is None
    manager = CheckpointManager(Checkpoint(v=Variable(2.0)), directory, 1)
    assert manager.restore_or_initialize() is None
    for _ in range(3):
        manager.save()
    assert latest_checkpoint(victim.parent) == str(victim)
