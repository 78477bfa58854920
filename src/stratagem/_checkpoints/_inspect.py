"""Reports on checkpoints for people: the contents of a directory, whether they are intact, and the values in one."""

import errno
import json
import os
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from stratagem._base.errors import CheckpointError, OpError
from stratagem._base.paths import absolute
from stratagem._base.storage import FileStatus, checked_path, file_system
from stratagem._base.types import PathLike
from stratagem._checkpoints import _checkpoint_files as own
from stratagem._checkpoints._finite import shown
from stratagem._checkpoints._index import get_checkpoint_state
from stratagem._checkpoints._locations import Location, in_order, location_at, location_of, locations_in, step_of
from stratagem._checkpoints._manifest import load
from stratagem._checkpoints._reader import new_checkpoint_reader
from stratagem._checkpoints._tensorflow_contents import ENDING, OBJECT_GRAPH, VALUE
from stratagem._checkpoints.tensorflow import Bundle

# The errors that say what is wrong with files.
REFUSALS = (OpError, CheckpointError, OSError)


@final
@dataclass(frozen=True, kw_only=True)
class CheckpointReport:
    """A report on one checkpoint or SavedModel. `problem` is empty if it is intact; numbers that cannot be determined are 0.

    format: `stratagem` or `tensorflow`, with `SavedModel` after it for one. latest: whether it is the one that its directory's
    file `checkpoint` names. step: the number in its name, if it has one. nbytes: the size of its files. arrays, values: their
    number. saved_at: seconds since 1970. non_finite: the first few names of arrays that hold a NaN or an infinity (of this
    library's checkpoints).
    """

    path: str
    format: str
    latest: bool = False
    step: int | None = None
    problem: str = ""
    files: int = 0
    nbytes: int = 0
    arrays: int = 0
    values: int = 0
    saved_at: float = 0.0
    non_finite: str = ""


@final
@dataclass(frozen=True, kw_only=True)
class ValueReport:
    """A stored value. key: its name for `tf.train.load_checkpoint`. dtype: `string` for texts, `json` for an object's state.

    nbytes: the size in memory; of texts and states, that of their bytes. value: the value itself, where it was asked for.
    """

    name: str
    key: str
    shape: tuple[int, ...]
    dtype: str
    nbytes: int
    value: Any = None


def report_on(path: PathLike, *, thorough: bool) -> list[CheckpointReport]:
    """Reports on the checkpoint at `path`, or on each one in the directory `path`, ordered by number.

    In a directory these are the ones that its file `checkpoint` lists and all that are, or are named like, checkpoints or
    SavedModels. With `thorough` every byte is compared with its checksum, else only sizes. Raises NotFoundError if there is
    nothing at this path.
    """
    path = checked_path(path)
    found = location_at(path)
    if found is not None:
        return [_report(found, "", thorough)]
    if not file_system(path).is_directory(path):
        return [_report(location_of(path), "", thorough)]
    state = get_checkpoint_state(path)
    newest = "" if state is None else absolute(state.model_checkpoint_path)
    return [_report(each, newest, thorough) for each in locations_in(path)]


def values_in(path: PathLike, *, most: int = 0) -> tuple[Location, list[ValueReport]]:
    """The values in a checkpoint, or in the newest intact one of a directory, sorted by name; the files' bytes stay unread.

    most: values of at most so many elements are read, too, and states.
    Raises NotFoundError when there is none, DataLossError for a damaged one, CheckpointError for one of a later format.
    """
    found = location_of(path)
    reports = _tensorflow_values(found, most) if found.kind.is_tensorflow else _own_values(found, most)
    return found, sorted(reports, key=lambda each: in_order(each.name))


def _own_values(found: Location, most: int) -> list[ValueReport]:
    manifest, reader = load(found.values), new_checkpoint_reader(found.values)
    named = {node.path for node in manifest.nodes if node.kind == "named"}
    reports = [
        ValueReport(
            name=name,
            key=name if name in named else f"{name}{ENDING}{VALUE}",
            shape=fact.shape,
            dtype=fact.dtype,
            nbytes=fact.nbytes,
            value=_plain(reader.get_tensor(name)) if fact.count <= most else None,
        )
        for name, fact in manifest.arrays.items()
    ]
    for name, state in manifest.states.items():
        text = json.dumps(state)
        reports.append(
            ValueReport(
                name=name,
                key="",
                shape=(),
                dtype="json",
                nbytes=len(text),
                value=state if most and len(text) < 500 else None,
            )
        )
    return reports


def _tensorflow_values(found: Location, most: int) -> list[ValueReport]:
    bundle = Bundle(found.values)
    return [
        ValueReport(
            name=key.removesuffix(ENDING + VALUE),
            key=key,
            shape=fact.shape,
            dtype="string" if fact.is_text else str(fact.dtype),
            nbytes=fact.stored_bytes,
            value=_plain(bundle.read(key)) if fact.count <= most else None,
        )
        for key, fact in bundle.facts.items()
        if key != OBJECT_GRAPH
    ]


def _plain(array: np.ndarray) -> Any:
    """An array as lists of Python's numbers and texts."""
    if array.dtype.hasobject:
        texts = np.array([each.decode("utf-8", "backslashreplace") for each in array.ravel()], object)
        return texts.reshape(array.shape).tolist()
    if array.dtype.kind not in "biuf":  # complex numbers, bfloat16
        array = array.astype(str if array.dtype.kind == "c" else np.float64)
    return array.tolist()


def _report(found: Location, newest: str, thorough: bool) -> CheckpointReport:
    latest = absolute(found.path) == newest
    facts = CheckpointReport(path=found.path, format=found.kind.value, latest=latest, step=step_of(found.path))
    try:
        return _of_tensorflow(found, facts, thorough) if found.kind.is_tensorflow else _of_own(found, facts, thorough)
    except REFUSALS as error:
        return replace(facts, problem=str(error))


def _of_own(found: Location, facts: CheckpointReport, thorough: bool) -> CheckpointReport:
    manifest = own.verify(found.values) if thorough else own.verify_sizes(found.values)
    return replace(
        facts,
        files=len(manifest.files) + 1,
        nbytes=sum(fact.bytes for fact in manifest.files.values()),
        arrays=len(manifest.arrays),
        values=sum(fact.count for fact in manifest.arrays.values()),
        saved_at=manifest.saved_at,
        non_finite=shown(manifest.non_finite),
    )


def _of_tensorflow(found: Location, facts: CheckpointReport, thorough: bool) -> CheckpointReport:
    bundle = Bundle(found.values)
    bundle.verify() if thorough else bundle.verify_sizes()
    sizes = [_status(file) for file in bundle.files()]
    arrays = [fact for name, fact in bundle.facts.items() if name != OBJECT_GRAPH]
    return replace(
        facts,
        files=len(sizes),
        nbytes=sum(each.size for each in sizes),
        arrays=len(arrays),
        values=sum(fact.count for fact in arrays),
        saved_at=sizes[0].mtime_ns / 1e9,
    )


def _status(file: str) -> FileStatus:
    found = file_system(file).status(file)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
    return found
