"""`stratagem profile`: real programs, whose steps' time is divided into parts."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stratagem.cli import main

# Private: the arithmetic of spans has no door, and a table of cases is what shows that it is right.
from stratagem.cli._profile_trace import PARTS, Spans
from tests.cli.launches import PROGRAMS
from tests.conftest import LEAN

PROGRAM = PROGRAMS / "profiled.py"
LAUNCH = (sys.executable, "-m", "stratagem.cli", "launch", "--workers", "2", "--tee", "none", str(PROGRAM))

Profiled = Callable[..., tuple[int, str, str]]


@pytest.fixture
def profiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Profiled:
    """Runs the command; returns its exit status, stdout and stderr."""
    for name in ("PJRT_NPROC", "TF_CONFIG", "JAX_NUM_CPU_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([LEAN, str(Path(__file__).parents[2] / "src")]))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["profile", "--out", str(tmp_path / "out"), "--skip", "2", *arguments])
        said = capfd.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return code, said.out, said.err

    return run


def checked(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The tasks of a report; the parts of each are all of its time."""
    for task in report["tasks"]:
        assert tuple(task["parts"]) == PARTS
        assert min(task["parts"].values()) >= 0
        assert sum(task["parts"].values()) == pytest.approx(task["seconds"])
        (trace,) = Path(task["trace"]).glob("plugins/profile/*/*.trace.json.gz")
        assert trace.stat().st_size
    return list(report["tasks"])


def test_a_program_that_waits_for_input_is_told_so_although_it_was_ended(profiled: Profiled, tmp_path: Path) -> None:
    code, out, err = profiled("--", sys.executable, str(PROGRAM), "input")
    assert code == 143, err
    assert "input is the largest part: devices wait for data." in out
    assert "6 steps of" in out
    (folder,) = (tmp_path / "out").iterdir()
    (task,) = checked(json.loads((folder / "report.json").read_text()))
    assert (task["largest"], task["steps"], task["left_out"], task["ended"]) == ("input", 6, 2, "interrupted")
    page = (folder / "report.html").read_text()
    assert "<title>input:" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")  # nothing is fetched


def test_a_program_that_compiles_often_is_told_how_often_although_it_was_interrupted(profiled: Profiled) -> None:
    code, out, err = profiled("--json", "--steps", "4", "--", sys.executable, str(PROGRAM), "compile")
    assert code == 130, err
    (task,) = checked(json.loads(out))
    assert (task["largest"], task["steps"], task["ended"]) == ("compile", 4, "complete")
    # The program of the step after the last one is made before that step begins, with which the recording ends.
    assert 4 <= task["programs_made"]["tf.function step"] <= 5
    assert task["compilations"] >= 4
    assert "KeyboardInterrupt" in err


def test_of_two_workers_the_one_that_waits_for_the_other_is_told_so(profiled: Profiled) -> None:
    code, out, err = profiled("--json", "--", *LAUNCH, "workers")
    assert code == 0, err
    tasks = checked(json.loads(out))
    assert [(task["task"], task["workers"], task["steps"]) for task in tasks] == [
        ("worker:0", 2, 6),
        ("worker:1", 2, 6),
    ]
    assert tasks[0]["largest"] == "collective"
    assert tasks[1]["largest"] == "unaccounted"  # it sleeps between its steps
    assert tasks[1]["parts"]["collective"] > 0
    assert "2 tasks are done" in err


@pytest.mark.parametrize(
    ("program", "code", "words"),
    [
        ((sys.executable, str(PROGRAM), "none"), 3, "took no step in its main thread (the program ended)"),
        (("true",), 1, "no process of 'true' has used stratagem"),
        (("absent",), 127, "'absent' cannot be started. There is none."),
        ((str(PROGRAM),), 126, f"stratagem profile -- python {PROGRAM}"),
    ],
    ids=["no step", "another program", "no program", "a script"],
)
def test_where_nothing_is_measured_it_says_why_and_leaves_nothing(
    profiled: Profiled, tmp_path: Path, program: tuple[str, ...], code: int, words: str
) -> None:
    ended, out, err = profiled("--", *program)
    assert (ended, out) == (code, ""), err
    assert words in err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made_is_an_error(profiled: Profiled, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    code, _, err = profiled("--", "true")
    assert code == 2
    assert "is a file" in err


@pytest.mark.parametrize(
    ("spans", "others", "union", "without"),
    [
        ([], [(0, 1)], [], []),
        ([(0, 2), (1, 3), (5, 6)], [], [(0, 3), (5, 6)], [(0, 3), (5, 6)]),
        ([(0, 10), (2, 3), (4, 5)], [(1, 2), (9, 12)], [(0, 10)], [(0, 1), (2, 9)]),
        ([(0, 1), (1, 2)], [(0.5, 0.6)], [(0, 1), (1, 2)], [(0, 0.5), (0.6, 1), (1, 2)]),
    ],
)
def test_spans(
    spans: list[tuple[float, float]],
    others: list[tuple[float, float]],
    union: list[tuple[float, float]],
    without: list[tuple[float, float]],
) -> None:
    found, taken = Spans.union(spans), Spans.union(others)
    lengths = [sum(end - start for start, end in pairs) for pairs in (union, without)]
    assert float(found.within(np.array([-1.0]), np.array([20.0]))[0]) == pytest.approx(lengths[0])
    rest = found.without(taken)
    assert float(rest.within(np.array([-1.0]), np.array([20.0]))[0]) == pytest.approx(lengths[1])
    assert all(a in [s for s, _ in without] for a, _ in rest.pairs())
    assert float(found.within(np.array([0.25]), np.array([0.5]))[0]) == pytest.approx(0.25 if spans else 0.0)
