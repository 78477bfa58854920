"""Estimators whose workers train together, real processes: they have the same model, and one of them writes."""

from pathlib import Path
from typing import Any

import pytest

from tests.multi_worker.jobs import job, printed

PROGRAM = Path(__file__).parent / "programs" / "workers.py"


def trained(folder: Path, workers: int, stop_at: int = 0) -> list[Any]:
    with job(PROGRAM, workers, folder, stop_at) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * workers, ended
    return [(printed(task, "found"), printed(task, "asked"), task.output) for task in ended]


@pytest.mark.thorough
def test_two_workers_train_as_one_with_their_batches_and_the_chief_saves(tmp_path: Path) -> None:
    (chief, (seen, refused), chief_said), (other, asked, other_said) = trained(tmp_path / "two", 2)
    # Only the chief has hooks that ask for tensors by name.
    assert asked == [[], ""]
    assert seen == [pytest.approx(y) for y in [3 * (1 + 3) / 8 - 2, 3 * (5 + 7) / 8 - 2] * 5]
    assert refused.startswith("A hook asks for the tensor 'features' late.")
    assert chief_said.count("error = ") == 2
    assert "error = " not in other_said
    assert (chief[0], other[0]) == (True, False)
    assert chief[1:] == other[1:]
    assert chief[1]["global_step"] == 10
    assert sorted(path.name for path in (tmp_path / "two").glob("model.ckpt-*")) == [
        "model.ckpt-0", "model.ckpt-10", "model.ckpt-5",
    ]  # fmt: skip
    assert "Saving checkpoints for 10" in chief_said
    assert "Saving checkpoints" not in other_said
    assert len(list((tmp_path / "two").glob("*tfevents*"))) == 1
    assert len(list((tmp_path / "two" / "eval").glob("*tfevents*"))) == 1


@pytest.mark.thorough
def test_one_worker_that_wants_to_stop_early_stops_all(tmp_path: Path) -> None:
    found = trained(tmp_path, 2, stop_at=2)
    assert [task[1]["global_step"] for task, _, _ in found] == [3, 3]
