"""Jobs of real processes on this machine: started, watched, and ended with everything that they started."""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import psutil

from stratagem.testing import free_ports
from tests import prepared
from tests.machines import Machine

MARK = "STRATAGEM_TEST_JOB"  # an environment variable that everything which a job starts inherits
PATIENCE = 480.0  # seconds for a job of a few steps, on a loaded machine
PROGRAMS = Path(__file__).parent / "programs"


Process = subprocess.Popen[bytes] | prepared.PreparedProcess


@dataclass(frozen=True)
class Ended:
    """How a task ended: its exit code (negative: a signal), everything that it printed, and when (monotonic seconds)."""

    code: int
    output: str
    at: float


@final
class Running:
    """The tasks of a job, by rank."""

    def __init__(self, processes: Sequence[Process], folder: Path, mark: str) -> None:
        self.processes = list(processes)
        self._folder = folder
        self._mark = mark

    def output(self, rank: int) -> str:
        """What a task has printed so far."""
        return (self._folder / f"output of {rank}").read_text(errors="replace")

    def wait_for(self, rank: int, text: str) -> None:
        """Until a task has printed this."""
        end = time.monotonic() + PATIENCE
        while text not in self.output(rank):
            assert self.processes[rank].poll() is None, self.output(rank)
            assert time.monotonic() < end, self.output(rank)
            time.sleep(0.02)

    def ended(self, patience: float = PATIENCE) -> list[Ended]:
        """All tasks, once all have ended."""
        found: dict[int, Ended] = {}
        end = time.monotonic() + patience
        while len(found) < len(self.processes):
            for rank, process in enumerate(self.processes):
                if rank not in found and process.poll() is not None:
                    found[rank] = Ended(process.returncode, self.output(rank), time.monotonic())
            outputs = "\n".join(f"--- task {i}\n{self.output(i)}" for i in range(len(self.processes)))
            assert time.monotonic() < end, f"not ended: {set(range(len(self.processes))) - set(found)}\n{outputs}"
            time.sleep(0.01)
        return [found[rank] for rank in range(len(self.processes))]

    def kill_and_start_again(self, rank: int, by: int = signal.SIGKILL) -> None:
        """The same program with the same variables, once a signal has ended it."""
        old = psutil.Process(self.processes[rank].pid)
        command, environment = old.cmdline(), old.environ()
        self.processes[rank].send_signal(by)
        self.processes[rank].wait(PATIENCE)
        with (self._folder / f"output of {rank}").open("ab") as output:
            again = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
        self.processes[rank] = again

    def everything(self) -> list[psutil.Process]:
        """Every process that the job started and that still runs, supervisors too."""
        own = {process.pid for process in self.processes if process.poll() is None}
        return [process for process in psutil.process_iter() if process.pid in own or _mark_of(process) == self._mark]


def _mark_of(process: psutil.Process) -> str | None:
    with contextlib.suppress(psutil.Error):
        if process.status() != psutil.STATUS_ZOMBIE:
            return process.environ().get(MARK)
    return None


def tf_config(rank: int, ports: Sequence[int], *, ps: int = 0, hosts: Sequence[str] = ("127.0.0.1",)) -> str:
    """TF_CONFIG of a task; the hosts take turns. With ps, rank 0 is the chief, the last ones are the servers.

    The rank after the last port's is an evaluator's, which is in no cluster.
    """
    kinds = ["chief"] * (ps > 0) + ["worker"] * (len(ports) - ps - (ps > 0)) + ["ps"] * ps
    cluster: dict[str, list[str]] = {}
    for i, (kind, port) in enumerate(zip(kinds, ports, strict=True)):
        cluster.setdefault(kind, []).append(f"{hosts[i % len(hosts)]}:{port}")
    if rank == len(ports):
        return json.dumps({"cluster": cluster, "task": {"type": "evaluator", "index": 0}})
    kind = kinds[rank]
    return json.dumps({"cluster": cluster, "task": {"type": kind, "index": rank - kinds.index(kind)}})


@contextlib.contextmanager
def job(
    program: str | Path,
    workers: int,
    *arguments: Any,
    devices: int = 1,
    environments: Sequence[dict[str, str]] | None = None,
    ps: int = 0,
    evaluator: bool = False,
    order: Sequence[int] | None = None,
    host: str = "127.0.0.1",
    machines: Sequence[Machine] = (),
    alone: bool = False,
    **variables: str,
) -> Iterator[Running]:
    """A job of `workers` processes that run a program of this folder; at its end nothing of it may be left.

    environments: variables of single tasks, by rank; variables: of all. ps: parameter servers beside the workers, and then
    a chief, too: it is rank 0, the workers come next. evaluator: one more task, of the highest rank. order: of ranks, in
    which they are started. host: this machine's name. machines: take turns at the tasks, in place of this one; the tasks are
    given a token. alone: every task imports by itself what it uses, as those of jobs with servers and of machines do.
    """
    ports = free_ports(workers + ps + (ps > 0))
    tasks = len(ports) + evaluator
    mark = uuid.uuid4().hex
    path = PROGRAMS / program if isinstance(program, str) else program
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        token = Path(folder) / "token"
        token.touch(mode=0o600)
        token.write_text(secrets.token_hex(32))
        started: dict[int, Process] = {}
        for rank in order or range(tasks):
            output = stack.enter_context((Path(folder) / f"output of {rank}").open("wb"))
            environment = {
                **{k: v for k, v in os.environ.items() if k != "PJRT_NPROC"},
                "TF_CONFIG": tf_config(rank, ports, ps=ps, hosts=[m.address for m in machines] or [host]),
                "JAX_NUM_CPU_DEVICES": str(devices),
                "XDG_CONFIG_HOME": folder,
                "TMPDIR": folder,  # a supervisor that is killed leaves its sockets
                MARK: mark,
                **variables,
                **(environments[rank] if environments else {}),
            }
            command = [sys.executable, "-u", str(path), *map(str, arguments)]
            if machines:
                command = machines[rank % len(machines)].command(command)
                environment["STRATAGEM_TOKEN_FILE"] = str(token)
            if alone or ps or machines:
                started[rank] = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
            else:
                started[rank] = prepared.start(path, *arguments, output=output, environment=environment)
        processes = [started[rank] for rank in range(tasks)]
        running = Running(processes, Path(folder), mark)
        try:
            yield running
            _nothing_left(running)
        finally:
            for process in running.everything():
                with contextlib.suppress(psutil.Error):
                    process.kill()
            for process in running.processes:
                process.wait()


def _nothing_left(running: Running) -> None:
    end = time.monotonic() + PATIENCE
    while left := running.everything():
        assert time.monotonic() < end, f"still running: {[p.cmdline() for p in left]}"
        time.sleep(0.1)


def printed(ended: Ended, word: str) -> Any:
    """The JSON value that a task printed behind this word, at the beginning of a line."""
    lines = [line for line in ended.output.splitlines() if line.startswith(f"{word} ")]
    assert len(lines) == 1, ended.output
    return json.loads(lines[0].removeprefix(f"{word} "))
