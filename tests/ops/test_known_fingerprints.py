"""Words that were hashed before have the same numbers again, however many there are and in whatever order they come."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratagem as tf

# Private: the words that are kept are no part of any answer.
from stratagem._ops.text import _known_fingerprints

BUCKETS = 2**61 - 1


@given(st.lists(st.binary(max_size=80)), st.lists(st.binary(max_size=80)))
def test_words_that_are_known_have_the_buckets_that_they_had(first: list[bytes], second: list[bytes]) -> None:
    alone = {word: int(tf.strings.to_hash_bucket_fast(word, BUCKETS)) for word in {*first, *second}}
    for words in (first, [*second, *first, *second]):
        found = tf.strings.to_hash_bucket_fast(np.array([*words, b"last"], object), BUCKETS).numpy()[:-1]
        assert found.tolist() == [alone[word] for word in words]


def test_no_more_words_are_kept_than_a_number_of_short_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[bytes, int] = {}
    monkeypatch.setattr(_known_fingerprints, "_known", known)
    monkeypatch.setattr(_known_fingerprints, "_MOST", 100)
    words = np.array([b"%d" % number for number in range(60)] + [b"long" * 50], object)
    expected = tf.strings.to_hash_bucket_fast(words, BUCKETS).numpy()
    assert len(known) == 60
    for start in range(0, 1000, 60):
        tf.strings.to_hash_bucket_fast(
            np.array([b"%d" % number for number in range(start, start + 60)], object), BUCKETS
        )
        assert 60 <= len(known) <= 100
    assert b"long" * 50 not in known
    monkeypatch.setattr(_known_fingerprints, "_LARGE", 500)
    many = np.array([b"%d" % number for number in range(1000)], object)
    np.testing.assert_array_equal(tf.strings.to_hash_bucket_fast(many, BUCKETS).numpy()[:60], expected[:60])
    np.testing.assert_array_equal(tf.strings.to_hash_bucket_fast(words, BUCKETS).numpy(), expected)
