"""Files of models that appear whole: workers that all save to one path replace each other's file, and nobody reads a half."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from stratagem._base.files import atomic_write, commit, remove_temporaries
from stratagem._base.job import Phase, process_job
from stratagem._base.paths import file_errors
from stratagem._core.context import entered
from stratagem._private import note_own_hdf5

_STALE_SECONDS = 24 * 3600.0  # a worker may take a while to write a model


@contextlib.contextmanager
def written_whole(path: str) -> Iterator[str]:
    """Gives the body a file to write, with the ending of `path`, and puts it there when the body is done.

    Raises TensorFlow's errors for those of files.
    """
    with _saving(path):
        remove_temporaries(Path(path), older_than=_STALE_SECONDS)
        with atomic_write(Path(path)) as written:
            yield str(written)
        note_own_hdf5(path)


@contextlib.contextmanager
def written_together(path: str) -> Iterator[str]:
    """The same for a file beside which the body writes further ones that it names: they are there before it is."""
    target = Path(path)
    with _saving(path), tempfile.TemporaryDirectory(dir=target.parent, prefix=".saving-") as folder:
        yield os.path.join(folder, target.name)
        made = sorted(Path(folder).iterdir(), key=lambda file: file.suffix == ".json")
        for file in made:
            commit(file, target.parent / file.name)
            note_own_hdf5(str(target.parent / file.name))


@contextlib.contextmanager
def _saving(path: str) -> Iterator[None]:
    # Keras makes objects with variables while it saves, which all workers would have to do in a scope.
    with process_job().phase(Phase.CHECKPOINT), entered(strategy=None, replica=None, crossing=False), file_errors(path):
        yield
