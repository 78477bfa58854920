"""`import stratagem` is cheap and starts nothing: processes that only wait import it too."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parents[1] / "src"
PROGRAM = """
import json, sys
import jax
before = set(sys.modules)
import stratagem
new = sorted(set(sys.modules) - before)
jax.config.update("jax_num_cpu_devices", 3)  # refused once a backend has started
print(json.dumps({"version": stratagem.__version__, "new": new, "devices": len(jax.devices("cpu"))}))
"""
NOT_YET = ("keras", "grain", "orbax", "ray", "matplotlib", "tensorflow")
MOST_MODULES = 40  # beyond JAX's own; those of a waiting process are few


@pytest.fixture(scope="module")
def imported() -> dict[str, Any]:
    """What a fresh interpreter reports after `import stratagem`."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_import_starts_no_backend(imported: dict[str, Any]) -> None:
    assert imported["devices"] == 3


@pytest.mark.parametrize("name", NOT_YET)
def test_import_does_not_bring(name: str, imported: dict[str, Any]) -> None:
    assert [module for module in imported["new"] if module.split(".")[0] == name] == []


def test_import_loads_few_modules(imported: dict[str, Any]) -> None:
    assert len(imported["new"]) <= MOST_MODULES, imported["new"]


def test_version_is_a_tensorflow_2_one(imported: dict[str, Any]) -> None:
    assert imported["version"].startswith("2.")
