"""Record what TensorFlow 2.15.1 answers to generated programs.

Run by hand, in an environment of its own (the tests need neither it nor TensorFlow), from the root of the repository:

    python3.11 -m venv /tmp/tensorflow
    /tmp/tensorflow/bin/pip install tensorflow-cpu==2.15.1
    /tmp/tensorflow/bin/python -m tests.differential.record_tensorflow SEED NUMBER [STRATEGY ...]

It writes one file for every strategy, or for those that are named, to tests/differential/recorded. What is recorded
already stays, so a recording can be made in parts. Every strategy has processes of its own, with as many logical CPUs as
replicas: collectives of two strategies in a process get in each other's way.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.differential.generate import generate
from tests.differential.program import STRATEGIES, Program
from tests.differential.running import answer, make_strategy

RECORDED = Path(os.environ.get("STRATAGEM_DIFFERENTIAL_RECORDED", Path(__file__).parent / "recorded"))
_SHARE = 250  # programs of a process: TensorFlow keeps what it has traced
_PATIENCE = 120.0  # seconds for one program, which takes a few tenths: collectives of TensorFlow's may wait for ever


def record(strategy: str, seed: int, indices: list[int], path: Path) -> None:
    """Answer these programs in this process."""
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    devices = [tf.config.LogicalDeviceConfiguration()] * STRATEGIES[strategy][1]
    tf.config.set_logical_device_configuration(cpu, devices)
    made = make_strategy(tf, strategy)
    # The time of AutoGraph, which is the half of it, is saved where it has nothing to convert.
    plain = SimpleNamespace(**{name: getattr(tf, name) for name in dir(tf) if not name.startswith("_")})
    plain.function = partial(tf.function, autograph=False)
    with path.open("w") as out:
        for index in indices:
            program = generate(seed, index)
            found = answer(_library(tf, plain, program), made, program) | {"i": index, "text": program.digest}
            print(json.dumps(found, separators=(",", ":")), file=out, flush=True)


def _library(tf: Any, plain: Any, program: Program) -> Any:
    """The one without AutoGraph, if nothing in a function depends on it."""
    converted = ("if in ", "while in ", "tf.range in ")
    return tf if any(feature.startswith(converted) for feature in program.features) else plain


def _process(strategy: str, seed: int, indices: list[int], path: Path, **environment: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.differential.record_tensorflow", "one", strategy, str(seed), str(path)]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", **environment}
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(json.dumps(indices).encode())
    process.stdin.close()
    return process


def _recorded(strategy: str, seed: int, indices: list[int], folder: Path) -> list[list[dict[str, object]]]:
    """What each process of one strategy answers."""
    workers = 2 if strategy == "two_processes" else 1
    paths = [folder / str(rank) for rank in range(workers)]
    addresses = [f"localhost:{20000 + os.getpid() % 20000 + rank}" for rank in range(workers)]
    processes = []
    for rank, path in enumerate(paths):
        task = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": rank}}
        environment = {"TF_CONFIG": json.dumps(task)} if workers > 1 else {}
        processes.append(_process(strategy, seed, indices, path, **environment))
    _wait(processes, paths)
    return [[json.loads(line) for line in path.read_text().splitlines()] for path in paths]


def _wait(processes: "list[subprocess.Popen[bytes]]", paths: list[Path]) -> None:
    """Until all have ended. If no further program is answered for too long, or one process of several dies, end them."""
    sizes, since = [0] * len(paths), time.monotonic()
    while any(process.poll() is None for process in processes):
        now = [path.stat().st_size if path.exists() else 0 for path in paths]
        if now != sizes:
            sizes, since = now, time.monotonic()
        if time.monotonic() - since > _PATIENCE or any(process.poll() for process in processes):
            for process in processes:
                process.kill()
        time.sleep(0.2)


def record_all(strategy: str, seed: int, indices: list[int]) -> None:
    """Answer these programs, after those that are recorded already, and write the file after every share.

    A process that dies is followed by another one, behind the program at which it did.
    """
    rows = [row for row in known(strategy, seed) if row["i"] in set(indices)]
    indices = [index for index in indices if index not in {row["i"] for row in rows}]
    while indices:
        with tempfile.TemporaryDirectory() as folder:
            share = indices[:_SHARE]
            ranks = _recorded(strategy, seed, share, Path(folder))
        done = min(map(len, ranks))
        for first, *others in zip(*(answers[:done] for answers in ranks), strict=True):
            rows.append(
                {"seed": seed, **first} | ({"others": [{"shown": row["shown"]} for row in others]} if others else {})
            )
        if done < len(share):
            print(f"{strategy}: the process ended at program {share[done]}", flush=True)
        indices = indices[min(done + 1, len(share)) :]
        write(strategy, sorted(rows, key=lambda row: row["i"]))


def known(strategy: str, seed: int) -> list[dict[str, Any]]:
    """What is recorded already, of programs that are still the same."""
    path = RECORDED / f"{strategy}.jsonl.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt") as file:
        rows = [json.loads(line) for line in file]
    return [row for row in rows if row["seed"] == seed and row["text"] == generate(seed, row["i"]).digest]


def write(strategy: str, rows: list[dict[str, Any]]) -> None:
    """The file of a strategy."""
    with gzip.GzipFile(RECORDED / f"{strategy}.jsonl.gz", "wb", mtime=0) as file:
        for row in rows:
            short = {"message": row["message"][:200]} if "message" in row else {}
            file.write(json.dumps(row | short, separators=(",", ":")).encode() + b"\n")
    print(f"{strategy}: {len(rows)} programs, {sum('error' in row for row in rows)} end with an error", flush=True)


def main() -> None:
    """Record `NUMBER` programs of a seed, or, called with `one`, what one process answers."""
    if sys.argv[1] == "one":
        return record(sys.argv[2], int(sys.argv[3]), json.loads(sys.stdin.read()), Path(sys.argv[4]))
    seed, number, *names = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
    RECORDED.mkdir(exist_ok=True)
    of_strategy: dict[str, list[int]] = {}
    for index in range(number):
        of_strategy.setdefault(generate(seed, index).strategy, []).append(index)
    for strategy in names or STRATEGIES:
        record_all(strategy, seed, of_strategy[strategy])
    return None


if __name__ == "__main__":
    main()
