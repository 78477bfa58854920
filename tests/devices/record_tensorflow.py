"""Records what TensorFlow 2.15.1 answers: `CUDA_VISIBLE_DEVICES= python -m tests.devices.record_tensorflow`.

Writes tensorflow_answers.json beside this file.
"""

import json
from pathlib import Path

import tensorflow as tf

from tests.devices.expressions import EXPRESSIONS, answer

if __name__ == "__main__":
    answers = [[each, answer(tf, each)] for each in EXPRESSIONS.strip().splitlines()]
    Path(__file__).with_name("tensorflow_answers.json").write_text(json.dumps(answers, indent=1) + "\n")
