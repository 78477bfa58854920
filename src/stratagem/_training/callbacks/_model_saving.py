"""Writes the files of a model: once in a job, and atomically."""

import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from stratagem._base.files import atomic_write, make_directories, remove_temporaries
from stratagem._base.job import Job, Phase, process_job
from stratagem._base.paths import is_remote
from stratagem._base.storage import copy_file, file_system
from stratagem._checkpoints import not_finite, shown
from stratagem._core.context import entered
from stratagem._core.values import needs_all_workers
from stratagem._saved_models import MODEL_FILE
from stratagem._training.saving import FileFormat, format_of_model, format_of_weights

_log = logging.getLogger("stratagem")


def save_model(callback: Any, path: str) -> None:
    """Writes a ModelCheckpoint's model, or its weights, to `path`: on worker 0, atomically and durably.

    A file with finite weights that is replaced by non-finite ones is kept beside it, as `model.finite.keras`, with a
    warning. Raises OSError; a file that was there before is then still there.
    """
    model, job = callback.model, process_job()
    write = model.save_weights if callback.save_weights_only else model.save
    bad = weights_not_finite(model)
    target = _file_of(path, callback.save_weights_only)
    if bad and job.worker == 0 and target is not None:
        _keep_finite(callback, target, bad)
    callback._not_finite = (str(target), bad)
    # Keras makes objects with variables while it saves, which all workers would have to do in a scope.
    with job.phase(Phase.CHECKPOINT), entered(strategy=None, replica=None, crossing=False):
        if job.worker == 0 and target == path and not is_remote(path):
            _make_place(path)
            write(path, overwrite=True)
        elif job.worker == 0 and target is None:  # a checkpoint, which is written atomically anyway
            write(path, overwrite=True, options=callback.options)
        elif job.worker == 0:  # a folder, or a remote file, likewise
            write(path, overwrite=True)
        elif _needs_all_workers(model, job):
            with tempfile.TemporaryDirectory() as folder:
                write(os.path.join(folder, os.path.basename(path)), overwrite=True)


def _file_of(path: str, weights_only: bool) -> str | None:
    """The file that is replaced; None for a checkpoint, which keeps the last finite one itself."""
    format = format_of_weights(path, None) if weights_only else format_of_model(path, None)
    if format is not FileFormat.FOLDER:
        return path
    return None if weights_only else os.path.join(path, MODEL_FILE)


def weights_not_finite(model: Any) -> list[str]:
    """The paths of the model's variables that hold a NaN or an infinity."""
    return not_finite({variable.path: np.asarray(variable.value) for variable in model.variables})


def _keep_finite(callback: Any, path: str, bad: list[str]) -> None:
    """Keeps the file at `path` before non-finite weights replace it, unless it is known to be non-finite itself."""
    ending = ".weights.h5" if path.endswith(".weights.h5") else os.path.splitext(path)[1]
    backup = f"{path.removesuffix(ending)}.finite{ending}"
    last, before = getattr(callback, "_not_finite", (None, []))
    files = file_system(path)
    keeps = files.is_file(path) and (not files.exists(backup) if last is None else not (before and last == path))
    if keeps and is_remote(path):
        copy_file(path, backup)
    elif keeps:
        with atomic_write(Path(backup)) as written:
            shutil.copy2(path, written)
    if keeps or not set(bad) <= set(before):
        kept = f" What was there is now {backup!r}." if keeps else ""
        _log.warning("Saving weights that are not finite (NaN or infinite): %s, to %s.%s", shown(bad), path, kept)


def _needs_all_workers(model: Any, job: Job) -> bool:
    """Returns whether the model has a variable of which workers have parts, so that all of them must take part."""
    variables = [*model.variables, *(model.optimizer.variables if model.optimizer is not None else [])]
    return job.workers > 1 and any(map(needs_all_workers, variables))


def _make_place(path: str) -> None:
    """Makes the folder of a file that is to be written, and removes what killed processes have left there of it.

    Raises IsADirectoryError if `path` is a directory, OSError.
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(
            "Please specify a non-directory filepath for ModelCheckpoint. Filepath used is an existing directory: "
            f"{target}"
        )
    make_directories(target.parent)
    remove_temporaries(target)
