"""A wide and deep classifier with weights, for TensorFlow and for us, on any number of replicas up to eight."""

from typing import Any

import numpy as np

from tests.tf1.canned.options import deep, wide
from tests.tf1.canned.programs import features, input_fn, labels

BATCH = 8  # of all replicas together
STEPS = 6


def classifier(tf: Any, api: Any, model_dir: str, strategy: Any = None) -> Any:
    """api: `tf.estimator`, whose loss is a mean, or TensorFlow 1's, whose loss is a sum."""
    config = tf.estimator.RunConfig(
        model_dir, 3, train_distribute=strategy, save_checkpoints_steps=1000, log_step_count_steps=1000
    )
    return api.DNNLinearCombinedClassifier(
        linear_feature_columns=wide(tf),
        dnn_feature_columns=deep(tf),
        dnn_hidden_units=[4],
        n_classes=3,
        weight_column="weight",
        label_vocabulary=["low", "mid", "high"],
        config=config,
    )


def rows(tf: Any, replicas: int) -> Any:
    """An input_fn. Each replica takes a batch."""
    return input_fn(tf, features(), labels("words"), 100, BATCH // replicas)


def trained(tf: Any, api: Any, model_dir: str, strategy: Any, replicas: int) -> dict[str, np.ndarray]:
    """The variables after the steps."""
    made = classifier(tf, api, model_dir, strategy)
    made.train(rows(tf, replicas), max_steps=STEPS)
    return variables(made)


def variables(estimator: Any) -> dict[str, np.ndarray]:
    """All by name."""
    return {name: estimator.get_variable_value(name) for name in estimator.get_variable_names()}


def parse_spec(tf: Any) -> dict[str, Any]:
    """The features of an example."""
    found: dict[str, Any] = tf.feature_column.make_parse_example_spec([*wide(tf), *deep(tf)])
    return found
