"""What TensorFlow showed for programs in every form, and which of them a run of the tests looks at."""

import gzip
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

from tests.core.eager.compositions.running import difference
from tests.differential.forms.generate import Program, generate
from tests.differential.forms.running import run
from tests.sample import day

RECORDED = Path(__file__).with_name("recorded") / "forms.jsonl.gz"
SAMPLE = 2  # programs of `make test`; one takes 2 to 3 seconds in all forms
CHUNK = 50  # programs of one test of `make thorough`


@cache
def recorded() -> dict[int, dict[str, Any]]:
    """The rows by the programs' indices: "i", a digest of the text, what it shows; "others": what it shows in other forms."""
    with gzip.open(RECORDED, "rt") as file:
        rows = [json.loads(line) for line in file]
    return {row["i"]: row for row in rows}


def sample(indices: list[int]) -> list[int]:
    """Some of them, others every day."""
    return sorted(random.Random(f"{day()}/forms").sample(indices, min(SAMPLE, len(indices))))


def tolerance(program: Program) -> float:
    """How far a program's numbers may be from TensorFlow's."""
    return 1e-6 if program.main == "float32" or program.mixed else 1e-12


def differences(tf: Any, index: int) -> dict[str, str]:
    """Of every form in which `tf` does not show what TensorFlow does: what differs."""
    program, row = generate(index), recorded()[index]
    found = {form: _said(tf, program, form, [row["shown"], *row.get("others", {}).values()]) for form in program.forms}
    return {form: said for form, said in found.items() if said}


def _said(tf: Any, program: Program, form: str, wanted: list[Any]) -> str | None:
    """What differs from TensorFlow's answer, or, where its forms differ among themselves, from each of its answers."""
    try:
        found = run(tf, program, form)
    except Exception as error:  # any: an error is a difference too
        return f"{type(error).__name__}: {error}"
    said = [difference(found, answer, tolerance(program)) for answer in wanted]
    return None if None in said else said[0]
