"""SavedModels of two models: saved, loaded, called; the same code for Stratagem and for TensorFlow."""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
from parts.paired import Timer

TASKS = (
    *("saving, network", "saving, texts", "loading, network", "loading, texts"),
    *("a served call, network", "a served call, texts"),
    *("first load, network", "first load, texts", "first load and call, network", "first load and call, texts"),
)
CALLS = 50


def _network(tf: Any) -> tuple[Any, Any]:
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1), name="images"),
            layers.Conv2D(32, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),
        ]
    )
    return model, _images(tf)


def _images(tf: Any) -> Any:
    return tf.constant(np.random.default_rng(0).normal(size=(32, 28, 28, 1)).astype("float32"))


def _texts(tf: Any) -> tuple[Any, Any]:
    words = [f"w{number}" for number in range(10_000)]
    layer = tf.keras.layers.TextVectorization(output_sequence_length=40, vocabulary=words)
    inputs = tf.keras.Input((1,), dtype="string", name="text")
    vectors = tf.keras.layers.Embedding(len(words) + 2, 64)(layer(inputs))
    outputs = tf.keras.layers.Dense(2)(tf.keras.layers.GlobalAveragePooling1D()(vectors))
    return tf.keras.Model(inputs, outputs), _words(tf)


def _words(tf: Any) -> Any:
    draws = np.random.default_rng(0).integers(0, 12_000, (32, 40))
    return tf.constant([[" ".join(f"w{n}" for n in row)] for row in draws])


def first_load(tf: Any, task: str, folder: str) -> float:
    """How long the only load of this process takes, or that and a call, of what another process has saved."""
    what, _, name = task.partition(", ")
    load, _ = tf.saved_model.load, tf.constant  # what is imported for that, by its first use, is not a part of it
    start = time.perf_counter()
    serve = load(folder).signatures["serving_default"]
    if what == "first load and call":
        (key,) = serve.structured_input_signature[1]
        (found,) = serve(**{key: _images(tf) if name == "network" else _words(tf)}).values()
        np.asarray(found)
    return time.perf_counter() - start


def timer(tf: Any, task: str) -> Timer:
    """How long so many savings, loadings, first loads of new processes, or fifties of served calls of 32 rows take."""
    what, _, name = task.partition(", ")
    model, batch = (_network if name == "network" else _texts)(tf)
    folder = tempfile.mkdtemp()
    tf.saved_model.save(model, f"{folder}/model")
    serve = tf.saved_model.load(f"{folder}/model").signatures["serving_default"]
    (key,) = serve.structured_input_signature[1]

    def once(number: int) -> None:
        if what == "saving":
            tf.saved_model.save(model, f"{folder}/{number}")
            shutil.rmtree(f"{folder}/{number}")
        elif what == "loading":
            tf.saved_model.load(f"{folder}/model")
        else:
            for _ in range(CALLS):
                (found,) = serve(**{key: batch}).values()
            np.asarray(found)

    def in_new_processes(times: int) -> float:
        command = [sys.executable, "-m", "parts.first_load_child", tf.__name__, task, f"{folder}/model"]
        return sum(json.loads(subprocess.check_output(command, stderr=subprocess.DEVNULL)) for _ in range(times))

    def run(times: int) -> float:
        start = time.perf_counter()
        for number in range(times):
            once(number)
        return time.perf_counter() - start

    return in_new_processes if what.startswith("first load") else run
