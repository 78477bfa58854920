"""Records canned Estimators of TensorFlow 2.15.1: run it with a Python that has TensorFlow.

python -m tests.tf1.canned.record_tensorflow [case...]       "warm_start" is a case, too
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

from tests.tf1.canned import warm_starts
from tests.tf1.canned.programs import CASES, outcome

WARM = "warm_start"
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


def warm_start(folder: Path) -> dict[str, np.ndarray]:
    """The checkpoints that the new model starts with, and before its first step, and its variables after the last."""
    first = warm_starts.first(tf, folder, str(folder / "first"))
    warm_starts.trained(tf, first)
    path = first.latest_checkpoint()
    found = warm_starts.trained(tf, warm_starts.second(tf, tf.compat.v1, folder, str(folder / "second"), path))
    begin = tf.train.load_checkpoint(str(folder / "second" / "model.ckpt-0"))
    files = {end: Path(f"{path}.{end}").read_bytes() for end in ("index", "data-00000-of-00001")}
    return {
        **{f"{WARM}/checkpoint/{end}": np.frombuffer(content, np.uint8) for end, content in files.items()},
        **{f"{WARM}/begin/{key}": begin.get_tensor(key) for key in begin.get_variable_to_shape_map()},
        **{f"{WARM}/variables/{key}": np.asarray(value) for key, value in found.items()},
    }


def main() -> None:
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    kept = np.load(RECORDED) if sys.argv[1:] else {}
    arrays = {key: kept[key] for key in kept if key.split("/")[0] not in sys.argv[1:]}
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or [*CASES, WARM]:
            if name == WARM:
                arrays |= warm_start(Path(folder))
                continue
            arrays |= recorded(name, Path(folder))
            print(name, arrays[f"{name}/others"], flush=True)
    np.savez_compressed(RECORDED, **arrays)


if __name__ == "__main__":
    main()
