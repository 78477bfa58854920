"""Trainings with legacy optimizers that run in TensorFlow and here: one table, by name."""

from typing import Any

import numpy as np

STEPS = 20
START = (np.linspace(-1.0, 2.0, 6).reshape(2, 3), np.array([0.5, -0.25]))
# Numbers that float32 holds exactly, as TensorFlow keeps these settings in float32.
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "SGD": ("SGD", {"learning_rate": 0.0625}),
    "SGD lr": ("SGD", {"lr": 0.03125}),
    "SGD momentum": ("SGD", {"learning_rate": 0.0625, "momentum": 0.75}),
    "SGD nesterov": ("SGD", {"learning_rate": 0.0625, "momentum": 0.75, "nesterov": True}),
    "SGD decay": ("SGD", {"learning_rate": 0.0625, "decay": 0.1}),
    "SGD clipnorm": ("SGD", {"learning_rate": 0.0625, "clipnorm": 0.5}),
    "SGD clipvalue": ("SGD", {"learning_rate": 0.0625, "clipvalue": 0.25}),
    "SGD global_clipnorm": ("SGD", {"learning_rate": 0.0625, "global_clipnorm": 0.5}),
    "SGD schedule": ("SGD", {"learning_rate": "schedule"}),
    "SGD function": ("SGD", {"learning_rate": "function"}),
    "SGD functions": ("SGD", {"learning_rate": 0.0625, "momentum": "function"}),
    "Adam": ("Adam", {"learning_rate": 0.125, "beta_1": 0.875, "beta_2": 0.96875}),
    "Adam epsilon": ("Adam", {"learning_rate": 0.125, "beta_1": 0.875, "beta_2": 0.96875, "epsilon": 0.25}),
    "Adam amsgrad": ("Adam", {"learning_rate": 0.5, "beta_1": 0.875, "beta_2": 0.5, "amsgrad": True}),
    "Adam decay": ("Adam", {"learning_rate": 0.125, "beta_1": 0.875, "beta_2": 0.96875, "decay": 0.25}),
    "Adam functions": ("Adam", {"learning_rate": 0.125, "beta_1": "function", "beta_2": 0.96875}),
    "Adamax": ("Adamax", {"learning_rate": 0.125, "beta_1": 0.875, "beta_2": 0.96875, "epsilon": 0.25}),
    "Adadelta": ("Adadelta", {"learning_rate": 1.0, "rho": 0.875, "epsilon": 0.01}),
    "Adagrad": ("Adagrad", {"learning_rate": 0.25, "epsilon": 0.25}),
    "Adagrad initial": ("Adagrad", {"learning_rate": 0.25, "initial_accumulator_value": 0.5, "decay": 0.5}),
    "RMSprop": ("RMSprop", {"learning_rate": 0.0625, "rho": 0.875, "epsilon": 0.25}),
    "RMSprop momentum": ("RMSprop", {"learning_rate": 0.0625, "rho": 0.875, "momentum": 0.5, "epsilon": 0.25}),
    "RMSprop centered": ("RMSprop", {"learning_rate": 0.0625, "rho": 0.875, "centered": True, "epsilon": 0.25}),
    "RMSprop both": (
        "RMSprop",
        {"learning_rate": 0.0625, "rho": 0.875, "momentum": 0.5, "centered": True, "epsilon": 0.25},
    ),
    "Nadam": ("Nadam", {"learning_rate": 0.125, "beta_1": 0.875, "beta_2": 0.96875}),
    "Nadam schedule": ("Nadam", {"learning_rate": 0.125, "beta_1": 0.875, "beta_2": 0.96875, "schedule_decay": 0.25}),
    "Ftrl": ("Ftrl", {"learning_rate": 0.25}),
    "Ftrl regularized": (
        "Ftrl",
        {
            "learning_rate": 0.25,
            "learning_rate_power": -0.75,
            "initial_accumulator_value": 0.25,
            "l1_regularization_strength": 0.25,
            "l2_regularization_strength": 0.125,
            "beta": 0.5,
        },
    ),
    "Ftrl shrinkage": ("Ftrl", {"learning_rate": 0.25, "l2_shrinkage_regularization_strength": 0.25, "decay": 0.125}),
}


def make(tf: Any, name: str, replaced: bool = True) -> Any:
    """The optimizer of a row; replaced: words stand for a schedule and a function."""
    kind, given = SETTINGS[name]
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.125, 4, 0.5)
    words = {"schedule": schedule, "function": lambda: 0.25}
    arguments = {k: words[v] if replaced and isinstance(v, str) else v for k, v in given.items()}
    return getattr(tf.keras.optimizers.legacy, kind)(**arguments)


def loss(tf: Any, variables: list[Any]) -> Any:
    """A loss with gradients of many sizes, some of which change their sign."""
    matrix, vector = variables
    return tf.reduce_sum(tf.math.log(1.0 + tf.square(matrix - 1.0))) + tf.reduce_sum((vector - 0.25) ** 4) * 3.0


def train(tf: Any, name: str, dtype: str) -> dict[str, Any]:
    """The weights after `STEPS` steps, those of the optimizer, and what it is made with."""
    variables = [tf.Variable(start.astype(dtype)) for start in START]
    optimizer = make(tf, name)

    @tf.function
    def step() -> None:
        optimizer.minimize(lambda: loss(tf, variables), variables)

    for _ in range(STEPS):
        step()
    config = optimizer.get_config()
    return {
        "weights": [v.numpy().tolist() for v in variables],
        "state": [w.tolist() for w in optimizer.get_weights()],
        "slots": sorted(optimizer.get_slot_names()),
        "config": {k: float(v) if isinstance(v, (np.floating, np.ndarray)) else v for k, v in config.items()},
    }
