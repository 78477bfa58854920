"""Checkpoints in TensorFlow's format, recognised among those of this library."""

from pathlib import Path

# The whole content of the file `PREFIX.index` that versions before 0.9 left beside a checkpoint of this library.
INDEX_TEXT = "A checkpoint of stratagem's is in the directory of this name without .index; TensorFlow cannot read it.\n"


def is_tensorflow_checkpoint(path: str) -> bool:
    """Returns whether a checkpoint in TensorFlow's format has this prefix, be it damaged."""
    try:
        with Path(f"{path}.index").open("rb") as file:
            return file.read(len(INDEX_TEXT)) != INDEX_TEXT.encode()
    except OSError:
        return False
