"""Record which weights the layers of TensorFlow 2.15.1 have that learn from data, and what becomes of them in copies of models.

    /tmp/tensorflow/bin/python -m tests.preprocessing.record_weights

`tests/parity/record_tensorflow.py` says how that environment is made. It rewrites `weights.json` and the
checkpoint of `tests/preprocessing/recorded`.
"""

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).parent / "recorded" / "weights.json"
CHECKPOINT = Path(__file__).parent / "recorded" / "checkpoint" / "learned"
WORDS = [["a", "b"], ["c", "a"]]
TEXTS = [["the cat"], ["a dog; the"], ["The end"]]
INTEGERS = [[3, 5], [3, 8]]
NUMBERS = [[0.5, -1.0], [1.5, 2.0], [2.5, 7.0], [9.0, 1.0]]
Case = tuple[Any, Callable[[Any], Any]]
# What `adapt` reads, None for layers that learn nothing, and the layer of a module `tf.keras.layers`.
CASES: dict[str, Case] = {
    "words": (WORDS, lambda kinds: kinds.StringLookup()),
    "words after a mask": (WORDS, lambda kinds: kinds.StringLookup(mask_token="", num_oov_indices=2)),
    "words of numbers": (WORDS, lambda kinds: kinds.StringLookup(invert=True)),
    "words of a list": (None, lambda kinds: kinds.StringLookup(vocabulary=["a", "b"])),
    "counts of words": (WORDS, lambda kinds: kinds.StringLookup(output_mode="count")),
    "weights of words": (WORDS, lambda kinds: kinds.StringLookup(output_mode="tf_idf")),
    "weights and room": (
        WORDS,
        lambda kinds: kinds.StringLookup(output_mode="tf_idf", max_tokens=6, pad_to_max_tokens=True),
    ),
    "given weights": (
        None,
        lambda kinds: kinds.StringLookup(output_mode="tf_idf", vocabulary=["a", "b"], idf_weights=[1.0, 2.0]),
    ),
    "integers": (INTEGERS, lambda kinds: kinds.IntegerLookup()),
    "integers after a mask": (INTEGERS, lambda kinds: kinds.IntegerLookup(mask_token=0)),
    "weights of integers": (INTEGERS, lambda kinds: kinds.IntegerLookup(output_mode="tf_idf")),
    "texts": (TEXTS, lambda kinds: kinds.TextVectorization()),
    "weights of texts": (TEXTS, lambda kinds: kinds.TextVectorization(output_mode="tf_idf")),
    "texts of a list": (None, lambda kinds: kinds.TextVectorization(vocabulary=["a"])),
    "bins": (NUMBERS, lambda kinds: kinds.Discretization(num_bins=3)),
    "given bins": (None, lambda kinds: kinds.Discretization([1.0, 2.0])),
    "moments": (NUMBERS, lambda kinds: kinds.Normalization()),
    "one moment": (NUMBERS, lambda kinds: kinds.Normalization(axis=None)),
    "given moments": (None, lambda kinds: kinds.Normalization(mean=1.0, variance=2.0)),
    "hashes": (None, lambda kinds: kinds.Hashing(7)),
    "categories": (None, lambda kinds: kinds.CategoryEncoding(7)),
}
COPIES: dict[str, Callable[[Any, Any], Any]] = {
    "pickle": lambda tf, model: pickle.loads(pickle.dumps(model)),
    "deepcopy": lambda tf, model: copy.deepcopy(model),
    "clone_model": lambda tf, model: tf.keras.models.clone_model(model),
    "from_config": lambda tf, model: type(model).from_config(model.get_config()),
}


def tensor_of(tf: Any, data: Any) -> Any:
    """The data of a case as a tensor: floats of 32 bits, integers of 64."""
    first = data[0][0]
    return tf.constant(
        data, tf.string if isinstance(first, str) else tf.int64 if isinstance(first, int) else tf.float32
    )


