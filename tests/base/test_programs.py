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
