"""How fast is the step? Against TensorFlow, PyTorch, and JAX with Keras as they are, all alternating on one machine."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts import machine
from parts.child import child
from parts.peers import TENSORFLOW, TORCH, python_of
from parts.report import options, reported

TARGETS = {"TensorFlow": machine.limit(avx2=0.5, avx512=0.85), "PyTorch": 0.45}


@click.command()
@python_of(TENSORFLOW)
@python_of(TORCH)
@options(15)
@click.option(
    "--steps", default=30, show_default=True, type=click.IntRange(1), help="Steps of each contender in a round."
)
def main(tensorflow_python: str | None, torch_python: str | None, rounds: int, folder: Path, steps: int) -> None:
    """Print the ratio of Stratagem's step to each of the others'; below 1 Stratagem is faster."""
    peers = {TENSORFLOW: tensorflow_python, TORCH: torch_python}
    with ExitStack() as stack:
        start = stack.enter_context
        report = start(reported("against", folder, peers))
        timers = {"Stratagem": start(child("parts.stratagem_child", "1")), "plain JAX": start(child("parts.jax_child"))}
        if tensorflow_python:
            timers["TensorFlow"] = start(child("parts.tensorflow_child", "1", python=tensorflow_python))
        if torch_python:
            timers["PyTorch"] = start(child("parts.torch_child", python=torch_python))
        report.compare("CNN", timers, rounds=rounds, steps=steps, targets=TARGETS)


if __name__ == "__main__":
    main()
