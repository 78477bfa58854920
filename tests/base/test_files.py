"""A file is there whole or not at all: whatever happens while it is written, and whoever reads it meanwhile."""

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from stratagem._base import files
from stratagem._base.files import atomic_write, is_temporary, make_directories, remove_temporaries, write_text

KILLED = """
import os, signal, sys
from pathlib import Path
from stratagem._base.files import atomic_write
with atomic_write(Path(sys.argv[1])) as written:
    written.write_text("new")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_process_that_is_killed_before_the_rename_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("old")
    assert subprocess.run([sys.executable, "-c", KILLED, path], check=False).returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert [is_temporary(name, "state.json") for name in names(tmp_path)] == [True, False]
    remove_temporaries(path)
    assert names(tmp_path) == ["state.json"]


def test_a_body_that_raises_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    def write() -> None:
        with atomic_write(path) as written:
            written.write_text("new")
            raise KeyboardInterrupt

    path = tmp_path / "state.json"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["state.json"]


def test_a_disk_that_cannot_keep_the_new_file_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError("No space left on device")

    path = tmp_path / "state.json"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["state.json"]


def test_the_content_is_on_disk_before_the_name_and_the_name_before_it_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    sync, replace = files.sync, os.replace

    def noting_sync(path: Path) -> None:
        events.append(f"sync {path.read_text()}" if path.is_file() else "sync folder")
        sync(path)

    def noting_replace(source: Any, target: Any) -> None:
        events.append("name")
        replace(source, target)

    monkeypatch.setattr(files, "sync", noting_sync)
    monkeypatch.setattr(os, "replace", noting_replace)
    write_text(tmp_path / "state.json", "new")
    assert events == ["sync new", "name", "sync folder"]


def test_the_file_in_the_body_has_the_same_ending_and_is_in_the_same_folder(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "best.weights.h5") as written:
        assert written.parent == tmp_path
        assert written.name.endswith(".best.weights.h5")


def test_only_its_owner_can_read_a_secret_at_any_moment(tmp_path: Path) -> None:
    path, before = tmp_path / "token", os.umask(0)
    try:
        with atomic_write(path, mode=0o600) as written:
            assert stat.S_IMODE(written.stat().st_mode) == 0o600
            written.write_text("secret")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_a_mode_the_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_text(tmp_path / "whole", "text")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_an_exclusive_file_is_made_once(tmp_path: Path) -> None:
    path, winners = tmp_path / "token", []
    start = threading.Barrier(8)

    def make(text: str) -> None:
        try:
            with atomic_write(path, exclusive=True) as written:
                written.write_text(text)
                start.wait()
        except FileExistsError:
            return
        winners.append(text)

    threads = [threading.Thread(target=make, args=(str(number),)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.read_text()] == winners
    assert names(tmp_path) == ["token"]


def test_readers_find_whole_files_while_others_write(tmp_path: Path) -> None:
    path, stop = tmp_path / "state", threading.Event()
    write_text(path, "0" * 100_000)

    def write(letter: str) -> None:
        while not stop.is_set():
            write_text(path, letter * 100_000)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "12"]
    for thread in threads:
        thread.start()
    try:
        for _ in range(200):
            text = path.read_text()
            assert len(text) == 100_000
            assert len(set(text)) == 1
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize(
    ("name", "temporary"),
    [
        (".0123abcd.model.keras", True),
        (".0123abcd.other.keras", False),
        (".0123abcd.modelxkeras", False),
        (".0123abcx.model.keras", False),
        ("model.keras", False),
    ],
)
def test_which_names_are_temporary(name: str, temporary: bool) -> None:
    assert is_temporary(name, "model.keras") is temporary


def test_folders_are_made_with_their_parents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(files, "sync", synced.append)
    make_directories(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    assert synced == [tmp_path, tmp_path / "a"]
    make_directories(tmp_path / "a" / "b")
    assert len(synced) == 2
