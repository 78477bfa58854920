"""Launched jobs that train for real."""

import re
import signal
from pathlib import Path

import pytest

from tests.cli.launches import PROGRAMS, launch, launcher
from tests.multi_worker.jobs import PATIENCE
from tests.multi_worker.jobs import PROGRAMS as TRAINING


@pytest.mark.thorough  # the restart below trains two workers as well
def test_workers_train_together_and_their_steps_are_shown(tmp_path: Path) -> None:
    options = ("--workers", 2, "--devices-per-worker", 2, "--log-dir", tmp_path, "--tee", "none", "--grace", 5)
    with launcher(*options, TRAINING / "training.py", 96, 100000) as started:
        while not re.search(r"worker:1 running step [1-9]\d* \(\w+\) [\d.]+ steps/s", started.told):
            started.wait_for("steps/s", started.told.count("steps/s") + 1)
        started.process.send_signal(signal.SIGTERM)
        assert started.done(PATIENCE).code == 128 + signal.SIGTERM


def test_a_lost_worker_means_a_restart_from_the_last_checkpoint(tmp_path: Path) -> None:
    options = ("--workers", 2, "--max-restarts", 1, "--backoff", 0.1, "--tee", "all")
    done = launch(*options, PROGRAMS / "training.py", tmp_path, patience=PATIENCE, JAX_PLATFORMS="cpu")
    assert done.code == 0, done.whole
    assert "worker:1 failed first: SIGKILL" in done.told
    # On a busy machine it has not found out yet when the launcher ends it.
    assert re.search(r"worker:0 .* (could not go on without worker:1|ended by the launcher)", done.told)
    for worker in range(2):
        said = re.findall(rf"^\[worker:{worker}\] (from|to) ([\d.]+)$", done.out, re.MULTILINE)
        assert said == [("from", "0.0"), ("from", "4.0"), ("to", "8.0")]
