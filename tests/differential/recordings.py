"""The recorded answers of TensorFlow, and which of them a run of the tests looks at."""

import gzip
import json
import os
import random
from pathlib import Path
from typing import Any

from tests.differential.generate import generate
from tests.differential.program import Program
from tests.sample import day

RECORDED = Path(os.environ.get("STRATAGEM_DIFFERENTIAL_RECORDED", Path(__file__).with_name("recorded")))
# Programs of each strategy in a sample; a compiled one takes 0.1 to 0.5 seconds.
SAMPLE = {"default": 4, "one_device": 4, "mirrored_1": 4, "mirrored_2": 8, "mirrored_4": 4, "two_processes": 4}
CHUNK = 250  # programs of one test of `make thorough`, and of one job

Row = dict[
    str, Any
]  # an answer; beside it "seed" and "i" of the program, "text": its digest, "others": of other workers


def recorded(strategy: str) -> list[Row]:
    """The recorded answers of one strategy, in order."""
    with gzip.open(RECORDED / f"{strategy}.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


def program_of(row: Row) -> Program:
    """The program that was recorded.

    Raises AssertionError if the grammar gives another one now: then its answers have to be recorded anew.
    """
    program = generate(row["seed"], row["i"])
    assert program.digest == row["text"], (
        f"program {row['i']} of seed {row['seed']} is another one than was recorded: "
        "record all answers anew, tests/differential/record_tensorflow.py"
    )
    return program


def open_differences(strategy: str) -> dict[int, str]:
    """The indices of programs that are known to differ, with the reasons."""
    return {int(index): why for index, why in json.loads((RECORDED / "open.json").read_text())[strategy].items()}


def settled(strategy: str) -> list[Row]:
    """The recorded answers without known open differences."""
    known = open_differences(strategy)
    return [row for row in recorded(strategy) if row["i"] not in known]


def sample(strategy: str) -> list[Row]:
    """Some of the settled answers, others every day."""
    rows = settled(strategy)
    return random.Random(f"{day()}/{strategy}").sample(rows, min(SAMPLE[strategy], len(rows)))


def chunks() -> list[tuple[str, int]]:
    """Strategies, each with the number of every chunk of its settled answers."""
    return [(strategy, place) for strategy in SAMPLE for place in range(-(-len(settled(strategy)) // CHUNK))]


def chunk(strategy: str, place: int) -> list[Row]:
    """One of these."""
    return settled(strategy)[place * CHUNK : (place + 1) * CHUNK]
