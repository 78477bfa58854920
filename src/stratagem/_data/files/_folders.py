"""Datasets of files in a folder, whose subfolders are classes: `tf.keras.utils.image_dataset_from_directory` and its like."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagem._base.exports import exported
from stratagem._base.paths import StrPath, file_errors, local_path
from stratagem._core.step import host_function
from stratagem._data._dataset import Dataset
from stratagem._data.stages._options import AUTOTUNE
from stratagem._ops import tensor
from stratagem._ops.files import read_file
from stratagem._ops.image_files import decode_image
from stratagem._ops.images import resize_on_host

_CHANNELS = {"grayscale": 1, "rgb": 3, "rgba": 4}
_IMAGES = (".bmp", ".gif", ".jpeg", ".jpg", ".png")
_TEXTS = (".txt",)


@dataclass(frozen=True)
class _Files:
    """Paths in order, a label for each (none if the dataset has none), and the names of the classes."""

    paths: list[str]
    labels: list[int] | None
    class_names: list[Any]

    def part(self, validation_split: float | None, subset: str | None) -> "_Files":
        """Returns those for training, or the last ones, which are for validation."""
        if not validation_split:
            return self
        count = int(validation_split * len(self.paths))
        taken = slice(0, -count) if subset == "training" else slice(-count, None)
        found = _Files(self.paths[taken], None if self.labels is None else self.labels[taken], self.class_names)
        print(f"Using {len(found.paths)} files for {subset}.")
        return found

    def encoded_labels(self, label_mode: str | None) -> np.ndarray:
        """Returns labels as int32, (n, 1) of float32 if they are binary, or (n, classes) of float32 if they are categorical."""
        labels = np.asarray(self.labels, np.int32)
        if label_mode == "binary":
            return labels[:, None].astype(np.float32)
        if label_mode == "categorical":
            return (labels[:, None] == np.arange(len(self.class_names))).astype(np.float32)
        return labels


@dataclass(frozen=True)
class _Request:
    """The arguments that all functions here have, as `image_dataset_from_directory` explains them."""

    directory: StrPath
    labels: str | Sequence[int] | None
    label_mode: str | None
    class_names: Sequence[str] | None
    batch_size: int | None
    shuffle: bool
    seed: int | None
    validation_split: float | None
    subset: str | None
    follow_links: bool

    def check(self) -> None:
        """Raises ValueError for arguments that contradict each other."""
        given = not (self.labels is None or isinstance(self.labels, str))
        if isinstance(self.labels, str) and self.labels != "inferred":
            raise ValueError(
                f'`labels` is "inferred", None or a list with a number for each file, got {self.labels!r}.'
            )
        if given and self.class_names:
            raise ValueError(f'`class_names` needs `labels="inferred"`, got labels={self.labels!r}.')
        if self.label_mode not in ("int", "categorical", "binary", None):
            raise ValueError(f'`label_mode` is "int", "categorical", "binary" or None, got {self.label_mode!r}.')
        if self.validation_split and not 0 < self.validation_split < 1:
            raise ValueError(f"`validation_split` must be between 0 and 1, received: {self.validation_split}")
        if bool(self.validation_split) != bool(self.subset):
            raise ValueError("If `subset` is set, `validation_split` must be set, and inversely.")
        if self.subset not in ("training", "validation", "both", None):
            raise ValueError(f'`subset` must be either "training", "validation" or "both", received: {self.subset}')
        if self.validation_split and self.shuffle and self.seed is None:
            raise ValueError(
                "If using `validation_split` and shuffling the data, you must provide a `seed` argument, to make sure that "
                "there is no overlap between the training and validation subset."
            )

    def datasets(self, formats: tuple[str, ...], load: Callable[[Any], Any]) -> Dataset | list[Dataset]:
        """Returns the dataset of one subset, or those of both. load: makes an element of a path."""
        self.check()
        seed = int(np.random.randint(1_000_000)) if self.seed is None else self.seed
        files = self._files(formats, seed)
        if self.label_mode == "binary" and len(files.class_names) != 2:
            raise ValueError(
                f'`label_mode="binary"` takes exactly 2 class_names, received: class_names={files.class_names}'
            )
        if self.subset != "both":
            return self._dataset(files.part(self.validation_split, self.subset), formats, load, seed, self.shuffle)
        return [
            self._dataset(
                files.part(self.validation_split, name), formats, load, seed, self.shuffle and name == "training"
            )
            for name in ("training", "validation")
        ]

    def _files(self, formats: tuple[str, ...], seed: int) -> _Files:
        """Finds all files; with `shuffle`, in the order that NumPy's RandomState draws from the seed, as Keras 2 does."""
        directory = local_path(self.directory)
        inferred = self.labels == "inferred" and self.label_mode is not None
        with file_errors(directory):
            folders = _subfolders(directory) if inferred else [""]
        names: list[Any] = list(self.class_names or folders)
        if inferred and set(names) != set(folders):
            raise ValueError(
                f"`class_names` are those of the subfolders of {directory}: {folders}, got {list(self.class_names or ())}."
            )
        found = [(path, names.index(folder)) for folder in folders for path in self._listed(directory, folder, formats)]
        paths, labels = [path for path, _ in found], [label for _, label in found]
        if self.label_mode is not None and not (inferred or self.labels is None):
            labels = [int(label) for label in self.labels]  # text is "inferred"
            names = sorted(set(labels))  # as in Keras 2
            if len(labels) != len(paths):
                raise ValueError(f"`labels` has {len(labels)} numbers, and {directory} has {len(paths)} files.")
        print(f"Found {len(paths)} files belonging to {len(names)} classes.")
        if self.shuffle:
            for each in (paths, labels):
                np.random.RandomState(seed).shuffle(each)
        return _Files(paths, None if self.labels is None or self.label_mode is None else labels, names)

    def _listed(self, directory: str, folder: str, formats: tuple[str, ...]) -> Iterator[str]:
        walked = os.walk(os.path.join(directory, folder), followlinks=self.follow_links)
        for root, _, names in sorted(walked, key=lambda entry: entry[0]):
            yield from (os.path.join(root, name) for name in sorted(names) if name.lower().endswith(formats))

    def _dataset(
        self,
        files: _Files,
        formats: tuple[str, ...],
        load: Callable[[Any], Any],
        seed: int,
        shuffle: bool,
    ) -> Dataset:
        if not files.paths:
            raise ValueError(f"No files of {', '.join(formats)} found in directory {local_path(self.directory)}.")
        labelled = files.labels is not None
        paths = np.array(files.paths, object)
        dataset = Dataset.from_tensor_slices((paths, files.encoded_labels(self.label_mode)) if labelled else paths)
        if shuffle:  # paths instead of what is read, which has the same order
            dataset = dataset.shuffle(1024 if self.batch_size is None else 8 * self.batch_size, seed=seed)

        def labelled_load(path: Any, label: Any) -> tuple[Any, Any]:
            return load(path), label

        dataset = dataset.map(labelled_load if labelled else load, num_parallel_calls=AUTOTUNE)
        dataset = dataset if self.batch_size is None else dataset.batch(self.batch_size)
        dataset = dataset.prefetch(AUTOTUNE)
        dataset.class_names = files.class_names  # type: ignore[attr-defined]  # users read both
        dataset.file_paths = files.paths  # type: ignore[attr-defined]
        return dataset


