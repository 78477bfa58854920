"""Programs that read images from files: decoded in functions of datasets, trained by `fit` under a strategy."""

from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import TracedDecisionError

SIZE = 12


def picture(label: int, number: int) -> np.ndarray:
    """Vertical stripes for label 0, horizontal ones for 1, with noise: (12, 12, 1), uint8."""
    stripes = np.broadcast_to(np.arange(SIZE) % 4 < 2, (SIZE, SIZE))
    noise = np.random.default_rng([label, number]).integers(0, 60, (SIZE, SIZE))
    return ((stripes.T if label else stripes) * 180 + noise).astype(np.uint8)[..., None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two classes, each with PNG and JPEG files."""
    for label in (0, 1):
        for number in range(16):
            png = number % 2 == 0
            data = tf.io.encode_png(picture(label, number)) if png else tf.io.encode_jpeg(picture(label, number))
            tf.io.write_file(str(tmp_path / str(label) / f"{number:02}.{'png' if png else 'jpg'}"), data)
    return tmp_path


def test_fit_learns_from_images_that_a_map_decodes(folder: Path) -> None:
    def load(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        image = tf.io.decode_image(tf.io.read_file(path), channels=1, expand_animations=False)
        return tf.cast(image, tf.float32) / 255.0, label

    paths = sorted(map(str, folder.glob("*/*")))
    labels = [int(Path(path).parent.name) for path in paths]
    data = tf.data.Dataset.from_tensor_slices((paths, labels)).shuffle(32, seed=1)
    data = data.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(8).prefetch(2)
    tf.keras.utils.set_random_seed(1)
    with tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]).scope():
        model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(2)])
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(tf.keras.optimizers.SGD(0.1), loss, ["accuracy"])
    history = model.fit(data, epochs=4, verbose=0).history
    assert history["accuracy"][-1] == 1.0


def test_functions_of_datasets_read_and_write_files(folder: Path) -> None:
    pixels = np.stack([picture(0, 0), picture(1, 1)])
    files = tf.data.Dataset.from_tensor_slices(pixels).map(tf.io.encode_png)
    found = list(files.map(tf.io.decode_png).as_numpy_iterator())
    np.testing.assert_array_equal(found, pixels)
    only_jpeg = tf.data.Dataset.list_files(str(folder / "1" / "*"), shuffle=False).map(tf.io.read_file)
    assert len(list(only_jpeg.filter(tf.io.is_jpeg))) == 8


def test_a_replica_step_says_that_it_has_no_strings() -> None:
    strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])

    @tf.function
    def step(image: tf.Tensor) -> None:
        strategy.run(lambda image: tf.io.encode_png(image + 1), (image,))

    with pytest.raises(TracedDecisionError, match=r"tf\.io\.encode_png makes a file of the image"):
        step(tf.zeros((2, 2, 1), tf.uint8))


def test_without_the_libraries_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(tf.errors.UnimplementedError, match=r"pip install '.*\[images\]'"):
        tf.io.encode_jpeg(picture(0, 0))


def test_random_quality_is_that_of_the_global_seed() -> None:
    image = np.repeat(picture(0, 0), 3, -1)
    tf.random.set_seed(3)
    found = tf.image.random_jpeg_quality(image, 20, 90)
    np.testing.assert_array_equal(found, tf.image.adjust_jpeg_quality(image, 54))  # TensorFlow 2.15.1 draws 54
    with pytest.raises(ValueError, match="must be less than"):
        tf.image.random_jpeg_quality(image, 20, 20)
