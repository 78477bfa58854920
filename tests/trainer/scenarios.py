"""A fit that is killed again and again must end as one that nobody disturbs: one trial each, from a seed."""

import random
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.multi_worker.jobs import Ended, job, printed
from tests.multi_worker.scenarios import Trial

PROGRAM = Path(__file__).parent / "programs" / "resumed.py"
STEPS = 50  # the fewest that an undisturbed fit of the program takes


def killed_fit(seed: int, workers: int = 2, kills: int = 3, devices: int = 1) -> Trial:
    """C5: SIGKILL of a worker at random steps, and restarts; detection is the time of the last start until it is done."""
    began, random_ = time.monotonic(), random.Random(seed)
    freq = random_.choice(["epoch", "1", str(random_.randrange(2, 12))])
    with tempfile.TemporaryDirectory(prefix="stratagem-fit-") as folder:
        (Path(folder) / "whole").mkdir()
        (Path(folder) / "killed").mkdir()
        wanted = printed(_run(workers, devices, Path(folder) / "whole", seed, freq)[0], "found")
        for _ in range(kills):
            # Not before the first backup each time, or it would begin anew and never end.
            step = random_.randrange(8, STEPS // kills + 8)
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
