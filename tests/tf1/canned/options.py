"""Small canned Estimators with one option after another: each optimizer by its name, each head, each reduction and combiner."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tests.tf1.canned.programs import Program, config, features, labels

Make = Callable[[Any, Any, str], Any]  # tf, tf1, model_dir; returns an Estimator
OPTIONS: dict[str, Callable[[Any, Any, Path], Program]] = {}
BY_NAME: dict[str, Callable[[Any, Any, Path], Program]] = {}
OPTIMIZERS: Final = ("Adagrad", "Adam", "Ftrl", "RMSProp", "SGD")


def option(kind: str) -> Callable[[Make], Make]:
    """Adds a case. kind: of its labels."""

    def added(make: Make) -> Make:
        OPTIONS[make.__name__] = lambda tf, tf1, folder: (lambda path: make(tf, tf1, path), features(), labels(kind))
        return make

    return added


def wide(tf: Any) -> list[Any]:
    """Numbers, and words of which a row has several."""
    fc = tf.feature_column
    tags = fc.categorical_column_with_vocabulary_list("tags", ["a", "b", "c"], num_oov_buckets=1)
    return [fc.numeric_column("age", normalizer_fn=lambda x: (x - 40.0) / 20.0), tags]


def deep(tf: Any) -> list[Any]:
    """Numbers, and a table."""
    fc = tf.feature_column
    words = fc.categorical_column_with_vocabulary_list("work", ["state", "private"], num_oov_buckets=1)
    return [fc.numeric_column("pair", shape=(2,)), fc.embedding_column(words, 2)]


# --- each optimizer by its name, with the learning rate of each kind of Estimator -------------------------------------


def _by_name(kind: str, name: str, *, of_graph: bool) -> Callable[[Any, Any, Path], Program]:
    def program(tf: Any, tf1: Any, folder: Path) -> Program:
        api = (tf1 if of_graph else tf).estimator
        make: dict[str, Callable[[str], Any]] = {
            "linear": lambda path: api.LinearRegressor(wide(tf), path, optimizer=name, config=config(tf)),
            "dnn": lambda path: api.DNNRegressor([3], deep(tf), path, optimizer=name, config=config(tf)),
            "combined": lambda path: api.DNNLinearCombinedRegressor(
                path, wide(tf), name, deep(tf), name, [3], config=config(tf)
            ),
            "baseline": lambda path: api.BaselineRegressor(path, optimizer=name, config=config(tf)),
        }
        given = features() if kind != "baseline" else {"age": features()["age"]}
        return make[kind], given, labels("number")

    return program


for _kind in ("linear", "dnn", "combined", "baseline"):
    for _name in OPTIMIZERS:
        BY_NAME[f"{_kind}_by_{_name}"] = _by_name(_kind, _name, of_graph=False)
        BY_NAME[f"graph_{_kind}_by_{_name}"] = _by_name(_kind, _name, of_graph=True)


# --- TensorFlow 2's --------------------------------------------------------------------------------------------------


@option("yes")
def linear_sum(tf: Any, tf1: Any, path: str) -> Any:
    weights = tf.feature_column.numeric_column("weight", normalizer_fn=lambda x: x * 2.0)
    return tf.estimator.LinearClassifier(
        wide(tf), path, 2, weights, ["no", "yes"], "SGD", config(tf), None, "sum", "mean"
    )


@option("numbers")
def dnn_sum(tf: Any, tf1: Any, path: str) -> Any:
    return tf.estimator.DNNRegressor(
        [4, 3], deep(tf), path, 2, "many", "SGD", tf.nn.elu, None, config(tf), None, "sum", True
    )


@option("words")
def combined_three(tf: Any, tf1: Any, path: str) -> Any:
    optimizers = tf.keras.optimizers.legacy
    return tf.estimator.DNNLinearCombinedClassifier(
        path,
        wide(tf),
        optimizers.SGD(0.1, momentum=0.8, nesterov=True),
        deep(tf),
        lambda: optimizers.Adamax(0.02),
        [4],
        n_classes=3,
        weight_column="weight",
        label_vocabulary=["low", "mid", "high"],
        config=config(tf),
        batch_norm=True,
        linear_sparse_combiner="sqrtn",
    )


@option("number")
def combined_wide_alone(tf: Any, tf1: Any, path: str) -> Any:
    return tf.estimator.DNNLinearCombinedRegressor(path, wide(tf), config=config(tf))


@option("number")
def combined_deep_alone(tf: Any, tf1: Any, path: str) -> Any:
    return tf.estimator.DNNLinearCombinedRegressor(
        path, dnn_feature_columns=deep(tf), dnn_hidden_units=[3], config=config(tf)
    )


@option("number")
def linear_by_default(tf: Any, tf1: Any, path: str) -> Any:
    return tf.estimator.LinearRegressor(wide(tf), path, optimizer=None, config=config(tf))


@option("yes")
def dnn_binary_head(tf: Any, tf1: Any, path: str) -> Any:
    def hinge(labels: Any, logits: Any, features: Any) -> Any:
        return tf.nn.relu(1.0 - (2.0 * labels - 1.0) * logits) * tf.reshape(features["weight"], [-1, 1])

    head = tf.estimator.BinaryClassHead("weight", [0.3, 0.5], ["no", "yes"], "sum", hinge, "hinged")
    return tf.estimator.DNNEstimator(head, [4], deep(tf), path, config=config(tf))


@option("words")
def linear_classes_head(tf: Any, tf1: Any, path: str) -> Any:
    head = tf.estimator.MultiClassHead(3, "weight", ["low", "mid", "high"], name="height")
    return tf.estimator.LinearEstimator(head, wide(tf), path, config=config(tf))


@option("number")
def linear_link(tf: Any, tf1: Any, path: str) -> Any:
    def loss(labels: Any, logits: Any) -> Any:
        return tf.math.abs(labels - logits) + 0.5 * tf.math.square(logits)

    head = tf.estimator.RegressionHead(1, "weight", "sum", loss, tf.math.exp)
    return tf.estimator.LinearEstimator(head, wide(tf), path, "SGD", config(tf))


@option("share")
def combined_share(tf: Any, tf1: Any, path: str) -> Any:
    head = tf.estimator.LogisticRegressionHead("weight", "sum")
    return tf.estimator.DNNLinearCombinedEstimator(
        head, path, wide(tf), dnn_feature_columns=deep(tf), dnn_hidden_units=[3], config=config(tf)
    )


@option("several")
def combined_several_labels(tf: Any, tf1: Any, path: str) -> Any:
    head = tf.estimator.MultiLabelHead(3, classes_for_class_based_metrics=[0, 2], loss_reduction="sum")
    return tf.estimator.DNNLinearCombinedEstimator(
        head, path, wide(tf), dnn_feature_columns=deep(tf), dnn_hidden_units=[3], config=config(tf)
    )


@option("both")
def baseline_heads(tf: Any, tf1: Any, path: str) -> Any:
    heads = [tf.estimator.BinaryClassHead(name="first"), tf.estimator.RegressionHead(2, name="second")]
    return tf.estimator.BaselineEstimator(tf.estimator.MultiHead(heads, [0.3, 2.0]), path, "Adam", config(tf))


# --- TensorFlow 1's --------------------------------------------------------------------------------------------------


@option("words")
def graph_linear_three(tf: Any, tf1: Any, path: str) -> Any:
    return tf1.estimator.LinearClassifier(
        wide(tf), path, 3, "weight", ["low", "mid", "high"], None, config(tf), sparse_combiner="mean"
    )


@option("words")
def graph_combined_three(tf: Any, tf1: Any, path: str) -> Any:
    return tf1.estimator.DNNLinearCombinedClassifier(
        path,
        wide(tf),
        tf1.train.GradientDescentOptimizer(0.05),
        deep(tf),
        lambda: tf1.train.RMSPropOptimizer(0.01, momentum=0.5, centered=True),
        [4],
        n_classes=3,
        weight_column="weight",
        label_vocabulary=["low", "mid", "high"],
        config=config(tf),
        loss_reduction=tf1.losses.Reduction.SUM_OVER_BATCH_SIZE,
        batch_norm=True,
        linear_sparse_combiner="sqrtn",
    )


@option("numbers")
def graph_combined_numbers(tf: Any, tf1: Any, path: str) -> Any:
    return tf1.estimator.DNNLinearCombinedRegressor(
        path,
        wide(tf),
        dnn_feature_columns=deep(tf),
        dnn_hidden_units=[3],
        label_dimension=2,
        weight_column="many",
        config=config(tf),
        loss_reduction=tf1.losses.Reduction.SUM_BY_NONZERO_WEIGHTS,
    )


@option("numbers")
def graph_momentum(tf: Any, tf1: Any, path: str) -> Any:
    optimizer = tf1.train.MomentumOptimizer(0.01, 0.9, use_nesterov=True)
    return tf1.estimator.DNNRegressor([3], deep(tf), path, 2, optimizer=optimizer, config=config(tf))


@option("counts")
def graph_linear_head(tf: Any, tf1: Any, path: str) -> Any:
    head = tf.estimator.PoissonRegressionHead(1, "weight", compute_full_loss=False)
    return tf1.estimator.LinearEstimator(head, wide(tf), path, "SGD", config(tf))


@option("three")
def graph_dnn_head(tf: Any, tf1: Any, path: str) -> Any:
    return tf1.estimator.DNNEstimator(tf.estimator.MultiClassHead(3), [4], deep(tf), path, "Adam", config=config(tf))


@option("two")
def graph_combined_head(tf: Any, tf1: Any, path: str) -> Any:
    head = tf.estimator.BinaryClassHead("weight", [0.4], name="b")
    return tf1.estimator.DNNLinearCombinedEstimator(
        head, path, wide(tf), "Adagrad", deep(tf), "Ftrl", [3], config=config(tf)
    )


@option("numbers")
def graph_baseline_head(tf: Any, tf1: Any, path: str) -> Any:
    return tf1.estimator.BaselineEstimator(tf.estimator.RegressionHead(2), path, "Adagrad", config(tf))
