#!/usr/bin/env python3
"""Run the program of several workers (document 000) whole, with only its import line changed, and check what it prints.

One process; two and four workers, started one after the other; two workers with two devices each. All workers have to print
the same lines, reach the document's accuracy in the third epoch, and leave nothing in the temporary folder of non-chiefs.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from stratagem.testing import free_ports

LONGEST = 1800.0  # seconds that one job may take
DELAY = 2.0  # seconds between the starts of two workers: the first ones wait
EPOCH = re.compile(r"Epoch: (\d+), accuracy: ([.\d]+), train_loss: ([.\d]+)\.$", re.MULTILINE)


@dataclass(frozen=True)
class Layout:
    """A job: the program, its workers (0: no cluster), the devices of each, the accuracy that the third epoch has to reach."""

    program: str
    workers: int
    devices: int
    accuracy: float

    def __str__(self) -> str:
        return f"{self.program}, {self.workers or 1} worker(s), {self.devices} device(s) each"


LAYOUTS = (
    Layout("ctl_single", 0, 1, 0.94),
    Layout("ctl_worker", 2, 1, 0.93),
    Layout("ctl_worker", 4, 1, 0.93),
    Layout("ctl_worker", 2, 2, 0.93),
)


def outputs(layout: Layout, programs: Path, folder: Path) -> list[str]:
    """What every process prints.

    Raises:
        RuntimeError: one ended with another exit code than 0, or did not end.
    """
    ports = free_ports(layout.workers)
    cluster = {"worker": [f"127.0.0.1:{port}" for port in ports]}
    environment = {**os.environ, "JAX_NUM_CPU_DEVICES": str(layout.devices), "TMPDIR": str(folder)}
    environment.pop("TF_CONFIG", None)
    processes: list[subprocess.Popen[str]] = []
    try:
        for rank in range(max(1, layout.workers)):
            own = {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": "worker", "index": rank}})}
            processes.append(
                subprocess.Popen(
                    [sys.executable, str(programs / f"{layout.program}.py")],
                    cwd=programs,
                    env=environment | (own if layout.workers else {}),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
            time.sleep(DELAY)
        found = [process.communicate(timeout=LONGEST)[0] for process in processes]
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"not ended after {LONGEST:.0f} s") from error
    finally:
        for process in processes:
            process.kill()
            process.wait()
    for rank, process in enumerate(processes):
        if process.returncode:
            raise RuntimeError(f"worker {rank} ended with exit code {process.returncode}:\n{found[rank]}")
    return found


def complaints(layout: Layout, printed: list[str], folder: Path) -> list[str]:
    """Everything that is not as it has to be, in words."""
    wrong = []
    lines = [EPOCH.findall(text) for text in printed]
    if any(other != lines[0] for other in lines):
        wrong.append(f"the workers print different lines: {lines}")
    if [epoch for epoch, _, _ in lines[0]] != ["0", "1", "2"]:
        wrong.append(f"epochs {lines[0]}, expected 0, 1 and 2")
    elif not float(lines[0][2][1]) >= layout.accuracy:
        wrong.append(f"accuracy {lines[0][2][1]} in the third epoch, expected {layout.accuracy} at least")
    left = [str(path) for path in folder.rglob("workertemp_*")]
    if left:
        wrong.append(f"left behind: {left}")
    return wrong


def main() -> int:
    """Run every layout; 0 when all is right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=Path, default=os.environ.get("STRATAGEM_SEEDS", "../shared"))
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as programs:
        subprocess.run([sys.executable, options.documents / "seed_programs.py", programs], check=True, timeout=60)
        for layout in LAYOUTS:
            print(f"seeds: {layout}", flush=True)
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                try:
                    printed = outputs(layout, Path(programs), Path(folder))
                    wrong = complaints(layout, printed, Path(folder))
                    print("".join(f"  {match[0]}\n" for match in re.finditer(EPOCH, printed[0])), end="")
                except RuntimeError as error:
                    wrong = [str(error)]
            print(
                f"seeds: {layout}: {'; '.join(wrong) or 'as documented'} ({time.monotonic() - began:.0f} s)", flush=True
            )
            failed |= bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
