"""The initializers of TensorFlow's root in layers, under strategies and in saved models."""

from pathlib import Path

import numpy as np

import stratagem as tf


def test_a_layer_takes_one_and_its_model_is_loaded_again(tmp_path: Path) -> None:
    kernel = tf.random_normal_initializer(seed=1)
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        layer = tf.keras.layers.Dense(2, kernel_initializer=kernel, bias_initializer=tf.constant_initializer(3.0))
        model = tf.keras.Sequential([tf.keras.Input((1,)), layer])
    assert np.allclose(layer.kernel, [[0.00633252, -0.02465083]])
    model.save(tmp_path / "model.keras")
    loaded = tf.keras.models.load_model(tmp_path / "model.keras").layers[-1]
    assert type(loaded.kernel_initializer) is tf.random_normal_initializer
    assert loaded.kernel_initializer.get_config() == kernel.get_config()
    assert loaded.bias_initializer((1,)).tolist() == [3.0]


def test_a_class_is_an_initializer_too() -> None:
    layer = tf.keras.layers.Dense(2, use_bias=False, kernel_initializer=tf.ones_initializer)
    assert layer(np.ones((1, 2), np.float32)).tolist() == [[2.0, 2.0]]


def test_numbers_without_a_seed_follow_the_global_one_and_differ_in_every_call() -> None:
    def draw() -> list[float]:
        tf.random.set_seed(3)
        make = tf.random_uniform_initializer()
        return [float(v) for _ in range(2) for v in make((2,))]

    numbers = draw()
    assert numbers == draw()
    assert len(set(numbers)) == 4
    assert all(-0.05 <= v < 0.05 for v in numbers)


def test_a_device_spec_names_a_device() -> None:
    with tf.device(tf.DeviceSpec(device_type="CPU", device_index=1)):
        assert str(tf.constant(1.0).device).endswith("CPU:1")
