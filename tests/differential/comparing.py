"""Runs recorded programs with Stratagem, and says which answers differ from TensorFlow's without a reason."""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.differential.answers import difference
from tests.differential.differences import Deliberate, explained
from tests.differential.program import Program
from tests.differential.recordings import CHUNK, Row, program_of
from tests.differential.running import Answer, answer, make_strategy
from tests.multi_worker.jobs import job

PATIENCE = 900.0  # seconds for a job that answers some hundred programs
_ROOT = Path(__file__).parents[2]

Compared = tuple[Program, str | None, Deliberate | None]  # what differs in words, and the row that explains it


def compare(strategy: str, rows: list[Row]) -> Iterator[Compared]:
    """Every program with what differs, so many at a time that a job ends in time and a strategy keeps few programs."""
    for start in range(0, len(rows), CHUNK):
        yield from _compared(strategy, rows[start : start + CHUNK])


def _compared(strategy: str, rows: list[Row]) -> Iterator[Compared]:
    programs = [program_of(row) for row in rows]
    ranks = _together(programs) if strategy == "two_processes" else [_here(strategy, programs)]
    for program, row, *answers in zip(programs, rows, *ranks, strict=False):
        wanted = [row, *({**row, **other} for other in row.get("others", []))]
        pairs = list(zip(answers, wanted, strict=True))
        said = [(difference(one, other), one, other) for one, other in pairs]
        first = next((found for found in said if found[0]), None)
        yield (program, None, None) if first is None else (program, first[0], explained(program, first[1], first[2]))


def _here(strategy: str, programs: list[Program]) -> Iterator[Answer]:
    import stratagem as tf

    made = make_strategy(tf, strategy)
    return (answer(tf, made, program) for program in programs)


def _together(programs: list[Program]) -> list[list[Answer]]:
    """What each of two workers answers."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder) / "programs", Path(folder) / "answers of {}"
        asked.write_text(json.dumps([(program.seed, program.index) for program in programs]))
        paths = os.pathsep.join([str(_ROOT), os.environ.get("PYTHONPATH", "")])
        with job(Path(__file__).with_name("worker.py"), 2, asked, answered, PYTHONPATH=paths) as running:
            ended = running.ended(PATIENCE)
        assert [task.code for task in ended] == [0, 0], "\n".join(task.output for task in ended)
        return [json.loads(Path(str(answered).format(rank)).read_text()) for rank in range(2)]


def report(compared: Iterator[Compared] | list[Compared]) -> list[str]:
    """Of every difference that nothing explains: which program, what differs, how to see it again, and the program."""
    return [
        f"{said}\nAgain: python -m tests.differential.compare {program.strategy} {program.index}\n"
        f"{program.standing_alone('stratagem')}"
        for program, said, row in compared
        if said and not row
    ]
