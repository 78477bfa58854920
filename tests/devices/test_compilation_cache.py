"""The compilation cache: programs are read at the next start, in a folder that is this user's and does not grow for ever."""

import json
import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

import stratagem as tf

# Reaches below: what the disk does to a file, and how many files there are, is seen at the folder alone.
from stratagem._private._program_folder import ProgramFolder

# Says how many of the programs with a name of ours were compiled and how many were read, by JAX's events.
PROGRAM = """
import collections, json, os, sys
import jax
counted = collections.Counter()
jax.monitoring.register_event_listener(lambda name, **_: counted.update([name.rpartition("/")[2]]))
import stratagem as tf
if len(sys.argv) > 1:
    tf.config.experimental.set_compilation_cache(sys.argv[1])
@tf.function
def step(x):
    return tf.tanh(x) * 3.0625
value = float(step(tf.constant(0.0)) + 1)
print(json.dumps({"value": value, "read": counted["cache_hits"], "written": counted["cache_misses"]}))
"""


def started(*arguments: Path, **environment: str) -> "subprocess.Popen[str]":
    """A process that runs the program; its own cache, and not that of the tests, is what it uses."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_COMPILATION", "JAX_PERSISTENT"))}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        env=inherited | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: "subprocess.Popen[str]") -> dict[str, float]:
    """What a process has said."""
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return json.loads(out.splitlines()[-1])


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A folder that does not exist yet."""
    return tmp_path / "parent" / "cache"


@pytest.fixture
def unset() -> Iterator[None]:
    """The settings of the tests are there again after the body."""
    yield
    tf.config.experimental.set_compilation_cache(None)


def test_two_starts_at_once_share_a_folder_and_the_next_one_compiles_nothing(cache: Path) -> None:
    first = [started(STRATAGEM_COMPILE_CACHE=str(cache)) for _ in range(2)]
    assert [ended(process)["value"] for process in first] == [1.0, 1.0]
    files = sorted(path.name for path in cache.iterdir())
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert all(name == ".lock" or name.endswith(".program") for name in files)
    second = ended(started(cache))  # by the function, which is the same
    assert second["value"] == 1.0
    assert second["read"] == len(files) - 1 > 0
    assert second["written"] == 0


def test_a_folder_of_another_user_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.mkdir(parents=True)
    monkeypatch.setattr(os, "geteuid", lambda: cache.stat().st_uid + 1)
    with pytest.raises(tf.errors.PermissionDeniedError, match=r"belongs to user .* name another folder"):
        tf.config.experimental.set_compilation_cache(cache)


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_folder_that_others_may_write_to_is_refused(cache: Path, mode: int) -> None:
    cache.mkdir(parents=True)
    cache.chmod(mode)
    with pytest.raises(tf.errors.PermissionDeniedError, match="chmod 700"):
        tf.config.experimental.set_compilation_cache(cache)


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a folder"):
        tf.config.experimental.set_compilation_cache(tmp_path / "file")
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
        tf.config.experimental.set_compilation_cache(tmp_path, max_bytes=0)


@pytest.mark.usefixtures("unset")
def test_a_damaged_program_is_compiled_again_with_a_warning(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    def stored() -> Path:
        tf.config.experimental.set_compilation_cache(cache)
        assert float(jax.jit(lambda x: x * 1.4375)(2.0)) == 2.875  # compiled anew: nobody else has this function
        (path,) = cache.glob("*.program")
        return path

    path = stored()
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    with caplog.at_level(logging.WARNING, "stratagem"):
        assert stored() == path
    assert f"{path} is damaged" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING, "stratagem"):
        stored()
    assert caplog.text == ""


@pytest.mark.usefixtures("unset")
def test_every_worker_stores_its_programs(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # JAX's own name: which worker this is, as it believes.
    monkeypatch.setattr("jax._src.distributed.global_state.process_id", 1)
    tf.config.experimental.set_compilation_cache(cache)
    assert float(jax.jit(lambda x: x * 1.6875)(2.0)) == 3.375
    assert len(list(cache.glob("*.program"))) == 1


def test_those_that_were_not_used_for_longest_are_removed(tmp_path: Path) -> None:
    folder = ProgramFolder(tmp_path, max_bytes=3 * (100 + 32))
    for age, key in enumerate(["a", "b", "c"]):
        folder.put(key, key.encode() * 100)
        os.utime(folder._file(key), (0, 1000 + age))
    assert folder.get("a") == b"a" * 100  # now it is the one that was used last
    (tmp_path / "killed.unfinished").write_bytes(bytes(999))
    folder.put("d", b"d" * 100)
    assert [key for key in "abcd" if folder.get(key)] == ["a", "c", "d"]
    folder.put("larger than the folder", bytes(999))
    assert [key for key in "abcd" if folder.get(key)] == ["a", "c", "d"]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == 3 * (100 + 32)


def test_another_kind_of_cpu_has_programs_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = ProgramFolder(tmp_path, max_bytes=1 << 20)
    here.put("key", b"program")
    monkeypatch.setattr("platform.machine", lambda: "another")
    assert ProgramFolder(tmp_path, max_bytes=1 << 20).get("key") is None
    assert here.get("key") == b"program"
