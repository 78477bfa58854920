"""Records canned Estimators of TensorFlow 2.15.1: run it with a Python that has TensorFlow.

python -m tests.tf1.canned.record_tensorflow [case...]       "warm_start" and "strategies" are cases, too
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

from tests.tf1.canned import strategies, warm_starts
from tests.tf1.canned.options import BY_NAME, OPTIONS
from tests.tf1.canned.programs import CASES, outcome

WARM, STRATEGIES = "warm_start", "strategies"
RECORDED = Path(__file__).parent / "recorded" / "tensorflow.npz"


def recorded(name: str, folder: Path) -> dict[str, np.ndarray]:
    """The checkpoint before the first step, and the outcome."""
    model_dir = folder / name
    found = outcome(tf, (CASES | OPTIONS | BY_NAME)[name](tf, tf.compat.v1, folder), str(model_dir))
    others = {key: found[key] for key in ("evaluation", "predictions")}
    return {
        **first_checkpoint(name, model_dir),
        **{f"{name}/variables/{key}": np.asarray(value) for key, value in found["variables"].items()},
        f"{name}/others": np.array(json.dumps(others)),
    }


def first_checkpoint(name: str, model_dir: Path) -> dict[str, np.ndarray]:
    """The files before the first step."""
    files = {end: (model_dir / f"model.ckpt-0.{end}").read_bytes() for end in ("index", "data-00000-of-00001")}
    return {f"{name}/first/{end}": np.frombuffer(content, np.uint8) for end, content in files.items()}


def under_strategies(folder: Path) -> dict[str, np.ndarray]:
    """The variables after the steps, of one device and of two replicas under TensorFlow's MirroredStrategy."""
    found = {}
    for api, kind in ((tf.estimator, "two"), (tf.compat.v1.estimator, "graph")):
        for replicas in (1, 2):
            name = f"{STRATEGIES}/{kind}"
            mirrored = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]) if replicas == 2 else None
            model_dir = folder / f"{kind}{replicas}"
            if replicas == 2:  # from the same first weights
                model_dir.mkdir()
                for end in ("index", "data-00000-of-00001"):
                    (model_dir / f"model.ckpt-0.{end}").write_bytes(found[f"{name}/first/{end}"].tobytes())
                (model_dir / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-0"\n')
            variables = strategies.trained(tf, api, str(model_dir), mirrored, replicas)
            if replicas == 1:
                found |= first_checkpoint(name, model_dir)
            found |= {f"{name}/{replicas}/{key}": np.asarray(value) for key, value in variables.items()}
    return found


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
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], two)
    kept = np.load(RECORDED) if sys.argv[1:] else {}
    arrays = {key: kept[key] for key in kept if key.split("/")[0] not in sys.argv[1:]}
    with tempfile.TemporaryDirectory() as folder:
        special = {WARM: warm_start, STRATEGIES: under_strategies}
        for name in sys.argv[1:] or [*CASES, *OPTIONS, *BY_NAME, *special]:
            found = special[name](Path(folder)) if name in special else recorded(name, Path(folder))
            arrays |= found
            print(name, found.get(f"{name}/others", ""), flush=True)
    np.savez_compressed(RECORDED, **arrays)


if __name__ == "__main__":
    main()
