"""F7: one worker is told that it will be ended; all save the same step, leave, and go on exactly after a restart."""

from pathlib import Path

import pytest

from tests.multi_worker.scenarios import preempt


@pytest.mark.parametrize(
    "rank", [pytest.param(0, marks=pytest.mark.thorough, id="the chief"), pytest.param(2, id="another")]
)
def test_f7_all_workers_save_the_same_step_and_lose_none(rank: int, tmp_path: Path) -> None:
    preempt(rank, 20, 3, str(tmp_path))
