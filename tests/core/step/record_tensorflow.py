"""Writes what the programs of `readings` give with TensorFlow 2.15.1: `python -m tests.core.step.record_tensorflow`."""

import json
import pathlib
import sys

import tensorflow as tf

from tests.core.step import readings

HERE = pathlib.Path(__file__).parent


def main() -> None:
    """Write `recorded/readings.json`: for every program what it gives at every call, undecorated and under tf.function."""
    strategy = tf.distribute.MirroredStrategy(["cpu:0"])
    answers = {}
    for name, make in readings.PROGRAMS.items():
        answers[name] = {}
        for way in ("undecorated", "function"):
            step, change = make(tf)
            step = tf.function(step) if way == "function" else step
            given = []
            for value in readings.VALUES:
                change(value)
                given.append(float(tf.squeeze(strategy.run(step, args=(tf.constant(3.0),)))))
            answers[name][way] = given
    (HERE / "recorded/readings.json").write_text(json.dumps(answers, indent=1) + "\n")
    sys.stdout.write(f"{len(answers)} programs\n")


if __name__ == "__main__":
    main()
