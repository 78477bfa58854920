"""How fast do two workers train together? Against TensorFlow and PyTorch, and against one worker, all alternating."""

import json
from contextlib import ExitStack
from pathlib import Path

import click
from parts import machine
from parts.child import children
from parts.peers import TENSORFLOW, TORCH, python_of
from parts.report import options, reported

from stratagem.testing import free_ports

ROWS = 32  # a worker
TARGETS = {"TensorFlow": machine.limit(avx2=0.6, avx512=0.85), "PyTorch": machine.limit(avx2=0.6, avx512=0.7)}


def of_tensorflow(workers: int) -> list[dict[str, str]]:
    """The environments of workers that read TF_CONFIG."""
    cluster = {"worker": [f"127.0.0.1:{port}" for port in free_ports(workers)]}
    tasks = [{"type": "worker", "index": index} for index in range(workers)]
    return [{"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})} for task in tasks]


def of_torch(workers: int) -> list[dict[str, str]]:
    """The environments of PyTorch's workers, with as many threads as there are cores for each."""
    (port,) = free_ports(1)
    job = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(workers), "OMP_NUM_THREADS": "1"}
    return [{**job, "RANK": str(rank)} for rank in range(workers)]


@click.command()
@python_of(TENSORFLOW)
@python_of(TORCH)
@options(15)
@click.option(
    "--steps", default=30, show_default=True, type=click.IntRange(1), help="Steps of each contender in a round."
)
def main(tensorflow_python: str | None, torch_python: str | None, rounds: int, folder: Path, steps: int) -> None:
    """Print the ratio of a step of two workers, 32 rows each, to the others'; below 1 Stratagem is faster."""
    rows, peers = str(ROWS), {TENSORFLOW: tensorflow_python, TORCH: torch_python}
    with ExitStack() as stack:
        start = stack.enter_context
        report = start(reported("workers", folder, peers))
        timers = {
            "two workers": start(children("parts.stratagem_worker", rows, environments=of_tensorflow(2))),
            "two workers, gradients in bfloat16": start(
                children("parts.stratagem_worker", rows, "bfloat16", environments=of_tensorflow(2))
            ),
            "one worker, all rows": start(children("parts.stratagem_worker", str(2 * ROWS), environments=[{}])),
            "one worker, its rows": start(children("parts.stratagem_worker", rows, environments=[{}])),
        }
        if tensorflow_python:
            environments = of_tensorflow(2)
            timers["TensorFlow"] = start(
                children("parts.tensorflow_worker", rows, environments=environments, python=tensorflow_python)
            )
        if torch_python:
            environments = of_torch(2)
            timers["PyTorch"] = start(
                children("parts.torch_worker", rows, environments=environments, python=torch_python)
            )
        report.compare("CNN", timers, rounds=rounds, steps=steps, targets=TARGETS)


if __name__ == "__main__":
    main()
