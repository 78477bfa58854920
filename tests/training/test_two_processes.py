"""`fit`, `evaluate` and `predict` in a job of two processes give on both what one process gives."""

from pathlib import Path
from typing import Any

import pytest

from tests.multi_worker.jobs import job, printed
from tests.training.training import distance

PROGRAM = Path(__file__).parent / "fit_of_two.py"


def found(workers: int, folder: Path) -> list[dict[str, Any]]:
    """What every worker has."""
    with job(PROGRAM, workers, folder) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * workers, [task.output for task in ended]
    return [printed(task, "found") for task in ended]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Of one process, and of two."""
    (one,) = found(1, tmp_path_factory.mktemp("one"))
    return one, found(2, tmp_path_factory.mktemp("two"))


@pytest.mark.parametrize("source", ["arrays", "dataset"])
def test_two_workers_have_what_one_has(source: str, results: Any) -> None:
    one, two = results
    assert len(one[source]["predicted"]) == 100
    for worker in two:
        assert distance(worker[source], one[source]) <= 1e-9
    assert two[0][source] == two[1][source]


def test_a_shuffle_without_a_seed_is_one_order_for_all(results: Any) -> None:
    _, two = results
    assert two[0]["shuffled"] == two[1]["shuffled"]


def test_a_generator_is_shared(results: Any) -> None:
    one, two = results
    for worker in two:
        assert distance(worker["generator"], one["generator"]) <= 1e-9


def test_two_workers_divide_the_cores_of_their_machine(results: Any) -> None:
    one, two = results
    divided = [worker["cores"] for worker in two]
    if len(one["cores"]) > 1:
        assert sorted(divided[0] + divided[1]) == one["cores"]
    else:
        assert divided == [one["cores"], one["cores"]]


def test_files_that_all_workers_write_are_whole(results: Any) -> None:
    _, two = results
    assert [worker["damaged"] for worker in two] == [[], []]
