"""An object of every class that the library registers with Keras, and their configurations with paths in place of texts."""

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras

import stratagem as tf
from stratagem.addons import layers, losses, metrics, optimizers

FIRST = tf.keras.initializers.Constant(0.5)


def classes() -> dict[str, type]:
    """The classes that the library registers with Keras, by their registered names."""
    found = keras.saving.get_custom_objects().items()
    return {
        name: each
        for name, each in found
        if isinstance(each, type) and each.__module__.partition(".")[0] == "stratagem"
    }


def columns(words: Path) -> list[Any]:
    """A column of every kind."""
    column = tf.feature_column
    number = column.numeric_column("number")
    listed = column.categorical_column_with_vocabulary_list("listed", ["a", "b"], num_oov_buckets=1)
    hashed = column.categorical_column_with_hash_bucket("hashed", 5)
    numbered = column.categorical_column_with_identity("numbered", 5)
    filed = column.categorical_column_with_vocabulary_file("filed", str(words))
    return [
        number,
        column.bucketized_column(number, [0.5]),
        column.indicator_column(hashed),
        column.indicator_column(column.crossed_column(["hashed", "listed"], 7)),
        column.indicator_column(column.weighted_categorical_column(numbered, "weight")),
        column.embedding_column(listed, 3, initializer=FIRST),
        column.embedding_column(filed, 3, initializer=FIRST),
    ]


def sequence_columns(words: Path) -> list[Any]:
    """A column of every kind of sequences."""
    column = tf.feature_column
    return [
        column.sequence_numeric_column("number"),
        column.indicator_column(column.sequence_categorical_column_with_identity("numbered", 5)),
        column.indicator_column(column.sequence_categorical_column_with_hash_bucket("hashed", 5)),
        column.indicator_column(column.sequence_categorical_column_with_vocabulary_list("listed", ["a", "b"])),
        column.embedding_column(column.sequence_categorical_column_with_vocabulary_file("filed", str(words)), 3),
    ]


def examples(words: Path, program: Path) -> dict[str, Callable[[], Any]]:
    """What makes an object of each class whose constructor needs arguments, by registered name.

    words: a file with a word in each line. program: the folder of a SavedModel.
    """
    rates = (0.1, 1.0, 100)
    return {
        "Addons>AdamW": lambda: optimizers.AdamW(0.1),
        "Addons>CohenKappa": lambda: metrics.CohenKappa(3),
        "Addons>CyclicalLearningRate": lambda: optimizers.CyclicalLearningRate(*rates, scale_fn=keras.ops.square),
        "Addons>ExponentialCyclicalLearningRate": lambda: optimizers.ExponentialCyclicalLearningRate(*rates),
        "Addons>F1Score": lambda: metrics.F1Score(3, average="macro"),
        "Addons>FBetaScore": lambda: metrics.FBetaScore(3, average="micro"),
        "Addons>HammingLoss": lambda: metrics.HammingLoss(mode="multilabel"),
        "Addons>MatthewsCorrelationCoefficient": lambda: metrics.MatthewsCorrelationCoefficient(3),
        "Addons>Maxout": lambda: layers.Maxout(2),
        "Addons>PinballLoss": lambda: losses.PinballLoss(),
        "Addons>SGDW": lambda: optimizers.SGDW(0.1),
        "Addons>Triangular2CyclicalLearningRate": lambda: optimizers.Triangular2CyclicalLearningRate(*rates),
        "Addons>TriangularCyclicalLearningRate": lambda: optimizers.TriangularCyclicalLearningRate(*rates),
        "Addons>WeightNormalization": lambda: layers.WeightNormalization(
            keras.layers.Dense(2, activation="relu"), data_init=False
        ),
        "stratagem>CategoryEncoding": lambda: tf.keras.layers.CategoryEncoding(4),
        "stratagem>ConstantInitializer": lambda: tf.constant_initializer(0.5),
        "stratagem>DenseFeatures": lambda: tf.keras.layers.DenseFeatures(columns(words)),
        "stratagem>Discretization": lambda: tf.keras.layers.Discretization([0.5]),
        "stratagem>HashedCrossing": lambda: tf.keras.layers.HashedCrossing(5),
        "stratagem>Hashing": lambda: tf.keras.layers.Hashing(5),
        "stratagem>IntegerLookup": lambda: tf.keras.layers.IntegerLookup(vocabulary=[5, 7]),
        "stratagem>RandomCrop": lambda: tf.keras.layers.RandomCrop(2, 2),
        "stratagem>RandomHeight": lambda: tf.keras.layers.RandomHeight(0.5),
        "stratagem>RandomWidth": lambda: tf.keras.layers.RandomWidth(0.5),
        "stratagem>SequenceFeatures": lambda: tf.keras.experimental.SequenceFeatures(sequence_columns(words)),
        "stratagem>StringLookup": lambda: tf.keras.layers.StringLookup(vocabulary=["a", "b"]),
        "stratagem>TFOpLambda": lambda: tf.abs(keras.KerasTensor((2,)))._keras_history.operation,
        "stratagem>TFSMLayer": lambda: tf.keras.layers.TFSMLayer(str(program)),
        "stratagem>TextVectorization": lambda: tf.keras.layers.TextVectorization(vocabulary=["a", "b"]),
    }


def changed(config: Any, value: Any) -> Iterator[tuple[str, Any]]:
    """Yields a configuration once for each of its texts and empty places, with `value` there, and where that is."""
    for place in _places(config, ()):
        result = copy.deepcopy(config)
        holder = result
        for part in place[:-1]:
            holder = holder[part]
        holder[place[-1]] = value
        yield ".".join(map(str, place)), result


def _places(value: Any, before: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        if each is None or isinstance(each, str):
            yield (*before, key)
        elif isinstance(each, list) and each and all(isinstance(part, str | int | float) for part in each):
            yield (*before, key)  # a vocabulary
        yield from _places(each, (*before, key))
