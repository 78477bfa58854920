"""Processes that read first: what they answer, and how they end; files with ranges of others."""

import os
from pathlib import Path

import pytest

from stratagem._base.reader_process import Limits, Reader, Reading, answers
from stratagem._base.spliced_file import Excerpt, SplicedFile

ENDING = Reader(os.path.join("..", "..", "tests", "training", "ending_reader.py"))
PROGRAM = Reader("_private/_program_reader.py", bare=("stratagem", "stratagem._private", "jaxlib"), absent=("numpy",))


def test_every_request_has_an_answer_or_says_why_not() -> None:
    limits = Limits(60.0, 1 << 32)
    assert answers(PROGRAM, [], limits) == []
    assert answers(PROGRAM, [b"x", b"y"], limits) == ["ValueError: it is not of StableHLO's format"] * 2
    assert answers(ENDING, [b"x", b"y"], limits) == ["it ended the process that read it, with SIGSEGV"] * 2
    assert answers(PROGRAM, [b"x"], Limits(0.0, 1 << 32)) == ["it was not read within 0 s"]


def test_a_process_reads_more_than_pipes_hold_while_the_caller_goes_on() -> None:
    with Reading(PROGRAM, Limits(60.0, 1 << 32)) as reading:
        answers_there = reading.ask([b"x" * (1 << 20)] * 3)
        assert answers_there() == ["ValueError: it is not of StableHLO's format"] * 3


def test_a_caller_that_fails_leaves_no_process() -> None:
    end, handle = os.pipe()

    def failing() -> None:
        with Reading(PROGRAM, Limits(60.0, 1 << 32), handles=[handle]) as reading:
            os.close(handle)  # the process has it now, and nobody else
            reading.ask([b"x"])
            raise KeyError("of the caller")

    with pytest.raises(KeyError, match="of the caller"):
        failing()
    os.set_blocking(end, False)  # to read from it is an error now while the process is there
    assert os.read(end, 1) == b""
    os.close(end)


def test_a_file_has_ranges_of_another(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(range(100)))
    (tmp_path / "b").write_bytes(bytes(range(100, 200)))
    excerpts = [Excerpt(at=50, size=10, source=90), Excerpt(at=10, size=5, source=0), Excerpt(at=60, size=1, source=3)]
    wanted = bytearray(range(100))
    for each in excerpts:
        wanted[each.at : each.at + each.size] = range(100 + each.source, 100 + each.source + each.size)
    with (tmp_path / "a").open("rb") as a, (tmp_path / "b").open("rb") as b:
        spliced = SplicedFile(a.fileno(), b.fileno(), excerpts)
    with spliced:
        assert spliced.read() == wanted
        for at in range(100):
            for size in (1, 7, 60):
                assert spliced.seek(at) == at == spliced.tell()
                assert spliced.read(size) == wanted[at : at + size]
        assert spliced.seek(-1, os.SEEK_END) == 99
        assert spliced.read(5) == wanted[99:]
        os.truncate(tmp_path / "b", 95)
        spliced.seek(48)
        with pytest.raises(OSError, match="became shorter while it was read"):
            spliced.read(20)
