"""Records what TensorFlow 2.15.1 makes of the examples of Estimators, with nothing changed but their import.

    python -m tests.examples.record_estimators [program ...]        with a Python that has TensorFlow

Fashion-MNIST must be here (`make data`).
"""

import os
import runpy
import sys
from pathlib import Path

import tensorflow as tf

from tests.examples.estimators import LATER, MODELS, OPTIONS, curve_in, variables_in
from tests.examples.programs import RECORDED, ROOT, with_tensorflow
from tests.tf1.recorder import Arrays, below, checkpoint, record


def recorded(name: str, folder: Path) -> Arrays:
    """The checkpoint before the first step, and what the program leaves."""
    keras = folder / ".keras" / "datasets"  # where TensorFlow's Keras looks before it downloads
    keras.mkdir(parents=True)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    data = Path(os.environ.get("STRATAGEM_DATA") or cache / "stratagem" / "datasets")
    (keras / "fashion-mnist").symlink_to(data / "fashion-mnist")
    os.environ["HOME"] = str(folder)
    program, output = folder / f"{name}.py", folder / "output"
    program.write_text(with_tensorflow((ROOT / "examples" / f"{name}.py").read_text()))
    sys.argv = [str(program), f"--output={output}", *OPTIONS[name]]
    runpy.run_path(str(program), run_name="__main__")
    found = variables_in(output, name, tf) | below("first", checkpoint(output / MODELS[name] / "model.ckpt-0"))
    if name in LATER:
        sys.argv.append(LATER[name])
        runpy.run_path(str(program), run_name="__main__")
    return found | curve_in(output, name)


if __name__ == "__main__":
    record(RECORDED / "estimators.npz", recorded, sys.argv[1:] or OPTIONS)
