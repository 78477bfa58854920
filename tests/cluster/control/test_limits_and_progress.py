"""How long to wait, and where a task is: bad numbers, and processes that stop in the middle of writing."""

import json
import os
import struct
from pathlib import Path

import pytest

from stratagem._base.errors import ClusterError
from stratagem._base.job import Phase
from stratagem._cluster.control import SharedProgress, TimeLimits, position_in


def test_limits_come_from_the_environment() -> None:
    environ = {"STRATAGEM_JOIN_SECONDS": "5", "STRATAGEM_HEARTBEAT_SECONDS": " 2.5 ", "OTHER": "x"}
    assert TimeLimits.from_environment(environ) == TimeLimits(join=5.0, heartbeat=2.5)
    assert TimeLimits.from_environment({}) == TimeLimits()


@pytest.mark.parametrize("name", ["JOIN", "HEARTBEAT", "COLLECTIVE", "COMPILE", "LEAVE"])
@pytest.mark.parametrize("text", ["", "0", "-1", "nan", "inf", "1e309", "1e12", "ten", "5 s", "0x10"])
def test_a_limit_that_is_no_number_of_seconds_is_refused_by_name(name: str, text: str) -> None:
    with pytest.raises(ClusterError, match=f"STRATAGEM_{name}_SECONDS has to be a number of seconds .* got {text!r}"):
        TimeLimits.from_environment({f"STRATAGEM_{name}_SECONDS": text})


def test_a_heartbeat_shorter_than_supervisors_speak_is_refused() -> None:
    with pytest.raises(ClusterError, match="STRATAGEM_HEARTBEAT_SECONDS has to be a number of seconds from 1 to"):
        TimeLimits.from_environment({"STRATAGEM_HEARTBEAT_SECONDS": "0.5"})


def pair(folder: str | None = None) -> tuple[SharedProgress, SharedProgress]:
    """What a task writes, and what its supervisor reads."""
    written, handle = SharedProgress.create("worker:0", folder)
    read = SharedProgress(handle)
    os.close(handle)
    return written, read


def test_the_supervisor_reads_what_the_task_has_written() -> None:
    written, read = pair()
    assert (read.read().step, read.read().phase) == (0, Phase.STARTING)
    written.write(2**40, Phase.COLLECTIVE)
    assert read.read() == written.position
    written.close()
    assert read.read().step == 2**40  # the task has ended
    read.close()


def test_a_task_that_is_killed_while_it_writes_is_where_it_was() -> None:
    written, read = pair()
    written.write(5, Phase.INPUT)
    before = read.read()
    for i in range(len(written._memory)):
        whole = written._memory[:]
        written._memory[i] ^= 0x55
        assert read.read() == before  # and returns at all
        written._memory[:] = whole
    written._memory[:] = struct.pack("=qqd", 6, 99, 0.0) + bytes(4)  # no such phase
    assert read.read() == before
    written.close()
    read.close()


def test_a_launcher_finds_it_in_its_folder(tmp_path: Path) -> None:
    written, read = pair(str(tmp_path))
    written.write(3, Phase.COMPILING)
    (path,) = tmp_path.iterdir()
    assert path.name == "worker:0.progress"
    assert position_in(path) == written.position
    for text in (b"", b"x", bytes(28), json.dumps({}).encode(), b"x" * 28):
        (tmp_path / "other").write_bytes(text)
        assert position_in(tmp_path / "other") is None
    assert position_in(tmp_path / "missing") is None
    written.close()
    read.close()
