"""Callbacks of a fit on two workers: one writes, all decide alike."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.multi_worker.jobs import job, printed

PROGRAM = Path(__file__).parent / "programs" / "ranks.py"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """How the two workers ended; the program does all that is asked below."""
    folder = tmp_path_factory.mktemp("job")
    with job(PROGRAM, 2, folder) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0], ended
    return ended


@pytest.fixture(scope="module")
def found(outputs: list[Any]) -> dict[str, Any]:
    """What both workers have found: the same."""
    first, second = (printed(task, "found") for task in outputs)
    assert json.dumps(first) == json.dumps(second)  # as text: nan is not equal to itself
    return dict(first)


def test_one_file_of_each_kind_is_there_when_fit_returns(found: dict[str, Any]) -> None:
    assert found["there when fit returned"] == [
        *(
            "checkpoint",
            "ckpt.data-00000-of-00002",
            "ckpt.data-00001-of-00002",
            "ckpt.index",
            "log.csv",
            "model-01.keras",
            "model-02.keras",
            "steps.weights.h5",
            "whole",
        )
    ]
    assert all(found["equal weights"])


def test_folders_may_be_saved_by_all_workers_or_by_the_chief(found: dict[str, Any]) -> None:
    assert found["equal folders"] == [True] * 4
    assert found["owned or locked"] == []


def test_messages_appear_once(outputs: list[Any]) -> None:
    for text in ("Epoch 2: saving model to", "Epoch 2: finished saving model to", "Epoch 2: early stopping"):
        assert [task.output.count(text) for task in outputs] == [1, 0], text


def test_early_stopping_decides_alike(found: dict[str, Any]) -> None:
    assert len(found["written"]["loss"]) == 2
    assert found["early"] == [1, 1]


def test_a_checkpoint_callback_may_be_given_on_the_chief_only(found: dict[str, Any]) -> None:
    assert found["of the chief"] is True


def test_one_worker_that_wants_to_stop_stops_all(found: dict[str, Any]) -> None:
    assert found["stopped by worker 1"] == 2
    assert found["stopped by worker 0"] == [2, 6]


def test_a_nan_on_one_replica_stops_all_at_the_same_step(found: dict[str, Any]) -> None:
    assert found["nan"] == [1, 3]


def test_two_backups_are_kept_where_that_is_asked_for(found: dict[str, Any]) -> None:
    assert found["backup is kept"] == ["checkpoint", "ckpt-1", "ckpt-2"]
