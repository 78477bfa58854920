"""Input of several processes: every example once, on whatever replica, also when streams end apart and after a restore."""

from itertools import chain
from pathlib import Path

import pytest

from tests.multi_worker.jobs import job, printed
from tests.thorough import thorough_but

Seen = list[list[list[list[int]]]]  # by worker, step, replica
ROWS = 45


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of very different lengths, whose lines count from 0 to 44 through all of them."""
    made, numbers = tmp_path_factory.mktemp("numbers"), iter(range(ROWS))
    for name, length in zip("abcde", [20, 1, 11, 0, 13], strict=True):
        (made / f"{name}.txt").write_text("".join(f"{next(numbers)}\n" for _ in range(length)))
    return made


def read(
    workers: int, source: str, policy: str, begin: str, steps: int, end: str, folder: Path, devices: int = 1
) -> Seen:
    """What a job reads in so many steps."""
    with job("reading.py", workers, source, policy, begin, steps, end, folder, devices=devices) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * workers, ended
    return [printed(task, "seen") for task in ended]


def rows(seen: Seen) -> list[int]:
    """All rows that were seen."""
    return [row for worker in seen for step in worker for piece in step for row in piece]


@pytest.mark.parametrize(
    ("source", "policy"),
    thorough_but(
        [("memory", "AUTO")], [("memory", "AUTO"), ("generator", "DATA"), ("files", "AUTO"), ("function", "AUTO")]
    ),
)
def test_every_example_of_an_epoch_is_seen_once(source: str, policy: str, folder: Path) -> None:
    seen = read(2, source, policy, "-", -1, "-", folder, devices=2)
    assert sorted(rows(seen)) == list(range(ROWS))
    assert len({len(steps) for steps in seen}) == 1  # all make the same steps, with or without rows


@pytest.mark.thorough
def test_without_sharding_every_worker_sees_all() -> None:
    seen = read(2, "memory", "OFF", "-", -1, "-", Path())
    assert [sorted(chain(*chain(*worker))) for worker in seen] == [list(range(ROWS))] * 2


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("source", "policy", "after"), [("memory", "AUTO", 3), ("files", "FILE", 3), ("files", "FILE", 1)]
)
def test_another_number_of_workers_goes_on_with_the_very_next_examples(
    source: str, policy: str, after: int, folder: Path, tmp_path: Path
) -> None:
    path = str(tmp_path / "position")
    first = read(2, source, policy, "-", 2, path, folder)
    second = read(after, source, policy, path, -1, "-", folder)
    assert sorted(rows(first) + rows(second)) == list(range(ROWS))
