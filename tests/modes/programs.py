"""Programs with state: metrics that are updated, optimizers that step, models that train, each in its modes."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from tests.modes.layers import set_weights
from tests.modes.thing import drawn

ROWS_OF_STEPS = ([0, 2, 2], [1, 2, 0], [0, 0, 0], [3, 2, 3])


@final
@dataclass(frozen=True)
class Begun:
    """A program that has begun. step(number) -> a nest of results; state: variables, or functions that return values."""

    step: Callable[[Any], Any]
    state: Sequence[Any]
    model: Any = None


@final
@dataclass(frozen=True)
class Program:
    """A program by name: begin(tf) -> Begun. replicas: whether it means the same in a step of two equal replicas."""

    name: str
    begin: Callable[[Any], Begun]
    steps: int = 4
    replicas: bool = True
    within: float = 1e-4


# --- Metrics ------------------------------------------------------------------------------------------------------------

_TRUE = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]], np.float32)
_LIKELY = np.array([[0.1, 0.8, 0.1], [0.05, 0.3, 0.65], [0.2, 0.2, 0.6], [0.1, 0.2, 0.7]], np.float32)
_WEIGHTS = np.array([1.0, 0.0, 0.5, 2.0], np.float32)
_METRICS: dict[str, dict[str, Any]] = {
    **{name: {} for name in (
        *("Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "CategoricalHinge", "CosineSimilarity", "Hinge"),
        *("SquaredHinge", "KLDivergence", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError"),
        *("MeanSquaredLogarithmicError", "Poisson", "RootMeanSquaredError", "Precision", "Recall"),
        *("TruePositives", "FalsePositives", "TrueNegatives", "FalseNegatives", "LogCoshError", "R2Score"),
    )},
    "AUC": {"num_thresholds": 20},
    "AUC of PR": {"curve": "PR", "num_thresholds": 20},
    "TopKCategoricalAccuracy": {"k": 2},
    "PrecisionAtRecall": {"recall": 0.5},
    "SensitivityAtSpecificity": {"specificity": 0.5},
    "F1Score": {"threshold": 0.5},
    "FBetaScore": {"average": "weighted", "beta": 2.0},
    "BinaryIoU": {"target_class_ids": [1], "threshold": 0.5},
    "OneHotMeanIoU": {"num_classes": 3},
    "BinaryCrossentropy": {"from_logits": True},
    "CategoricalCrossentropy": {"from_logits": True},
}  # fmt: skip
_UNWEIGHTED = ("R2Score", "F1Score", "FBetaScore", "BinaryIoU")  # weights of theirs have other shapes


def of_metrics() -> Iterator[Program]:
    """Metrics that are updated twice, without weights and with them."""
    for name, options in _METRICS.items():
        for weighted in (False, True):
            if not (weighted and name in _UNWEIGHTED):
                yield Program(
                    f"metric: {name}{' weighted' if weighted else ''}",
                    _metric(name, options, weighted),
                    steps=2,
                    replicas=False,
                )
    for name in ("Mean", "Sum"):
        yield Program(f"metric: {name}", _of_values(name), steps=2, replicas=False)


def _metric(name: str, options: dict[str, Any], weighted: bool) -> Callable[[Any], Begun]:
    def begin(tf: Any) -> Begun:
        metric = getattr(tf.keras.metrics, name.partition(" ")[0])(**options)

        def step(_: Any) -> Any:
            metric.update_state(tf.constant(_TRUE), tf.constant(_LIKELY), sample_weight=_WEIGHTS if weighted else None)
            return metric.result()

        return Begun(step, [metric.result])

    return begin


def _of_values(name: str) -> Callable[[Any], Begun]:
    def begin(tf: Any) -> Begun:
        metric = getattr(tf.keras.metrics, name)()

        def step(number: Any) -> Any:
            metric.update_state(tf.constant(_WEIGHTS) * tf.cast(number + 1, tf.float32), sample_weight=_WEIGHTS)
            return metric.result()

        return Begun(step, [metric.result])

    return begin


# --- Optimizers -----------------------------------------------------------------------------------------------------------

_NAMES = ("SGD", "Adam", "AdamW", "Adagrad", "Adadelta", "Adamax", "Nadam", "RMSprop", "Ftrl", "Lion", "Adafactor")
_LEGACY = ("SGD", "Adam", "Adagrad", "RMSprop", "Adadelta", "Adamax", "Nadam", "Ftrl")
_OPTIONS: dict[str, dict[str, Any]] = {
    "SGD": {"momentum": 0.9, "nesterov": True},
    "Adam": {"amsgrad": True, "clipnorm": 0.5},
    "RMSprop": {"momentum": 0.5, "centered": True},
    "Adagrad": {"weight_decay": 0.125},
    "Ftrl": {"l1_regularization_strength": 0.125, "l2_regularization_strength": 0.25, "beta": 0.125},
    "AdamW": {"global_clipnorm": 0.5},
    "Lion": {"clipvalue": 0.25},
}
_SCHEDULES: dict[str, tuple[Any, ...]] = {
    "ExponentialDecay": (0.125, 2, 0.5),
    "PiecewiseConstantDecay": ([1, 2], [0.125, 0.0625, 0.25]),
    "PolynomialDecay": (0.125, 3),
    "CosineDecay": (0.125, 4),
    "CosineDecayRestarts": (0.125, 2),
    "InverseTimeDecay": (0.125, 2, 0.5),
}


def of_optimizers() -> Iterator[Program]:
    """Optimizers that step on a matrix of which some rows are looked up, and on a vector."""
    for name in _NAMES:
        # TensorFlow's Nadam divides by a product of momenta that its functions make anew.
        yield Program(f"optimizer: {name}", _optimizer(lambda o, name=name: getattr(o, name)(0.0625)))
        if name in _OPTIONS:
            options = _OPTIONS[name]
            yield Program(
                f"optimizer: {name} {', '.join(options)}",
                # TensorFlow's norms count a row that is looked up twice as two.
                _optimizer(lambda o, n=name, k=options: getattr(o, n)(0.0625, **k), dense="clip" in str(options)),
            )
    for name in _LEGACY:
        yield Program(f"optimizer: legacy {name}", _optimizer(lambda o, name=name: getattr(o.legacy, name)(0.0625)))
    yield Program("optimizer: legacy SGD momentum", _optimizer(lambda o: o.legacy.SGD(0.0625, 0.9)))
    yield Program("optimizer: legacy RMSprop momentum", _optimizer(lambda o: o.legacy.RMSprop(0.0625, momentum=0.5)))
    for name, arguments in _SCHEDULES.items():
        yield Program(
            f"optimizer: SGD with {name}", _optimizer(lambda o, n=name, a=arguments: o.SGD(getattr(o.schedules, n)(*a)))
        )


def _optimizer(make: Callable[[Any], Any], *, dense: bool = False) -> Callable[[Any], Begun]:
    def begin(tf: Any) -> Begun:
        table, vector = tf.Variable(drawn(4, 3)), tf.Variable(drawn(3, seed=1))
        optimizer = make(tf.keras.optimizers)
        optimizer.build([table, vector]) if not hasattr(optimizer, "get_slot_names") else None
        rows = tf.constant(ROWS_OF_STEPS)

        def step(number: Any) -> Any:
            with tf.GradientTape() as tape:
                found = tf.nn.embedding_lookup(table, tf.gather(rows, number))
                loss = tf.reduce_sum(tf.square(found) * vector * 3.0) + tf.reduce_sum(tf.abs(vector))
                if dense:
                    loss += tf.reduce_sum(table * 0.5)
            optimizer.apply_gradients(zip(tape.gradient(loss, [table, vector]), [table, vector], strict=True))
            return loss

        return Begun(step, [table, vector])

    return begin


# --- Models ---------------------------------------------------------------------------------------------------------------

X, Y = drawn(8, 4, 3), drawn(8, 2, seed=1)


def of_models() -> Iterator[Program]:
    """Models that train on all of the data in each step."""
    models: dict[str, Callable[[Any], list[Any]]] = {
        "dense": lambda L: [L.Flatten(), L.Dense(4, activation="relu"), L.Dense(2)],
        "LSTM": lambda L: [L.LSTM(3), L.Dense(2)],
        "masked GRU": lambda L: [L.Masking(0.0), L.GRU(3, return_sequences=True), L.GRU(2)],
        "convolution": lambda L: [L.Conv1D(3, 2, activation="relu"), L.MaxPooling1D(), L.Flatten(), L.Dense(2)],
        "normalized": lambda L: [L.Flatten(), L.Dense(4), L.LayerNormalization(), L.Dense(2)],
        "regularized": lambda L: [
            L.Flatten(),
            L.Dense(4, kernel_regularizer="l2", activity_regularizer="l1"),
            L.Dense(2),
        ],
        "constrained": lambda L: [L.Flatten(), L.Dense(4, kernel_constraint="non_neg"), L.Dense(2)],
        "frozen": lambda L: [L.Flatten(), L.Dense(4, trainable=False), L.Dense(2)],
    }
    for name, layers in models.items():
        yield Program(f"model: {name}", _model(layers, lambda o: o.SGD(0.125)))
    for name in _NAMES:
        yield Program(f"model: dense, {name}", _model(models["dense"], lambda o, name=name: getattr(o, name)(0.0625)))
    for name in _LEGACY:
        yield Program(
            f"model: dense, legacy {name}",
            _model(models["dense"], lambda o, name=name: getattr(o.legacy, name)(0.0625)),
        )


def _model(layers: Callable[[Any], list[Any]], optimizer: Callable[[Any], Any]) -> Callable[[Any], Begun]:
    def begin(tf: Any) -> Begun:
        model = tf.keras.Sequential([tf.keras.Input((4, 3)), *layers(tf.keras.layers)])
        set_weights(model)
        model.compile(optimizer(tf.keras.optimizers), "mse")
        if not hasattr(model.optimizer, "get_slot_names"):
            model.optimizer.build(model.trainable_variables)

        def step(_: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(tf.constant(X), training=True) - Y)) + sum(model.losses)
            variables = model.trainable_variables
            model.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            return loss

        return Begun(step, list(model.weights), model)

    return begin


# --- Modes ----------------------------------------------------------------------------------------------------------------

Results = list[Any]


def _steps(tf: Any, program: Program, step: Callable[[Any], Any]) -> Results:
    return [step(tf.constant(number)) for number in range(program.steps)]


def eagerly(tf: Any, program: Program) -> Results:
    """Outside of functions."""
    begun = program.begin(tf)
    return _with_state(begun, _steps(tf, program, begun.step))


def compiled(tf: Any, program: Program) -> Results:
    """Each step in a function."""
    begun = program.begin(tf)
    return _with_state(begun, _steps(tf, program, tf.function(begun.step)))


def as_python(tf: Any, program: Program) -> Results:
    """Each step in a function that runs as Python."""
    tf.config.run_functions_eagerly(True)
    try:
        return compiled(tf, program)
    finally:
        tf.config.run_functions_eagerly(False)


def in_a_replica(tf: Any, program: Program) -> Results:
    """Each step in a strategy of one replica."""
    with _one_replica(tf) as strategy:
        begun = program.begin(tf)
        return _with_state(begun, _steps(tf, program, lambda number: strategy.run(begun.step, args=(number,))))


def of_replicas_in_a_function(tf: Any, program: Program) -> Results:
    """A function of such steps."""
    with _one_replica(tf) as strategy:
        begun = program.begin(tf)
        return _with_state(
            begun, _steps(tf, program, tf.function(lambda number: strategy.run(begun.step, args=(number,))))
        )


def fitted(tf: Any, program: Program) -> Results:
    """By `fit`."""
    begun = program.begin(tf)
    history = begun.model.fit(X, Y, batch_size=len(X), epochs=program.steps, shuffle=False, verbose=0)
    return _with_state(begun, list(history.history["loss"]))


def fitted_by_replicas(tf: Any, program: Program) -> Results:
    """By `fit` on two replicas."""
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        return fitted(tf, program)


def fitted_as_python(tf: Any, program: Program) -> Results:
    """By a `fit` whose steps run as Python."""
    begun = program.begin(tf)
    begun.model.run_eagerly = True
    history = begun.model.fit(X, Y, batch_size=len(X), epochs=program.steps, shuffle=False, verbose=0)
    return _with_state(begun, list(history.history["loss"]))


@contextlib.contextmanager
def _one_replica(tf: Any) -> Iterator[Any]:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        yield strategy


def _with_state(begun: Begun, results: Results) -> Results:
    return [*results, *(each() if callable(each) else each for each in begun.state)]


MODES: dict[str, Callable[[Any, Program], Results]] = {
    "eager": eagerly,
    "function": compiled,
    "functions as Python": as_python,
    "replica": in_a_replica,
    "function of replicas": of_replicas_in_a_function,
}
OF_MODELS: dict[str, Callable[[Any, Program], Results]] = {
    "fit": fitted,
    "fit mirrored": fitted_by_replicas,
    "fit as Python": fitted_as_python,
}


def programs() -> list[Program]:
    """All programs."""
    return [*of_metrics(), *of_optimizers(), *of_models()]