def _subfolders(directory: str) -> list[str]:
    names = sorted(os.listdir(directory))
    return [name for name in names if os.path.isdir(os.path.join(directory, name)) and not name.startswith(".")]


@exported("keras.preprocessing.image_dataset_from_directory", "keras.utils.image_dataset_from_directory")
def image_dataset_from_directory(
    directory: StrPath, labels: str | Sequence[int] | None = "inferred", label_mode: str | None = "int",
    class_names: Sequence[str] | None = None, color_mode: str = "rgb", batch_size: int | None = 32,
    image_size: tuple[int, int] = (256, 256), shuffle: bool = True, seed: int | None = None,
    validation_split: float | None = None, subset: str | None = None, interpolation: str = "bilinear",
    follow_links: bool = False, crop_to_aspect_ratio: bool = False,
) -> Any:  # fmt: skip
    """Returns a dataset of batches of the images in a folder, (batch, height, width, channels) of float32, with labels.

    labels: "inferred", the number of the subfolder that an image is in; a number for each file, in alphabetical order; or
    None. label_mode: "int", "categorical" (one-hot), "binary" (0. or 1.) or None. class_names: the subfolders, in the order
    of their numbers. color_mode: "grayscale", "rgb" or "rgba". batch_size: None for single images. seed: of the order.
    validation_split: the fraction for validation; subset: "training", "validation" or "both", a list of the two.
    crop_to_aspect_ratio: the middle is cut out before an image is resized.

    The dataset has `class_names` and `file_paths`. Files are in the order, and in the subset, that Keras 2 draws from
    the seed; the dataset shuffles them again in each epoch.

    Raises:
        ValueError: arguments that contradict each other, no files. NotFoundError: no such folder.
    """
    request = _Request(
        directory, labels, None if labels is None else label_mode, class_names, batch_size, shuffle, seed,
        validation_split, subset, follow_links,
    )  # fmt: skip
    request.check()
    if color_mode not in _CHANNELS:
        raise ValueError(f"`color_mode` must be one of {sorted(_CHANNELS)}, received: color_mode={color_mode}")

    @host_function
    def load(path: Any) -> Any:
        image = decode_image(read_file(path), channels=_CHANNELS[color_mode], expand_animations=False)
        if crop_to_aspect_ratio:
            image = _middle(image, image_size)
        return tensor(resize_on_host(np.asarray(image), image_size, interpolation))

    return request.datasets(_IMAGES, load)


def _middle(image: Any, size: tuple[int, int]) -> Any:
    """Returns the largest part in the middle of an image that has the ratio of height and width of `size`."""
    height, width = image.shape[:2]
    rows = min(height, int(np.float32(width * size[0]) / np.float32(size[1])))
    columns = min(width, int(np.float32(height * size[1]) / np.float32(size[0])))
    top, left = (height - rows) // 2, (width - columns) // 2
    return image[top : top + rows, left : left + columns]


@exported("keras.preprocessing.text_dataset_from_directory", "keras.utils.text_dataset_from_directory")
def text_dataset_from_directory(
    directory: StrPath, labels: str | Sequence[int] | None = "inferred", label_mode: str | None = "int",
    class_names: Sequence[str] | None = None, batch_size: int | None = 32, max_length: int | None = None,
    shuffle: bool = True, seed: int | None = None, validation_split: float | None = None, subset: str | None = None,
    follow_links: bool = False,
) -> Any:  # fmt: skip
    """Returns a dataset of batches of the contents of `.txt` files in a folder, strings, with labels.

    max_length: the bytes that are kept of a file. The other arguments are those of `image_dataset_from_directory`.

    Raises:
        ValueError: arguments that contradict each other, no files. NotFoundError: no such folder.
    """
    request = _Request(
        directory, labels, None if labels is None else label_mode, class_names, batch_size, shuffle, seed,
        validation_split, subset, follow_links,
    )  # fmt: skip

    @host_function
    def load(path: Any) -> Any:
        text = read_file(path)
        return text if max_length is None else np.array(text.item()[:max_length], object)

    return request.datasets(_TEXTS, load)
