"""Characters of strings that are longer than what is decoded at once; the scripts to which characters belong."""

import hashlib
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


def test_every_code_point_has_the_script_that_it_has_in_tensorflow() -> None:
    scripts = np.asarray(tf.strings.unicode_script(tf.range(0x110000)))
    assert scripts.dtype == np.int32
    recorded = "7699a24e35a64bdbb13fbd0fc4e242710f235f3dd6b7e3d7dc11a85d46535e28"  # of TensorFlow 2.15.1's
    assert hashlib.sha256(scripts.astype("<i4").tobytes()).hexdigest() == recorded


def test_scripts_of_characters_and_of_what_is_none() -> None:
    latin, greek, common, invalid = 25, 14, 0, -1
    asked, expected = [[65, 0x3B1], [48, -1], [0x110000, 2**31 - 1]], [[latin, greek], [common, invalid], [invalid] * 2]
    assert tf.strings.unicode_script(asked).numpy().tolist() == expected
    assert tf.function(tf.strings.unicode_script)(tf.constant(asked)).numpy().tolist() == expected
    ragged = tf.strings.unicode_script(tf.strings.unicode_decode(["aβ", "1"], "UTF-8"))
    assert ragged.to_list() == [[latin, greek], [common]]
    assert tf.strings.unicode_script([]).shape == [0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        tf.strings.unicode_script(tf.constant([65], tf.int64))
