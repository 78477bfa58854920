"""Record whole models that Keras 2 saved, what they answer, and what they answer after a further step of training.

    /tmp/tensorflow/bin/python -m tests.training.record_keras_two

`tests/parity/record_tensorflow.py` says how that environment is made. It rewrites the files of
`tests/training/recorded/keras_two`. TensorFlow takes the further step with what it has read: `.keras` files keep no state of
legacy optimizers. With TensorFlow 2.13.1 it rewrites `earlier.zip` and `earlier.json`.
"""

import inspect
import json
import os
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from tests.training.keras_two_classes import ARGUMENTS, NOT_MADE, SCHEDULES
from tests.training.keras_two_models import CASES, RECORDED, ModelCase, inputs, results, step


def record(name: str, case: ModelCase, folder: Path) -> dict[str, Any]:
    """Saves the model of a case in both formats to a folder. Returns its answers."""
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(1)
    model, given = case.make(tf), inputs(case.shapes)
    model.compile(case.optimizer(tf), case.loss, metrics=["mae"])
    for _ in range(2):
        step(model, given)
    found: dict[str, Any] = {"answers": [each.tolist() for each in results(model, given)]}
    for ending in ("keras", "h5"):
        path = str(folder / f"{name.replace(' ', '_')}.{ending}")
        model.save(path)
        again = tf.keras.models.load_model(path)
        step(again, given)
        found[ending] = [each.tolist() for each in results(again, given)]
    return found


def class_configurations() -> dict[str, Any]:
    """The configurations of objects of all of Keras' classes, by namespace and class."""
    keras, found = tf.keras, {}
    for space in ("layers", "optimizers", "losses", "metrics", "regularizers", "constraints", "initializers"):
        for name, kind in inspect.getmembers(getattr(keras, space), inspect.isclass):
            if kind.__name__ == name and name not in NOT_MADE:
                made = kind(*ARGUMENTS.get(name, lambda _: ())(tf))
                found[f"{space}.{name}"] = keras.saving.serialize_keras_object(made)
    for name, arguments in SCHEDULES.items():
        made = getattr(keras.optimizers.schedules, name)(*arguments)
        found[f"optimizers.schedules.{name}"] = keras.saving.serialize_keras_object(made)
    return found


def record_all(names: Iterable[str], archive: Path) -> dict[str, Any]:
    """Puts the files of these models into an archive. Returns their answers."""
    with tempfile.TemporaryDirectory() as scratch:
        answers = {name: record(name, CASES[name], Path(scratch)) for name in names}
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
            for file in sorted(Path(scratch).iterdir()):
                made.write(file, file.name)
    return answers


if __name__ == "__main__":
    RECORDED.mkdir(parents=True, exist_ok=True)
    if tf.__version__.startswith("2.13"):
        (RECORDED / "earlier.json").write_text(json.dumps(record_all(["graph"], RECORDED / "earlier.zip")))
    else:
        (RECORDED / "answers.json").write_text(json.dumps(record_all(CASES, RECORDED / "files.zip")))
        (RECORDED / "classes.json").write_text(json.dumps(class_configurations(), indent=1, sort_keys=True))
