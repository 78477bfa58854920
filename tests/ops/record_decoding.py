"""Records TensorFlow 2.15.1's answers to `decoding_programs`. Run with an interpreter that has it:

PYTHONPATH=. python -m tests.ops.record_decoding
"""

import json
from pathlib import Path

import tensorflow as tf

from tests.ops.decoding_programs import PROGRAMS, plain

ANSWERS = Path(__file__).with_name("tensorflow_decodings.json")


def main() -> None:
    """Writes the answers, one program a line."""
    answers = {name: plain(program, tf) for name, program in PROGRAMS.items()}
    lines = (f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers.items())
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
