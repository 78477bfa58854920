"""Jobs with parameter servers on a Ray cluster that somebody else has started, without TF_CONFIG."""

import contextlib
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import final

import psutil
import pytest

from stratagem.testing import free_ports
from tests.multi_worker.jobs import MARK, PATIENCE, Ended, Running
from tests.servers.processes.following import PROGRAMS, Following
from tests.servers.processes.scenarios import kill_head

SOURCE = Path(__file__).parents[3] / "src"
ACTORS = """
import ray
ray.init(log_to_driver=False, logging_level="ERROR")
print("actors", sorted(actor["name"] for actor in ray.util.list_named_actors(all_namespaces=True)))
"""

TASK = f"""
import json, os, ray
ray.init(log_to_driver=False, logging_level="ERROR")
import stratagem as tf
spec = dict(zip(("ps", "worker"), (["127.0.0.1:" + str(port)] for port in {free_ports(2)})))
os.environ["TF_CONFIG"] = json.dumps(dict(cluster=spec, task=dict(type="ps", index=0)))
tf.distribute.Server(spec, "ps", 0)
"""

pytestmark = pytest.mark.thorough


@final
class Cluster:
    """A Ray of one machine, with its processes. Nobody without the token can use it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._mark, self._jobs = folder, uuid.uuid4().hex, 0
        head, client = free_ports(2)
        token = folder / "token"
        with open(os.open(token, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        self.variables = {
            **{k: v for k, v in os.environ.items() if not k.startswith("RAY_") and k not in ("TF_CONFIG", "XLA_FLAGS")},
            "PYTHONPATH": str(SOURCE),
            "RAY_ADDRESS": f"127.0.0.1:{head}",
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # all of Ray on loopback
            "RAY_USAGE_STATS_ENABLED": "0",
            MARK: self._mark,
        }
        self._command = [Path(sys.executable).with_name("ray"), "start", "--head", "--block", f"--port={head}"]
        self._command += ["--node-ip-address=127.0.0.1", f"--ray-client-server-port={client}", "--num-cpus=8"]
        # Workers get ports from the system: Ray's own range, 10002 to 19999, may contain the two above.
        self._command += ["--min-worker-port=0", "--max-worker-port=0"]
        self._command += [f"--temp-dir={folder}/t", f"--object-store-memory={128 << 20}"]
        self._command += ["--include-dashboard=false", "--disable-usage-stats"]
        self.started: list[subprocess.Popen[bytes]] = []
        self.everything = Running([], folder, self._mark).everything

    def start(self) -> None:
        """Start it. On a machine under load Ray may give up after 30 s; then once more."""
        log, end = self._folder / "log", time.monotonic() + PATIENCE
        environment = {k: v for k, v in self.variables.items() if k != "RAY_ADDRESS"}
        while True:
            with log.open("wb") as file:
                process = subprocess.Popen(
                    self._command,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=file,
                    start_new_session=True,
                )
            self.started.append(process)
            while process.poll() is None:
                if "Ray runtime started" in log.read_text(errors="replace"):
                    return
                time.sleep(0.1)
            assert time.monotonic() < end, log.read_text()

    @contextlib.contextmanager
    def job(self, program: str = "following.py", **variables: str) -> Iterator[Following]:
        """A job on it; in the end none of its actors is left, and the cluster still runs."""
        self._jobs += 1
        folder = self._folder / f"job {self._jobs}"
        folder.mkdir()
        with (folder / "output of 0").open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-u", PROGRAMS / program, folder],
                env={**self.variables, **variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            yield Following(Running([process], folder, self._mark), folder)
        finally:
            process.kill()
            process.wait()

    def has_no_actors(self) -> None:
        """It runs, and none of a job's actors does, after a while."""
        end = time.monotonic() + PATIENCE
        while left := self.actors():
            assert time.monotonic() < end, left
            time.sleep(0.1)
        asked = subprocess.run(
            [sys.executable, "-c", ACTORS], env=self.variables, capture_output=True, text=True, timeout=PATIENCE
        )
        assert "actors []" in asked.stdout, asked

    def actors(self) -> list[psutil.Process]:
        """The processes of servers and workers."""
        return [p for p in self.everything() if re.match("ray::(Server|Worker)Task", "".join(p.cmdline()))]


