"""Record what TensorFlow 2.15.1 shows for programs in every form.

Run by hand, in TensorFlow's own environment (the tests need neither it nor TensorFlow), from the root of the repository:

    python -m tests.differential.forms.record_tensorflow NUMBER

A program is kept if TensorFlow runs it in all its forms with finite numbers, and if its numbers in float32 and in float64
agree to within CONDITIONED: with more, the last digits say nothing about who is right. What TensorFlow itself shows
otherwise in a form is recorded for that form. What is recorded already stays; the recording has NUMBER 450. Forms with
replicas have processes of their own: collectives of two strategies in a process get in each other's way.
"""

import collections
import gzip
import json
import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import tensorflow as tf

from tests.core.eager.compositions.running import difference, leaves
from tests.differential.forms.generate import Program, generate
from tests.differential.forms.recordings import RECORDED, recorded, tolerance
from tests.differential.forms.running import run

CONDITIONED = 4e-7
_SHARE = 50  # programs of a process: TensorFlow keeps what it has traced
_PROCESSES = (("eager", "function", "host"), ("replica_1",), ("replica_2",))


def main() -> None:
    """Record programs up to NUMBER, or, with `one`, what one process answers."""
    if sys.argv[1] == "one":
        return answer(sys.argv[2].split(","), *map(int, sys.argv[3:]))
    known = recorded() if RECORDED.exists() else {}
    rows = {index: row for index, row in known.items() if row["text"] == generate(index).digest}
    for start in range(max(rows, default=-1) + 1, int(sys.argv[1]), _SHARE):
        end = min(start + _SHARE, int(sys.argv[1]))
        with ThreadPoolExecutor() as threads:
            given = list(threads.map(partial(_process, start, end), _PROCESSES))
        reasons: collections.Counter[str] = collections.Counter()
        for index in given[0]:
            answers = {form: found for each in given for form, found in each.get(index, {"?": "ended"}).items()}
            row = joined(generate(index), answers)
            if isinstance(row, str):
                reasons[row.partition(":")[0]] += 1
                sys.stderr.write(f"{index}: {row[:200]}\n")
            else:
                rows[index] = row
        write(list(rows.values()))
        sys.stdout.write(f"{start + len(given[0])}: {len(rows)} kept; {dict(reasons)}\n")
        sys.stdout.flush()
    return None


def write(rows: list[Any]) -> None:
    """Write the file."""
    with gzip.GzipFile(RECORDED, "wb", mtime=0) as file:
        for row in sorted(rows, key=lambda row: row["i"]):
            file.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")


def _process(start: int, end: int, forms: tuple[str, ...]) -> dict[int, dict[str, Any]]:
    """What a process answers in these forms to each program; a program that ends it has no answer."""
    found: dict[int, dict[str, Any]] = {}
    at = start
    while at < end:
        command = [sys.executable, "-m", "tests.differential.forms.record_tensorflow", "one", ",".join(forms)]
        ended = subprocess.run([*command, str(at), str(end)], stdout=subprocess.PIPE, text=True, check=False)
        lines = [line for line in ended.stdout.splitlines() if line.startswith("{")]
        found |= {at + place: json.loads(line) for place, line in enumerate(lines)}
        at += len(lines)
        if at < end:
            found[at] = {"?": "TensorFlow ends the process"}
            at += 1
    return found


def answer(forms: list[str], start: int, end: int) -> None:
    """Print a line of answers for every program; an answer that is a text says what went wrong."""
    tf.get_logger().setLevel(logging.ERROR)
    tf.autograph.set_verbosity(0)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    for index in range(start, end):
        program = generate(index)
        given = {form: _shown(program, form) for form in forms if form in program.forms}
        if "eager" in given:
            given |= {d: _shown(program, "eager", main=d, other=d) for d in ("float32", "float64")}
        sys.stdout.write(json.dumps(given, separators=(",", ":")) + "\n")
        sys.stdout.flush()


def _shown(program: Program, form: str, **dtypes: str) -> Any:
    try:
        return run(tf, program, form, **dtypes)
    except Exception as error:  # the grammar knows only shapes: TensorFlow says which programs are wrong
        return f"{form} {type(error).__name__}: {str(error)[:300]}"


def joined(program: Program, answers: dict[str, Any]) -> dict[str, Any] | str:
    """The row of a program whose forms agree; or why it cannot be compared."""
    wrong = next((answer for answer in answers.values() if isinstance(answer, str)), None)
    if wrong is not None:
        return wrong
    if program.rounded:
        return "rounded: an optimizer's numbers"
    numbers = [x for form in program.forms for _, leaf in leaves(answers[form]) if leaf for x in leaf[2]]
    if any(isinstance(x, str) for x in numbers) or max(map(abs, numbers)) > 1e4:
        return "too large a number: it is"
    low, high = (json.loads(json.dumps(answers[d]).replace("float32", "float64")) for d in ("float32", "float64"))
    if said := difference(low, high, CONDITIONED):
        return f"conditions: {said}"
    row = {"i": program.index, "text": program.digest, "shown": answers["eager"]}
    within = tolerance(program)
    others = {form: answers[form] for form in program.forms if difference(answers[form], answers["eager"], within)}
    return row | ({"others": others} if others else {})


if __name__ == "__main__":
    main()
