"""Our own programs run with this very package, whatever lies in the folder that they are started in."""

import json
import os
import subprocess
from pathlib import Path

import stratagem
from stratagem._base.programs import command

PROGRAM = """
import json, sys
import stratagem._base.locks

def main():
    print(json.dumps([stratagem.__file__, sys.argv[1:], sorted({"jax", "keras", "numpy"} & set(sys.modules))]))
    return 3
"""


def test_a_program_has_this_package_its_arguments_and_nothing_else(tmp_path: Path) -> None:
    assert stratagem.__file__ is not None
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "stratagem").mkdir()
    (tmp_path / "stratagem" / "__init__.py").write_text("raise ImportError('another package of this name')")
    program = os.path.relpath(tmp_path / "program.py", Path(stratagem.__file__).parent)
    run = subprocess.run(command(program, "one", 2), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 3, run.stderr
    assert json.loads(run.stdout) == [stratagem.__file__, ["one", "2"], []]


def test_a_program_finds_packages_without_their_own_code_and_not_those_that_are_absent(tmp_path: Path) -> None:
    program = """
import json, sys
import noisy.inner

def main():
    try:
        import colorsys
    except ImportError as error:
        print(json.dumps([noisy.inner.VALUE, str(error), "stratagem._base.log" in sys.modules]))
    return 0
"""
    (tmp_path / "program.py").write_text(program)
    (tmp_path / "noisy").mkdir()
    (tmp_path / "noisy" / "__init__.py").write_text("raise ImportError('its own code ran')")
    (tmp_path / "noisy" / "inner.py").write_text("VALUE = 3")
    file = os.path.relpath(tmp_path / "program.py", Path(str(stratagem.__file__)).parent)
    line = command(file, path=[str(tmp_path)], bare=["stratagem", "noisy"], absent=["colorsys"])
    run = subprocess.run(line, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [3, "import of colorsys halted; None in sys.modules", False]
