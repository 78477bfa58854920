"""What does a step with parameter servers cost? Against TensorFlow's, in one process and in several, alternating."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
from parts.child import HERE, child
from parts.paired import Timer
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported
from parts.served_program import SERVERS, WORKERS

from stratagem.testing import free_ports

STEPS = {"mlp": 300, "embedding": 60}
TARGETS = {"mlp, threads": 0.2, "embedding, threads": 1.0, "mlp, processes": 0.5, "embedding, processes": 1.0}


@click.command()
@python_of(TENSORFLOW)
@options(11)
@click.option("--only", default="", help="Run the comparisons whose names contain this.")
def main(tensorflow_python: str | None, rounds: int, folder: Path, only: str) -> None:
    """Print the ratio of a step (wall time / steps of all workers) to TensorFlow's; below 1 ours is faster."""
    with reported("parameter_server", folder, {TENSORFLOW: tensorflow_python}) as report:
        for title, target in TARGETS.items():
            if only not in title:
                continue
            network, engine = title.split(", ")
            start = in_one_process if engine == "threads" else in_several
            with ExitStack() as stack:
                timers = {"Stratagem": stack.enter_context(start("stratagem", network, sys.executable))}
                if tensorflow_python:
                    timers["TensorFlow"] = stack.enter_context(start("tensorflow", network, tensorflow_python))
                report.compare(title, timers, rounds=rounds, steps=STEPS[network], targets={"TensorFlow": target})


@contextmanager
def in_one_process(library: str, network: str, python: str) -> Iterator[Timer]:
    """Workers and servers are parts of the coordinator's process."""
    ports = ",".join(map(str, free_ports(WORKERS + SERVERS)))
    with child("parts.served_child", library, network, ports, python=python) as timer:
        yield timer


@contextmanager
def in_several(library: str, network: str, python: str) -> Iterator[Timer]:
    """A process a task."""
    addresses = [f"127.0.0.1:{port}" for port in free_ports(1 + WORKERS + SERVERS)]
    cluster = {"chief": addresses[:1], "worker": addresses[1 : 1 + WORKERS], "ps": addresses[1 + WORKERS :]}

    def told(kind: str, index: int) -> dict[str, str]:
        return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})}

    tasks = [("ps", i) for i in range(SERVERS)] + [("worker", i) for i in range(WORKERS)]
    command = [python, "-m", "parts.served_child", library, network]
    processes = [subprocess.Popen(command, cwd=HERE, env=os.environ | told(*task)) for task in tasks]
    try:
        before = dict(os.environ)
        os.environ |= told("chief", 0)
        try:
            with child("parts.served_child", library, network, python=python) as timer:
                yield timer
        finally:
            os.environ.clear()
            os.environ |= before
    finally:
        for process in processes:
            try:
                process.wait(30 if library == "stratagem" else 0)
            except subprocess.TimeoutExpired:
                process.kill()  # TensorFlow's tasks never end by themselves
                process.wait()


if __name__ == "__main__":
    main()
