"""What tests and documents know about TensorFlow's names: those with recorded answers, and those that differ."""

import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

from stratagem.cli.migration._differences import clauses
from tests.ops.drawn import tables
from tests.ops.drawn.draws import Function
from tests.ops.expressions import EXPRESSIONS
from tests.test_parameters import DIFFERENT, FLAGS, NO_TYPES

ROOT = Path(__file__).parents[1]
DIFFERENCES = ROOT / "docs" / "tensor_functions.md"
NAME = re.compile(r"(?<![\w.])tf((?:\.[A-Za-z_]\w*)+)")

# Programs and expressions whose results are recorded from TensorFlow 2.15.1 and compared, by the tests beside them.
PROGRAMS = """
    tests/core/eager/compositions/operations.py tests/core/step/kinks.py tests/core/values/places.py
    tests/core/values/shapes.py tests/core/values/variables.py tests/data/files/expressions.py
    tests/data/files/more_expressions.py tests/data/recorded/answers.py tests/data/recorded/applying.py
    tests/data/recorded/batching.py tests/data/recorded/experimental.py tests/data/recorded/ordering.py
    tests/data/recorded/saving.py tests/data/recorded/sources.py tests/devices/expressions.py
    tests/differential/blocks.py tests/differential/expressions.py tests/differential/metrics.py
    tests/differential/optimizers.py tests/differential/steps.py tests/differential/variables.py
    tests/events/expressions.py tests/keras/backend_programs.py tests/keras/keras2_programs.py
    tests/keras/legacy_optimizers.py tests/ops/arrays/programs.py tests/ops/failures.py
    tests/parity/autodiff_behaviours.py tests/parity/estimators.py tests/parity/tape_behaviours.py
    tests/parity/uneven_behaviours.py tests/training/average_programs.py tests/training/saving_programs.py
"""


def drawn() -> dict[str, Function]:
    """The functions of the drawn tables, by name."""
    found = {}
    for _, name, _ in pkgutil.iter_modules(tables.__path__):
        recorded = json.loads((Path(tables.__path__[0]).parent / "recorded" / f"{name}.json").read_text())
        for function in importlib.import_module(f"{tables.__name__}.{name}").FUNCTIONS:
            if function.name in recorded:
                found[function.name] = function
    return found


def named(text: str, names: set[str]) -> Iterator[str]:
    """The public names that a program uses: of `tf.a.b.c`, the longest beginning that is one."""
    for path in NAME.findall(text):
        parts = path[1:].split(".")
        for length in range(len(parts), 0, -1):
            if ".".join(parts[:length]) in names:
                yield ".".join(parts[:length])
                break


def compared(names: set[str]) -> set[str]:
    """Those of the names whose recorded answers are compared."""
    found = {name for name in drawn() if name in names}
    for expression in EXPRESSIONS:
        found |= set(named(expression, names))
    for program in PROGRAMS.split():
        found |= set(named((ROOT / program).read_text(encoding="utf-8"), names))
    return found


def differences(names: set[str]) -> dict[str, str]:
    """Those of the names that differ, with how."""
    found = documented(names)
    for name, function in drawn().items():
        reasons = sorted({str(reason) for reason in function.differ.values()})
        if reasons and name in names and name not in found:
            found[name] = "; ".join(reasons)
    for path, reason in DIFFERENT.items():
        if path in names and reason not in (FLAGS, NO_TYPES):  # calls work as in TensorFlow
            found.setdefault(path, reason)
    return found


def documented(names: set[str]) -> dict[str, str]:
    """The differences in the tables of docs/tensor_functions.md."""
    found: dict[str, str] = {}
    heading: list[str] = []
    in_table = False
    for line in DIFFERENCES.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = [name.removeprefix("tf").lstrip(".") for name in re.findall(r"`(tf[\w.]*)`", line)]
        if line.startswith("| names"):
            in_table = "differences" in line
            own = [name.removeprefix("tf").lstrip(".") for name in re.findall(r"`(tf[\w.]*)`", line)]
            places = [*own, *heading]
        elif not line.startswith("|"):
            in_table = False
        elif in_table and not line.startswith("|---"):
            cells = [cell.strip() for cell in line.strip("| ").split(" | ")] if " | " in line else []
            told = [part for part in clauses(cells[2]) if not is_alike(part)] if len(cells) > 2 else []
            here = listed(cells[0], places, names)
            for path in about(here, "; ".join(told)) if told else ():
                found[path] = "; ".join(part for part in told if path in about(here, part))
    return found


def is_alike(text: str) -> bool:
    """Whether a clause says what TensorFlow does, too."""
    return bool(re.search(r"\bas (in )?(TF|TensorFlow)\b(?! on a)|TensorFlow's numbers\b", text)) or not text.strip(
        "| "
    )


def listed(cell: str, places: list[str], names: set[str]) -> dict[str, str]:
    """The names in a cell, as public names, with how they are written there."""
    found: dict[str, str] = {}
    current = list(places)
    for token in re.findall(r"`([\w.]+)`", cell):
        written = token.removeprefix("tf.")
        if token.startswith("tf.") and written in names:
            found[written] = token
        elif token.startswith("tf."):
            current = [written, *places]
        else:
            options = [f"{place}.{written}".lstrip(".") for place in [*current, ""]]
            path = next((path for path in options if path in names), None)
            if path is not None:
                found[path] = written
    return found


def about(written: dict[str, str], text: str) -> list[str]:
    """The names that a difference is about: those that it mentions, or all."""
    mentioned = {token.rpartition(".")[2] for token in re.findall(r"`([\w.]+)", text)}
    chosen = [path for path, token in written.items() if token.rpartition(".")[2] in mentioned]
    return chosen or list(written)
