#!/usr/bin/env python3
"""Run the documents' training programs whole, with only their import line changed, and check the figures they print.

The documents, and `seed_programs.py` that cuts the programs out of them, are not part of this repository: name their
folder with --documents or $STRATAGEM_SEEDS. The expected figures are in tests/parity/recorded/documents.json.
"""

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parents[1] / "tests" / "parity" / "recorded" / "documents.json"
PROGRAMS = ("custom_training", "custom_training_25")
EPOCHS = 10
LONGEST = 3600.0  # seconds that one program may take

NUMBER = r"([-+.\de]+|nan|inf)"
TESTED = f"(?:, Test Loss: {NUMBER}, Test Accuracy: {NUMBER})?"
EPOCH = re.compile(rf"Epoch (\d+), Loss: {NUMBER}, Accuracy: {NUMBER}{TESTED}$")
DEVICES = re.compile(r"Number of devices: (\d+)$")
RESTORED = re.compile(rf"Accuracy after restoring the saved model without strategy: {NUMBER}$")


@dataclass(frozen=True)
class Figures:
    """What one program printed: losses and test accuracies of its first loop, losses of its two other loops."""

    devices: int
    losses: list[float]
    test_accuracies: list[float]
    restored: float
    by_iterator: list[float]
    in_function: list[float]


def figures_of(output: str, epochs: int) -> Figures:
    """Read the figures from a program's output."""
    lines = output.splitlines()
    found = [match for line in lines if (match := EPOCH.match(line))]
    first = [match for match in found if match[5]]
    others = [float(match[2]) for match in found if not match[5]]
    if len(first) != epochs or len(others) != 2 * epochs:
        raise ValueError(f"{len(first)} and {len(others)} lines of epochs, not {epochs} and {2 * epochs}")
    return Figures(
        devices=next(int(match[1]) for line in lines if (match := DEVICES.match(line))),
        losses=[float(match[2]) for match in first],
        test_accuracies=[float(match[5]) for match in first],
        restored=next(float(match[1]) for line in lines if (match := RESTORED.match(line))),
        by_iterator=others[:epochs],
        in_function=others[epochs:],
    )


def complaints(figures: Figures, replicas: int, recorded: dict[str, Any]) -> list[str]:
    """Every figure that is not as it has to be, in words."""
    wrong: list[str] = []

    def expect(what: str, value: float, wanted: float, tolerance: float) -> None:
        if not abs(value - wanted) <= tolerance:
            wrong.append(f"{what} is {value:.4f}, expected {wanted:.4f} ± {tolerance}")

    expect("the number of devices", figures.devices, replicas, 0)
    if replicas == 1:
        one = recorded["one_device"]
        for epoch, wanted, tolerance in one["losses"]:
            if epoch <= len(figures.losses):
                expect(f"the loss of epoch {epoch}", figures.losses[epoch - 1], wanted, tolerance)
        best = max(figures.test_accuracies)
        if len(figures.losses) == EPOCHS and not best >= one["test_accuracy"]:
            wrong.append(f"the best test accuracy is {best:.2f} %, expected at least {one['test_accuracy']} %")
    else:
        two = recorded["two_devices"]
        for epoch, (loss, wanted) in enumerate(zip(figures.losses, two["losses"], strict=False), start=1):
            expect(f"the loss of epoch {epoch}", loss, wanted, two["tolerance"])
    # The programs save after their first, third, ... ninth epoch.
    saved = (len(figures.losses) - 1) // 2 * 2
    expect("the restored accuracy", figures.restored, figures.test_accuracies[saved], 1e-3)
    worst = max(figures.by_iterator + figures.in_function)
    if not worst < figures.losses[0]:
        wrong.append(f"the later loops go on training, but reach a loss of {worst:.4f}")
    return wrong


def run(program: Path, replicas: int) -> str:
    """Run a program on `replicas` virtual CPU devices, show what it prints, and return that."""
    environment = os.environ | {"JAX_NUM_CPU_DEVICES": str(replicas), "PYTHONUNBUFFERED": "1"}
    lines = []
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, program],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        watchdog = threading.Timer(LONGEST, process.kill)
        watchdog.daemon = True  # an interrupt does not wait for it
        watchdog.start()
        assert process.stdout is not None
        for line in process.stdout:
            print(f"  {line}", end="", flush=True)
            lines.append(line)
        watchdog.cancel()
    if process.returncode:
        raise RuntimeError(f"{program.name} ended with exit code {process.returncode}")
    return "".join(lines)


def cut(documents: Path, target: Path, epochs: int) -> None:
    """Let the documents' own program cut the training programs out of them."""
    cutter = documents / "seed_programs.py"
    if not cutter.exists():
        sys.exit(
            f"seeds: {cutter} does not exist. The documents are not part of this repository: "
            "name their folder with STRATAGEM_SEEDS or --documents."
        )
    subprocess.run([sys.executable, cutter, target, "--epochs", str(epochs)], check=True, timeout=60)


def verdict(program: Path, replicas: int, epochs: int, recorded: dict[str, Any]) -> list[str]:
    """What is wrong with a program's run; nothing when all is as it has to be."""
    try:
        return complaints(figures_of(run(program, replicas), epochs), replicas, recorded)
    except (RuntimeError, ValueError) as error:
        return [str(error)]


def main() -> int:
    """Run every program with every number of replicas; 0 when all figures are right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=Path, default=os.environ.get("STRATAGEM_SEEDS", "../shared"))
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="fewer, for a short run")
    parser.add_argument("--program", choices=PROGRAMS, action="append", help="only this one")
    parser.add_argument("--replicas", type=int, choices=(1, 2), action="append", help="only this number")
    options = parser.parse_args()
    recorded = json.loads(RECORDED.read_text())
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        cut(options.documents, Path(folder), options.epochs)
        for name, replicas in itertools.product(options.program or PROGRAMS, options.replicas or (1, 2)):
            title = f"seeds: {name}, replicas {replicas}, epochs {options.epochs}"
            print(title, flush=True)
            start = time.monotonic()
            wrong = verdict(Path(folder) / f"{name}.py", replicas, options.epochs, recorded)
            print(f"{title}: {'; '.join(wrong) or 'as recorded'} ({time.monotonic() - start:.0f} s)", flush=True)
            failed |= bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
