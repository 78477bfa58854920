"""Record what TensorFlow 2.15.1 computes, for the parity tests to compare with.

Run by hand, in an environment of its own (the tests need neither it nor TensorFlow), from the root of the repository:

    python3.11 -m venv /tmp/tensorflow
    /tmp/tensorflow/bin/pip install tensorflow-cpu==2.15.1
    /tmp/tensorflow/bin/python -m tests.parity.record_tensorflow

It rewrites training.npz, batch_normalization.npz, tape.json and autodiff.json in tests/parity/recorded.
"""

import json
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tests.parity import autodiff_behaviours
from tests.parity.batches import (
    CASES,
    CLASSES,
    GLOBAL_BATCH,
    IMAGE,
    NORMALIZED,
    NORMALIZED_WEIGHTS,
    OPTIMIZERS,
    STEPS,
    Case,
    batch,
    fingerprint,
    initial_weights,
)
from tests.parity.tape_behaviours import BEHAVIOURS

RECORDED = Path(__file__).parent / "recorded"


def build(model: str) -> tf.keras.Model:
    """The two models of `batches.MODELS`."""
    layers = tf.keras.layers
    body = {
        "cnn": [layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten()],
        "mlp": [layers.Flatten(), layers.Dense(32, activation="relu")],
    }
    return tf.keras.Sequential([layers.Input(IMAGE), *body[model], layers.Dense(10)])


def dataset(dtype: str) -> tf.data.Dataset:
    """All batches in order, one element a step."""
    batches = [batch(step, dtype) for step in range(STEPS)]
    images, labels = (np.concatenate(part) for part in zip(*batches, strict=True))
    return tf.data.Dataset.from_tensor_slices((images, labels)).batch(GLOBAL_BATCH)


def train(case: Case) -> tuple[list[np.ndarray], np.ndarray]:
    """The final weights and the loss of every step, by the custom loop of the distributed training guides."""
    tf.keras.backend.set_floatx(case.dtype)
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(case.replicas)])
    with strategy.scope():
        model = build(case.model)
        model.set_weights(initial_weights(case.model, case.dtype))
        name, hyperparameters = OPTIMIZERS[case.optimizer]
        optimizer = getattr(tf.keras.optimizers, name)(**hyperparameters)
        per_example = tf.keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, reduction=tf.keras.losses.Reduction.NONE
        )

    def step(inputs: tuple[tf.Tensor, tf.Tensor]) -> tf.Tensor:
        images, labels = inputs
        with tf.GradientTape() as tape:
            losses = per_example(labels, model(images, training=True))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=GLOBAL_BATCH)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    @tf.function
    def train_step(inputs: Any) -> tf.Tensor:
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(inputs,)), axis=None)

    losses = [train_step(inputs).numpy() for inputs in strategy.experimental_distribute_dataset(dataset(case.dtype))]
    return model.get_weights(), np.array(losses)


def train_alone(case: Case) -> tuple[list[np.ndarray], np.ndarray]:
    """`train` in a process of its own: the collectives of two strategies in one process get in each other's way."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=two_devices) as process:
        return process.submit(train, case).result()


def record_training() -> None:
    """Write training.npz; the arrays are described in recorded/README.md."""
    arrays: dict[str, np.ndarray] = {"fingerprint": np.array(fingerprint())}
    for case in CASES:
        weights, losses = train_alone(case)
        assert losses.dtype == weights[0].dtype == case.dtype
        arrays |= {f"{case.key}/weight{i}": weight for i, weight in enumerate(weights)}
        arrays[f"{case.key}/losses"] = losses
        print(f"{case.key}: loss {losses[0]:.6f} -> {losses[-1]:.6f}", flush=True)
    np.savez_compressed(RECORDED / "training.npz", **arrays)


def train_batch_normalization(dtype: str) -> dict[str, np.ndarray]:
    """Weights and moving statistics by `batches.NORMALIZED`, two replicas with other rows each, then predictions."""
    tf.keras.backend.set_floatx(dtype)
    layers = tf.keras.layers
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        normalization = layers.BatchNormalization(**NORMALIZED)
        model = tf.keras.Sequential([layers.Input(IMAGE), layers.Flatten(), normalization, layers.Dense(CLASSES)])
        model.layers[-1].set_weights([initial_weights("mlp", dtype)[0][:, :CLASSES], np.zeros(CLASSES)])
        optimizer = tf.keras.optimizers.SGD(**OPTIMIZERS["momentum"][1])

    def step(inputs: tuple[tf.Tensor, tf.Tensor]) -> None:
        images, labels = inputs
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            losses = tf.keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)
            loss = tf.nn.compute_average_loss(losses, global_batch_size=GLOBAL_BATCH)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

    train_step = tf.function(lambda inputs: strategy.run(step, args=(inputs,)))
    for inputs in strategy.experimental_distribute_dataset(dataset(dtype)):
        train_step(inputs)
    arrays = dict(zip(NORMALIZED_WEIGHTS, model.get_weights(), strict=True))
    return arrays | {"predictions": model(batch(0, dtype)[0], training=False).numpy()}


def record_batch_normalization() -> None:
    """Write batch_normalization.npz."""
    arrays: dict[str, np.ndarray] = {"fingerprint": np.array(fingerprint())}
    for dtype in ("float64", "float32"):
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=two_devices) as process:
            found = process.submit(train_batch_normalization, dtype).result()
        arrays |= {f"{dtype}/{name}": value for name, value in found.items()}
    np.savez_compressed(RECORDED / "batch_normalization.npz", **arrays)


def plain(value: Any) -> Any:
    """`value` as JSON: None stays None, tensors become numbers or lists, inf and nan strings."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, tf.IndexedSlices):
        return {"indexed_slices": plain(tf.convert_to_tensor(value))}
    return json.loads(json.dumps(np.asarray(value).tolist()), parse_constant=str)


def outcome(step: Callable[[], Any]) -> dict[str, Any]:
    """What a step returns, or the error it raises."""
    try:
        return {"value": plain(step())}
    except Exception as error:  # any: which error it is, is what is recorded
        return {"error": type(error).__name__, "message": str(error).strip().splitlines()[-1].strip()}


def record_tape() -> None:
    """Write tape.json: for each program of `tape_behaviours` what TensorFlow does eagerly and in a `tf.function`."""
    recorded = {
        name: {"eager": outcome(program(tf)), "function": outcome(tf.function(program(tf)))}
        for name, program in BEHAVIOURS.items()
    }
    text = json.dumps({"tensorflow": tf.__version__, "behaviours": recorded}, indent=1, sort_keys=True)
    (RECORDED / "tape.json").write_text(text + "\n")


def record_autodiff() -> None:
    """Write autodiff.json: the same for each program of `autodiff_behaviours`."""
    recorded = {
        name: {"eager": outcome(program(tf)), "function": outcome(tf.function(program(tf)))}
        for name, program in {**autodiff_behaviours.BEHAVIOURS, **autodiff_behaviours.FORWARD}.items()
    }
    text = json.dumps({"tensorflow": tf.__version__, "behaviours": recorded}, indent=1, sort_keys=True)
    (RECORDED / "autodiff.json").write_text(text + "\n")


def two_devices() -> None:
    """Split the CPU into two devices, before TensorFlow uses it."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


def main() -> None:
    """Record everything."""
    RECORDED.mkdir(exist_ok=True)
    record_training()
    record_batch_normalization()
    two_devices()
    record_tape()
    record_autodiff()


if __name__ == "__main__":
    main()
