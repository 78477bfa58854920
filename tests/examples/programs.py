"""The example programs that are compared with TensorFlow: how they are started, and what they write."""

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).parent / "recorded"
FOLDER = {"fashion_mnist_flags": "--model_dir"}  # the others: --output
OPTIONS = ("--limit=512",)  # images for training, and as many for the test: few steps, from equal weights, in one order
MORE = {"fashion_mnist_devices": ("--log-placement",), "click_model": ("--workers=1", "--shuffle=1")}
PROGRAMS = (
    "click_model",
    "fashion_mnist_devices",
    "fashion_mnist_flags",
    "fashion_mnist_jpegs",
    "fashion_mnist_monitored",
    "fashion_mnist_saving",
    "fashion_mnist_session",
    "fashion_mnist_tpu",
    "text_classification",
)


class Outcome(NamedTuple):
    """What a program has written: numbers by their names, weights in order, its files, and what it printed."""

    curve: dict[str, list[float]]
    weights: list[np.ndarray]
    files: list[str]
    output: str


def with_tensorflow(source: str) -> str:
    """The program for TensorFlow: nothing but the import is another."""
    changed, count = re.subn(r"^import stratagem(\S*) as tf$", r"import tensorflow\1 as tf", source, flags=re.MULTILINE)
    assert count == 1, "the program must import stratagem once"
    return changed


def arguments(name: str, folder: Path) -> list[str]:
    """What a program is started with, that it writes into `folder`."""
    return [FOLDER.get(name, "--output"), str(folder), *OPTIONS, *MORE.get(name, ())]


def left_in(folder: Path, output: str) -> Outcome:
    """What a program that has ended has left in `folder`."""
    with np.load(folder / "weights.npz") as arrays:
        weights = [arrays[key] for key in arrays.files]
    files = sorted(os.path.relpath(path, folder) for path in folder.rglob("*") if path.is_file())
    return Outcome(json.loads((folder / "curve.json").read_text()), weights, files, output)
