"""train_and_evaluate as the tasks of a cluster, real processes all of them."""

from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from tests.conftest import added
from tests.multi_worker.jobs import Ended, job, printed
from tests.servers.processes.test_jobs import left_behind

PROGRAM = Path(__file__).parent / "programs" / "roles.py"


def trained(folder: Path, max_steps: int) -> list[Ended]:
    """A job of a chief, two workers, a server and an evaluator, which has to end by itself, and to leave nothing."""
    before = left_behind()
    with job(PROGRAM, 2, folder, max_steps, ps=1, evaluator=True) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * 5, ended
    assert not added(left_behind, before)
    return ended


def evaluated(evaluator: Ended) -> list[int]:
    """Global steps of the checkpoints that were evaluated."""
    lines = [line for line in evaluator.output.splitlines() if "Saving dict for global step" in line]
    return [int(line.split("global step ")[1].split(":")[0]) for line in lines]


@pytest.mark.thorough
def test_chief_workers_server_and_evaluator_train_to_the_last_step_and_leave(tmp_path: Path) -> None:
    ended = trained(tmp_path, 50)
    found = [printed(task, "found") for task in ended]
    assert [f[:3] for f in found] == [
        ["chief", 0, None], ["worker", 0, None], ["worker", 1, None], ["ps", 0, None], ["evaluator", 0, None],
    ]  # fmt: skip
    assert [f[3] for f in found] == [50, 0, 0, 0, 0]  # hooks run on the chief
    assert [n for n in (0, 20, 40, 50) if (tmp_path / f"model.ckpt-{n}").exists()] == [0, 20, 40, 50]
    assert evaluated(ended[-1])[-1] == 50
    assert "Loss for final step" in ended[0].output


@pytest.mark.thorough
def test_without_a_last_step_every_worker_takes_all_of_its_data_and_the_evaluator_leaves_too(tmp_path: Path) -> None:
    ended = trained(tmp_path, 0)
    assert printed(ended[0], "found")[3] == 2 * 30
    assert evaluated(ended[-1])[-1] == 60


@pytest.mark.thorough
def test_two_workers_train_as_one_and_the_first_one_saves(tmp_path: Path) -> None:
    with job(PROGRAM.with_name("together.py"), 2, tmp_path / "two") as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0], ended
    assert [printed(task, "found") for task in ended] == [["worker", 0, True, None], ["worker", 1, False, None]]
    # None goes on before the last save is durable.
    assert [printed(task, "newest") for task in ended] == [str(tmp_path / "two" / "model.ckpt-10")] * 2
    assert sorted(path.name for path in (tmp_path / "two").glob("model.ckpt-*")) == [
        "model.ckpt-0", "model.ckpt-10", "model.ckpt-4", "model.ckpt-8",
    ]  # fmt: skip
    assert ["Saving checkpoints for 10" in task.output for task in ended] == [True, False]  # the chief's alone
    np.testing.assert_allclose(
        tf.train.load_variable(str(tmp_path / "two" / "model.ckpt-10"), "weights"), trained_here(10), rtol=1e-5
    )


def trained_here(steps: int) -> np.ndarray:
    """The weights after steps whose gradient is the mean of those of two rows, as two workers that read every second row."""
    features, labels = (
        np.array([[1.0, 1.5], [2.0, 2.5], [3.0, 3.5], [4.0, 4.5]]),
        np.array([[0.3], [0.5], [0.7], [0.9]]),
    )
    weights = np.zeros((2, 1))
    for step in range(steps):
        rows = [2 * (step % 2), 2 * (step % 2) + 1]
        x, y = features[rows], labels[rows]
        weights -= 0.01 * np.mean(2 * (x @ weights - y)[:, :, None] * x[:, :, None], axis=0)
    return weights


@pytest.mark.thorough
def test_training_goes_on_without_a_lost_worker_whose_steps_count_once(tmp_path: Path) -> None:
    with job(PROGRAM, 2, tmp_path, 0, ps=1, PAUSE="0.03") as running:
        running.wait_for(0, "Saving checkpoints for 60 ")
        running.kill_and_start_again(2)
        running.wait_for(0, "worker:1 is back")
        (tmp_path / "stop").touch()
        ended = running.ended()
    assert [task.code for task in ended] == [0] * 4, ended
    last = latest_step(tmp_path)
    # Every step that the servers have applied was reported, or was under way at the end, and none counts twice.
    assert 0 <= last - printed(ended[0], "found")[3] <= 2 * 2


@pytest.mark.thorough
def test_a_lost_server_ends_training_which_goes_on_from_the_last_checkpoint(tmp_path: Path) -> None:
    before = left_behind()
    with job(PROGRAM, 2, tmp_path, 0, ps=1, evaluator=True, PAUSE="0.03", STRATAGEM_REJOIN_SECONDS="60") as running:
        running.wait_for(0, "Saving checkpoints for 40 ")
        running.wait_for(4, "Saving dict for global step")
        running.processes[3].kill()
        chief, *workers, _, evaluator = running.ended()
    assert (chief.code, evaluator.code) == (1, 1), (chief, evaluator)
    assert "ps:0 is gone" in chief.output
    assert chief.output.count("Traceback (most recent call last)") == 1, chief.output
    assert [worker.code for worker in workers] == [0, 0], workers
    assert "its chief was lost, or has failed" in evaluator.output
    assert not added(left_behind, before)
    last = latest_step(tmp_path)
    trained(tmp_path, last + 30)
    assert latest_step(tmp_path) == last + 30


def latest_step(folder: Path) -> int:
    """The global step of the last checkpoint, which is in its name, too."""
    path = tf.train.latest_checkpoint(str(folder))
    assert path is not None
    step = int(tf.train.load_variable(path, "global_step"))
    assert path.endswith(f"model.ckpt-{step}")
    return step
