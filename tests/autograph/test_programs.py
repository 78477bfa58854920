"""Generated programs whose branches and loops tensors decide about give TensorFlow's numbers, compiled, in every strategy."""

import functools
import json
import logging
import os
import random
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests.autograph.generate import generate
from tests.autograph.running import answers, loaded, new_state, numbers, plain, rotated
from tests.multi_worker.jobs import job
from tests.sample import day

RECORDED = Path(__file__).parent / "recorded/tensorflow.json"
SAMPLE = 1
TRACES_TO_COMPILE = 1
PATIENCE = 900.0  # seconds for a job of two processes that runs some fifty programs
ROUNDED_SUMS = (
    2.0**-22
)  # a sum over replicas is rounded to float32 after each of up to three additions, Python's is not


@functools.cache
def recorded() -> list[dict[str, Any]]:
    """TensorFlow's answers: rows with the index of a program."""
    rows: list[dict[str, Any]] = json.loads(RECORDED.read_text())
    return rows


def sample() -> list[dict[str, Any]]:
    """One of the rows, another one every day."""
    return random.Random(day()).sample(recorded(), SAMPLE)


def chunks() -> list[Any]:
    """All rows: some for `make test`, and all, in pieces, for `make thorough`."""
    whole = [pytest.param(recorded()[i : i + 50], id=str(i), marks=pytest.mark.thorough) for i in range(0, 300, 50)]
    return [pytest.param(sample(), id="sample"), *whole]


@pytest.fixture
def python_instead(caplog: pytest.LogCaptureFixture) -> Any:
    """What the log says about functions that could not be compiled."""
    caplog.set_level(logging.INFO, logger="stratagem")
    return lambda: [m for m in caplog.messages if "runs in Python" in m or "runs unconverted" in m]


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("rows", chunks())
def test_a_compiled_function_gives_tensorflows_numbers(rows: list[dict[str, Any]], python_instead: Any) -> None:
    for row in rows:
        traces = []

        def counted(function: Any, traces: list[int] = traces) -> Any:
            @tf.function
            def program(x: Any, n: Any) -> Any:
                traces.append(1)
                return function(x, n)

            return program

        assert answers(tf, generate(row["i"]), counted) == row["answers"], row["i"]
        assert len(traces) == TRACES_TO_COMPILE, row["i"]
    assert not python_instead()


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("rows", chunks())
def test_a_function_that_python_runs_compiles_the_rounds_of_its_loops(
    rows: list[dict[str, Any]], python_instead: Any
) -> None:
    for row in rows:

        def driven(function: Any) -> Any:
            @tf.function
            def program(x: Any, n: Any) -> Any:
                n.numpy()
                return function(x, n)

            return program

        assert answers(tf, generate(row["i"]), driven) == row["answers"], row["i"]
    assert not [text for text in python_instead() if not text.startswith("tf.function")]


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("rows", chunks())
@pytest.mark.parametrize(
    ("strategy", "lengths"),
    [
        pytest.param("default", (3,), id="default"),
        pytest.param("mirrored 2", (3, 3), id="mirrored 2"),
        pytest.param("mirrored 2", (3, 2), id="uneven"),
        pytest.param("mirrored 4", (3, 3, 3, 3), id="mirrored 4", marks=pytest.mark.thorough),
    ],
)
def test_every_replica_decides_for_itself(strategy: str, lengths: tuple[int, ...], rows: list[dict[str, Any]]) -> None:
    for row in rows:
        chosen = STRATEGIES[strategy]()
        replicas = range(chosen.num_replicas_in_sync)
        expected = [answers(tf, generate(row["i"]), lambda f: f, first=r, rows=lengths[r]) for r in replicas]
        with chosen.scope():
            state = new_state(tf)
        function = loaded(tf, generate(row["i"]), state)
        found: list[list[Any]] = [[] for _ in replicas]
        for call in range(3):
            inputs = [rotated(r, lengths[r])[call] for r in replicas]
            args = [
                chosen.experimental_distribute_values_from_function(
                    lambda c, i=i, inputs=inputs: tf.constant(inputs[c.replica_id_in_sync_group][i])
                )
                for i in range(2)
            ]
            for mine, result in zip(found, chosen.experimental_local_results(chosen.run(function, args)), strict=True):
                mine.append(plain(result))
        assert found == [results for results, _ in expected], row["i"]
        sums = [sum(column) for column in zip(*(s for _, s in expected), strict=True)]
        assert numbers(state) == pytest.approx(sums, rel=ROUNDED_SUMS, abs=0), row["i"]


@pytest.mark.timeout(2400)
@pytest.mark.parametrize(
    "lengths", [pytest.param((3, 3), id="even", marks=pytest.mark.thorough), pytest.param((3, 2), id="uneven")]
)
@pytest.mark.parametrize("rows", chunks())
def test_two_processes_decide_for_themselves(
    rows: list[dict[str, Any]], lengths: tuple[int, int], tmp_path: Path
) -> None:
    asked, answered = tmp_path / "programs", tmp_path / "answers of {}"
    asked.write_text(json.dumps([row["i"] for row in rows]))
    paths = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    script = Path(__file__).with_name("worker.py")
    with job(script, 2, asked, answered, json.dumps(lengths), PYTHONPATH=paths) as running:
        ended = running.ended(PATIENCE)
    assert [task.code for task in ended] == [0, 0], "\n".join(task.output for task in ended)
    both = [json.loads(Path(str(answered).format(rank)).read_text()) for rank in range(2)]
    for row, *found in zip(rows, *both, strict=True):
        expected = [answers(tf, generate(row["i"]), lambda f: f, first=r, rows=lengths[r]) for r in range(2)]
        assert [results for results, _ in found] == [results for results, _ in expected], row["i"]
        sums = [sum(column) for column in zip(*(state for _, state in expected), strict=True)]
        for _, state in found:
            assert state == pytest.approx(sums, rel=ROUNDED_SUMS, abs=0), row["i"]
