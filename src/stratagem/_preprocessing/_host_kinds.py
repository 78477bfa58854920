"""The layers that compute on the host, as exports describe them: their arguments, and what they have learned."""

from collections.abc import Mapping
from typing import Any

import jax
import keras
import numpy as np

from stratagem._base.errors import UnimplementedError
from stratagem._base.types import UserFunction
from stratagem._core.step import HostKind, host_kind, named_host_function
from stratagem._ops import on_device
from stratagem._preprocessing._composites import Encoded
from stratagem._preprocessing._hashing import Hashing, words_of_strings
from stratagem._preprocessing._index_lookup import IndexLookup
from stratagem._preprocessing._lookups import IntegerLookup, StringLookup
from stratagem._preprocessing._text_vectorization import TextVectorization

# Arguments of every layer that say nothing about what it computes.
_OF_ALL = ("name", "trainable")


def _config(layer: keras.Layer) -> dict[str, Any]:
    config = {key: value for key, value in layer.get_config().items() if key not in _OF_ALL}
    for key, value in config.items():
        if callable(value):
            code = getattr(value, "__code__", None)
            where = "" if code is None else f" ({code.co_filename}, line {code.co_firstlineno})"
            raise UnimplementedError(
                f"the layer {layer.name!r} has {key}={getattr(value, '__name__', value)!r}{where}, a function of the user's, "
                f"and no file has its code. Use one of the ways that {type(layer).__name__} knows by name, or call it before "
                "the exported function."
            )
    policy = config.get("dtype")
    if isinstance(policy, dict):
        config["dtype"] = layer.compute_dtype
    return config


def _lookup_facts(layer: IndexLookup) -> dict[str, Any]:
    words, weights = layer.words_and_weights()
    return {"config": _without_files(_config(layer)), "words": words, "weights": weights}


def _without_files(config: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a layer, without a vocabulary: a stranger's could be the path of a file."""
    return {**config, "vocabulary": None, "idf_weights": None}


def _of_known_words(layer: IndexLookup) -> UserFunction:
    """Returns the method for strings that are mere examples, which a layer without numbers for unknown words refuses."""
    words, _ = layer.words_and_weights()
    if layer.num_oov_indices or layer.invert or not len(words):
        return layer._prepared

    def prepared(inputs: Any) -> Encoded:
        return layer._prepared(jax.tree.map(lambda leaf: on_device(_repeated(words[0], leaf)), inputs))

    return prepared


def _repeated(word: Any, leaf: Any) -> np.ndarray:
    array = np.asarray(leaf)
    return np.full(array.shape, word, object) if array.dtype.hasobject else array


def _lookup(kind: type[IndexLookup]) -> HostKind:
    def prepared(facts: Mapping[str, Any]) -> UserFunction:
        layer = kind(**_without_files(facts["config"]))
        layer.set_words_and_weights(facts["words"], facts["weights"])
        return layer._prepared

    return HostKind(
        f"layers.{kind.__name__}", kind, "_prepared", _lookup_facts, prepared, _of_known_words, kind.words_and_weights
    )


def _vectorization_facts(layer: TextVectorization) -> dict[str, Any]:
    words, weights = layer._lookup_layer.words_and_weights()
    return {"config": _without_files(_config(layer)), "words": words, "weights": weights}


def _vectorization(facts: Mapping[str, Any]) -> UserFunction:
    layer = TextVectorization(**_without_files(facts["config"]))
    layer._lookup_layer.set_words_and_weights(facts["words"], facts["weights"])
    return layer._prepared


def _hashing(facts: Mapping[str, Any]) -> UserFunction:
    return Hashing(**facts["config"])._prepared


for each in (
    _lookup(StringLookup),
    _lookup(IntegerLookup),
    HostKind(
        "layers.TextVectorization",
        TextVectorization,
        "_prepared",
        _vectorization_facts,
        _vectorization,
        learned=lambda layer: layer._lookup_layer.words_and_weights(),
    ),
    HostKind("layers.Hashing", Hashing, "_prepared", lambda layer: {"config": _config(layer)}, _hashing),
):
    host_kind(each)
named_host_function("layers.HashedCrossing", words_of_strings)
