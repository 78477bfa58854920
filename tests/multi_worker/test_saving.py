"""Two workers save in the background while their steps go on."""

from pathlib import Path

import pytest

from tests.multi_worker.jobs import job, printed
from tests.thorough import thorough_but


def test_workers_save_in_the_background_between_collectives_and_hear_of_each_others_errors(tmp_path: Path) -> None:
    with job("saving.py", 2, tmp_path / "ckpts") as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0], ended
    (found, first), (other, second) = (printed(task, "results") for task in ended)
    # Two are added in a step; the fourth checkpoint was made after the tenth, the first has been deleted.
    assert found == other == [8.0, 14.0, 20.0]
    assert first.startswith("OSError: [Errno 28] No space left on device")
    assert second.startswith("AbortedError: worker:0 could not save its part")
    assert sorted(path.name for path in (tmp_path / "ckpts").glob("ckpt-*")) == ["ckpt-2", "ckpt-3", "ckpt-4"]


@pytest.mark.parametrize("others", thorough_but(["go on"], ["go on", "end"]))
def test_a_save_of_the_chief_alone_of_slots_in_shards_is_refused_at_once(others: str, tmp_path: Path) -> None:
    """It would wait for the others, who have other parts of the optimizer and are elsewhere, for five minutes."""
    with job("saving_alone.py", 2, tmp_path, others) as running:
        ended = running.ended()
    assert all("saved together" in task.output for task in ended), ended
    said = [line for line in ended[0].output.splitlines() if line.startswith("alone: ")]
    wanted = "with shard_optimizer_state=True all workers call what saves a model or reads its optimizer"
    assert [wanted in line for line in said] == [True], ended
    assert ended[0].code == 1
    names = {path.name for path in tmp_path.iterdir()}
    assert {"together 0.keras", "together 1.keras"} <= names
    assert "alone.keras" not in names
