"""The examples of Estimators that are compared with TensorFlow: their options, and what they leave."""

from pathlib import Path
from typing import Any

import numpy as np
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.tf1.recorder import Arrays

# Few rows, in one order, and without dropout: what TensorFlow draws of the same seeds are other numbers.
CENSUS = ("--limit=2048", "--steps=400", "--shuffle=1", "--dropout=0")
CLOTHES = ("--limit=512", "--steps=5", "--shuffle=1")
# The same program goes on to this step. On the way to it a ReLU turns what is left of rounding into more, by Adam as well.
LATER = {"tpu_estimator": "--steps=60"}
OPTIONS = {"census": CENSUS, "tpu_estimator": CLOTHES}
MODELS = {"census": "model", "tpu_estimator": "."}  # the folder of checkpoints, below --output


def curve_in(output: Path, name: str) -> Arrays:
    """All evaluations, `curve/TAG`: rows of steps and values."""
    folder = output / MODELS[name]
    events = EventAccumulator(str(folder / "eval"))
    events.Reload()
    return {
        f"curve/{tag}": np.array([(event.step, event.value) for event in events.Scalars(tag)])
        for tag in events.Tags()["scalars"]
    }


def variables_in(output: Path, name: str, tf: Any) -> Arrays:
    """The variables in the end, `variables/NAME`; of large ones some numbers from all over: recordings are small."""
    folder = output / MODELS[name]
    path = tf.train.latest_checkpoint(str(folder))
    values = {key: np.asarray(tf.train.load_variable(path, key)) for key, _ in tf.train.list_variables(path)}
    return {f"variables/{key}": _some_of(value) for key, value in values.items()}


def _some_of(value: np.ndarray) -> np.ndarray:
    return value if value.size <= 2000 else value.ravel()[:: value.size // 1000 | 1]
