"""Records what TensorFlow 2.15.1 makes of models of ragged tensors: `python -m tests.training.record_ragged`, where it is."""

import contextlib
import json
from pathlib import Path

import tensorflow as tf

from tests.training.ragged_programs import BEHIND_MASKS, MODELS, behind_masks, masks_computed, trained


def main() -> None:
    """Writes recorded/ragged.json, ragged_masks.json and ragged_masks_computed.json."""
    recorded = Path(__file__).with_name("recorded")
    masked = {name: behind_masks(tf, name) for name in BEHIND_MASKS}
    recorded.joinpath("ragged_masks.json").write_text(json.dumps(masked, indent=None) + "\n")
    recorded.joinpath("ragged_masks_computed.json").write_text(json.dumps(masks_computed(tf)) + "\n")
    found = {name: trained(tf, name, contextlib.nullcontext()) for name in MODELS}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(values)}" for name, values in found.items())
    recorded.joinpath("ragged.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
