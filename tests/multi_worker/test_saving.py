"""Two workers save in the background while their steps go on."""

from pathlib import Path

from tests.multi_worker.jobs import job, printed


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