@contextlib.contextmanager
def cluster() -> Iterator[Cluster]:
    """One that runs; nothing of it is left in the end."""
    with tempfile.TemporaryDirectory(prefix="sr-", dir="/tmp", ignore_cleanup_errors=True) as folder:  # short: sockets
        found = Cluster(Path(folder))
        try:
            found.start()
            yield found
        finally:
            while left := found.everything():
                for one in left:
                    with contextlib.suppress(psutil.Error):
                        one.kill()
                time.sleep(0.1)
            for process in found.started:
                process.wait(PATIENCE)


@pytest.fixture
def ray() -> Iterator[Cluster]:
    with cluster() as running:
        yield running


def check_fit(started: Following) -> None:
    """It was told to fit in the end, and the loss fell."""
    started.running.wait_for(0, "losses [")
    (line,) = [x for x in started.running.output(0).splitlines() if x.startswith("losses ")]
    losses = json.loads(line.removeprefix("losses "))
    assert losses[-1] < losses[0]


def ended(started: Following) -> Ended:
    """The coordinator, once it has ended."""
    (found,) = started.running.ended()
    return found


def test_two_jobs_use_one_cluster_and_a_killed_worker_is_replaced(ray: Cluster) -> None:
    with ray.job() as first, ray.job() as second:
        before, others = first.all_work(), second.all_work()
        assert not {*before} & {*others}
        psutil.Process(before[0]).kill()
        assert before[0] not in first.all_work_again(before)
        for started in (first, second):
            started.tell("fit")
            started.applied_exactly()
            check_fit(started)
            assert ended(started).code == 0
        assert re.search("worker:[01].*Its function runs elsewhere", ended(first).output)
        assert "gone" not in ended(second).output
    ray.has_no_actors()


def test_a_lost_server_ends_the_job_with_one_error(ray: Cluster) -> None:
    with ray.job() as started:
        workers = started.all_work()
        started.tell("more")
        started.tell("fit")
        started.applied_exactly()
        check_fit(started)
        servers = [process for process in ray.actors() if process.pid not in workers]
        assert len(servers) == 2
        servers[0].kill()
        found = ended(started)
        assert found.code == 1
        assert re.search(r"TaskLostError: ps:[01] is gone", found.output), found
        assert found.output.count("Traceback (most recent call last)") == 1, found
    ray.has_no_actors()


def test_a_killed_coordinator_takes_its_actors_with_it(ray: Cluster) -> None:
    with ray.job() as started:
        started.all_work()
        started.running.processes[0].kill()
        ray.has_no_actors()


def test_a_strategy_that_nobody_has_makes_room_for_the_next(ray: Cluster) -> None:
    with ray.job("again.py") as started:
        found = ended(started)
    assert found.code == 0, found
    assert found.output.count("total 10\n") == 2
    assert "gone" in found.output
    ray.has_no_actors()


def test_who_is_connected_to_no_ray_or_to_another_one_is_told_so(ray: Cluster) -> None:
    with ray.job(RAY_ADDRESS="") as started:
        found = ended(started)
        assert found.code == 1
        assert (
            "ClusterError: RayClusterResolver: this process is connected to no Ray cluster. Call ray.init"
            in found.output
        )

    task = subprocess.run(
        [sys.executable, "-c", TASK], env=ray.variables, capture_output=True, text=True, timeout=PATIENCE
    )
    assert "ClusterError: This process is connected to a Ray already" in task.stderr, task


def test_the_clusters_end_is_told() -> None:
    with cluster() as ray, ray.job() as started:
        started.all_work()
        kill_head(started.running)
        assert "UnavailableError: Ray's first process, at 127.0.0.1:" in started.running.output(0)
