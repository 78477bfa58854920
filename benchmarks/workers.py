"""How fast do two workers train together? Against TensorFlow and PyTorch, and against one worker, all alternating."""

import json
from contextlib import ExitStack

import click
from parts.child import children
from parts.paired import alternate, conditions, milliseconds, ratio

from stratagem.testing import free_ports

PYTHON = click.Path(exists=True, dir_okay=False)
ROWS = 32  # a worker


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
@click.option("--tensorflow-python", type=PYTHON, help="A Python that has TensorFlow 2.15.")
@click.option("--torch-python", type=PYTHON, help="A Python that has PyTorch 2.13.")
@click.option(
    "--rounds", default=15, show_default=True, type=click.IntRange(2), help="How often the contenders alternate."
)
@click.option(
    "--steps", default=30, show_default=True, type=click.IntRange(1), help="Steps of each contender in a round."
)
def main(tensorflow_python: str | None, torch_python: str | None, rounds: int, steps: int) -> None:
    """Print the ratio of a step of two workers, 32 rows each, to the others'; below 1 Stratagem is faster."""
    rows = str(ROWS)
    with ExitStack() as stack:
        start = stack.enter_context
        timers = {
            "stratagem": start(children("parts.stratagem_worker", rows, environments=of_tensorflow(2))),
            "one worker, all rows": start(children("parts.stratagem_worker", str(2 * ROWS), environments=[{}])),
            "one worker, its rows": start(children("parts.stratagem_worker", rows, environments=[{}])),
        }
        if tensorflow_python:
            environments = of_tensorflow(2)
            timers["tensorflow"] = start(
                children("parts.tensorflow_worker", rows, environments=environments, python=tensorflow_python)
            )
        if torch_python:
            environments = of_torch(2)
            timers["torch"] = start(
                children("parts.torch_worker", rows, environments=environments, python=torch_python)
            )
        click.echo(f"workers: {rounds} rounds of {steps} steps, {conditions()}")
        seconds = alternate(timers, rounds=rounds, steps=steps)
    click.echo(f"workers: {milliseconds(seconds)} a step")
    for name in list(timers)[1:]:
        click.echo(f"workers: two workers / {name} = {ratio(seconds['stratagem'], seconds[name])}")


if __name__ == "__main__":
    main()
