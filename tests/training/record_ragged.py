"""Records what TensorFlow 2.15.1 makes of models of ragged tensors: `python -m tests.training.record_ragged`, where it is."""

import contextlib
import json
from pathlib import Path

import tensorflow as tf

from tests.training.ragged_programs import MODELS, trained


def main() -> None:
    """Writes recorded/ragged.json."""
    found = {name: trained(tf, name, contextlib.nullcontext()) for name in MODELS}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(values)}" for name, values in found.items())
    Path(__file__).with_name("recorded").joinpath("ragged.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
