"""Files of a model: written once in a job, and whole or not at all."""

import os
import re
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stratagem._context import entered
from stratagem._job import Job, Phase, process_job
from stratagem.checkpoint import make_directories, sync
from stratagem.values import on_read, placement_of


def save_model(callback: Any, path: str) -> None:
    """Write a ModelCheckpoint's model, or its weights, to `path`: on worker 0, atomically and durably.

    Raises OSError; then a file that was there before is still there.
    """
    model, job = callback.model, process_job()
    write = model.save_weights if callback.save_weights_only else model.save
    # Keras makes objects with variables while it saves, which in a scope are a matter of all workers.
    with job.phase(Phase.CHECKPOINT), entered(strategy=None, replica=None, crossing=False):
        if job.worker == 0:
            write_whole(path, lambda beside: write(beside, overwrite=True))
        elif _takes_all(model, job):
            with tempfile.TemporaryDirectory() as folder:
                write(os.path.join(folder, os.path.basename(path)), overwrite=True)


def _takes_all(model: Any, job: Job) -> bool:
    """True if the model has a variable that is summed when it is read, which takes all workers."""
    variables = [*model.variables, *(model.optimizer.variables if model.optimizer is not None else [])]
    return job.workers > 1 and any(on_read(v) and placement_of(v) is not None for v in variables)


def write_whole(path: str | os.PathLike[str], write: Callable[[str], object]) -> None:
    """Have `write` make a file beside `path`, of the same ending, and put it there once it is on disk.

    Raises OSError, and IsADirectoryError where `path` is a directory; then what was there before is still there.
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(
            "Please specify a non-directory filepath for ModelCheckpoint. Filepath used is an existing directory: "
            f"{target}"
        )
    make_directories(target.parent)
    _remove_strays(target)
    beside = target.with_name(f".{secrets.token_hex(4)}.{target.name}")
    try:
        write(str(beside))
        sync(beside)
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync(target.parent)


def _remove_strays(target: Path) -> None:
    """Remove what killed processes left beside it."""
    for path in target.parent.iterdir():
        if re.fullmatch(rf"\.[0-9a-f]{{8}}\.{re.escape(target.name)}", path.name):
            path.unlink(missing_ok=True)
