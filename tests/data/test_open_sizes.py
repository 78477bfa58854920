"""Functions of images of any size and of texts have TensorFlow's specs in `map`: sizes that contents tell are unknown."""

import json

import numpy as np
import pytest

import stratagem as tf
from tests.data.open_sizes import CONTENTS, FUNCTIONS, RECORDED, answers, specs

ANSWERS = json.loads(RECORDED.read_text())


@pytest.mark.sampled
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_images_of_any_size_is_tensorflows(name: str) -> None:
    found, wanted = answers(tf, name), ANSWERS[name]
    assert {key: found[key] for key in ("spec", "shapes")} == {key: wanted[key] for key in ("spec", "shapes")}
    np.testing.assert_allclose(found["numbers"], wanted["numbers"], rtol=1e-4, atol=0.5)


@pytest.mark.parametrize("name", CONTENTS)
def test_sizes_that_contents_tell_are_unknown_where_tensorflow_does_not_know_them(name: str) -> None:
    assert specs(tf, name) == ANSWERS[name]


def test_a_function_that_takes_one_size_alone_has_its_spec() -> None:
    def of_one_size(path: tf.Tensor) -> tf.Tensor:
        return tf.ensure_shape(tf.io.decode_jpeg(tf.io.read_file(path), channels=3), image.shape)

    path = str(RECORDED.parents[2] / "ops" / "image_files" / "rgb_444.jpg")
    image = tf.io.decode_jpeg(tf.io.read_file(path))
    assert tf.data.Dataset.from_tensors(path).map(of_one_size).element_spec.shape == image.shape
