"""Exports of an Estimator in every mode: the same programs for Stratagem and for TensorFlow, and what is seen of them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

X = np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]], "float32")
Y = np.array([[1.0], [2.0], [3.0]], "float32")
W = [[0.5], [-0.25]]


def estimator(tf: Any, folder: str) -> Any:
    """An Estimator that has trained for two steps, with every kind of metric and of output."""
    tf1, outputs = tf.compat.v1, tf.estimator.export

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        with tf1.variable_scope("m"):
            w = tf1.get_variable("w", [2, 1], initializer=tf1.constant_initializer(W))
        y = tf.matmul(features["x"], w)
        predictions = {"y": y, "twice": 2.0 * y}
        if mode == "infer":
            served = {
                "serving_default": outputs.PredictOutput(predictions),
                "r": outputs.RegressionOutput(y),
            }
            return tf.estimator.EstimatorSpec(mode, predictions=predictions, export_outputs=served)
        loss = tf.reduce_mean(tf.square(y - labels))
        squared = tf.keras.metrics.MeanSquaredError(name="squared")
        squared.update_state(labels, y)
        metrics = {"absolute": tf1.metrics.mean_absolute_error(labels, y), "squared": squared}
        train_op = None
        if mode == "train":
            train_op = tf1.train.MomentumOptimizer(0.0625, 0.5).minimize(loss, tf1.train.get_global_step())
        return tf.estimator.EstimatorSpec(
            mode,
            predictions=predictions if mode == "eval" else y,
            loss=loss,
            eval_metric_ops=metrics,
            train_op=train_op,
        )

    made = tf.estimator.Estimator(model_fn, folder)
    return made.train(lambda: tf.data.Dataset.from_tensors(({"x": X}, Y)).repeat(2))


def receivers(tf: Any) -> dict[str, Callable[[], Any]]:
    """Functions that make receivers, by name."""
    tf1, receiver = tf.compat.v1, tf.estimator.export.ServingInputReceiver

    def parsing() -> Any:
        examples = tf1.placeholder(tf.string, [None], name="given")
        features = tf.io.parse_example(examples, {"x": tf.io.FixedLenFeature([2], tf.float32)})
        others = {"raw": features, "again": {"e": examples}, "one": features["x"], "same": examples}
        return receiver(features, {"examples": examples}, others)

    def two() -> Any:
        a, b = tf1.placeholder(tf.float32, [None, 2], name="a"), tf1.placeholder(tf.float32, [None, 2], name="b")
        return receiver({"x": a + b}, {"a": a, "b": b}, {"other": {"b": b, "c": a}, "half": {"a": a}})

    return {"parsing": parsing, "two": two}


def supervised(tf: Any) -> Callable[[], Any]:
    """A receiver of features and labels."""
    built: Callable[[], Any] = tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
        {"x": tf.constant(X)}, tf.constant(Y)
    )
    return built


# The export, the tags that it is loaded with.
EXPORTS = {
    "eval": "eval",
    "train": "train",
    "parsing": None,
    "two": None,
    "all: train": "train",
    "all: eval": "eval",
    "all: serve": "serve",
}


def exported(tf: Any, made: Any, folder: str) -> dict[str, str]:
    """Writes every export; returns the directories by the name before ":"."""
    served, taken = receivers(tf), supervised(tf)
    paths = {name: made.export_saved_model(folder, function) for name, function in served.items()}
    for mode in ("eval", "train"):
        paths[mode] = made.export_saved_model(folder, taken, experimental_mode=mode)
    modes = {"train": taken, "eval": taken, "infer": served["parsing"]}
    paths["all"] = made.experimental_export_all_saved_models(folder, modes)
    return {name: path.decode() for name, path in paths.items()}


def facts(loaded: Any) -> dict[str, Any]:
    """The variables of a loaded export, and of each signature the names, dtypes and shapes of what it takes and returns."""
    signatures = {
        key: {
            "takes": {name: _spec(spec) for name, spec in function.structured_input_signature[1].items()},
            "returns": {name: _spec(spec) for name, spec in function.structured_outputs.items()},
        }
        for key, function in loaded.signatures.items()
    }
    return {"signatures": signatures, "variables": sorted(list(v.shape) for v in loaded.variables)}


def _spec(spec: Any) -> list[Any]:
    name = getattr(spec.dtype, "name", str(spec.dtype))
    return ["string" if name == "object" else name, list(spec.shape)]


def results(tf: Any, loaded: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields what the signatures return that take numbers, in the second of two calls.

    Without the values of metrics: whether TensorFlow reads the variables before, between or after their updates is chance.
    """
    given = {"x": X, "label": Y, "input": X, "a": X, "b": 0.5 * X, "c": X}
    for key, function in loaded.signatures.items():
        takes = {name: _spec(spec)[0] for name, spec in function.structured_input_signature[1].items()}
        if set(takes) <= set(given) and "string" not in takes.values():
            for _ in range(2):
                found = function(**{name: tf.constant(given[name]) for name in takes})
            yield (
                key,
                {name: np.asarray(value).tolist() for name, value in found.items() if not name.endswith("/value")},
            )


def sums(loaded: Any) -> list[float]:
    """The variables of metrics after those two calls, in order of size."""
    return sorted(float(v.numpy()) for v in loaded.variables if "total" in v.name or "count" in v.name)
