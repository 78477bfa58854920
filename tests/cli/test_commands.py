"""The command `stratagem`: what it prints, and its exit status."""

import importlib.metadata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stratagem._core.values import Variable
from stratagem.cli import main
from stratagem.train import Checkpoint, CheckpointManager
from tests.checkpoints.faults import flip_a_bit


def stratagem(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Two checkpoints."""
    manager = CheckpointManager(Checkpoint(v=Variable([1.0, 2.0])), tmp_path, 3)
    for _ in range(2):
        manager.save()
    return tmp_path


def test_help_names_the_commands() -> None:
    result = stratagem("--help")
    assert result.exit_code == 0
    assert "checkpoint  List and verify checkpoints." in result.output
    assert "env " in result.output


def test_an_unknown_command_is_refused() -> None:
    assert stratagem("lunch").exit_code == 2


def test_list_marks_the_latest(directory: Path) -> None:
    (directory / "ckpt-3").mkdir()
    first, second, third = stratagem("checkpoint", "list", directory).output.splitlines()
    assert first.startswith(f"  {directory}/ckpt-1  20")
    assert second.startswith(f"* {directory}/ckpt-2  20")
    assert second.endswith("2 arrays  3 values")
    assert third.startswith(f"  {directory}/ckpt-3  BAD: ")
    assert "the save never finished" in third


def test_verify_is_content_with_whole_checkpoints(directory: Path) -> None:
    result = stratagem("checkpoint", "verify", directory)
    assert result.exit_code == 0
    assert [line.split(":")[0] for line in result.output.splitlines()] == [
        f"ok   {directory}/ckpt-1",
        f"ok   {directory}/ckpt-2",
    ]
    assert stratagem("checkpoint", "verify", directory / "ckpt-1").output.startswith(f"ok   {directory}/ckpt-1")


def test_verify_names_a_bad_file_and_fails(directory: Path) -> None:
    file = flip_a_bit(directory / "ckpt-1", 2)
    result = stratagem("checkpoint", "verify", directory)
    assert result.exit_code == 1
    assert f"BAD  {directory}/ckpt-1" in result.output
    assert file in result.output
    assert f"ok   {directory}/ckpt-2" in result.output
    assert "1 of 2 are bad" in result.output


@pytest.mark.parametrize("command", ["list", "verify"])
def test_a_directory_without_checkpoints_is_an_error(tmp_path: Path, command: str) -> None:
    result = stratagem("checkpoint", command, tmp_path)
    assert result.exit_code == 1
    assert "No checkpoints in" in result.output
    assert stratagem("checkpoint", command, tmp_path / "absent").exit_code == 2


def test_env_tells_versions_and_devices_and_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_TOKEN", "swordfish")
    monkeypatch.setenv("JAX_LOG_COMPILES", "0")
    monkeypatch.setenv("UNRELATED", "tuna")
    result = stratagem("env")
    assert result.exit_code == 0
    facts = {line.split()[0]: line.split()[1:] for line in result.output.splitlines()}
    assert facts["jax"] == [importlib.metadata.version("jax")]
    assert facts["tensorflow"] == ["not", "installed"]
    assert facts["devices"][0] == "cpu:0"
    assert facts["JAX_LOG_COMPILES"] == ["0"]
    assert facts["STRATAGEM_TOKEN"] == ["(hidden)"]
    assert "swordfish" not in result.output
    assert "UNRELATED" not in result.output
