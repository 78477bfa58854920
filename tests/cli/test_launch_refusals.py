"""`stratagem launch` refuses what cannot work before it starts anything."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from stratagem.cli import main
from stratagem.testing import free_ports
from tests.cli.launches import PROGRAMS, launch, launcher

TELLING = PROGRAMS / "telling.py"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "Missing argument"),
        (["absent.py"], "There is no script 'absent.py'"),
        (["."], "'.' is a directory"),
        (["--workers", 0, TELLING], "0 is not in the range 1<=x<=65535"),
        (["--wrokers", 2, TELLING], "--wrokers"),
        (["--nnodes", 2, TELLING], "--nnodes 2 needs --addresses"),
        (["--nnodes", 2, "--node-rank", 2, TELLING], "--node-rank 2: with --nnodes 2 it is below 2"),
        (
            ["--workers", 3, "--addresses", "a:1,b:2", TELLING],
            "Give one of every machine (1) or one of every task (3: ",
        ),
        (["--workers", 2, "--addresses", "a:1,a:1", TELLING], "worker:0 and worker:1 have the same address 'a:1'"),
        (["--addresses", "nonsense", TELLING], "The address 'nonsense' has no port"),
        (["--workers", 2, "--addresses", "a:65535", TELLING], "65536"),
        (["--addresses", "a:1", "--chief-address", "a:1", TELLING], "leave --chief-address out"),
        (["--nnodes", 2, "--ps", 1, "--chief-address", "a:1", TELLING], "--chief-address is for workers only"),
        (["--nnodes", 2, "--addresses", "10.0.0.1:1,10.0.0.2:1", TELLING], "there is no token at"),
        (["--worker-restarts", 3, TELLING], "--worker-restarts is for jobs with --ps"),
        (["--tee", "worker:2", TELLING], "there is no task 'worker:2'. Name some of worker:0, 0, all or none"),
        (["--log-dir", "/proc/logs", TELLING], "The logs cannot be written to /proc/logs"),
    ],
)
def test_wrong_options_are_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[object], error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))  # where a token would be
    done = CliRunner().invoke(main, ["launch", *map(str, arguments)])
    assert done.exit_code in (1, 2)
    assert isinstance(done.exception, SystemExit), "the user would see a traceback"
    assert error in done.stderr
    assert done.stdout == ""


def test_an_address_in_use_is_named() -> None:
    (port,) = free_ports(1)
    address = f"127.0.0.1:{port}"
    with launcher("--chief-address", address, PROGRAMS / "staying.py", "polite") as first:
        first.wait_for("staying")
        done = launch("--addresses", address, TELLING)
        assert done.code == 1
        assert f"Error: {address}, the address of worker:0, is in use." in done.told
        first.process.terminate()
