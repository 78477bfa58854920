"""Characters of strings that are longer than what is decoded at once."""

import random

import numpy as np
import pytest

import stratagem as tf


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16-LE"])
def test_long_texts_with_bytes_that_are_no_character(encoding: str) -> None:
    drawn = random.Random(0)
    text = "".join(drawn.choice(["a", "é", "語", "🙂"]) for _ in range(9000)).encode(encoding)
    damaged = bytearray(text)
    for place in [*range(0, 1000, 97), *range(1000, len(damaged), 9001)]:  # near each other, and in several windows
        damaged[place] = 0xD9  # no character by itself in either, and half of one in UTF-16
    damaged = bytes(damaged[:-1])
    expected = [ord(c) for c in damaged.decode(encoding, "replace")]
    assert np.asarray(tf.strings.unicode_decode(damaged, encoding)).tolist() == expected
