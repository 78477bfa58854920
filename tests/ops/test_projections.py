"""Images are projected as TensorFlow's kernel does it, and Keras' layers of random changes do it by the same function."""

import json
from pathlib import Path
from typing import Any

import jax
import keras
import numpy as np
import pytest

# Private: the function of Keras' that the hook replaces.
from keras.src.backend.jax import image as keras_image

import stratagem as tf
from tests.ops.projection_cases import cases

ANSWERS = json.loads(Path(__file__).with_name("tensorflow_projections.json").read_text())
GIVEN = dict(cases())


def projected(arguments: dict[str, Any]) -> np.ndarray:
    given = dict(arguments)
    return tf.addons.image.transform(given.pop("images"), given.pop("transforms"), **given).numpy()


@pytest.mark.parametrize("name", GIVEN)
def test_projections_are_tensorflows(name: str) -> None:
    arguments = GIVEN[name]
    result = projected(arguments)
    assert result.dtype == arguments["images"].dtype
    expected = np.asarray(ANSWERS[name])
    if result.dtype == np.float16:
        np.testing.assert_allclose(result, expected, rtol=1e-3)
    else:
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


def turned(images: Any, **options: Any) -> Any:
    rows = [[0.8, -0.6, 3.0, 0.6, 0.8, -1.0, 0.0, 0.0]] * images.shape[0]
    return keras.ops.image.affine_transform(images, np.asarray(rows, "float32"), **options)


@pytest.mark.parametrize("fill_mode", ["constant", "nearest", "reflect", "wrap", "mirror"])
@pytest.mark.parametrize("interpolation", ["nearest", "bilinear"])
def test_functions_of_keras_give_keras_numbers(interpolation: str, fill_mode: str) -> None:
    images = np.random.default_rng(0).normal(size=(3, 9, 12, 2)).astype("float32")
    options = {"interpolation": interpolation, "fill_mode": fill_mode, "data_format": "channels_last"}
    expected = keras_image.affine_transform.__wrapped__(
        images, np.asarray([[0.8, -0.6, 3.0, 0.6, 0.8, -1.0, 0.0, 0.0]] * 3, "float32"), **options
    )
    np.testing.assert_allclose(turned(images, **options), expected, rtol=1e-5, atol=1e-5)


def test_layers_of_keras_project_images() -> None:
    """Seen by what is computed: four reads of whole pixels, where Keras' function has eight for each channel."""

    def reads(layer: Any) -> int:
        images = jax.ShapeDtypeStruct((2, 9, 12, 3), np.float32)
        return str(jax.make_jaxpr(lambda x: layer(x, training=True))(images)).count("= gather[")

    layers = (keras.layers.RandomRotation(0.2), keras.layers.RandomZoom(0.2), keras.layers.RandomTranslation(0.2, 0.2))
    assert [reads(layer) for layer in layers] == [4, 4, 4]


@pytest.mark.parametrize(
    ("images", "options", "message"),
    [
        ((2, 4, 5, 1), {"fill_mode": "mirror"}, "fill_mode is one of"),
        ((2, 4, 5, 1), {"interpolation": "bicubic"}, "interpolation is one of"),
        ((2, 0, 5, 1), {}, "have the shape"),
        ((3, 4, 5, 1), {}, "Projections of 3 images"),
    ],
)
def test_odd_arguments_are_errors(images: tuple[int, ...], options: dict[str, str], message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.addons.image.transform(np.zeros(images, "float32"), np.zeros((2, 8), "float32"), **options)


def test_gradients_of_images_and_transforms_are_those_of_finite_differences() -> None:
    images = np.random.default_rng(0).normal(size=(1, 6, 6, 1))
    rows = np.asarray([[0.9, -0.21, 1.13, 0.17, 0.83, 0.31, 0.01, 0.02]])
    x, row = tf.Variable(images), tf.Variable(rows)

    def loss() -> Any:
        return tf.reduce_sum(tf.addons.image.transform(x, row, "bilinear") ** 2)

    with tf.GradientTape() as tape:
        value = loss()
    gradients = tape.gradient(value, [x, row])
    for variable, gradient, place, step in ((x, gradients[0], (0, 2, 3, 0), 1e-6), (row, gradients[1], (0, 2), 1e-3)):
        change = np.zeros(variable.shape)
        change[place] = step
        variable.assign_add(change)
        after = float(loss())
        variable.assign_sub(2 * change)
        before = float(loss())
        variable.assign_add(change)
        assert gradient.numpy()[place] == pytest.approx((after - before) / (2 * step), rel=2e-2)
