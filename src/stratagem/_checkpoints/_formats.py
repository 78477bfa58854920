"""The two formats of checkpoints, this library's and TensorFlow's: which one a path has, and reading either."""

import os

from stratagem._base.paths import is_remote
from stratagem._base.storage import file_system
from stratagem._checkpoints import _checkpoint_files as own
from stratagem._checkpoints._contents import CheckpointContents
from stratagem._checkpoints._finite import is_finite
from stratagem._checkpoints._manifest import NAME, load
from stratagem._checkpoints._other_formats import is_tensorflow_checkpoint
from stratagem._checkpoints._safe_reads import checksum_of
from stratagem._checkpoints._tensorflow_contents import tensorflow_contents
from stratagem._checkpoints.tensorflow import Bundle, delete_bundle


def is_tensorflow(path: str) -> bool:
    """Returns whether the checkpoint at `path` is in TensorFlow's format. One of ours at the same path comes first."""
    return not file_system(path).is_file(os.path.join(path, NAME)) and is_tensorflow_checkpoint(path)


def is_there(path: str) -> bool:
    """Returns whether a checkpoint of either format is at the path, be it damaged."""
    return file_system(path).is_file(os.path.join(path, NAME)) or is_tensorflow_checkpoint(path)


def read(path: str) -> CheckpointContents:
    """Everything in the checkpoint at `path`, after comparing every byte with its checksum.

    Raises NotFoundError when there is no complete checkpoint, DataLossError when a file of it is missing or changed,
    CheckpointError for one of a later format or larger than this machine's memory.
    """
    return tensorflow_contents(path) if is_tensorflow(path) else own.read(path)


def verify(path: str) -> None:
    """Compares every file of the checkpoint with its checksum. Raises the same errors as `read`."""
    if is_tensorflow(path):
        Bundle(path).verify()
    else:
        own.verify(path)


def identity(path: str) -> str:
    """A value that no other save to this path has: for ours their generation, a checksum of the table for TensorFlow's.

    Raises the same errors as `read`.
    """
    return checksum_of(f"{path}.index")[1] if is_tensorflow(path) else load(path).generation


def non_finite_in(path: str) -> list[str]:
    """The names of a checkpoint's arrays with a NaN or an infinity. Raises the same errors as `read`."""
    if not is_tensorflow(path):
        return load(path).non_finite
    bundle = Bundle(path)
    return [name for name in bundle.facts if not is_finite(bundle.read(name))]


def delete(path: str) -> None:
    """Removes the checkpoint at `path`, whatever its format and be it only a part of one, and no other files."""
    is_own = file_system(path).exists(path)
    own.delete(path)
    if not is_own or is_tensorflow_checkpoint(path):  # shards beside one of ours are somebody else's
        delete_bundle(path)


def fingerprint(path: str) -> tuple[object, ...]:
    """A value that changes when a file of the checkpoint is written to. Raises NotFoundError, DataLossError, CheckpointError.

    Bad sectors show only when the bytes are read, as `read` does.
    """
    if is_tensorflow(path):
        bundle = Bundle(path)
        files = bundle.files()
        marks: list[object] = [bundle.shards]
    else:
        manifest = load(path)
        files = [os.path.join(path, manifest.generation, name) for name in manifest.files]
        marks = [manifest.seal]
    for file in files:
        if is_remote(file):
            status = file_system(file).status(file)
            marks.append(None if status is None else status.mark)
            continue
        try:
            found = os.lstat(file)
        except OSError:
            continue  # `verify` says what is wrong
        marks += [found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size]
    return tuple(marks)
