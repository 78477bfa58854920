"""Optimizers of canned Estimators: by name, as objects and functions, with TensorFlow's learning rates."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NoReturn

import keras

from stratagem._legacy import (
    LegacyAdadelta,
    LegacyAdagrad,
    LegacyAdam,
    LegacyAdamax,
    LegacyFtrl,
    LegacyNadam,
    LegacyOptimizer,
    LegacyRMSprop,
    LegacySGD,
)
from stratagem._tf1.graph.train import (
    AdagradOptimizer,
    AdamOptimizer,
    FtrlOptimizer,
    GradientDescentOptimizer,
    Optimizer,
    RMSPropOptimizer,
)

BASELINE_RATE: Final = 0.3
LINEAR_RATE: Final = 0.2
DNN_RATE: Final = 0.05  # of TensorFlow 1's; TensorFlow 2's are the optimizers' own
COMBINED_DNN_RATE: Final = 0.001


def combined_linear_rate(columns: Sequence[Any]) -> float:
    """Returns the learning rate of the linear part of a combined model, for an optimizer that is given by its name."""
    return min(0.005, 1.0 / math.sqrt(len(columns)))


_BY_NAME: Final[dict[str, Callable[..., LegacyOptimizer]]] = {
    "Adagrad": LegacyAdagrad,
    "Adam": LegacyAdam,
    "Ftrl": LegacyFtrl,
    "RMSProp": LegacyRMSprop,
    "SGD": LegacySGD,
}
_GRAPH_BY_NAME: Final[dict[str, Callable[..., Optimizer]]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}
# The first formulas of Keras 3's classes, which TensorFlow's canned Estimators use for both.
_FIRST_FORMULAS: Final[dict[type, type[LegacyOptimizer]]] = {
    keras.optimizers.SGD: LegacySGD,
    keras.optimizers.Adam: LegacyAdam,
    keras.optimizers.Adamax: LegacyAdamax,
    keras.optimizers.Adadelta: LegacyAdadelta,
    keras.optimizers.Adagrad: LegacyAdagrad,
    keras.optimizers.RMSprop: LegacyRMSprop,
    keras.optimizers.Nadam: LegacyNadam,
    keras.optimizers.Ftrl: LegacyFtrl,
}
_ONLY_KERAS_3: Final = ("weight_decay", "use_ema", "loss_scale_factor", "gradient_accumulation_steps")


def _check_name(table: Mapping[str, Any], name: str) -> None:
    if name not in table:
        raise ValueError(f"Unsupported optimizer name: {name}. Supported names are: {sorted(table)}")


def _named(table: Mapping[str, Callable[..., Any]], name: str, rate: float | None) -> Any:
    _check_name(table, name)
    return table[name]() if rate is None else table[name](learning_rate=rate)


def graph_optimizer(given: Any, rate: float) -> Optimizer:
    """Returns an optimizer of tf1.train: by its name with this learning rate, an object, or what a function returns.

    Raises ValueError for another name, and for what is none.
    """
    if isinstance(given, str):
        found: Optimizer = _named(_GRAPH_BY_NAME, given, rate)
        return found
    made = given() if callable(given) else given
    if not isinstance(made, Optimizer):
        _refuse(made, of_graph=True)
    return made


def check_optimizer(given: Any, *, of_graph: bool) -> None:
    """Raises ValueError for what is no optimizer, so that the error comes where it is given. Functions are called later."""
    table = _GRAPH_BY_NAME if of_graph else _BY_NAME
    wanted: Any = Optimizer if of_graph else keras.optimizers.Optimizer
    if isinstance(given, str):
        _check_name(table, given)
    elif not callable(given) and not isinstance(given, wanted):
        _refuse(given, of_graph=of_graph)


def _refuse(given: Any, *, of_graph: bool) -> NoReturn:
    if of_graph:
        raise ValueError(
            f"The given object is not an Optimizer instance of tf.compat.v1.train. Given: {given!r}. The Estimators of "
            "tf.estimator take those of tf.keras.optimizers."
        )
    raise ValueError(
        f"The given object is not a tf.keras.optimizers.Optimizer instance. Given: {given!r}. The Estimators of "
        "tf.compat.v1.estimator take those of tf.compat.v1.train."
    )


def keras_optimizer(given: Any, rate: float | None) -> keras.optimizers.Optimizer:
    """Returns a new optimizer of Keras: by its name with this learning rate (None: its own), or like an object's.

    given: a name, an optimizer, whose settings it gets, or a function that returns one. Optimizers of Keras 3 whose first
    formulas there are get these. Raises ValueError for another name, and for what is none.
    """
    if isinstance(given, str):
        made = _named(_BY_NAME, given, rate)
    else:
        made = given() if callable(given) and not isinstance(given, keras.optimizers.Optimizer) else given
    if not isinstance(made, keras.optimizers.Optimizer):
        _refuse(made, of_graph=False)
    config, kind = made.get_config(), type(made)
    if kind in _FIRST_FORMULAS and not any(config.get(name) for name in _ONLY_KERAS_3):
        kind = _FIRST_FORMULAS[kind]
        wanted = {"name", "learning_rate", "clipnorm", "clipvalue", "global_clipnorm", *kind.settings}
        # Keras 3 calls an optimizer by its class in lower case; TensorFlow's names of variables have its class.
        config = {k: v for k, v in config.items() if k in wanted and v is not None} | {"name": kind.__name__[6:]}
    return kind.from_config(config)
