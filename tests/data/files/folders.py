"""Calls of `tf.keras.utils` that make datasets of folders and of series; what they give, as JSON can hold it."""

import contextlib
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

CLASSES = {"b": 5, "a": 4, "c": 3}  # how many files each has
OF_FOLDERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "categorical": {"label_mode": "categorical"},
    "no labels": {"labels": None},
    "no mode": {"label_mode": None},
    "given labels": {"labels": list(range(12))},
    "names": {"class_names": ["c", "a", "b"]},
    "other names": {"class_names": ["c", "a"]},
    "binary": {"label_mode": "binary"},
    "unknown mode": {"label_mode": "x"},
    "too few labels": {"labels": [1, 2]},
    "training": {"validation_split": 0.3, "subset": "training"},
    "both": {"validation_split": 0.3, "subset": "both"},
    "no subset": {"validation_split": 0.3},
    "nothing to validate": {"validation_split": 0.01, "subset": "training"},
    "no seed": {"validation_split": 0.3, "subset": "training", "shuffle": True},
    "shuffled": {"shuffle": True, "seed": 7, "batch_size": 50},
    "shuffled both": {"validation_split": 0.3, "subset": "both", "shuffle": True, "seed": 7, "batch_size": 50},
    "unbatched": {"batch_size": None},
}
OF_IMAGES: dict[str, dict[str, Any]] = {
    "gray": {"color_mode": "grayscale"},
    "opacity": {"color_mode": "rgba"},
    "unknown colours": {"color_mode": "hsv"},
    "nearest": {"interpolation": "nearest"},
    "larger": {"image_size": (8, 8)},
    "cropped": {"image_size": (4, 8), "crop_to_aspect_ratio": True},
}
SERIES = np.arange(20.0)
OF_SERIES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "targets": ((SERIES, SERIES * 2, 4), {}),
    "no targets": ((SERIES, None, 4), {}),
    "strides": ((np.arange(40).reshape(20, 2), SERIES, 3), {"sequence_stride": 2, "sampling_rate": 2}),
    "a part": ((SERIES, SERIES, 3), {"start_index": 2, "end_index": 10}),
    "few targets": ((SERIES, SERIES[:7], 4), {}),
    "a list, unbatched": ((list(range(9)), None, 2), {"batch_size": None}),
    "shuffled": ((SERIES, SERIES, 3), {"shuffle": True, "seed": 3, "batch_size": 50}),
    "the end is too far": ((SERIES, SERIES, 3), {"end_index": 20}),
    "no rate": ((SERIES, SERIES, 3), {"sampling_rate": 0}),
    "a start below 0": ((SERIES, SERIES, 3), {"start_index": -1}),
}


def write_files(tf: Any, folder: Path) -> None:
    """Images of two sizes in `images`, texts in `texts`; the second file of a class is in a folder of its own."""
    for name, count in CLASSES.items():
        for number in range(count):
            height, width = (6, 5) if number % 2 else (9, 4)
            pixels = (np.arange(height * width * 3).reshape(height, width, 3) * (number + 1) * 3 + ord(name)) % 256
            path = folder / "images" / name / ("x" if number == 1 else "") / f"{number}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(tf.io.encode_png(pixels.astype(np.uint8)).numpy())
            text = folder / "texts" / name / f"{number}.txt"
            text.parent.mkdir(parents=True, exist_ok=True)
            text.write_text(f"{name} {number}")
    (folder / "images" / ".hidden").mkdir()


def answers(tf: Any, folder: Path) -> dict[str, Any]:
    """What every call gives: what it prints, and of each dataset the names of classes, the paths and the elements."""
    utils, found = tf.keras.utils, {}
    small = {"batch_size": 5, "shuffle": False}
    for name, options in OF_FOLDERS.items():
        images = utils.image_dataset_from_directory, str(folder / "images"), {"image_size": (6, 5), **small, **options}
        found[f"images: {name}"] = _answer(folder, *images)
        found[f"texts: {name}"] = _answer(
            folder, utils.text_dataset_from_directory, str(folder / "texts"), small | options
        )
    for name, options in OF_IMAGES.items():
        images = utils.image_dataset_from_directory, str(folder / "images"), {"image_size": (6, 5), **small, **options}
        found[f"images: {name}"] = _answer(folder, *images)
    texts = utils.text_dataset_from_directory
    found["texts: short"] = _answer(folder, texts, str(folder / "texts"), small | {"max_length": 1})
    found["texts: of images"] = _answer(folder, texts, str(folder / "images"), small)
    for name, (args, options) in OF_SERIES.items():
        made = utils.timeseries_dataset_from_array
        found[f"series: {name}"] = _answer(
            folder, lambda a, made=made, **k: made(*a, **k), args, {"batch_size": 4} | options
        )
    return found


def _answer(folder: Path, function: Callable[..., Any], argument: Any, options: dict[str, Any]) -> Any:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            datasets = function(argument, **options)
    except Exception as error:
        return type(error).__name__
    every = datasets if isinstance(datasets, list) else [datasets]
    return [
        said.getvalue(),
        *(_shown(dataset, folder, "image_size" in options, options["batch_size"] == 50) for dataset in every),
    ]


def _shown(dataset: Any, folder: Path, images: bool, one_batch: bool) -> Any:
    """A dataset. TensorFlow has no paths of texts. one_batch: shuffled as it is drawn, which differs."""
    paths = [os.path.relpath(path, folder) for path in dataset.file_paths] if images else []
    elements = [element if isinstance(element, tuple | list) else (element,) for element in dataset]
    return [getattr(dataset, "class_names", None), paths, [[_part(v, one_batch) for v in e] for e in elements]]


def _part(value: Any, in_any_order: bool) -> Any:
    array = np.asarray(value)
    if array.dtype == object:
        texts = [text.decode() for text in array.ravel().tolist()]
        return [list(array.shape), sorted(texts) if in_any_order else texts]
    numbers = array.astype(np.float64).ravel()
    parts = [numbers.sum()] if in_any_order else [numbers.sum(), (numbers * np.cos(np.arange(numbers.size))).sum()]
    return [array.dtype.name, list(array.shape), [round(float(v), 1) for v in parts]]
