"""Words are found and numbered in a whole batch of texts as they are in each text alone."""

import random
from typing import Any

import numpy as np
import pytest

import stratagem as tf

# Hashes that are equal for different strings come about in no test that knows only layers.
from stratagem._ops.lookup import StringSpans, _spans
from stratagem._ops.lookup._search import KeySearch

layers = tf.keras.layers
PARTS = [
    b" ",
    b"  ",
    b"\t",
    b"\n",
    b"\v\f\r",
    b"a",
    b"bB",
    b"c,",
    b".",
    b"\xc3\x84",
    b"\x00",
    b"z\x00",
    b"abcdefgh",
    b"abcdefghi",
]
NOT_IN_UTF8 = [bytes([byte]) for byte in (0x80, 0xC0, 0xC1, *range(0xF5, 0x100))]


def random_texts(source: random.Random, count: int, parts: list[bytes]) -> np.ndarray:
    texts = np.empty(count, object)
    texts[:] = [b"".join(source.choices(parts, k=source.randint(0, 12))) for _ in range(count)]
    return texts


@pytest.mark.parametrize("standardize", [None, "lower", "strip_punctuation", "lower_and_strip_punctuation"])
@pytest.mark.parametrize("ngrams", [None, 2, (3, 1)])
@pytest.mark.parametrize("mode", ["int", "count", "tf_idf", "multi_hot"])
def test_a_batch_of_texts_has_the_numbers_of_each_text_alone(standardize: str | None, ngrams: Any, mode: str) -> None:
    source = random.Random(f"{standardize} {ngrams} {mode}")
    options = {"output_sequence_length": 6} if mode == "int" else {}
    for parts in (PARTS, PARTS + NOT_IN_UTF8):
        layer = layers.TextVectorization(standardize=standardize, ngrams=ngrams, output_mode=mode, **options)
        layer.adapt(random_texts(source, 30, parts))
        texts = random_texts(source, 40, parts)
        found = layer(texts).numpy()
        # A text without a dimension is split by Python; without words it has no numbers, as in TensorFlow.
        alone = [layer(tf.constant(text)).numpy() for text in texts]
        expected = np.stack([row if row.size else np.zeros(found.shape[1:], row.dtype) for row in alone])
        np.testing.assert_array_equal(found, expected, strict=True)
        assert layer(texts[:, None]).numpy().tolist() == found.tolist()


def test_rows_of_numbers_are_as_long_as_the_texts_if_they_are_ragged() -> None:
    layer = layers.TextVectorization(ragged=True, vocabulary=["a", "a longer text", "text"], ngrams=3)
    found = layer(["A longer   text.", "", " a\ta ", "text"]).to_list()
    assert found == [[2, 1, 4, 1, 1, 3], [], [2, 2, 1], [4]]
    assert layer(np.empty(0, object)).to_list() == []


def test_strings_of_equal_hashes_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [b"", b"a", b"a\x00", b"another", b"a longer string", b"a longer string!", b"b longer string"]
    monkeypatch.setattr(StringSpans, "hashes", lambda spans: np.full(len(spans), 5, np.uint64))
    search = KeySearch(np.array(words[:-1], object))
    for keys in (words, words[::-1], [b"c"], []):
        expected = [words.index(key) if key in words[:-1] else -1 for key in keys]
        assert search.places_of_spans(_spans.spans_of(keys)).tolist() == expected
    assert KeySearch(np.empty(0, object)).places_of_spans(_spans.spans_of(words)).tolist() == [-1] * len(words)


def test_different_strings_have_different_hashes() -> None:
    source = np.random.default_rng(0)
    words = sorted({source.bytes(int(size)) for size in source.integers(0, 40, 20_000)})
    assert len(set(_spans.spans_of(words).hashes().tolist())) == len(words)
