"""A prepared process is as one that Python has started: what it is given, what it draws, how it ends."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests import prepared

GIVEN = """
import os, sys
import jax
print(__name__, sys.argv[1:], os.environ["SAID"], "HOME" in os.environ, os.getcwd(), len(jax.devices()), jax.device_count())
print("told", file=sys.stderr)
"""


def test_it_has_its_arguments_environment_directory_and_settings(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "HOME"} | {"SAID": "a word", "JAX_NUM_CPU_DEVICES": "3"}
    done = prepared.run(GIVEN, "one", 2, environment=environment, directory=tmp_path)
    assert done.stdout == f"__main__ ['one', '2'] a word False {tmp_path} 3 3\n"
    assert done.stderr == "told\n"
    assert done.returncode == 0


def test_a_file_imports_from_its_own_folder_and_from_those_of_pythonpath(tmp_path: Path) -> None:
    folders = [tmp_path / "own", tmp_path / "other"]
    for number, folder in enumerate(folders):
        folder.mkdir()
        (folder / f"beside_{number}.py").write_text(f"FOUND = {number}\n")
    program = folders[0] / "program.py"
    program.write_text("import beside_0, beside_1\nprint(beside_0.FOUND, beside_1.FOUND, __file__)\n")
    done = prepared.run(program, environment=os.environ | {"PYTHONPATH": str(folders[1])})
    assert done.stdout == f"0 1 {program}\n", done.stderr


@pytest.mark.parametrize(
    ("program", "code", "told"),
    [
        ("import sys; sys.exit(7)", 7, ""),
        ("import sys; sys.exit('words')", 1, "words"),
        ("raise KeyError('a bug')", 1, "KeyError: 'a bug'"),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL, ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGINT); input()", -signal.SIGINT, "KeyboardInterrupt"),
    ],
)
def test_it_ends_as_python_does(program: str, code: int, told: str) -> None:
    done = prepared.run(program)
    assert done.returncode == code
    assert told in done.stderr
    assert done.stderr.count("Traceback") == ("Error" in told or "Interrupt" in told)


def test_what_it_registers_runs_at_its_end() -> None:
    assert prepared.run("import atexit; atexit.register(print, 'last'); print('first')").stdout == "first\nlast\n"


def test_two_draw_other_numbers() -> None:
    program = "import random, numpy as np; print(random.random(), np.random.rand())"
    first, second = (prepared.run(program).stdout.split() for _ in range(2))
    assert not set(first) & set(second)


def test_who_does_not_end_in_time_is_killed() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        prepared.run("import time; time.sleep(300)", timeout=0.1)
