#!/usr/bin/env python3
"""Exchange checkpoints with a real TensorFlow 2.15.1, both ways, and compare what both do with them.

`python scripts/tensorflow_checkpoints.py --tensorflow PYTHON`, whose interpreter has TensorFlow; by hand, several minutes.

training: the network of the first document, trained by one side for an epoch of Fashion-MNIST with Adam, restored with
`assert_consumed` by the other: both then take the same five steps, whose losses are compared, and TensorFlow takes them once
more in float64, which says how much of a difference is rounding. estimator: an Estimator's model_dir, which the other
goes on with. architectures: networks of `keras.applications` with random weights, saved by `save_weights`, whose outputs are
compared.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from tests.checkpoints.tensorflow_programs import input_fn, model_fn  # noqa: E402

ARCHITECTURES = {
    "VGG16": 32, "VGG19": 32, "ResNet50": 32, "ResNet101": 32, "ResNet152": 32, "ResNet50V2": 32, "ResNet101V2": 32,
    "Xception": 71, "InceptionV3": 75, "InceptionResNetV2": 75, "MobileNet": 32, "MobileNetV2": 32, "MobileNetV3Small": 32,
    "MobileNetV3Large": 32, "DenseNet121": 32, "DenseNet169": 32, "NASNetMobile": 32, "EfficientNetB0": 32,
    "EfficientNetV2B0": 32, "ConvNeXtTiny": 32,
}  # fmt: skip
STEPS = 5
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
# Where scripts/fetch_data.py puts it.
DATA = Path(os.environ.get("STRATAGEM_DATA") or f"{CACHE}/stratagem/datasets", "fashion-mnist")


def data(part: str = "train") -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of Fashion-MNIST; part: "train" or "t10k"."""
    with gzip.open(DATA / f"{part}-images-idx3-ubyte.gz") as file:
        images = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 28, 28, 1) / np.float32(255)
    with gzip.open(DATA / f"{part}-labels-idx1-ubyte.gz") as file:
        return images, np.frombuffer(file.read(), np.uint8, offset=8).astype("int64")


def network(tf: Any) -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Conv2D(32, 3, activation="relu", input_shape=(28, 28, 1)),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model


def go_on(model: Any) -> dict[str, Any]:
    """The accuracy of the test images, then the losses of the next steps."""
    found: dict[str, Any] = {
        "accuracy": float(model.evaluate(*data("t10k"), batch_size=256, verbose=0)[1]),
        "losses": [],
    }
    images, labels = data()
    for step in range(STEPS):
        model.reset_metrics()
        rows = slice(64 * step, 64 * step + 64)
        found["losses"].append(float(model.train_on_batch(images[rows], labels[rows])[0]))
    return found


def training_write(tf: Any, options: dict[str, Any]) -> Any:
    model = network(tf)
    model.fit(*data(), batch_size=64, epochs=1, verbose=0, shuffle=False)
    tf.train.Checkpoint(model=model, optimizer=model.optimizer).save("training", **options)
    model.save_weights("weights")
    return go_on(model)


def training_read(tf: Any) -> Any:
    model = network(tf)
    status = tf.train.Checkpoint(model=model, optimizer=model.optimizer).restore(tf.train.latest_checkpoint("."))
    if tf.train.latest_checkpoint(".").endswith("weights"):  # `save_weights` was the last to write
        status = tf.train.Checkpoint(model=model, optimizer=model.optimizer).restore("training-1")
    found = go_on(model)
    status.assert_consumed()
    again = network(tf)
    again.load_weights("weights").assert_existing_objects_matched()
    return found


def training_exact(tf: Any) -> Any:
    """The losses of the next steps in float64, from the same checkpoint."""
    model = network(tf)
    tf.train.Checkpoint(model=model, optimizer=model.optimizer).restore("training-1").expect_partial()
    model.optimizer.build(model.trainable_variables)
    values = [[v.numpy() for v in variables] for variables in (model.variables, model.optimizer.variables)]
    tf.keras.backend.set_floatx("float64")
    exact = network(tf)
    exact.optimizer.build(exact.trainable_variables)
    for variables, found in zip((exact.variables, exact.optimizer.variables), values, strict=True):
        for variable, value in zip(variables, found, strict=True):
            variable.assign(value.astype(variable.dtype.as_numpy_dtype))
    return go_on(exact)


def estimator(tf: Any, steps: int, options: dict[str, Any]) -> Any:
    config = tf.estimator.RunConfig(**({"checkpoint_options": options["options"]} if options else {}))
    trained, rows = tf.estimator.Estimator(model_fn(tf), "estimator", config), input_fn(tf)
    found = []
    for _ in range(steps):
        trained.train(rows, steps=1)
        found.append(float(trained.evaluate(rows, steps=1)["loss"]))
    return found


