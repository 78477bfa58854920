"""Keras' layers that change images at random, or to a size: in data sets, compiled functions and the steps of replicas."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.thorough import thorough_but

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

layers = tf.keras.layers
IMAGES = np.random.default_rng(0).random((4, 8, 8, 3)).astype("float32")
RANDOM = {
    "RandomFlip": lambda: layers.RandomFlip(seed=1),
    "RandomRotation": lambda: layers.RandomRotation(0.4, seed=1),
    "RandomZoom": lambda: layers.RandomZoom(0.5, seed=1),
    "RandomContrast": lambda: layers.RandomContrast(0.5, seed=1),
    "RandomCrop": lambda: layers.RandomCrop(5, 6, seed=1),
    "RandomTranslation": lambda: layers.RandomTranslation(0.4, 0.4, seed=1),
    "RandomBrightness": lambda: layers.RandomBrightness(0.4, (0.0, 1.0), seed=1),
}
SIZES = {
    "Resizing": lambda: layers.Resizing(5, 6),
    "Rescaling": lambda: layers.Rescaling(2.0, -1.0),
    "CenterCrop": lambda: layers.CenterCrop(5, 6),
}


def call(layer: Any, images: Any) -> Any:
    return layer(images, training=True)


@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(["RandomFlip", "RandomCrop"], RANDOM))
def test_images_are_changed_anew_wherever_the_layer_is_called(name: str) -> None:
    layer = RANDOM[name]()
    shape = (4, 5, 6, 3) if name == "RandomCrop" else (4, 8, 8, 3)
    step = tf.function(lambda images: call(layer, images))
    dataset = tf.data.Dataset.from_tensors(IMAGES).repeat(3).map(lambda images: call(layer, images))
    found = [call(layer, IMAGES).numpy(), step(IMAGES).numpy(), step(IMAGES).numpy(), *dataset.as_numpy_iterator()]
    assert {each.shape for each in found} == {shape}
    assert len({each.tobytes() for each in found}) > 3, "random numbers must be drawn anew"
    single = tf.data.Dataset.from_tensor_slices(IMAGES).map(lambda image: call(layer, image)).batch(4)
    assert next(iter(single)).shape == shape
    kept = layer(IMAGES, training=False).numpy()
    assert kept.shape == shape
    if name != "RandomCrop":
        np.testing.assert_array_equal(kept, IMAGES)


@pytest.mark.parametrize("name", SIZES)
def test_sizes_and_scales_are_alike_everywhere(name: str) -> None:
    layer = SIZES[name]()
    eager = layer(IMAGES).numpy()
    np.testing.assert_allclose(tf.function(layer)(IMAGES), eager, rtol=1e-6)
    (mapped,) = tf.data.Dataset.from_tensors(IMAGES).map(layer).as_numpy_iterator()
    np.testing.assert_allclose(mapped, eager, rtol=1e-6)


def test_replicas_draw_numbers_of_their_own_in_a_step_and_in_fit() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        made = [make() for make in RANDOM.values()]
        rest = [layers.Resizing(6, 6), layers.CenterCrop(4, 4), layers.Rescaling(2.0), layers.Flatten()]
        model = tf.keras.Sequential([tf.keras.Input((8, 8, 3)), *made, *rest, layers.Dense(1)])
        model.compile("sgd", "mse")
    brightness = RANDOM["RandomBrightness"]()
    found = strategy.run(tf.function(lambda: call(brightness, tf.fill((1, 2, 2, 3), 0.5))))
    first, second = (np.asarray(value) for value in found.values)
    assert first.tobytes() != second.tobytes()
    history = model.fit(IMAGES.repeat(4, 0), np.ones((16, 1)), batch_size=8, epochs=2, verbose=0).history
    assert np.isfinite(history["loss"]).all()


@pytest.mark.sampled
@pytest.mark.parametrize(("kind", "axis"), [("RandomHeight", 0), ("RandomWidth", 1)])
def test_images_get_a_size_that_is_drawn(kind: str, axis: int) -> None:
    layer = getattr(layers, kind)((-0.5, 0.5), seed=1)
    found = [call(layer, IMAGES) for _ in range(12)]
    sizes = {each.shape[1 + axis] for each in found}
    assert 4 <= min(sizes) < 8 <= max(sizes) < 12
    assert all(each.shape[2 - axis] == 8 and each.shape[0] == 4 for each in found)
    np.testing.assert_array_equal(found[0], tf.image.resize(IMAGES, found[0].shape[1:3]))
    assert call(layer, IMAGES[0]).shape[1 - axis] == 8
    np.testing.assert_array_equal(layer(IMAGES, training=False), IMAGES)
    dataset = tf.data.Dataset.from_tensor_slices(IMAGES).repeat(3).map(lambda image: call(layer, image))
    assert len({image.shape[axis] for image in dataset.as_numpy_iterator()}) > 2
    images = tf.keras.Input((8, 8, 3))
    assert layer(images).shape == ((None, None, 8, 3), (None, 8, None, 3))[axis]
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    for arguments in ((0.2, -0.2),), (-1.5,), (0.1, "cubic"):
        with pytest.raises(ValueError, match=r"`factor` argument|`interpolation` is one of"):
            getattr(layers, kind)(*arguments)
