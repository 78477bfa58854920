"""Damage in the files of a TensorFlow checkpoint: one wording, which names the file."""

from stratagem._base.errors import DataLossError


def damage(file: str, problem: str) -> DataLossError:
    """The error for a file of a checkpoint whose bytes are not what was written."""
    return DataLossError(f"The TensorFlow checkpoint's file {file!r} is damaged: {problem}.")
