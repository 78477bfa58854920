"""Conversion of checkpoints between this library's format and TensorFlow's, without the objects that they belong to."""

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from stratagem._base.errors import AlreadyExistsError, CheckpointError, InvalidArgumentError
from stratagem._base.paths import file_errors
from stratagem._base.storage import checked_path, file_system
from stratagem._base.types import PathLike
from stratagem._checkpoints import _checkpoint_files as own
from stratagem._checkpoints._contents import CheckpointContents
from stratagem._checkpoints._finite import not_finite
from stratagem._checkpoints._formats import read, verify
from stratagem._checkpoints._locations import Kind, location_of
from stratagem._checkpoints._naming import OWN
from stratagem._checkpoints._options import CheckpointFormat
from stratagem._checkpoints._renamed_graph import renamed
from stratagem._checkpoints._tensorflow_writing import write_tensorflow


@final
@dataclass(frozen=True, kw_only=True)
class Conversion:
    """A checkpoint that was written from another one. left_out: what it does not have of that, by name."""

    source: str
    target: str
    format: str
    arrays: int
    nbytes: int
    left_out: list[str]


def convert(source: PathLike, target: PathLike, format: CheckpointFormat, *, overwrite: bool = False) -> Conversion:
    """Writes the values of `source`, or of the newest intact checkpoint of that directory, to `target` in another format.

    To TensorFlow's: the edges of the graph become Keras 2's (`_renamed_graph`). From it: the edges stay, and the manifest says
    so; `restore` then reads it as it reads TensorFlow's own. Every byte written is compared with its checksum again.

    Raises NotFoundError without a source, DataLossError for a damaged one, InvalidArgumentError if it has this format,
    AlreadyExistsError if there is something at `target` and it is not to be overwritten, CheckpointError for a value that the
    format does not have, OSError when a file cannot be written (what was there is then still there).
    """
    found, path = location_of(source), checked_path(target)
    if found.kind.is_tensorflow == (format is CheckpointFormat.TENSORFLOW):
        raise InvalidArgumentError(
            f"{found.values!r} has the format {format.value!r} already. Copy its files, or name the other format."
        )
    files = file_system(path)
    if not overwrite and (files.is_taken(path) or files.is_taken(f"{path}.index")):
        raise AlreadyExistsError(
            f"There is something at {path!r}. Name another path, or have it replaced (--overwrite)."
        )
    contents = read(found.values)
    with file_errors(path):
        if format is CheckpointFormat.TENSORFLOW:
            made = renamed(contents)
            contents, left_out = made.contents, made.left_out
            left_out += ["its functions"] if found.kind is Kind.OWN_MODEL else []
            write_tensorflow(path, contents)
        else:
            contents, left_out = _without_unknown(contents)
            _check_numbers(contents, found.values)
            non_finite = not_finite({name: np.asarray(array) for name, array in contents.arrays.items()})
            own.write(path, replace(contents, non_finite=non_finite), listed=False)
    verify(path)
    sizes = [_nbytes(array) for array in contents.arrays.values()]
    return Conversion(
        source=found.values,
        target=path,
        format=format.value,
        arrays=len(sizes),
        nbytes=sum(sizes),
        left_out=left_out,
    )


def _without_unknown(contents: CheckpointContents) -> tuple[CheckpointContents, list[str]]:
    """The contents without the values of objects that are not known here, and the names of these."""
    left_out = [node.path for node in contents.nodes if node.kind == "unknown"]
    nodes = [replace(node, kind="object") if node.kind == "unknown" else node for node in contents.nodes]
    graph = any(node.kind != "named" for node in nodes[1:])
    return replace(contents, nodes=nodes, naming=contents.naming if graph else OWN), left_out


def _check_numbers(contents: CheckpointContents, path: str) -> None:
    texts = [name for name, array in contents.arrays.items() if np.dtype(array.dtype).hasobject]
    if texts:
        raise CheckpointError(
            f"The checkpoint {path!r} has strings, {', '.join(texts[:3])}, which this library's format does not have. Restore "
            "it into its objects and save these."
        )


def _nbytes(array: object) -> int:
    shape, dtype = getattr(array, "shape", ()), np.dtype(getattr(array, "dtype", object))
    return int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
