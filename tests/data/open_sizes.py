"""Functions of images of any size and of texts, given to `map`: the specs and numbers of their results.

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

TEXTS = ["a b c", "d e f"]  # equally long, so that no example shows that others may be longer
NUMBERS = [[1, 0, 2, 2], [0, 3, 1, 1]]
# Of `tf` and a text, or numbers.
CONTENTS: dict[str, tuple[Any, Callable[[Any, Any], Any]]] = {
    "words": (TEXTS, lambda tf, text: tf.strings.split(text)),
    "words and their number": (TEXTS, lambda tf, text: (tf.strings.split(text), tf.size(tf.strings.split(text)))),
    "the first word": (TEXTS, lambda tf, text: tf.strings.split(text)[0]),
    "numbers of words": (TEXTS, lambda tf, text: tf.strings.length(tf.strings.split(text)) * 2),
    "bytes": (TEXTS, lambda tf, text: tf.strings.bytes_split(text)),
    "characters": (TEXTS, lambda tf, text: tf.strings.unicode_decode(text, "UTF-8")),
    "letters": (TEXTS, lambda tf, text: tf.strings.unicode_split_with_offsets(text, "UTF-8")),
    "pairs": (TEXTS, lambda tf, text: tf.strings.ngrams(tf.strings.split(text), 2)),
    "raw": (TEXTS, lambda tf, text: tf.io.decode_raw(text, tf.uint8)),
    "raw of one length": (TEXTS, lambda tf, text: tf.io.decode_raw(text, tf.uint8, fixed_length=4)),
    "raw of many": ([TEXTS], lambda tf, texts: tf.io.decode_raw(texts, tf.uint8)),
    "masked": (NUMBERS, lambda tf, row: tf.boolean_mask(row, row > 0)),
    "masked columns": ([NUMBERS], lambda tf, rows: tf.boolean_mask(rows, rows[0] > 0, axis=1)),
    "places": (NUMBERS, lambda tf, row: tf.where(row > 0)),
    "distinct": (NUMBERS, lambda tf, row: tf.unique(row)),
    "counted": (NUMBERS, lambda tf, row: tuple(tf.unique_with_counts(row))),
    "sum of some": (NUMBERS, lambda tf, row: tf.reduce_sum(tf.boolean_mask(row, row > 0))),
}


def specs(tf: Any, name: str) -> list[Any]:
    """The shapes and dtypes of the results of a function of contents."""
    elements, function = CONTENTS[name]
    found = tf.data.Dataset.from_tensor_slices(elements).map(lambda element: function(tf, element)).element_spec
    return [[list(spec.shape), tf.as_dtype(spec.dtype).name] for spec in tf.nest.flatten(found)]


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

    found = {name: answers(tf, name) for name in FUNCTIONS} | {name: specs(tf, name) for name in CONTENTS}
    lines = ",\n".join(f'"{name}": {json.dumps(answer)}' for name, answer in found.items())
    RECORDED.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