def built(tf: Any, name: str) -> Any:
    size = ARCHITECTURES[name]
    return getattr(tf.keras.applications, name)(
        include_top=False, weights=None, input_shape=(size, size, 3), pooling="avg"
    )


def output(model: Any, name: str) -> Any:
    size = ARCHITECTURES[name]
    images = np.random.default_rng(1).random((2, size, size, 3), "float32")
    return np.asarray(model(images, training=False))


def architecture_write(tf: Any, name: str) -> None:
    model, random = built(tf, name), np.random.default_rng(2)
    # Weights that are all different: what is exchanged changes the output. Variances stay positive.
    model.set_weights([np.abs(w + 0.1 * random.random(w.shape)) if w.ndim < 2 else w for w in model.get_weights()])
    model.save_weights(f"{name}/weights")
    np.save(f"{name}.npy", output(model, name))


def architecture_read(tf: Any, name: str) -> float:
    """The largest difference of outputs, relative to the largest output."""
    model = built(tf, name)
    model.load_weights(f"{name}/weights").assert_consumed()
    expected = np.load(f"{name}.npy")
    return float(np.max(np.abs(output(model, name) - expected)) / np.max(np.abs(expected)))


def act(side: str, what: str) -> Any:
    """One side's part, in the working directory."""
    if side == "tensorflow":
        import tensorflow as tf

        options: dict[str, Any] = {}
    else:
        import stratagem as tf

        options = {"options": tf.train.CheckpointOptions(format="tensorflow")}
    kind, _, name = what.partition(":")
    match kind:
        case "training_write":
            return training_write(tf, options)
        case "training_read":
            return training_read(tf)
        case "training_exact":
            return training_exact(tf)
        case "estimator":
            return estimator(tf, int(name), options)
        case "architectures_write":
            for each in name.split(","):
                architecture_write(tf, each)
            return None
        case "architectures_read":
            return {each: architecture_read(tf, each) for each in name.split(",")}
    raise ValueError(what)


def run(python: str, side: str, what: str, folder: str) -> Any:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    command = [python, str(Path(__file__).resolve()), "--act", side, what]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{side}, {what} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(name: str, expected: list[float], found: list[float], limit: float) -> bool:
    worst = max(abs(a - b) / max(abs(a), 1e-9) for a, b in zip(expected, found, strict=True))
    print(f"{'ok  ' if worst <= limit else 'FAIL'} {name}: relative difference {worst:.1e}", flush=True)
    return worst <= limit


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow", help="a Python with TensorFlow 2.15.1")
    parser.add_argument("--only", default="training,estimator,architectures")
    parser.add_argument(
        "--architectures", default=",".join(ARCHITECTURES), help="those to exchange, with commas between them"
    )
    parser.add_argument("--act", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.act:
        print(json.dumps(act(*given.act)))
        return 0
    pythons = {"tensorflow": given.tensorflow, "stratagem": sys.executable}
    right = []
    for writer, reader in (("tensorflow", "stratagem"), ("stratagem", "tensorflow")):
        with tempfile.TemporaryDirectory() as folder:
            if "training" in given.only:
                expected = run(pythons[writer], writer, "training_write", folder)
                found = run(pythons[reader], reader, "training_read", folder)
                right.append(expected["accuracy"] == found["accuracy"])
                print(f"{writer} to {reader}: accuracy {expected['accuracy']} and {found['accuracy']}")
                right.append(compare(f"training, {writer} to {reader}", expected["losses"], found["losses"], 1e-5))
                exact = run(pythons["tensorflow"], "tensorflow", "training_exact", folder)["losses"]
                for side, losses in ((writer, expected), (reader, found)):
                    compare(f"training, {side} to float64", exact, losses["losses"], 1e-5)
            if "estimator" in given.only:
                run(pythons[writer], writer, "estimator:3", folder)
                found = run(pythons[reader], reader, f"estimator:{STEPS}", folder)
                with tempfile.TemporaryDirectory() as other:
                    expected = run(pythons[writer], writer, f"estimator:{3 + STEPS}", other)[3:]
                right.append(compare(f"estimator, {writer} to {reader}", expected, found, 1e-5))
        if "architectures" in given.only:
            for name in given.architectures.split(","):
                with tempfile.TemporaryDirectory() as folder:
                    run(pythons[writer], writer, f"architectures_write:{name}", folder)
                    worst = run(pythons[reader], reader, f"architectures_read:{name}", folder)[name]
                right.append(worst <= 1e-4)
                print(f"{'ok  ' if right[-1] else 'FAIL'} {name}, {writer} to {reader}: {worst:.1e}", flush=True)
    print(f"{sum(right)} of {len(right)}")
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
