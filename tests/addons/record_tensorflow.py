"""Record what programs return with TensorFlow Addons 0.23.0 on TensorFlow 2.15.1: run it with a Python that has both.

python -m tests.addons.record_tensorflow
"""

import json
from pathlib import Path
from typing import Any

from tests.addons.programs import PROGRAMS

RECORD = Path(__file__).parent / "recorded" / "addons.json"


def rounded(value: Any) -> Any:
    """Floats with 7 digits, which is what float32 holds."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value


def main() -> None:
    import tensorflow as tf
    import tensorflow_addons as tfa

    found = rounded({name: program(tf, tfa) for name, program in PROGRAMS.items()})
    lines = [f'"{name}": {json.dumps(each, separators=(",", ":"))}' for name, each in found.items()]
    RECORD.write_text("{\n" + ",\n".join(lines).replace("]],", "]],\n") + "\n}\n")


if __name__ == "__main__":
    main()
