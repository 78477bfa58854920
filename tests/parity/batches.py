"""The weights, batches and training cases that TensorFlow's recordings and our tests share; NumPy only."""

import dataclasses
import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

SEED = 20_240_607
STEPS = 50
GLOBAL_BATCH = 16
IMAGE = (8, 8, 1)
CLASSES = 10

# Shapes in the order of `model.trainable_variables`.
MODELS: dict[str, dict[str, tuple[int, ...]]] = {
    "cnn": {
        "conv/kernel": (3, 3, 1, 4),
        "conv/bias": (4,),
        "dense/kernel": (36, CLASSES),
        "dense/bias": (CLASSES,),
    },
    "mlp": {
        "hidden/kernel": (64, 32),
        "hidden/bias": (32,),
        "dense/kernel": (32, CLASSES),
        "dense/bias": (CLASSES,),
    },
}

# Every hyperparameter is written out, as the defaults of tf.keras 2.15 and of Keras 3 need not agree, and is a float32
# number: in a float64 model tf.keras rounds some of them to float32 (momentum, Adam's betas in its bias correction).
OPTIMIZERS: dict[str, tuple[str, dict[str, Any]]] = {
    "sgd": ("SGD", {"learning_rate": 2**-3, "momentum": 0.0, "nesterov": False}),
    "momentum": ("SGD", {"learning_rate": 2**-3, "momentum": 0.875, "nesterov": False}),
    "adam": ("Adam", {"learning_rate": 2**-7, "beta_1": 0.875, "beta_2": 1 - 2**-10, "epsilon": 2**-23}),
    "rmsprop": ("RMSprop", {"learning_rate": 2**-7, "rho": 0.875, "momentum": 0.0, "epsilon": 2**-23}),
    "adagrad": ("Adagrad", {"learning_rate": 2**-3, "initial_accumulator_value": 2**-3, "epsilon": 2**-23}),
}

# The BatchNormalization of the recorded case with one, and the weights of its model in the order of `get_weights`.
NORMALIZED = {"momentum": 0.75, "epsilon": 2**-10}
NORMALIZED_WEIGHTS = ("gamma", "beta", "moving_mean", "moving_variance", "kernel", "bias")


@dataclass(frozen=True)
class Case:
    """One recorded training."""

    model: str
    optimizer: str
    replicas: int
    dtype: str

    @property
    def key(self) -> str:
        """The prefix of the case's arrays in the recording."""
        return "/".join(str(value) for value in dataclasses.astuple(self))


CASES = tuple(
    Case(model, optimizer, replicas, dtype)
    for model in MODELS
    for optimizer in OPTIMIZERS
    for replicas in (1, 2)
    for dtype in ("float64", "float32")
)


def initial_weights(model: str, dtype: str) -> list[np.ndarray]:
    """Kernels uniform in Glorot's limits, biases uniform within 0.05, in the order of MODELS."""
    generator = np.random.Generator(np.random.PCG64([SEED, 1, *model.encode()]))
    weights = []
    for shape in MODELS[model].values():
        *receptive, fan_in, fan_out = shape if len(shape) > 1 else (1, 1)
        limit = 0.05 if len(shape) == 1 else np.sqrt(6 / (np.prod(receptive, initial=1) * (fan_in + fan_out)))
        weights.append((limit * (2 * generator.random(shape) - 1)).astype(dtype))
    return weights


def batch(step: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """The images and int64 labels of one step; replica r of R takes rows [r * 16 / R, (r + 1) * 16 / R)."""
    teacher = np.random.Generator(np.random.PCG64([SEED, 2])).random((64, CLASSES)) - 0.5
    images = 2 * np.random.Generator(np.random.PCG64([SEED, 3, step])).random((GLOBAL_BATCH, *IMAGE)) - 1
    labels = np.argmax(images.reshape(GLOBAL_BATCH, -1) @ teacher, axis=1)
    return images.astype(dtype), labels.astype(np.int64)


def fingerprint() -> str:
    """SHA-256 of all weights and batches: another value means that NumPy generates other numbers."""
    digest = hashlib.sha256()
    for model in MODELS:
        for weight in initial_weights(model, "float64"):
            digest.update(weight.tobytes())
    for step in range(STEPS):
        for array in batch(step, "float64"):
            digest.update(array.tobytes())
    return digest.hexdigest()
