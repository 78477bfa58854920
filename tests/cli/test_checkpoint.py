"""`stratagem checkpoint`: what it prints of both formats and of SavedModels, and its exit status."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import stratagem as tf
from stratagem.cli import main
from tests.checkpoints.faults import flip_a_bit
from tests.checkpoints.record_tensorflow import RECORDED

TENSORFLOW = tf.train.CheckpointOptions(format="tensorflow")


def checkpoint(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["checkpoint", *(str(argument) for argument in arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), "a traceback"
    return result


def found(*arguments: object) -> Any:
    """The answer for machines."""
    return json.loads(checkpoint(*arguments, "--json").stdout)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Two checkpoints, the second in TensorFlow's format."""
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])), tmp_path, 3)
    manager.save()
    manager.save(options=TENSORFLOW)
    return tmp_path


@pytest.mark.parametrize("name", ["ls", "list"])
def test_ls_shows_both_formats_by_number_and_marks_the_latest(directory: Path, name: str) -> None:
    (directory / "ckpt-3").mkdir()
    head, first, second, third = checkpoint(name, directory).output.splitlines()
    assert head.split() == ["CHECKPOINT", "STEP", "SAVED", "SIZE", "ARRAYS", "FORMAT", "STATE"]
    assert first.startswith(f"  {directory}/ckpt-1     1  20")
    assert first.endswith("2  stratagem   ok")
    assert second.startswith(f"* {directory}/ckpt-2     2  20")
    assert second.endswith("2  tensorflow  ok")
    assert third.startswith(f"  {directory}/ckpt-3     3  - ")
    assert "BAD: " in third
    assert "the save never finished" in third


def test_ls_answers_machines(directory: Path) -> None:
    first, second = found("ls", directory)
    assert (first["step"], first["format"], first["arrays"], first["values"]) == (1, "stratagem", 2, 3)
    assert (second["step"], second["format"], second["latest"], second["problem"]) == (2, "tensorflow", True, "")
    assert second["nbytes"] == sum(os.path.getsize(file) for file in directory.glob("ckpt-2.*"))


def test_savedmodels_of_both_are_recognised(tmp_path: Path) -> None:
    module = tf.Module()
    module.v = tf.Variable([1.0])
    tf.saved_model.save(module, tmp_path / "ours")
    (tmp_path / "theirs" / "variables").mkdir(parents=True)
    (tmp_path / "theirs" / "saved_model.pb").write_bytes(b"")
    for file in RECORDED.glob("tensors.*"):
        shutil.copy(file, tmp_path / "theirs" / "variables" / file.name.replace("tensors", "variables"))
    assert [each["format"] for each in found("ls", tmp_path)] == ["stratagem SavedModel", "tensorflow SavedModel"]
    assert checkpoint("verify", tmp_path).exit_code == 0
    assert [each["name"] for each in found("show", tmp_path / "ours")["values"]] == ["v"]
    os.remove(tmp_path / "theirs" / "variables" / "variables.data-00000-of-00001")
    assert "variables.data-00000-of-00001" in checkpoint("verify", tmp_path).output


def test_show_has_names_shapes_dtypes_sizes_and_small_values(directory: Path) -> None:
    shown = checkpoint("show", directory, "--values").output.splitlines()
    assert shown[0] == f"{directory}/ckpt-2  (tensorflow)"
    assert [line.split() for line in shown[2:]] == [
        ["NAME", "SHAPE", "DTYPE", "SIZE", "VALUE"],
        ["save_counter", "[]", "int64", "8", "B", "2"],
        ["v", "[2]", "float32", "8", "B", "[1.0,", "2.0]"],
        [],
        ["2", "values,", "16", "B"],
    ]
    for number in (1, 2):
        (value,) = (v for v in found("show", directory / f"ckpt-{number}", "--values")["values"] if v["name"] == "v")
        assert value["key"] == "v/.ATTRIBUTES/VARIABLE_VALUE"
        assert value["value"] == [1.0, 2.0]


def test_show_knows_every_dtype() -> None:
    values = {each["name"]: each for each in found("show", RECORDED / "tensors", "--values")["values"]}
    assert values["bfloat16"]["value"] == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert values["string"] | {"key": ""} == {
        "name": "string", "key": "", "shape": [], "dtype": "string", "nbytes": 8, "value": "one",
    }  # fmt: skip
    assert values["complex64"]["value"][1] == ["(3+0j)", "(4+0j)", "(5+0j)"]


def test_states_are_shown(tmp_path: Path) -> None:
    class Position:
        def get_state(self) -> dict[str, int]:
            return {"row": 7}

        def set_state(self, state: dict[str, int]) -> None:
            raise NotImplementedError

    path = tf.train.Checkpoint(at=Position()).write(tmp_path / "ckpt")
    (value,) = found("show", path, "--values")["values"]
    assert (value["name"], value["dtype"], value["value"]) == ("at", "json", {"row": 7})


def test_verify_is_content_with_whole_checkpoints(directory: Path) -> None:
    result = checkpoint("verify", directory)
    assert result.exit_code == 0
    assert [line.split(":")[0] for line in result.output.splitlines()] == [
        f"ok   {directory}/ckpt-1",
        f"ok   {directory}/ckpt-2",
    ]
    for name in ("ckpt-1", "ckpt-2", "ckpt-2.index", "ckpt-2.data-00000-of-00001"):
        assert checkpoint("verify", directory / name).output.startswith(f"ok   {directory}/{name}:")


