"""Models and optimizers that the checkpoint tests save and restore."""

from typing import Any

import keras
import numpy as np

from stratagem._private import announce_build

IMAGES = np.linspace(0, 1, 2 * 8 * 8, dtype=np.float32).reshape(2, 8, 8, 1)


def create_model() -> Any:
    """The document's network, smaller; unbuilt, and with new automatic names at every call."""
    return keras.Sequential(
        [
            keras.layers.Conv2D(4, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.5),
            keras.layers.Dense(5, activation="relu"),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(3),
        ]
    )


def train(model: Any, optimizer: Any, steps: int = 2) -> None:
    """Build both and take steps with gradients that differ from each other."""
    model(IMAGES)
    build(optimizer, model)
    for step in range(steps):
        grads = [np.full(v.shape, 0.1 * i + step + 1, np.float32) for i, v in enumerate(model.trainable_variables)]
        optimizer.apply(grads, model.trainable_variables)


def build(optimizer: Any, model: Any) -> None:
    """Make the optimizer's slots, as its first step does."""
    if not optimizer.built:
        optimizer.build(model.trainable_variables)
        announce_build(optimizer)


def read(variable: Any) -> np.ndarray:
    """A copy of its value."""
    return np.array(variable.value)


def values(*owners: Any) -> list[np.ndarray]:
    """Copies of all their variables."""
    return [read(v) for owner in owners for v in owner.variables]


def same(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    """Equal to the last bit, and not empty."""
    return bool(one) and all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(one, other, strict=True))


class Counter:
    """A data iterator, as far as a checkpoint sees it."""

    def __init__(self, at: Any = 0) -> None:
        self.at = at

    def get_state(self) -> dict[str, Any]:
        return {"at": self.at}

    def set_state(self, state: dict[str, Any]) -> None:
        self.at = state["at"]


class Plain:
    """Somebody's own class: parts in its attributes."""

    def __init__(self, **parts: Any) -> None:
        vars(self).update(parts)
