"""Importing a module changes nothing in JAX and Keras; installing the hooks changes what their list says, and nothing else."""

import fnmatch
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from stratagem._hooks import HOOKS
from stratagem._private import Hook

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src"


@pytest.fixture(scope="module")
def changes() -> dict[str, list[str]]:
    """What a fresh interpreter finds changed in JAX and Keras: after importing all that is private, and after installing."""
    environment = {k: v for k, v in os.environ.items() if k != "PJRT_NPROC"}
    run = subprocess.run(
        [sys.executable, str(TESTS / "hooked_places.py")],
        env={**environment, "PYTHONPATH": str(SOURCE), "KERAS_BACKEND": "jax", "JAX_NUM_CPU_DEVICES": "2"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def test_importing_any_private_module_changes_nothing(changes: dict[str, list[str]]) -> None:
    assert changes["imported"] == []


def test_installing_changes_what_the_list_says(changes: dict[str, list[str]]) -> None:
    patterns = {place for hook in HOOKS for place in hook.places}
    found = changes["installed"]
    assert [place for place in found if not any(fnmatch.fnmatchcase(place, p) for p in patterns)] == []
    assert [p for p in sorted(patterns) if not any(fnmatch.fnmatchcase(place, p) for place in found)] == []


def test_every_public_namespace_installs_the_hooks(changes: dict[str, list[str]]) -> None:
    assert changes["without"] == []


def test_every_hook_is_told_apart_and_names_a_test() -> None:
    assert len({hook.what for hook in HOOKS}) == len(HOOKS) > 20
    for hook in HOOKS:
        path, _, name = hook.test.partition("::")
        assert re.search(rf"^def {name.partition('[')[0]}\(", TESTS.parent.joinpath(path).read_text(), re.M), hook.test
        assert hook.why


@pytest.mark.thorough
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.what)
def test_without_a_hook_its_test_fails(hook: Hook) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-m",
        "",
        hook.test,
    ]  # all instances, not those of the day alone
    env = os.environ | {"STRATAGEM_WITHOUT_HOOK": hook.what}
    run = subprocess.run(command, cwd=TESTS.parent, env=env, capture_output=True, text=True, timeout=1200, check=False)
    assert run.returncode == 1, run.stdout[-2000:]
