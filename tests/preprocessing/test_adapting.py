"""Layers learn from arrays, data sets and distributed data sets in one pass, and workers learn together."""

import json
from typing import Any

import numpy as np
import pytest

import stratagem as tf

layers = tf.keras.layers
WORDS = np.array([["a", "b", "a"], ["c", "a", "b"], ["d", "d", "a"], ["b", "e", "e"]], object)
TEXTS = ["the cat", "a dog; the", "The end", "cat cat cat"]
NUMBERS = np.random.default_rng(0).normal(2.0, 3.0, (64, 3)).astype("float32")


def same(made: Any) -> list[Any]:
    """What a layer has learned, to be compared."""
    if isinstance(made, layers.Normalization):
        return np.concatenate([np.ravel(made.mean), np.ravel(made.variance)]).round(4).tolist()
    return made.get_vocabulary() if hasattr(made, "get_vocabulary") else np.round(made.bin_boundaries, 3).tolist()


CASES = [
    (lambda: layers.StringLookup(output_mode="tf_idf", max_tokens=9, pad_to_max_tokens=True), WORDS),
    (lambda: layers.TextVectorization(ngrams=2), np.array(TEXTS, object)),
    (lambda: layers.IntegerLookup(mask_token=0), np.arange(12).reshape(4, 3) % 5),
    (lambda: layers.Discretization(num_bins=4, epsilon=0.1), NUMBERS),
    (layers.Normalization, NUMBERS),
]
in_every_case = pytest.mark.parametrize(
    ("make", "data"), CASES, ids=["words", "texts", "integers", "bins", "normalization"]
)


@in_every_case
def test_every_source_gives_the_same(make: Any, data: np.ndarray) -> None:
    tensors = data.tolist() if data.dtype == object else data
    dataset = tf.data.Dataset.from_tensor_slices(tensors)
    wanted = make()
    wanted.adapt(tensors)
    assert wanted.is_adapted
    sources = [dataset.batch(32), (data[start : start + 32] for start in range(0, len(data), 32))]
    if data.dtype != object:
        strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
        sources.append(strategy.experimental_distribute_dataset(dataset.batch(64)))
    for source in sources:
        made = make()
        made.adapt(source)
        assert same(made) == same(wanted)
    wanted.adapt(dataset.batch(2), steps=1)  # anew
    fewer = make()
    fewer.adapt(tensors[:2], batch_size=2)
    assert same(wanted) == same(fewer)
    with pytest.raises(ValueError, match="`batch_size` is for arrays"):
        made.adapt(dataset.batch(2), batch_size=2)


@in_every_case
def test_what_workers_have_learned_is_merged(make: Any, data: np.ndarray) -> None:
    whole, first, second = make(), make(), make()
    for layer in (whole, first, second):
        layer.build(data.shape)
        layer.built = True
    half = len(data) // 2
    for layer, part in ((whole, data[:half]), (whole, data[half:]), (first, data[:half]), (second, data[half:])):
        layer.update_state(part)
    states = json.loads(json.dumps([first.learned(), second.learned()]))
    for layer in (first, second):
        layer.merge(states)
    for layer in (whole, first, second):
        layer.finalize_state()
    assert same(first) == same(whole) == same(second)


def test_a_given_vocabulary_is_not_learned() -> None:
    for layer in (layers.StringLookup(vocabulary=["a"]), layers.TextVectorization(vocabulary=["a"])):
        with pytest.raises(ValueError, match="its vocabulary was given"):
            layer.adapt(["a"])
    with pytest.raises(ValueError, match="made with `bin_boundaries`"):
        layers.Discretization(bin_boundaries=[1.0]).adapt([1.0])
    with pytest.raises(ValueError, match="made with a mean"):
        layers.Normalization(mean=0.0, variance=1.0).adapt([[1.0]])


def test_vectors_keep_their_size() -> None:
    layer = layers.StringLookup(output_mode="multi_hot")
    with pytest.raises(RuntimeError, match="known before the layer is called"):
        layer(["a"])
    layer.adapt(["a", "b"])
    with pytest.raises(RuntimeError, match="cannot change: it was 3, got 4"):
        layer.adapt(["a", "b", "c"])
    assert layer.get_vocabulary() == ["[UNK]", "b", "a"]


def test_rows_of_different_lengths_are_documents() -> None:
    texts = layers.TextVectorization(output_mode="tf_idf")
    texts.adapt(["a b a", "b"])
    words = tf.RaggedTensor.from_row_lengths(tf.constant(["a", "b", "a", "b"]), [3, 1])
    for data in (words, words.to_sparse()):
        layer = layers.StringLookup(output_mode="tf_idf")
        layer.build(None)
        layer.update_state(data)
        layer.finalize_state()
        assert layer.get_vocabulary() == texts.get_vocabulary() == ["[UNK]", "b", "a"]
        assert layer(words).numpy().tolist() == texts(["a b a", "b"]).numpy().tolist()
