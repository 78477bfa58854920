"""Programs that a run of the suite has compiled are there in the next one, if they were written whole."""

import os
import sys
import zlib
from pathlib import Path

import jax
import pytest

from tests import kept_programs


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run that has written one program, and a part of another."""
    folder = tmp_path / "run"
    folder.mkdir()
    content = zlib.compress(bytes(range(256)) * 9)
    (folder / "jit_whole-1-cache").write_bytes(content)
    (folder / "jit_part-2-cache").write_bytes(content[:-7])
    (folder / "jit_none-3-cache").write_bytes(b"")
    return folder


def test_the_next_run_has_what_was_written_whole(run: Path, tmp_path: Path) -> None:
    kept, other = tmp_path / "a" / "kept", tmp_path / "other"
    other.mkdir()
    kept_programs.begin(kept, other)  # nothing is kept yet
    kept_programs.end(kept, run)
    kept_programs.begin(kept, other)
    assert [path.name for path in other.iterdir()] == ["jit_whole-1-cache"]
    assert (other / "jit_whole-1-cache").read_bytes() == (run / "jit_whole-1-cache").read_bytes()
    assert [path.name for path in kept.iterdir()] == ["jit_whole-1-cache"]


def test_a_run_that_takes_a_link_away_leaves_what_is_kept(run: Path, tmp_path: Path) -> None:
    kept, other = tmp_path / "kept", tmp_path / "other"
    other.mkdir()
    kept_programs.end(kept, run)
    kept_programs.begin(kept, other)
    (other / "jit_whole-1-cache").unlink()
    assert (kept / "jit_whole-1-cache").exists()


def test_the_oldest_are_thrown_away_beyond_the_limit(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    for age, name in enumerate(["older", "oldest"], start=1):
        (kept / f"jit_{name}-cache").write_bytes(bytes(100))
        os.utime(kept / f"jit_{name}-cache", (0, 1e9 - age))
    monkeypatch.setattr(kept_programs, "LIMIT", (run / "jit_whole-1-cache").stat().st_size + 100)
    kept_programs.end(kept, run)
    assert sorted(path.name for path in kept.iterdir()) == ["jit_older-cache", "jit_whole-1-cache"]


def test_a_folder_that_cannot_be_made_keeps_nothing(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    kept_programs.end(tmp_path / "file" / "kept", run)
    assert "does not keep this run's programs" in capsys.readouterr().out


def test_none_are_kept_unless_that_is_asked_for(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(run.iterdir())
    monkeypatch.setenv("STRATAGEM_KEEP_PROGRAMS", "1")
    assert kept_programs.folder_of_this_machine() is not None
    monkeypatch.delenv("STRATAGEM_KEEP_PROGRAMS")
    kept = kept_programs.folder_of_this_machine()
    assert kept is None
    kept_programs.begin(kept, run)
    kept_programs.end(kept, run)
    assert sorted(run.iterdir()) == before


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="JAX compresses with zstd there")
def test_what_jax_writes_is_known_to_be_whole(tmp_path: Path) -> None:
    written, run = Path(os.environ["JAX_COMPILATION_CACHE_DIR"]), tmp_path / "run"
    run.mkdir()

    def told_by_its_name(x: jax.Array) -> jax.Array:
        return x * 1.0625

    jax.jit(told_by_its_name)(2.0)
    (path,) = written.glob("jit_told_by_its_name-*-cache")
    os.link(path, run / path.name)
    kept_programs.end(tmp_path / "kept", run)
    assert (tmp_path / "kept" / path.name).read_bytes() == path.read_bytes()
