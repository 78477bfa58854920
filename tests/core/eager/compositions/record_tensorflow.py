"""Record what TensorFlow 2.15.1 gives for generated compositions.

Run by hand, in TensorFlow's own environment (the tests need neither it nor TensorFlow), from the root of the repository:

    python -m tests.core.eager.compositions.record_tensorflow

A program is kept if TensorFlow runs it in all its forms with finite, equal numbers, and if its numbers in float32 and in
float64 agree to within CONDITIONED: with more, the last digits say nothing about who is right.
"""

import itertools
import json
import logging
import pathlib
import subprocess
import sys
from typing import NoReturn

import tensorflow as tf

from tests.core.eager.compositions.generate import Program, generate
from tests.core.eager.compositions.running import difference, forms, leaves, plain, run, tolerance

RECORDED = pathlib.Path(__file__).parents[1] / "recorded/compositions.json"
KEPT = 300
CONDITIONED = 4e-7


def main() -> None:
    """Write the first KEPT programs that can be compared, or, with `from INDEX`, what one process answers."""
    if sys.argv[1:2] == ["from"]:
        return record_from(int(sys.argv[2]))
    rows: list[str] = []
    index = 0
    while len(rows) < KEPT:
        command = [sys.executable, "-m", "tests.core.eager.compositions.record_tensorflow", "from", str(index)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                index += 1
                rows += [line.rstrip()] if line.startswith("{") else []
                if len(rows) == KEPT:
                    process.kill()
                    break
            else:
                sys.stderr.write(f"{index}: TensorFlow ends the process\n")
                index += 1
    RECORDED.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    sys.stdout.write(f"{len(rows)} of {index} programs\n")
    return None


def record_from(index: int) -> NoReturn:
    """Write a line for every program from `index` on."""
    tf.get_logger().setLevel(logging.ERROR)
    tf.autograph.set_verbosity(0)
    for at in itertools.count(index):
        try:
            row = answers(generate(at))
        except Exception as error:  # the grammar knows only shapes: TensorFlow says which programs are wrong
            row = f"{type(error).__name__}: {str(error)[:300]}"
        if isinstance(row, str):
            sys.stderr.write(f"{at}: {row}\n")
        sys.stdout.write((json.dumps(row, separators=(",", ":")) if isinstance(row, dict) else "-") + "\n")
        sys.stdout.flush()
    raise AssertionError


def answers(program: Program) -> dict[str, object] | str:
    """What the program gives, which is the same in all its forms; or why it cannot be compared."""
    given = {form: plain(run(tf, program, form)) for form in forms(program)}
    numbers = [x for answer in given.values() for _, leaf in leaves(answer) if leaf for x in leaf[2]]
    if not numbers or any(isinstance(x, str) for x in numbers) or max(map(abs, numbers)) > 1e4:
        return "no number, or too large a one"
    low, high = (plain(run(tf, program, "eager", main=d, other=d)) for d in ("float32", "float64"))
    as_high = json.loads(json.dumps(low).replace("float32", "float64"))
    if said := difference(as_high, high, CONDITIONED):
        return f"conditions: {said}"
    for form, answer in given.items():
        if said := difference(answer, given["eager"], tolerance(program)):
            return f"forms: {form} {said}"
    return {"i": program.index, "text": program.digest, "given": given["eager"]}


if __name__ == "__main__":
    main()
