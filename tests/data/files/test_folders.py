"""`tf.keras.utils`' datasets of folders and series have the files, labels, splits and windows that TensorFlow 2.15.1 gives."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.data.files.folders import answers, write_files

RECORDED = json.loads((Path(__file__).parent / "folders_tensorflow.json").read_text())


def close(found: Any, wanted: Any) -> bool:
    """Whether two answers are equal, sums of floating point but for their rounding."""
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(close, found, wanted))
    return abs(found - wanted) < 0.2 if isinstance(found, float) and isinstance(wanted, float) else found == wanted


def test_folders_and_series_give_what_they_give_in_tensorflow(tmp_path: Path) -> None:
    write_files(tf, tmp_path)
    found = json.loads(json.dumps(answers(tf, tmp_path)))
    assert {name: answer for name, answer in found.items() if not close(answer, RECORDED[name])} == {}
    assert found.keys() == RECORDED.keys()


def test_a_dataset_of_a_folder_trains_under_a_strategy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(tf, tmp_path)
    options = {"image_size": (6, 5), "batch_size": 4, "seed": 1}
    data = tf.keras.utils.image_dataset_from_directory(tmp_path / "images", **options)
    assert data.class_names == ["a", "b", "c"]
    assert "Found 12 files belonging to 3 classes." in capsys.readouterr().out
    with tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]).scope():
        layers = [tf.keras.layers.Rescaling(1 / 255), tf.keras.layers.Flatten(), tf.keras.layers.Dense(3)]
        model = tf.keras.Sequential(layers)
        model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    losses = model.fit(data, epochs=2, verbose=0).history["loss"]
    assert np.all(np.isfinite(losses))


def test_preprocessing_has_the_same_functions() -> None:
    names = ("image_dataset_from_directory", "text_dataset_from_directory", "timeseries_dataset_from_array")
    for name in names:
        assert getattr(tf.keras.preprocessing, name) is getattr(tf.keras.utils, name)


# Keras' code rotates by an old name of SciPy's.
@pytest.mark.filterwarnings("ignore:Please import `affine_transform`:DeprecationWarning")
def test_generators_of_images_read_folders_and_feed_fit(tmp_path: Path) -> None:
    write_files(tf, tmp_path)
    (tmp_path / "images" / ".hidden").rmdir()  # generators, also TensorFlow's, take it for a class
    generator = tf.keras.preprocessing.image.ImageDataGenerator(
        rescale=1 / 255, rotation_range=10, horizontal_flip=True
    )
    batches = generator.flow_from_directory(tmp_path / "images", (6, 5), class_mode="sparse", batch_size=4, seed=2)
    assert batches.class_indices == {"a": 0, "b": 1, "c": 2}
    assert [images.shape for images, _ in (batches[0], batches[2])] == [(4, 6, 5, 3), (4, 6, 5, 3)]
    with tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]).scope():
        model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(3)])
        model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    assert np.isfinite(model.fit(batches, verbose=0).history["loss"][0])
