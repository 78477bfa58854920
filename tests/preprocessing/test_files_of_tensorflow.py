"""Models that TensorFlow 2.15.1 saved with its layers are read with ours, and checkpoints keep what layers have learned."""

import json
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from tests.preprocessing.record_files import DATA, RECORDED, layers

ANSWERS = json.loads((RECORDED / "answers.json").read_text())


@pytest.mark.sampled
@pytest.mark.parametrize("name", list(DATA))
def test_a_file_of_tensorflow_is_read(name: str) -> None:
    model = tf.keras.models.load_model(RECORDED / f"{name.replace(' ', '_')}.keras")
    assert type(model.layers[0]).__module__.startswith("stratagem.")
    found = model.predict(tf.constant(DATA[name]), verbose=0)
    np.testing.assert_allclose(found, ANSWERS[name], rtol=1e-6, atol=1e-6)


def test_checkpoints_keep_what_layers_have_learned(tmp_path: Path) -> None:
    learned = layers(tf)
    fresh = {
        "texts": tf.keras.layers.TextVectorization(max_tokens=6, ngrams=2, output_sequence_length=4),
        "weights of texts": tf.keras.layers.TextVectorization(output_mode="tf_idf"),
        "words": tf.keras.layers.StringLookup(mask_token="", num_oov_indices=2),
        "integers": tf.keras.layers.IntegerLookup(max_tokens=3),
        "bins": tf.keras.layers.Discretization(num_bins=3),
        "numbers": tf.keras.layers.Normalization(),
    }
    fresh["numbers"].build((None, 2))
    path = tf.train.Checkpoint(layers={name: learned[name][0] for name in fresh}).save(str(tmp_path / "ckpt"))
    tf.train.Checkpoint(layers=fresh).restore(path).assert_consumed()
    for name, layer in fresh.items():
        wanted = learned[name][0](tf.constant(DATA[name]))
        np.testing.assert_array_equal(np.asarray(layer(tf.constant(DATA[name]))), np.asarray(wanted), err_msg=name)
