"""Records what `tf.keras.backend` returns in TensorFlow 2.15.1: run it with a Python that has TensorFlow.

python tests/keras/record_backend.py
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import backend_programs
import tensorflow as tf


def rounded(value: Any) -> Any:
    """Floats with 6 digits."""
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def main() -> None:
    backend = backend_programs.TensorBackend(tf)
    found = {
        name: rounded(backend_programs.numbers(call(tf, backend))) for name, call in backend_programs.CALLS.items()
    }
    lines = [f'"{name}": {json.dumps(each, separators=(",", ":"))}' for name, each in found.items()]
    text = ",\n".join(lines)
    (Path(__file__).parent / "recorded" / "backend.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
