"""Records canned Estimators of TensorFlow 2.15.1: run it with a Python that has TensorFlow.

python -m tests.tf1.canned.record_tensorflow [case...]
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

from tests.tf1.canned.programs import CASES, outcome

RECORDED = Path(__file__).parent / "recorded" / "tensorflow.npz"


def recorded(name: str, folder: Path) -> dict[str, np.ndarray]:
    """The checkpoint before the first step, and the outcome."""
    model_dir = folder / name
    found = outcome(tf, tf.compat.v1, name, folder, str(model_dir))
    files = {end: (model_dir / f"model.ckpt-0.{end}").read_bytes() for end in ("index", "data-00000-of-00001")}
    others = {key: found[key] for key in ("evaluation", "predictions")}
    return {
        **{f"{name}/first/{end}": np.frombuffer(content, np.uint8) for end, content in files.items()},
        **{f"{name}/variables/{key}": np.asarray(value) for key, value in found["variables"].items()},
        f"{name}/others": np.array(json.dumps(others)),
    }


def main() -> None:
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    kept = np.load(RECORDED) if sys.argv[1:] else {}
    arrays = {key: kept[key] for key in kept if key.split("/")[0] not in sys.argv[1:]}
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or CASES:
            arrays |= recorded(name, Path(folder))
            print(name, arrays[f"{name}/others"], flush=True)
    np.savez_compressed(RECORDED, **arrays)


if __name__ == "__main__":
    main()
