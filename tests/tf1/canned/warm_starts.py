"""Warm starts from TensorFlow's checkpoint, with other vocabularies: the programs, for TensorFlow and for us."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.tf1.canned.programs import BATCH, features, input_fn, labels, run_config, values

OLD, NEW = ["mr", "mrs", "dr"], ["prof", "dr", "ms", "mr", "sir"]
OLD_CLASSES, NEW_CLASSES = ["low", "mid", "high"], ["none", "high", "low", "mid"]
STEPS = 4
assert len(features()["age"]) >= BATCH * STEPS  # each row once


def _file(folder: Path, name: str, words: list[str]) -> str:
    path = folder / name
    path.write_text("".join(f"{word}\n" for word in words))
    return str(path)


def _columns(tf: Any, path: str, buckets: int) -> list[Any]:
    fc = tf.feature_column
    title = fc.categorical_column_with_vocabulary_file("title", path, num_oov_buckets=buckets)
    return [fc.numeric_column("pair", shape=(2,)), fc.embedding_column(title, 3)]


def first(tf: Any, folder: Path, model_dir: str) -> Any:
    """The Estimator that is trained first, in TensorFlow."""
    path = _file(folder, "old.txt", OLD)
    return tf.estimator.DNNClassifier(
        [4], _columns(tf, path, 1), model_dir, 3, label_vocabulary=OLD_CLASSES, config=run_config(tf)
    )


def second(tf: Any, tf1: Any, folder: Path, model_dir: str, checkpoint: str) -> Any:
    """The Estimator that starts with its values. Columns of the last layer are classes, rows of the table are titles."""
    old, new = _file(folder, "old.txt", OLD), _file(folder, "new.txt", NEW)
    classes, before = _file(folder, "classes.txt", NEW_CLASSES), _file(folder, "before.txt", OLD_CLASSES)
    ones = tf1.ones_initializer()
    table = "dnn/input_from_feature_columns/input_layer/title_embedding/embedding_weights"
    settings = tf.estimator.WarmStartSettings(
        checkpoint,
        vars_to_warm_start=".*(kernel|hiddenlayer_0/bias|embedding_weights)",
        var_name_to_vocab_info={
            table: tf.estimator.VocabInfo(new, 4, 2, old, 2, ones),
            "dnn/logits/kernel": tf.estimator.VocabInfo(classes, 4, 0, before, axis=1),
        },
    )
    return tf.estimator.DNNClassifier(
        [4],
        _columns(tf, _file(folder, "four.txt", NEW[:4]), 2),
        model_dir,
        4,
        label_vocabulary=NEW_CLASSES,
        config=run_config(tf),
        warm_start_from=settings,
    )


def trained(tf: Any, estimator: Any) -> dict[str, np.ndarray]:
    """The variables after a few steps."""
    estimator.train(input_fn(tf, features(), labels("words"), 1), max_steps=STEPS)
    return values(estimator)
