"""Record files of JPEGs of clothing, for programs that train on them."""

from pathlib import Path

import numpy as np

import stratagem as tf

FILES, IMAGES = 4, 92


def write_jpegs(folder: Path) -> None:
    """Writes the first images of Fashion-MNIST as JPEGs into files of different lengths, in order."""
    (images, labels), _ = tf.keras.datasets.fashion_mnist.load_data()
    ends = np.cumsum([0, 26, 24, 22, 20])  # so TensorFlow has no step without rows on a worker: its convolution fails
    assert ends[-1] == IMAGES
    assert len(ends) == FILES + 1
    for file in range(FILES):
        with tf.io.TFRecordWriter(str(folder / f"{file}.tfrecord")) as writer:
            for number in range(ends[file], ends[file + 1]):
                encoded = tf.io.encode_jpeg(images[number][..., np.newaxis], format="grayscale").numpy()
                writer.write(_example(encoded, int(labels[number]), number).SerializeToString())


def _example(image: bytes, label: int, number: int) -> tf.train.Example:
    def integers(value: int) -> tf.train.Feature:
        return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))

    encoded = tf.train.Feature(bytes_list=tf.train.BytesList(value=[image]))
    features = {"image": encoded, "label": integers(label), "number": integers(number)}
    return tf.train.Example(features=tf.train.Features(feature=features))
