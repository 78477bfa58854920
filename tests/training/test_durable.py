"""What a fit has saved is on disk, whole, when `fit` returns."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from tests.training.programs.returning import Manages
from tests.training.scenarios import Returning, killed_after_fit
from tests.training.small import BATCH, X, Y, shared


@pytest.fixture
def returning() -> Iterator[Returning]:
    program = Returning()
    yield program
    program.close()


def test_a_process_that_is_killed_when_fit_returns_has_saved_everything(returning: Returning) -> None:
    killed_after_fit(0, returning)


def test_every_file_and_every_name_was_synced_as_it_is_when_fit_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What SIGKILL cannot tell: the system keeps what a dead process wrote, a power failure does not."""
    synced: dict[int, Any] = {}
    fsync = os.fsync

    def noted(handle: int) -> None:
        found = os.fstat(handle)
        # A folder may lose names after it was synced, but may not get any.
        synced[found.st_ino] = set(os.listdir(handle)) if stat.S_ISDIR(found.st_mode) else found.st_mtime_ns
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    callbacks = [
        tf.keras.callbacks.ModelCheckpoint(tmp_path / "models" / "new" / "{epoch}.keras"),
        tf.keras.callbacks.ModelCheckpoint(tmp_path / "steps.weights.h5", save_weights_only=True, save_freq=2),
        tf.keras.callbacks.BackupAndRestore(tmp_path / "backup", delete_checkpoint=False),
        Manages(shared(), tmp_path / "manager"),
    ]
    shared().fit(X, Y, batch_size=BATCH, epochs=2, callbacks=callbacks, verbose=0)
    assert {path.name for path in tmp_path.iterdir()} == {"models", "steps.weights.h5", "backup", "manager"}
    # The file that says who owns a directory means nothing after a power failure.
    saved = [path for path in [tmp_path, *tmp_path.rglob("*")] if path.name != ".owner.json"]
    assert len(saved) > 10
    for path in saved:
        found = path.stat()
        assert found.st_ino in synced, f"{path} is not on disk"
        if path.is_dir():
            names = {each.name for each in path.iterdir()} - {".owner.json"}
            assert names <= synced[found.st_ino], f"names in {path} are not on disk"
        else:
            assert found.st_mtime_ns == synced[found.st_ino], f"{path} was written to after it was synced"
