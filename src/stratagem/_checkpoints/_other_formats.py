"""Checkpoints that TensorFlow wrote: recognised, and named in errors."""

from pathlib import Path

# The whole content of the file `PREFIX.index` beside a checkpoint of this library.
INDEX_TEXT = "A checkpoint of stratagem's is in the directory of this name without .index; TensorFlow cannot read it.\n"


def tensorflow_checkpoint(path: str) -> str:
    """A sentence about the checkpoint that TensorFlow wrote with this prefix; empty if there is none."""
    index = Path(f"{path}.index")
    try:
        with index.open("rb") as file:
            begin = file.read(len(INDEX_TEXT))
    except OSError:
        return ""
    if begin == INDEX_TEXT.encode():
        return ""
    return (
        f"{str(index)!r} belongs to a checkpoint that TensorFlow wrote, and this library does not read its format. Convert it "
        "where TensorFlow is installed: build the model, load the checkpoint, and save the weights to a path that ends in "
        "'.weights.h5' or '.h5', which load_weights reads here."
    )
