"""How fast are TFRecord files read and parsed, against tf.data of TensorFlow? And do two pipelines read each record once?"""

import collections
import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack

import click
import numpy as np
from parts.child import HERE, child
from parts.paired import alternate, conditions, ratio
from parts.records_program import BATCH, FILES, PIPELINES, write

import stratagem as tf

PYTHON = click.Path(exists=True, dir_okay=False)


@click.command()
@click.option("--tensorflow-python", type=PYTHON, help="A Python that has TensorFlow 2.15.")
@click.option(
    "--megabytes", default=40, show_default=True, type=click.IntRange(1), help="How much is written and read."
)
@click.option(
    "--rounds", default=5, show_default=True, type=click.IntRange(2), help="How often the contenders alternate."
)
def main(tensorflow_python: str | None, megabytes: int, rounds: int) -> None:
    """Write files, read them with two processes, then print examples a second and the ratio of times; below 1 is ours."""
    if tensorflow_python is None:
        click.echo("records: tensorflow is not compared; name a Python that has it with --tensorflow-python")
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        count = write(tf, folder, megabytes)
        click.echo(
            f"records: {count} examples, {megabytes} MB in {FILES} files, written in {time.perf_counter() - start:.1f} s"
        )
        _read_by_two(folder, count)
        for pipeline in PIPELINES:
            _measure(folder, pipeline, count, rounds, tensorflow_python)


def _read_by_two(folder: str, count: int) -> None:
    """Two processes read the files of one worker each; together they must see every example once."""
    commands = [[sys.executable, "-m", "parts.records_half", folder, str(worker)] for worker in range(2)]
    with ExitStack() as processes:
        started = [
            processes.enter_context(subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE)) for command in commands
        ]
        halves = [json.load(process.stdout) for process in started]
    times = collections.Counter(number for half in halves for number in half)
    if times != collections.Counter(range(count)):
        raise SystemExit(f"records: {len(times)} of {count} examples were read, up to {max(times.values())} times")
    click.echo(f"records: two processes read {' and '.join(str(len(half)) for half in halves)}: every example once")


def _measure(folder: str, pipeline: str, count: int, rounds: int, tensorflow_python: str | None) -> None:
    with ExitStack() as children:
        start = children.enter_context
        timers = {"stratagem": start(child("parts.stratagem_records_child", folder, pipeline))}
        if tensorflow_python is not None:
            module = "parts.tensorflow_records_child"
            timers["tensorflow"] = start(child(module, folder, pipeline, python=tensorflow_python))
        click.echo(f"records: {pipeline}: {rounds} rounds of an epoch in batches of {BATCH}, {conditions()}")
        seconds = alternate(timers, rounds=rounds, steps=1, warm_up=1)
    speeds = ", ".join(f"{name} {count / np.median(values):,.0f} examples/s" for name, values in seconds.items())
    click.echo(f"records: {pipeline}: {speeds}")
    for name in list(timers)[1:]:
        click.echo(f"records: {pipeline}: stratagem / {name} = {ratio(seconds['stratagem'], seconds[name])}")


if __name__ == "__main__":
    main()
