"""The command `stratagem`: what it prints, and its exit status."""

import importlib.metadata

import pytest
from click.testing import CliRunner, Result

from stratagem.cli import main


def stratagem(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_help_names_the_commands() -> None:
    result = stratagem("--help")
    assert result.exit_code == 0
    assert "checkpoint  List, show, verify, compare and convert checkpoints." in result.output
    assert "env " in result.output


def test_an_unknown_command_is_refused() -> None:
    assert stratagem("lunch").exit_code == 2


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
