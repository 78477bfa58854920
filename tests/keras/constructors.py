"""How objects of Keras' classes are made, in TensorFlow and here: for what needs arguments, some that both take."""

import inspect
from typing import Any

KINDS = {
    "optimizers": "Optimizer",
    "metrics": "Metric",
    "losses": "Loss",
    "callbacks": "Callback",
    "layers": "Layer",
}
ARGUMENTS: dict[str, Any] = {
    "activation": "relu",
    "axes": 1,
    "equation": "ab,bc->ac",
    "factor": 0.1,
    "filename": "log.csv",
    "filepath": "model.keras",
    "backup_dir": "backup",
    "filters": 2,
    "fn": lambda a, b: a - b,
    "function": lambda x: x,
    "height": 4,
    "width": 4,
    "height_factor": 0.1,
    "width_factor": 0.1,
    "input_dim": 3,
    "output_dim": 2,
    "kernel_size": 2,
    "key_dim": 2,
    "num_heads": 2,
    "n": 2,
    "dims": (1,),
    "num_classes": 2,
    "num_tokens": 3,
    "num_bins": 3,
    "output_shape": (None, 2),
    "pool_size": 2,
    "precision": 0.5,
    "recall": 0.5,
    "sensitivity": 0.5,
    "specificity": 0.5,
    "rate": 0.5,
    "scale": 1.0,
    "schedule": lambda epoch: 0.1,
    "stddev": 0.1,
    "target_class_ids": [0],
    "target_shape": (1,),
    "units": 2,
}


def make(layers: Any, optimizers: Any, cls: type) -> Any:
    """An object of the class; TypeError or ValueError for a class that has none."""
    special = {
        "RNN": lambda: {"cell": layers.LSTMCell(2)},
        "StackedRNNCells": lambda: {"cells": [layers.LSTMCell(2)]},
        "Bidirectional": lambda: {"layer": layers.LSTM(2)},
        "SpectralNormalization": lambda: {"layer": layers.Dense(2)},
        "TimeDistributed": lambda: {"layer": layers.Dense(2)},
        "Wrapper": lambda: {"layer": layers.Dense(2)},
        "LossScaleOptimizer": lambda: {"inner_optimizer": optimizers.SGD(0.1)},
        "CategoryEncoding": lambda: {"num_tokens": 3},
        "Discretization": lambda: {"num_bins": 3},
        "InputLayer": lambda: {"shape" if "shape" in parameters else "input_shape": (2,)},
    }
    parameters = inspect.signature(cls.__init__).parameters
    if cls.__name__ in special:
        return cls(**special[cls.__name__]())
    needed = [
        k for k, p in parameters.items() if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    return cls(**{k: ARGUMENTS[k] for k in needed[1:] if k in ARGUMENTS})


def model(layers: Any, model_class: Any) -> Any:
    """A compiled model."""
    inputs = layers.Input((2,))
    made = model_class(inputs, layers.Dense(1)(inputs))
    made.compile("sgd", "mse", metrics=["mae"])
    return made