def listed(value: Any) -> Any:
    """An answer as JSON has it."""
    if isinstance(value, bytes):
        return value.decode()
    return [listed(each) for each in value] if isinstance(value, list) else value


def weights_of(layer: Any) -> list[Any]:
    """The dtype, the shape and the values of each weight."""
    return [[str(w.dtype), list(w.shape), listed(np.asarray(w).tolist())] for w in layer.get_weights()]


def answers_of(tf: Any, name: str) -> dict[str, Any]:
    """The weights of a layer before and after it has learned, and what another answers that is given them."""
    data, make = CASES[name]
    layer = make(tf.keras.layers)
    found: dict[str, Any] = {"fresh": weights_of(layer)}
    if data is None:
        return found
    given = tensor_of(tf, data)
    layer.adapt(given)
    found |= {"learned": weights_of(layer), "parameters": int(layer.count_params())}
    other = make(tf.keras.layers)
    other.build((None, *given.shape[1:]))
    other.set_weights(layer.get_weights())
    asked = tf.constant([[1, 3]], tf.int64) if "of numbers" in name else given
    results = [each(asked) for each in (layer, other)]
    found["answers"] = [listed(np.asarray(each).tolist()) for each in results]
    return found


def model_of(tf: Any, name: str) -> Any:
    """A model of a layer that has learned."""
    data, make = CASES[name]
    layer = make(tf.keras.layers)
    layer.adapt(tensor_of(tf, data))
    inputs = tf.keras.Input((len(data[0]),), dtype=tensor_of(tf, data).dtype)
    return tf.keras.Model(inputs, layer(inputs))


def answer(tf: Any, model: Any, name: str) -> Any:
    """What a model answers, or the class of the error."""
    try:
        return np.asarray(model(tensor_of(tf, CASES[name][0]))).tolist()
    except tf.errors.OpError as error:
        return type(error).__name__


LEARNING = [name for name, (data, _) in CASES.items() if data is not None and name != "words of numbers"]


IN_CHECKPOINT = ("words", "weights and room", "bins", "moments", "one moment")


def model_with_weights(tf: Any, name: str, learned: bool) -> Any:
    """A model of a layer and an embedding or a dense one; of a vocabulary that is known in any case, as files lack it."""
    data, make = CASES[name]
    layer = make(tf.keras.layers)
    if learned or "w" in name:
        layer.adapt(tensor_of(tf, data))
    inputs = tf.keras.Input((len(data[0]),), dtype=tensor_of(tf, data).dtype)
    numbers = layer(inputs)
    last = tf.keras.layers.Embedding(6, 2) if name in ("words", "bins") else tf.keras.layers.Dense(2)
    return tf.keras.Model(inputs, last(numbers))


def in_checkpoint(tf: Any, learned: bool) -> tuple[dict[str, Any], Any]:
    """What the checkpoint has: models, and a table."""
    models = {name: model_with_weights(tf, name, learned) for name in IN_CHECKPOINT}
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    if learned:
        table.insert(tf.constant(["a", "b"]), tf.constant([4, 2**40], tf.int64))
    return models, tf.train.Checkpoint(models=models, table=table)


def main() -> None:
    """Record everything."""
    import tensorflow as tf

    layers = {name: answers_of(tf, name) for name in CASES}
    copies = {}
    for name in LEARNING:
        model = model_of(tf, name)
        copies[name] = {how: answer(tf, make(tf, model), name) for how, make in COPIES.items()}
        another = tf.keras.models.clone_model(model)
        another.set_weights(model.get_weights())
        copies[name] |= {"original": answer(tf, model, name), "set_weights": answer(tf, another, name)}
        copies[name]["parameters"] = int(model.count_params())
    models, checkpoint = in_checkpoint(tf, learned=True)
    checkpoint.write(str(CHECKPOINT))
    saved = {name: answer(tf, model, name) for name, model in models.items()}
    text = json.dumps({"layers": layers, "copies": copies, "saved": saved})
    RECORDED.write_text(text.replace('}, "', '},\n"') + "\n")


if __name__ == "__main__":
    main()
