"""Record what TensorFlow 2.15.1 makes of the example programs, with nothing changed but their import.

    /tmp/tensorflow/bin/python -m tests.examples.record_tensorflow [program ...]        all without arguments

`tests/parity/record_tensorflow.py` says how that environment is made; absl comes with it.
Fashion-MNIST and the texts must be here (`make data`).
It rewrites the files of `tests/examples/recorded`: for each program its curve as JSON, and its final weights.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.examples.programs import PROGRAMS, RECORDED, ROOT, arguments, left_in, with_tensorflow


def main() -> None:
    """Record the programs that are named, or every one."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    data = Path(os.environ.get("STRATAGEM_DATA") or cache / "stratagem" / "datasets")
    RECORDED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        keras = Path(scratch) / ".keras" / "datasets"  # where TensorFlow's Keras looks before it downloads
        keras.mkdir(parents=True)
        (keras / "fashion-mnist").symlink_to(data / "fashion-mnist")
        env = {**os.environ, "HOME": scratch, "STRATAGEM_DATA": str(data), "TF_CPP_MIN_LOG_LEVEL": "2"}
        for name in sys.argv[1:] or PROGRAMS:
            program = Path(scratch) / f"{name}.py"
            program.write_text(with_tensorflow((ROOT / "examples" / f"{name}.py").read_text()))
            folder = Path(scratch) / name
            subprocess.run([sys.executable, str(program), *arguments(name, folder)], env=env, check=True)
            outcome = left_in(folder, output="")
            (RECORDED / f"{name}.json").write_text(json.dumps(outcome.curve, indent=1) + "\n")
            weights = {f"weight{index}": weight for index, weight in enumerate(outcome.weights)}
            np.savez_compressed(RECORDED / f"{name}.npz", **weights)
            print(name, outcome.curve, flush=True)


if __name__ == "__main__":
    main()
