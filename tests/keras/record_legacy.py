"""Records trainings with legacy optimizers of TensorFlow 2.15.1: run it with a Python that has TensorFlow.

python tests/keras/record_legacy.py
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import legacy_optimizers
import tensorflow as tf


def main() -> None:
    recorded = {
        name: {dtype: legacy_optimizers.train(tf, name, dtype) for dtype in ("float32", "float64")}
        for name in legacy_optimizers.SETTINGS
    }
    text = json.dumps(recorded, separators=(",", ":"), sort_keys=True).replace('"float64"', '\n"float64"')
    (Path(__file__).parent / "recorded" / "legacy_optimizers.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
