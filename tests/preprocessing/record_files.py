"""Record models of TensorFlow 2.15.1 whose layers have learned from data, as files of Keras, and what they predict.

    /tmp/tensorflow/bin/python -m tests.preprocessing.record_files

`tests/parity/record_tensorflow.py` says how that environment is made. It rewrites the files of `tests/preprocessing/recorded`.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).parent / "recorded"
TEXTS = ["the cat", "a dog; the", "The end", "cat cat cat"]
WORDS = [["a", "b"], ["c", "a"], ["a", "unknown"], ["", "b"]]
INTEGERS = [[3], [5], [3], [8]]
NUMBERS = [[0.5, -1.0], [1.5, 2.0], [2.5, 7.0], [9.0, 1.0]]
# By the model's name: what it is given.
DATA: dict[str, Any] = {
    "texts": TEXTS,
    "weights of texts": TEXTS,
    "words": WORDS,
    "words of a list": WORDS,
    "integers": np.array(INTEGERS, np.int64),
    "bins": np.array(NUMBERS, np.float32),
    "numbers": np.array(NUMBERS, np.float32),
    "hashes": WORDS,
    "categories": np.array(INTEGERS, np.int64),
}


def layers(tf: Any) -> dict[str, list[Any]]:
    """The layers of each model; those that learn have done so."""
    kinds = tf.keras.layers
    found = {
        "texts": kinds.TextVectorization(max_tokens=6, ngrams=2, output_sequence_length=4),
        "weights of texts": kinds.TextVectorization(output_mode="tf_idf"),
        "words": kinds.StringLookup(mask_token="", num_oov_indices=2),
        "words of a list": kinds.StringLookup(vocabulary=["a", "b"], output_mode="multi_hot"),
        "integers": kinds.IntegerLookup(max_tokens=3),
        "bins": kinds.Discretization(num_bins=3),
        "numbers": kinds.Normalization(),
        "hashes": kinds.Hashing(7, salt=3),
        "categories": kinds.CategoryEncoding(9, output_mode="one_hot"),
    }
    for name, layer in found.items():
        if hasattr(layer, "adapt") and name != "words of a list":
            layer.adapt(tf.constant(DATA[name]))
    dense = kinds.Dense(2, kernel_initializer=tf.keras.initializers.Constant(0.25))
    return {name: [layer, dense] if name == "numbers" else [layer] for name, layer in found.items()}


def main() -> None:
    """Record every model."""
    import tensorflow as tf

    RECORDED.mkdir(exist_ok=True)
    answers = {}
    for name, made in layers(tf).items():
        data = tf.constant(DATA[name])
        model = tf.keras.Sequential([tf.keras.Input(data.shape[1:], dtype=data.dtype), *made])
        answers[name] = model.predict(data, verbose=0).tolist()
        model.save(RECORDED / f"{name.replace(' ', '_')}.keras")
    (RECORDED / "answers.json").write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    main()
