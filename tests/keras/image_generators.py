"""Flows of `ImageDataGenerator` from NumPy's seed: which images come when, and what was made of them.

    /tmp/tensorflow/bin/python -m tests.keras.image_generators

records those of TensorFlow 2.15.1 (with SciPy, pandas and Pillow); `tests/parity/record_tensorflow.py` says how that
environment is made.
"""

import json
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image

RECORDED = Path(__file__).parent / "recorded" / "image_generators.json"
_SOURCE = np.random.default_rng(0)
IMAGES = _SOURCE.integers(0, 256, (7, 6, 5, 3)).astype("float32")
LABELS = np.arange(7) % 2
FILES = {f"{folder}/im{i}.png": _SOURCE.integers(0, 256, (8 + i, 9, 3)) for folder in "ba" for i in range(4)}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "flips": {"horizontal_flip": True, "vertical_flip": True},
    "shifts": {"width_shift_range": 0.3, "height_shift_range": 2},
    "rotation": {"rotation_range": 40, "fill_mode": "reflect"},
    "zoom": {"zoom_range": 0.4, "shear_range": 20, "fill_mode": "constant", "cval": 7.0},
    "brightness": {"brightness_range": (0.5, 1.5)},
    "channels": {"channel_shift_range": 50.0},
    "normal": {"samplewise_center": True, "samplewise_std_normalization": True, "rescale": 1 / 255},
    "all": {
        "rotation_range": 20,
        "width_shift_range": [-1, 1],
        "zoom_range": [0.8, 1.2],
        "horizontal_flip": True,
        "rescale": 1 / 255,
        "fill_mode": "wrap",
    },
    "split": {"validation_split": 0.4},
    "learned": {"featurewise_center": True, "featurewise_std_normalization": True, "zca_whitening": True},
}


def _told(batches: Iterator[Any], count: int = 3) -> list[Any]:
    """Of each array in batches its shape, its dtype and a number for each row, in which all of its numbers count."""
    found = []
    for batch in [next(batches) for _ in range(count)]:
        for array in map(np.asarray, batch if isinstance(batch, tuple) else (batch,)):
            rows = array.reshape(len(array), -1).astype(np.float64)
            numbers = rows @ np.cos(np.arange(rows.shape[1]))
            found.append([list(array.shape), str(array.dtype), numbers.tolist()])
    return found


def _begun(tf: Any, **options: Any) -> Any:
    np.random.seed(3)
    return tf.keras.preprocessing.image.ImageDataGenerator(**options)


def from_arrays(tf: Any, name: str, seed: int | None) -> list[Any]:
    """Batches of arrays."""
    generator = _begun(tf, **OPTIONS[name])
    if name == "learned":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that whitening goes before normalization
            generator.fit(IMAGES, seed=1)
    part = {"subset": "training"} if name == "split" else {}
    return _told(generator.flow(IMAGES, LABELS, batch_size=3, seed=seed, **part))


def from_files(tf: Any, folder: str, name: str) -> list[Any]:
    """Batches of a folder, its facts, and batches of a table."""
    part = {"subset": "validation"} if name == "split" else {}
    size = {"target_size": (6, 6), "batch_size": 3}
    flow = _begun(tf, **OPTIONS[name]).flow_from_directory(folder, **size, **part)
    facts = [flow.filenames, flow.class_indices, flow.classes.tolist(), flow.samples, len(flow)]
    table = pd.DataFrame({"filename": list(FILES), "class": ["x", "y"] * 4, "value": np.arange(8.0)})
    rows = _begun(tf, **OPTIONS[name]).flow_from_dataframe(table, folder, seed=9, **size)
    return [_told(flow), facts, _told(rows)]


def modes(tf: Any, folder: str) -> dict[str, Any]:
    """Kinds of labels, colours, weights, several epochs, batches by number, transformations by themselves."""
    size = {"target_size": (5, 5), "batch_size": 3}
    table = pd.DataFrame({"filename": list(FILES), "class": ["x", "y"] * 4, "value": np.arange(8.0)})
    found: dict[str, Any] = {}
    for kind in ("binary", "sparse", "input", None):
        options = {"color_mode": "grayscale", "interpolation": "bilinear", "shuffle": False, "class_mode": kind}
        found[f"folder: {kind}"] = _told(_begun(tf).flow_from_directory(folder, **size, **options))
    for kind, column in (("raw", "value"), ("sparse", "class"), (None, "class")):
        options = {"y_col": column, "class_mode": kind, "keep_aspect_ratio": True}
        found[f"table: {kind}"] = _told(_begun(tf).flow_from_dataframe(table, folder, **size, **options))
    found["weights"] = _told(_begun(tf).flow(IMAGES, LABELS, sample_weight=np.arange(7) / 7, batch_size=2))
    flow = _begun(tf).flow(IMAGES, LABELS, batch_size=3, seed=2)
    found["epochs"] = [*_told(flow, 6), *_told(iter([flow[1]]), 1)]
    turned = _begun(tf, rotation_range=30, horizontal_flip=True)
    found["transformations"] = _told(turned.random_transform(IMAGES[0]) for _ in range(3))
    drawn = turned.get_random_transform((6, 5, 3), seed=4)
    found["drawn"] = {key: value for key, value in drawn.items() if value is not None}
    return found


def write_files(folder: str) -> None:
    """Writes the images of the folder."""
    for name, pixels in FILES.items():
        path = Path(folder, name)
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(pixels.astype(np.uint8)).save(path)


def main() -> None:
    """Record everything."""
    import tensorflow as tf

    with tempfile.TemporaryDirectory() as folder:
        write_files(folder)
        found = {
            "arrays": {name: [from_arrays(tf, name, seed) for seed in (None, 5)] for name in OPTIONS},
            "files": {name: from_files(tf, folder, name) for name in OPTIONS if name != "learned"},
            "modes": modes(tf, folder),
        }
    RECORDED.write_text(json.dumps(found).replace('], "', '],\n"') + "\n")


if __name__ == "__main__":
    main()
