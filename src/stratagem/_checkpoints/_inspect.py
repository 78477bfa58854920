"""Reports on checkpoints for people: the contents of a directory, and whether they are intact."""

import os
from dataclasses import dataclass

from stratagem._base.errors import CheckpointError, DataLossError, NotFoundError
from stratagem._base.paths import absolute
from stratagem._base.storage import checked_path, file_system
from stratagem._checkpoints._checkpoint_files import verify, verify_sizes
from stratagem._checkpoints._finite import shown
from stratagem._checkpoints._index import get_checkpoint_state, numbered
from stratagem._checkpoints._manifest import NAME


@dataclass(frozen=True, kw_only=True)
class CheckpointReport:
    """A report on one checkpoint. `problem` is empty if it is intact; numbers that cannot be determined are 0.

    nbytes: the size of its files. arrays, values: their number. saved_at: seconds since 1970. non_finite: the first few
    names of arrays that hold a NaN or an infinity.
    """

    path: str
    latest: bool
    problem: str = ""
    files: int = 0
    nbytes: int = 0
    arrays: int = 0
    values: int = 0
    saved_at: float = 0.0
    non_finite: str = ""


def report_on(path: str, *, thorough: bool) -> list[CheckpointReport]:
    """Reports on the checkpoint at `path`, or on each one in the directory `path`, ordered by number.

    In a directory these are the ones that its file `checkpoint` lists and all that are named like one. With `thorough`
    every byte is compared with its checksum, else only sizes. Raises NotFoundError if there is no such directory.
    """
    path = checked_path(path)
    files = file_system(path)
    if not files.is_directory(path):
        raise NotFoundError(f"No directory at {path!r}.")
    if files.exists(os.path.join(path, NAME)):
        return [_report(path, False, thorough)]
    state = get_checkpoint_state(path)
    paths = numbered(path)
    seen = {absolute(each) for each in paths}
    listed = () if state is None else (*state.all_model_checkpoint_paths, state.model_checkpoint_path)
    paths += [each for each in dict.fromkeys(listed) if absolute(each) not in seen]
    newest = "" if state is None else absolute(state.model_checkpoint_path)
    return [_report(each, absolute(each) == newest, thorough) for each in paths]


def _report(path: str, latest: bool, thorough: bool) -> CheckpointReport:
    try:
        manifest = verify(path) if thorough else verify_sizes(path)
    except (NotFoundError, DataLossError, CheckpointError) as error:
        return CheckpointReport(path=path, latest=latest, problem=str(error))
    return CheckpointReport(
        path=path,
        latest=latest,
        files=len(manifest.files) + 1,
        nbytes=sum(fact.bytes for fact in manifest.files.values()),
        arrays=len(manifest.arrays),
        values=sum(fact.count for fact in manifest.arrays.values()),
        saved_at=manifest.saved_at,
        non_finite=shown(manifest.non_finite),
    )
