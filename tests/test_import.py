"""`import stratagem` is cheap and starts nothing: processes that only wait import it too."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parents[1] / "src"
PROGRAM = """
import gc, json, sys
import jax
before = set(sys.modules)
import stratagem
new = sorted(set(sys.modules) - before)
jax.config.update("jax_num_cpu_devices", 3)  # refused once a backend has started
devices = len(jax.devices("cpu"))
ran = lambda: sum(generation["collections"] for generation in gc.get_stats())
left = {}
for name, switch in ("keras", gc.enable), ("estimator", gc.disable):
    switch()
    already = ran()
    getattr(stratagem, name)
    young = range(2 if sys.version_info < (3, 14) else 1)  # generations but the oldest, of which there is one since
    left[name] = [gc.isenabled(), ran() - already, sum(len(gc.get_objects(each)) for each in young), gc.get_freeze_count()]
    if name == "keras":
        gc.freeze()
        frozen = gc.get_freeze_count()
        thresholds = gc.get_threshold()
        gc.set_threshold(0)
        many = [[] for _ in range(50_000)]  # as an import makes
        stratagem.data
        left["frozen"] = [frozen, gc.get_freeze_count()]
        gc.set_threshold(*thresholds)
        gc.unfreeze()
print(json.dumps({"version": stratagem.__version__, "new": new, "devices": devices, "left": left}))
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


def test_the_garbage_collector_waits_for_an_import_and_is_left_as_it_was(imported: dict[str, Any]) -> None:
    enabled, runs, young, frozen = imported["left"]["keras"]
    assert enabled
    assert runs <= 1, "what is imported was looked through again and again"  # one, when it may run again
    assert young < 1000, "what is imported is looked through when the program makes its first objects"
    assert frozen == 0, "what is imported, and what the program had before, is never looked through"
    assert imported["left"]["estimator"][:2] == [False, 0]


def test_what_a_program_has_frozen_stays_so_when_it_imports(imported: dict[str, Any]) -> None:
    before, after = imported["left"]["frozen"]
    assert before > 1000
    assert abs(after - before) < 1000


def test_compat_v2_is_the_module_itself() -> None:
    program = (
        "import stratagem.compat.v2 as tf, stratagem\n"
        "from stratagem.compat.v2 import keras\n"
        "from stratagem.compat import v2\n"
        "tf.enable_v2_behavior()\n"
        "assert tf is v2 is stratagem is stratagem.compat.v2.compat.v2\n"
        "assert keras is stratagem.keras\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr


# What a module may do to others when it is imported, beside giving their classes a member: put something into their tables.
TABLES = re.compile(r"register_keras_serializable|\.give_rules\(|^offer\(|@rule\(|@hold\b|register_pytree|\.register\(")
# Buildings and rooms that come with a namespace of their own, and programs of other processes.
LATER = ("_addons", "_tf1", "_ops.operators", "_servers.remote._ray", "_base.reader_main")


def changes_others(tree: ast.Module) -> list[str]:
    """The statements by which importing a module changes what is defined in different ones."""
    assigned = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    own = {target.id for target in assigned if isinstance(target, ast.Name)}
    own |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    texts = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Expr)]
    texts += [f"@{ast.unparse(each)}" for node in tree.body for each in getattr(node, "decorator_list", [])]
    found = [text for text in texts if TABLES.search(text) and text.partition(".")[0] not in own]
    members = [ast.unparse(target) for target in assigned if isinstance(target, ast.Attribute)]
    found += [member for member in members if member.partition(".")[0] not in own]
    bases = [ast.unparse(base) for node in tree.body for base in getattr(node, "bases", [])]
    return found + [f"a kind of {base}" for base in bases if base == "FeatureColumn"]


def test_what_changes_others_is_imported_with_the_first_name() -> None:
    """A program may load a model before it has used the layer, the column or the spec that is in the model."""
    program = "import sys, stratagem; stratagem.keras; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    there = set(run.stdout.split())
    changing = {}
    for file in sorted((SOURCE / "stratagem").glob("_*/**/*.py")):
        parts = file.relative_to(SOURCE / "stratagem").with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not name.startswith(LATER) and (statements := changes_others(ast.parse(file.read_text()))):
            changing[f"stratagem.{name}"] = statements
    assert len(changing) > 20
    assert {name: its for name, its in changing.items() if name not in there} == {}
