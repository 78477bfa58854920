"""Canned Estimators that run in TensorFlow and here: twenty steps from the same first weights, an evaluation, predictions."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Make = Callable[[str, Any], Any]  # the model_dir and a RunConfig; returns an Estimator
Program = tuple[Make, dict[str, Any], Any]  # how to make the Estimator, features, labels
CASES: dict[str, Callable[[Any, Any, Path], Program]] = {}
STEPS, BATCH, ROWS = 20, 6, 24
# Every family, both generations of it, and every kind of column under MirroredStrategy: on so many replicas.
ON_REPLICAS = (
    ("linear_regressor", 2),
    ("dnn_classifier", 2),
    ("combined_classifier", 2),
    ("baseline_share", 2),
    ("graph_linear_classifier", 2),
    ("graph_shared", 2),
    ("graph_combined_regressor", 2),
    ("graph_baseline_regressor", 2),
    ("baseline_classifier", 4),
    ("graph_dnn_classifier", 4),
)
# The same on clusters of processes: two workers that train together, and a chief, a worker, a server and an evaluator.
IN_CLUSTERS = (
    ("linear_classifier", "together"),
    ("dnn_regressor", "together"),
    ("combined_classifier", "together"),
    ("baseline_classifier", "together"),
    ("graph_linear_classifier", "together"),
    ("graph_shared", "together"),
    ("graph_combined_classifier", "together"),
    ("linear_classifier", "served"),
    ("dnn_classifier", "served"),
    ("combined_regressor", "served"),
    ("baseline_classifier", "served"),
    ("graph_linear_classifier", "served"),
    ("graph_linear_regressor", "served"),  # its learning rate is a tensor that the step computes
    ("graph_dnn_regressor", "served"),
    ("graph_combined_classifier", "served"),
    ("graph_baseline_classifier", "served"),
)


def case(function: Callable[[Any, Any, Path], Program]) -> Callable[[Any, Any, Path], Program]:
    CASES[function.__name__] = function
    return function


def features() -> dict[str, Any]:
    """A few people."""
    random = np.random.RandomState(4)
    pick = lambda *words: np.array(words)[random.randint(0, len(words), ROWS)]  # noqa: E731
    return {
        "age": random.uniform(17, 80, ROWS).astype("float32"),
        "pair": random.normal(size=(ROWS, 2)).astype("float32"),
        "city": random.randint(0, 5, ROWS),
        "work": pick("state", "private", "none"),
        "home": pick("state", "private", "abroad"),
        "title": pick("mr", "mrs", "dr", "prof"),
        "tags": np.stack([pick("a", "b", "c", ""), pick("a", "d", "", "")], 1),
        "weight": random.uniform(0.2, 2, ROWS).astype("float32"),
        "many": random.uniform(0.2, 2, (ROWS, 2)).astype("float32"),
    }


def labels(kind: str) -> Any:
    random = np.random.RandomState(5)
    return {
        "two": random.randint(0, 2, ROWS),
        "three": random.randint(0, 3, ROWS),
        "words": np.array(["low", "mid", "high"])[random.randint(0, 3, ROWS)],
        "yes": np.array(["no", "yes"])[random.randint(0, 2, (ROWS, 1))],
        "number": random.normal(size=ROWS).astype("float32"),
        "numbers": random.normal(size=(ROWS, 2)).astype("float32"),
        "counts": random.poisson(2, (ROWS, 1)).astype("float32"),
        "share": random.uniform(size=ROWS).astype("float32"),
        "several": random.randint(0, 2, (ROWS, 3)),
        "both": {"first": random.randint(0, 2, ROWS), "second": random.normal(size=(ROWS, 2)).astype("float32")},
    }[kind]


def wide(tf: Any, folder: Path) -> list[Any]:
    """A column of every kind that a linear model takes."""
    fc, path = tf.feature_column, folder / "titles.txt"
    written = folder / f"titles of {os.getpid()}"  # tasks of a cluster share the folder
    written.write_text("mr\nmrs\ndr\n")
    written.replace(path)
    age = fc.numeric_column("age", normalizer_fn=lambda x: (x - 40.0) / 20.0)
    buckets = fc.bucketized_column(fc.numeric_column("age"), [25, 40, 60])
    work = fc.categorical_column_with_vocabulary_list("work", ["state", "private"], num_oov_buckets=1)
    tags = fc.categorical_column_with_hash_bucket("tags", 7)
    return [
        age,
        fc.numeric_column("pair", shape=(2,)),
        buckets,
        fc.categorical_column_with_identity("city", 5),
        work,
        fc.categorical_column_with_vocabulary_file("title", str(path), num_oov_buckets=1),
        tags,
        fc.crossed_column([buckets, "work"], 11),
        fc.weighted_categorical_column(
            fc.categorical_column_with_vocabulary_list("home", ["state", "private"]), "weight"
        ),
    ]


def deep(tf: Any, *, shared: bool = False) -> list[Any]:
    """A column of every kind that a network takes."""
    fc = tf.feature_column
    words = [
        fc.categorical_column_with_vocabulary_list(key, ["state", "private"], num_oov_buckets=1)
        for key in ("work", "home")
    ]
    tables = fc.shared_embeddings(words, 3) if shared else [fc.embedding_column(words[0], 3)]
    tags = fc.categorical_column_with_hash_bucket("tags", 7)
    return [
        fc.numeric_column("age", normalizer_fn=lambda x: (x - 40.0) / 20.0),
        fc.bucketized_column(fc.numeric_column("age"), [25, 40, 60]),
        fc.indicator_column(words[1]),
        fc.embedding_column(tags, 2, combiner="sqrtn"),
        fc.indicator_column(fc.crossed_column(["work", "title"], 5)),
        *tables,
    ]


# --- TensorFlow 2's --------------------------------------------------------------------------------------------------


@case
def linear_classifier(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        words = ["low", "mid", "high"]
        return tf.estimator.LinearClassifier(
            wide(tf, folder), path, n_classes=3, weight_column="weight", label_vocabulary=words, config=config
        )

    return make, features(), labels("words")


@case
def linear_regressor(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        optimizer = lambda: tf.keras.optimizers.legacy.Ftrl(  # noqa: E731 - each replica of TensorFlow makes its own
            0.3, l1_regularization_strength=0.01, l2_regularization_strength=0.1
        )
        return tf.estimator.LinearRegressor(wide(tf, folder), path, 2, "many", optimizer, config, None, "sum", "mean")

    return make, features(), labels("numbers")


@case
def linear_poisson(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        head = tf.estimator.PoissonRegressionHead(name="counts", weight_column="weight")
        return tf.estimator.LinearEstimator(head, wide(tf, folder), path, tf.keras.optimizers.legacy.SGD(0.01), config)

    return make, features(), labels("counts")


@case
def dnn_classifier(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf.estimator.DNNClassifier(
            [6, 4], deep(tf), path, label_vocabulary=["no", "yes"], config=config, batch_norm=True
        )

    return make, features(), labels("yes")


@case
def dnn_regressor(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf.estimator.DNNRegressor([6], deep(tf), path, optimizer="Adam", activation_fn=tf.nn.tanh, config=config)

    return make, features(), labels("number")


@case
def dnn_several_labels(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        head = tf.estimator.MultiLabelHead(
            3, "weight", [0.3], ["a", "b", "c"], classes_for_class_based_metrics=["b"], name="labels"
        )
        optimizer = tf.keras.optimizers.legacy.SGD(0.1, momentum=0.9)
        return tf.estimator.DNNEstimator(head, [5], deep(tf), path, optimizer, config=config)

    return make, features(), labels("several")


@case
def combined_classifier(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf.estimator.DNNLinearCombinedClassifier(
            path, wide(tf, folder), "Ftrl", deep(tf), "Adagrad", [6, 4], weight_column="weight", config=config
        )

    return make, features(), labels("two")


@case
def combined_regressor(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf.estimator.DNNLinearCombinedRegressor(
            path, wide(tf, folder), "Adam", deep(tf), "Adam", [4], label_dimension=2, config=config
        )

    return make, features(), labels("numbers")


@case
def combined_heads(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        first = tf.estimator.BinaryClassHead("weight", [0.4], name="first")
        second = tf.estimator.RegressionHead(2, name="second")
        head = tf.estimator.MultiHead([first, second], [1.0, 0.5])
        return tf.estimator.DNNLinearCombinedEstimator(
            head, path, wide(tf, folder), "RMSProp", deep(tf), "SGD", [4], config=config
        )

    return make, features(), labels("both")


@case
def baseline_classifier(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf.estimator.BaselineClassifier(path, 3, "weight", config=config)

    return make, {"age": features()["age"], "weight": features()["weight"]}, labels("three")


@case
def baseline_regressor(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf.estimator.BaselineRegressor(path, optimizer="Adam", config=config)

    return make, {"age": features()["age"]}, labels("number")


@case
def baseline_share(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf.estimator.BaselineEstimator(tf.estimator.LogisticRegressionHead(), path, "Adagrad", config)

    return make, {"age": features()["age"]}, labels("share")


# --- TensorFlow 1's --------------------------------------------------------------------------------------------------


@case
def graph_linear_classifier(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf1.estimator.LinearClassifier(wide(tf, folder), path, weight_column="weight", config=config)

    return make, features(), labels("two")


@case
def graph_linear_regressor(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        rate = lambda: tf1.train.exponential_decay(0.1, tf1.train.get_global_step(), 5, 0.9)  # noqa: E731
        return tf1.estimator.LinearRegressor(
            wide(tf, folder),
            path,
            optimizer=lambda: tf1.train.AdamOptimizer(rate()),
            config=config,
            loss_reduction=tf1.losses.Reduction.MEAN,
            sparse_combiner="sqrtn",
        )

    return make, features(), labels("number")


@case
def graph_dnn_classifier(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf1.estimator.DNNClassifier([6, 4], deep(tf), path, 3, config=config, batch_norm=True)

    return make, features(), labels("three")


@case
def graph_dnn_regressor(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        optimizer = tf1.train.ProximalAdagradOptimizer(0.05, l1_regularization_strength=0.001)
        return tf1.estimator.DNNRegressor([6], deep(tf), path, 2, "many", optimizer, config=config)

    return make, features(), labels("numbers")


@case
def graph_shared(tf: Any, tf1: Any, folder: Path) -> Program:
    made: list[Any] = []

    def make(path: str, config: Any) -> Any:
        if not made:
            with tf1.Graph().as_default() if hasattr(tf1, "Graph") else contextlib.nullcontext():
                made.extend(deep(tf, shared=True))  # in TensorFlow in graphs only
        return tf1.estimator.DNNRegressor([4], made, path, config=config)

    return make, features(), labels("number")


@case
def graph_combined_classifier(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf1.estimator.DNNLinearCombinedClassifier(
            path, wide(tf, folder), "Ftrl", deep(tf), "Adam", [6, 4], config=config
        )

    return make, features(), labels("two")


@case
def graph_combined_regressor(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf1.estimator.DNNLinearCombinedRegressor(
            path, wide(tf, folder), "Adam", deep(tf), "Adam", [4], config=config
        )

    return make, features(), labels("number")


@case
def graph_baseline_classifier(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf1.estimator.BaselineClassifier(path, label_vocabulary=["no", "yes"], config=config)

    return make, {"age": features()["age"]}, labels("yes")


@case
def graph_baseline_regressor(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf1.estimator.BaselineRegressor(path, 2, optimizer="RMSProp", config=config)

    return make, {"age": features()["age"]}, labels("numbers")


# TensorFlow's LinearEstimator and DNNEstimator of TensorFlow 1 hand their optimizer to the head, which refuses it.


@case
def graph_combined_estimator(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        head = tf.estimator.RegressionHead(2)
        return tf1.estimator.DNNLinearCombinedEstimator(
            head, path, wide(tf, folder), "Ftrl", deep(tf), tf1.train.MomentumOptimizer(0.05, 0.5), [4], config=config
        )

    return make, features(), labels("numbers")


@case
def graph_baseline_estimator(tf: Any, tf1: Any, folder: Path) -> Program:
    def make(path: str, config: Any) -> Any:
        return tf1.estimator.BaselineEstimator(tf.estimator.PoissonRegressionHead(), path, "Adam", config)

    return make, {"age": features()["age"]}, labels("counts")


# --- no canned one ----------------------------------------------------------------------------------------------------


@case
def sequences(tf: Any, tf1: Any, folder: Path) -> Program:
    """A model_fn with columns of sequences of every kind, in the mean over the steps that a sequence has."""
    fc = tf.feature_column

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        words = fc.sequence_categorical_column_with_vocabulary_list("words", ["a", "b"], num_oov_buckets=1)
        path = folder / "letters.txt"
        path.write_text("a\nb\nc\n")
        columns = [
            fc.embedding_column(fc.sequence_categorical_column_with_hash_bucket("tags", 7), 3),
            fc.indicator_column(fc.sequence_categorical_column_with_vocabulary_file("letters", str(path))),
            fc.embedding_column(words, 2),
            fc.indicator_column(fc.sequence_categorical_column_with_identity("places", 5)),
            fc.sequence_numeric_column("numbers", normalizer_fn=lambda x: x * 0.5),
        ]
        given = {
            **dict.fromkeys(("tags", "words", "letters"), features["tags"]),
            "numbers": features["numbers"],
            "places": features["places"],
        }
        steps, lengths = tf.keras.experimental.SequenceFeatures(columns, name="sequences")(given)
        mask = tf.cast(tf.sequence_mask(lengths, tf.shape(steps)[1]), tf.float32)
        mean = tf.reduce_sum(steps * mask[:, :, None], 1) / tf.maximum(tf.reduce_sum(mask, 1, keepdims=True), 1.0)
        y = tf1.layers.dense(mean, 1, name="y")[:, 0]
        if mode == tf.estimator.ModeKeys.PREDICT:
            return tf.estimator.EstimatorSpec(mode, predictions={"y": y[:, None]})
        loss = tf.reduce_mean((y - labels) ** 2)
        train_op = tf1.train.AdagradOptimizer(0.1).minimize(loss, tf1.train.get_global_step())
        metrics = {"error": tf1.metrics.mean_absolute_error(labels, y)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)

    given = features()
    places = np.argwhere(given["tags"] != "")  # as many numbers as tags
    numbers = tf1.SparseTensorValue(places, given["pair"][tuple(places.T)], given["pair"].shape)
    cities = np.where(given["tags"] != "", np.stack([given["city"], 4 - given["city"]], 1), -1)
    used = {"tags": given["tags"], "places": cities, "numbers": numbers}
    return lambda path, config: tf.estimator.Estimator(model_fn, path, config), used, labels("number")


def run_config(tf: Any, **options: Any) -> Any:
    return tf.estimator.RunConfig(tf_random_seed=3, save_checkpoints_steps=1000, log_step_count_steps=1000, **options)


def input_fn(tf: Any, given: dict[str, Any], truth: Any, epochs: int) -> Callable[[], Any]:
    return lambda: tf.data.Dataset.from_tensor_slices((given, truth)).batch(BATCH).repeat(epochs)


def trained(tf: Any, tf1: Any, name: str, folder: Path, model_dir: str, **options: Any) -> Any:
    """The Estimator after the steps. options: those of its RunConfig, such as a strategy."""
    make, given, truth = CASES[name](tf, tf1, folder)
    estimator = make(model_dir, run_config(tf, **options))
    return estimator.train(input_fn(tf, given, truth, 100), max_steps=STEPS)


def values(estimator: Any) -> dict[str, Any]:
    """The variables of the last checkpoint."""
    return {name: estimator.get_variable_value(name) for name in estimator.get_variable_names()}


def outcome(tf: Any, tf1: Any, name: str, folder: Path, model_dir: str) -> dict[str, Any]:
    """The variables after the steps, an evaluation, and predictions as lists."""
    estimator = trained(tf, tf1, name, folder, model_dir)
    _, given, truth = CASES[name](tf, tf1, folder)
    found = estimator.evaluate(input_fn(tf, given, truth, 1))
    rows = list(estimator.predict(input_fn(tf, given, truth, 1)))[:4]
    predictions = {key_of(key): [plain(row[key]) for row in rows] for key in rows[0]}
    return {
        "variables": values(estimator),
        "evaluation": {key: float(value) for key, value in found.items()},
        "predictions": predictions,
    }


def key_of(key: Any) -> str:
    return key if isinstance(key, str) else "/".join(key)


def plain(value: Any) -> Any:
    found = np.asarray(value)
    return [word.decode() for word in found.ravel()] if found.dtype == object else found.tolist()
