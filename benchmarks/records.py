"""How fast are TFRecord files read and parsed, against tf.data of TensorFlow? And do two pipelines read each record once?"""

import collections
import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from parts.child import HERE, child
from parts.peers import TENSORFLOW, python_of
from parts.records_program import BATCH, FILES, PIPELINES, write
from parts.report import options, reported

import stratagem as tf


@click.command()
@python_of(TENSORFLOW)
@options(5)
@click.option(
    "--megabytes", default=40, show_default=True, type=click.IntRange(1), help="How much is written and read."
)
def main(tensorflow_python: str | None, rounds: int, folder: Path, megabytes: int) -> None:
    """Write files, read them with two processes, then print the ratio of epochs' times; below 1 is ours."""
    with reported("records", folder, {TENSORFLOW: tensorflow_python}) as report, TemporaryDirectory() as files:
        count = write(tf, files, megabytes)
        report.say(f"{count} examples, {megabytes} MB in {FILES} files, batches of {BATCH}")
        halves = _read_by_two(files, count)
        report.say(f"two processes read {' and '.join(map(str, halves))}: every example once")
        for pipeline in PIPELINES:
            with ExitStack() as children:
                start = children.enter_context
                timers = {"Stratagem": start(child("parts.stratagem_records_child", files, pipeline))}
                if tensorflow_python:
                    theirs = child("parts.tensorflow_records_child", files, pipeline, python=tensorflow_python)
                    timers["TensorFlow"] = start(theirs)
                report.compare(pipeline, timers, rounds=rounds, steps=1, warm_up=1)


def _read_by_two(folder: str, count: int) -> list[int]:
    """Two processes read the files of one worker each, together every example once. Returns how many each read."""
    commands = [[sys.executable, "-m", "parts.records_half", folder, str(worker)] for worker in range(2)]
    with ExitStack() as processes:
        started = [
            processes.enter_context(subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE)) for command in commands
        ]
        halves = [json.load(process.stdout) for process in started]
    times = collections.Counter(number for half in halves for number in half)
    if times != collections.Counter(range(count)):
        raise SystemExit(f"records: {len(times)} of {count} examples were read, up to {max(times.values())} times")
    return [len(half) for half in halves]


if __name__ == "__main__":
    main()
