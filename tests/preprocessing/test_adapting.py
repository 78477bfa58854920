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


def test_numbers_that_a_layer_has_learned_are_weights_and_are_given_to_other_layers() -> None:
    """Weights of words, a summary. In TensorFlow 2.15.1 learned words and their count are weights, too; here they are not."""
    words = layers.StringLookup(output_mode="tf_idf")
    assert [len(w) for w in words.get_weights()] == [1]
    words.adapt([["a", "b"], ["a", "c"]])
    (weights,) = words.get_weights()
    assert weights.dtype == np.float32
    other = layers.StringLookup(vocabulary=words.get_vocabulary(), idf_weights=[1.0] * 4, output_mode="tf_idf")
    other.set_weights([weights])
    assert other([["a", "b"]]).numpy().tolist() == words([["a", "b"]]).numpy().tolist()
    texts = layers.TextVectorization(output_mode="tf_idf", vocabulary=["a", "b"], idf_weights=[1.0, 2.0])
    texts.set_weights([np.array([0.5, 3.0, 4.0])])
    assert texts(["a b b"]).numpy().tolist() == [[0, 3, 8]]
    given = layers.StringLookup(vocabulary=["a"])
    given.set_weights([])
    assert given.get_weights() == []

    bins = layers.Discretization(num_bins=3)
    bins.adapt(np.arange(10.0))
    (summary,) = bins.get_weights()
    assert summary.shape[0] == 2
    others = layers.Discretization(num_bins=3)
    others.set_weights([summary])
    assert others.bin_boundaries == bins.bin_boundaries
    given = layers.Discretization([1.0, 2.0])
    given.set_weights([])
    assert given.get_weights() == []


def test_weights_that_do_not_fit_are_refused() -> None:
    texts = layers.TextVectorization(output_mode="tf_idf", vocabulary=["a", "b"], idf_weights=[1.0, 2.0])
    with pytest.raises(ValueError, match="was given 0 arrays; the layer has 1"):
        texts.set_weights([])
    with pytest.raises(ValueError, match=r"weights of 3 words have the shape \(3,\), got \(2,\)"):
        texts.set_weights([np.ones(2)])
    assert texts(["a b b"]).numpy().tolist() == [[0, 1, 4]]
    with pytest.raises(ValueError, match=r"shape \(2, n\), got \(3,\)"):
        layers.Discretization(num_bins=3).set_weights([np.ones(3)])
    numbers = layers.Normalization()
    numbers.adapt(np.ones((4, 2)))
    assert [w.shape for w in numbers.get_weights()] == [(2,), (2,), ()]
