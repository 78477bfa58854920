"""Fits that are killed: one trial each, from a seed."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, final

import stratagem as tf
from tests.multi_worker.jobs import Ended, job, printed
from tests.multi_worker.scenarios import Trial
from tests.training.programs.returning import digest, made, plan_of

PROGRAM = Path(__file__).parent / "programs" / "resumed.py"
EARLIEST = 8  # the step of a process at which it is killed: one more than an epoch has


def killed_fit(seed: int, workers: int = 2, kills: int = 3, devices: int = 1) -> Trial:
    """C5: SIGKILL of a worker at random steps, and restarts; detection is the time of the last start until it is done."""
    began, random_ = time.monotonic(), random.Random(seed)
    freq = random_.choice(["epoch", "1", str(random_.randrange(2, EARLIEST))])
    with tempfile.TemporaryDirectory(prefix="stratagem-fit-") as folder:
        (Path(folder) / "whole").mkdir()
        (Path(folder) / "killed").mkdir()
        wanted = printed(_run(workers, devices, Path(folder) / "whole", seed, freq)[0], "found")
        for _ in range(kills):
            # After the first backup, or it would begin anew; and so early that there is something left to kill next time.
            step = random_.randrange(EARLIEST, max(EARLIEST, wanted["steps"] // kills) + 1)
            ended = _run(
                workers, devices, Path(folder) / "killed", seed, freq, step, random_.randrange(workers), killed=True
            )
            assert all(task.code != 0 for task in ended), ended
        last = time.monotonic()
        ended = _run(workers, devices, Path(folder) / "killed", seed, freq)
        for task in ended:
            assert printed(task, "resumed") is True
            found = printed(task, "found")
            assert found == wanted, {key: (found[key], wanted[key]) for key in wanted if found[key] != wanted[key]}
    return Trial(time.monotonic() - began, time.monotonic() - last)


def _run(workers: int, devices: int, *arguments: Any, killed: bool = False) -> list[Ended]:
    given = arguments if killed else (*arguments, -1, -1)
    with job(PROGRAM, workers, *given, devices=devices) as running:
        ended = running.ended()
    if not killed:
        assert [task.code for task in ended] == [0] * workers, ended
    return ended


# --- After its end ----------------------------------------------------------------------------------------------------


@final
class Returning:
    """The program whose fits are killed when they return, from outside."""

    def __init__(self) -> None:
        root = Path(__file__).parents[2]
        path = os.pathsep.join([str(root), str(root / "src")])
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.training.programs.returning"],
            env=os.environ | {"PYTHONPATH": path, "JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": "2"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def fit(self, seed: int, folder: Path) -> dict[str, str]:
        """Have one fit run and be killed. What it said that it had saved: name → digest of the last."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(f"{seed}\t{folder}\n")
        self._program.stdin.flush()
        saved: dict[str, str] = {}
        for line in self._program.stdout:
            what, _, rest = line.rstrip("\n").partition(" ")
            if what == "ended":
                assert rest == str(int(signal.SIGKILL)), f"the process ended {rest}"
                return saved
            name, _, said = rest.partition(" ")
            saved[name] = said
        raise AssertionError("the program ended")

    def close(self) -> None:
        """End the program."""
        self._program.kill()
        self._program.communicate()


def killed_after_fit(seed: int, returning: Returning) -> Trial:
    """C7: SIGKILL when `fit` has returned; all it saved is there and whole. Detection is the time to read it all."""
    began, plan = time.monotonic(), plan_of(seed)
    with tempfile.TemporaryDirectory(prefix="stratagem-fit-") as name:
        folder = Path(name)
        saved = returning.fit(seed, folder)
        looked = time.monotonic()
        assert {path.name for path in folder.iterdir()} == saved.keys(), "files are missing, or left over"
        for file, wanted in saved.items():
            assert digest(_read(folder / file, plan.weights_only)) == wanted, f"{file} has other weights"
        for manager in ("backup/chief", "manager"):
            left = [path.name for path in (folder / manager).iterdir() if not path.name.startswith("ckpt-")]
            assert set(left) <= {"checkpoint", ".owner.json"}, left
    return Trial(time.monotonic() - began, time.monotonic() - looked)


def _read(saved: Path, weights_only: bool) -> Any:
    """A model of a process that knows nothing but what was saved."""
    if saved.name.endswith(".keras"):
        return tf.keras.models.load_model(saved)
    model = made()
    if saved.is_file():
        model.load_weights(saved)
        return model
    latest = tf.train.latest_checkpoint(saved / "chief" if saved.name == "backup" else saved)
    tf.train.Checkpoint(model=model).restore(latest).expect_partial()
    return model