def test_verify_names_a_bad_file_and_fails(directory: Path) -> None:
    file = flip_a_bit(directory / "ckpt-1", 2)
    result = checkpoint("verify", directory)
    assert result.exit_code == 1
    assert f"BAD  {directory}/ckpt-1" in result.output
    assert file in result.output
    assert f"ok   {directory}/ckpt-2" in result.output
    assert "1 of 2 are bad" in result.output
    shard = directory / "ckpt-2.data-00000-of-00001"
    shard.write_bytes(shard.read_bytes()[:-1])
    assert checkpoint("verify", directory / "ckpt-2").exit_code == 1
    assert shard.name in [each["problem"] for each in found("verify", directory)][1]
    assert shard.name in found("ls", directory)[1]["problem"]  # its size is enough


@pytest.mark.parametrize("command", ["ls", "verify", "show"])
def test_what_is_not_there_is_one_line(tmp_path: Path, command: str) -> None:
    for path in (tmp_path, tmp_path / "absent", tmp_path / "absent" / "ckpt-1", Path(__file__)):
        result = checkpoint(command, path)
        assert result.exit_code == 2
        assert len(result.output.splitlines()) == 1
        assert str(path) in result.output


def test_diff_is_content_with_equal_values_in_two_formats(directory: Path) -> None:
    same = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
    paths = [same.write(directory / "a"), same.write(directory / "b", TENSORFLOW)]
    result = checkpoint("diff", *paths)
    assert (result.exit_code, result.output) == (0, "0 differ, 1 are equal\n")


def test_diff_tells_what_differs_and_fails(tmp_path: Path) -> None:
    def written(name: str, **values: Any) -> str:
        return tf.train.Checkpoint(**{k: tf.Variable(v) for k, v in values.items()}).write(tmp_path / name)

    kept = np.array([1.0, np.nan, 3.0], np.float32)
    one = written("one", a=kept, b=[1, 2], c=1.0, d=[1.0], only=True)
    two = written("two", a=kept + np.array([0, 0, 0.5], np.float32), b=[1.0, 2.0], c=1.0, d=[[1.0]], other=2.0)
    result = checkpoint("diff", one, two)
    assert result.exit_code == 1
    assert [" ".join(line.split()) for line in result.output.splitlines()] == [
        "NAME DIFFERENCE",
        "a 1 element of float32 [3], by at most 0.5",
        "b dtype: int32 [2] and float32 [2]",
        "d shape: float32 [1] and float32 [1, 1]",
        "only only in the first: bool []",
        "other only in the second: float32 []",
        "",
        "5 differ, 1 are equal",
    ]
    differences = found("diff", one, two, "--tolerance", 0.5)["differences"]
    assert [each["name"] for each in differences] == ["b", "d", "only", "other"]
    assert checkpoint("diff", one, tmp_path / "three").exit_code == 2


def test_convert_goes_both_ways_and_replaces_nothing(directory: Path) -> None:
    for source, target, format in (("ckpt-1", "t", "tensorflow"), ("ckpt-2", "s", "stratagem")):
        result = checkpoint("convert", directory / source, directory / target, "--to", format)
        assert (result.exit_code, result.output) == (0, f"{directory}/{target}  ({format}): 2 arrays, 16 B\n")
        assert checkpoint("diff", directory / source, directory / target).exit_code == 0
        again = checkpoint("convert", directory / source, directory / target, "--to", format)
        assert (again.exit_code, "There is something at" in again.output) == (2, True)
        assert found("convert", directory / source, directory / target, "--to", format, "--overwrite")["arrays"] == 2
    result = checkpoint("convert", directory / "ckpt-1", directory / "u", "--to", "stratagem")
    assert (result.exit_code, "has the format 'stratagem' already" in result.output) == (2, True)
    result = checkpoint("convert", RECORDED / "tensors", directory / "u", "--to", "stratagem")
    assert (result.exit_code, "has strings, string" in result.output) == (2, True)
    assert not (directory / "u").exists()


@pytest.mark.parametrize("name", ["m.keras", "m.h5", "m.weights.h5"])
def test_files_of_keras_are_told_from_checkpoints(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    for command in (("ls",), ("show",), ("verify",), ("convert", "--to", "tensorflow", tmp_path / "t"), ("diff", "t")):
        for path in (tmp_path, tmp_path / name):
            result = checkpoint(command[0], path, *command[1:])
            assert (result.exit_code, len(result.output.splitlines())) == (2, 1)
            assert name in result.output
            assert "load_model or load_weights reads" in result.output
    assert checkpoint("show", tmp_path / "absent.keras").output.startswith("Error: No checkpoint at")
    (tmp_path / "ckpt-1").mkdir()
    assert "`stratagem checkpoint ls` shows" in checkpoint("show", tmp_path).output
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / "ckpt-2")
    assert (
        f"left out: 1 file of Keras' format, which load_model or load_weights reads: {name}"
        in checkpoint("ls", tmp_path).stderr
    )
    assert len(found("ls", tmp_path)) == 2


@pytest.mark.parametrize("command", ["ls", "verify", "show"])
def test_checkpoints_one_level_below_are_named(directory: Path, command: str) -> None:
    (directory / "logs").mkdir()
    (directory / "backup").mkdir()
    shutil.move(directory / "ckpt-1", directory / "backup" / "ckpt-1")
    for file in [file for file in directory.iterdir() if file.is_file()]:
        file.unlink()
    told = checkpoint(command, directory)
    assert told.exit_code == 2
    assert f"No checkpoints in {str(directory)!r}, but in {directory / 'backup'}: name one of these." in told.output
