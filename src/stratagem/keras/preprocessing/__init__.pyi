# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._data.files import image_dataset_from_directory as image_dataset_from_directory
from stratagem._data.files import text_dataset_from_directory as text_dataset_from_directory
from stratagem._data.files import timeseries_dataset_from_array as timeseries_dataset_from_array
from stratagem.keras.preprocessing import image as image
from stratagem.keras.preprocessing import sequence as sequence
from stratagem.keras.preprocessing import text as text

__all__ = [
    "image", "image_dataset_from_directory", "sequence", "text", "text_dataset_from_directory",
    "timeseries_dataset_from_array"
]  # fmt: skip
