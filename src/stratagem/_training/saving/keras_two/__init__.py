"""Whole models that Keras 2 wrote, `.keras` or HDF5: Keras 3 reads few of them, and takes some for what they are not.

In: such a file.
Out: the model with its weights, compiled as it was, its optimizer where it stopped; or an error that names what has no
counterpart.
Never: runs code that is in the file, unless safe mode is off; writes.
"""

from stratagem._training.saving.keras_two._file import KerasTwoFile as KerasTwoFile
from stratagem._training.saving.keras_two._file import keras_two_file as keras_two_file
from stratagem._training.saving.keras_two._model import read_model as read_model
