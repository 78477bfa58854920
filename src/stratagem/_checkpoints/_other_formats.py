"""Checkpoints in TensorFlow's format, recognised among those of this library."""

from stratagem._base.storage import UNANSWERED, file_system

# The whole content of the file `PREFIX.index` that versions before 0.9 left beside a checkpoint of this library.
INDEX_TEXT = "A checkpoint of stratagem's is in the directory of this name without .index; TensorFlow cannot read it.\n"


def is_tensorflow_checkpoint(path: str) -> bool:
    """Returns whether a checkpoint in TensorFlow's format has this prefix, be it damaged."""
    file = f"{path}.index"
    try:
        with file_system(file).open(file) as opened:
            return opened.read(len(INDEX_TEXT)) != INDEX_TEXT.encode()
    except UNANSWERED:
        raise  # there may be one
    except OSError:
        return False
