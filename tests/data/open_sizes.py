"""Functions of images of any size, given to `map`: the specs and numbers of their results.

    /tmp/tensorflow/bin/python -m tests.data.open_sizes

records those of TensorFlow 2.15.1; `tests/parity/record_tensorflow.py` says how that environment is made.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).parent / "recorded" / "open_sizes.json"
IMAGES = Path(__file__).parents[1] / "ops" / "image_files"
FILES = ("rgb_444.jpg", "gray.jpg", "rgb_420.jpg")
# Of `tf` and an image.
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "as it is": lambda tf, image: image,
    "half": lambda tf, image: tf.image.central_crop(image, 0.5),
    "a third": lambda tf, image: tf.image.central_crop(image, 0.33),
    "mirrored": lambda tf, image: image[:, ::-1],
    "every second": lambda tf, image: image[::2, ::2],
    "inner": lambda tf, image: image[1:-1, 2:],
    "colours": lambda tf, image: image[tf.newaxis, ..., ::-1],
    "a quarter": lambda tf, image: image[tf.shape(image)[0] // 4 : tf.shape(image)[0] // 2, : tf.shape(image)[1] // 2],
    "square": lambda tf, image: image[: tf.reduce_min(tf.shape(image)[:2]), : tf.reduce_min(tf.shape(image)[:2])],
    "ratio": lambda tf, image: tf.cast(tf.shape(image)[0], tf.float32) / tf.cast(tf.shape(image)[1], tf.float32),
    "rank": lambda tf, image: tf.constant(image.shape.rank * 10 + image.shape[-1]),
    "turned": lambda tf, image: tf.image.rot90(image),
    "beside": lambda tf, image: tf.concat([image, image[:, ::-1]], axis=1),
    "in a row": lambda tf, image: tf.reshape(image, [-1, 3]),
    "two columns": lambda tf, image: tf.gather(image, [0, 1], axis=1),
    "mean": lambda tf, image: tf.reduce_mean(tf.cast(image, tf.float32), axis=[0, 1]),
    "as large as fits": lambda tf, image: tf.image.resize(image, (20, 30), preserve_aspect_ratio=True),
    "one size": lambda tf, image: tf.image.resize_with_crop_or_pad(image, 8, 8),
}


def answers(tf: Any, name: str) -> dict[str, Any]:
    """The spec of the results, and of each its shape and a number in which all of its numbers count."""
    paths = [str(IMAGES / file) for file in FILES]
    dataset = tf.data.Dataset.from_tensor_slices(paths)
    dataset = dataset.map(lambda path: FUNCTIONS[name](tf, tf.io.decode_jpeg(tf.io.read_file(path), channels=3)))
    spec = dataset.element_spec
    arrays = list(map(np.asarray, dataset.as_numpy_iterator()))
    numbers = [float(array.ravel().astype(np.float64) @ np.cos(np.arange(array.size))) for array in arrays]
    return {"spec": [list(spec.shape), spec.dtype.name], "shapes": [list(a.shape) for a in arrays], "numbers": numbers}


def main() -> None:
    """Record everything."""
    import tensorflow as tf

    lines = ",\n".join(f'"{name}": {json.dumps(answers(tf, name))}' for name in FUNCTIONS)
    RECORDED.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
