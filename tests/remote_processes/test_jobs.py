"""Jobs with parameter servers as real processes, which find each other through Ray."""

import json
import os
import random
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.cli.launches import launcher
from tests.multi_worker.jobs import PATIENCE, Ended, Running, job, printed
from tests.multi_worker.scenarios import Trial
from tests.remote_processes import scenarios
from tests.remote_processes.scenarios import PROGRAMS, following, kill_server

FOLDER = Path(f"/tmp/stratagem-{os.geteuid()}")


def check_tutorial(chief: Ended) -> None:
    """What the program of document 003 and of the tutorial has to print."""
    losses, iterations = printed(chief, "fit")
    assert len(losses) == 5
    assert losses[-1] < 0.3 * losses[0]
    assert iterations == 50
    assert printed(chief, "evaluate")["loss"] < 10.0
    assert sorted(printed(chief, "servers")) == [0, 1]
    accuracies, loss, steps = printed(chief, "loop")
    assert accuracies[-1] > 0.9
    assert loss < 0.1
    assert steps == 21
    assert printed(chief, "evaluation") == [1.0, 1.0]


def nodes() -> set[str]:
    """Folders and locks of Ray's nodes."""
    return {path.name for path in FOLDER.glob("ray-*")}


@pytest.mark.thorough
def test_the_launcher_runs_a_whole_job_and_nothing_is_left(tmp_path: Path) -> None:
    before = nodes()
    with launcher("--ps", 2, "--workers", 2, "--chief", "--log-dir", tmp_path, PROGRAMS / "tutorial.py") as running:
        done = running.done(PATIENCE)
        assert done.code == 0, done.told
        (log,) = tmp_path.rglob("chief-0.log")
        check_tutorial(Ended(done.code, log.read_text(), 0.0))
        assert "5 tasks are done" in done.told
        assert "killed" not in done.told
        running.wait_until_gone(10.0)
    assert nodes() <= before


@pytest.mark.thorough
def test_the_tasks_of_a_job_may_be_started_by_hand_in_any_order() -> None:
    before = nodes()
    order = random.Random(4).sample(range(5), 5)
    with job(PROGRAMS / "tutorial.py", 2, ps=2, order=order) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * 5, ended
    check_tutorial(ended[0])
    assert nodes() <= before


def test_one_worker_takes_the_steps_that_one_device_would() -> None:
    with job(PROGRAMS / "equal.py", 1, ps=1) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * 3, ended
    for name in ("SGD", "Adam", "Adagrad"):
        assert printed(ended[0], name) <= 1e-9


def test_a_worker_is_lost_strangers_come_and_a_server_is_lost() -> None:
    with following(5) as started:
        before = set(started.all_work())
        started.kill_worker(2)
        check_private(started.running)
        check_strangers(started.running)
        started.wait_for_rounds(1, lambda who: len(who) == 2 and set(who) != before)
        kill_server(started, random.Random(5))


def check_private(running: Running) -> None:
    """A1 and A8: nobody elsewhere can reach the job, and nobody here can read its secrets."""
    everything = running.everything()
    listening = [c.laddr for p in everything for c in p.net_connections("inet") if c.status == psutil.CONN_LISTEN]
    assert len(listening) > 5
    assert {address.ip for address in listening} <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}, listening
    environment = everything[0].environ()
    (token,) = [Path(p.environ()["RAY_AUTH_TOKEN_PATH"]) for p in everything if p.name() == "gcs_server"]
    own = Path(environment["XDG_CONFIG_HOME"], "stratagem", "token")
    secrets = [token.read_text(), own.read_text().strip()]
    for path in (token, own):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    told = [text for p in everything for text in (" ".join(p.cmdline()), json.dumps(p.environ()))]
    told += [path.read_text(errors="replace") for path in token.parent.rglob("*") if path.is_file() and path != token]
    told += [running.output(rank) for rank in range(len(running.processes))]
    for secret in secrets:
        assert len(secret) >= 32
        assert not any(secret in text for text in told)


def check_strangers(running: Running) -> None:
    """A2 and A3: without a token, or with a wrong one, Ray lets nobody in."""
    head = json.loads(running.everything()[0].environ()["TF_CONFIG"])["cluster"]["chief"][0]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
    wrong = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64}
    strangers = [
        subprocess.Popen(
            [sys.executable, PROGRAMS / "stranger.py", head],
            env={**environment, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", **own},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for own in ({"RAY_AUTH_MODE": "disabled"}, wrong)
    ]
    for stranger in strangers:
        said, _ = stranger.communicate(timeout=PATIENCE)
        assert stranger.returncode in (0, 1), said
        assert "actors" not in said


@pytest.mark.parametrize("task", ["ps", "worker", "chief"])
def test_a9_several_machines_need_a_token(task: str, tmp_path: Path) -> None:
    cluster = {"chief": ["192.0.2.1:2222"], "worker": ["192.0.2.2:2222"], "ps": ["192.0.2.3:2222"]}
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("STRATAGEM_", "RAY_"))}
    done = subprocess.run(
        [sys.executable, PROGRAMS / "following.py", tmp_path],
        env={
            **environment,
            "TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": task, "index": 0}}),
            "STRATAGEM_TOKEN_FILE": str(tmp_path / "none"),
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    assert "ClusterError: The tasks of this job are on several machines, and there is no token" in done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(
    "fault",
    [
        scenarios.worker_killed,
        scenarios.worker_killed_often,
        scenarios.worker_frozen,
        scenarios.server_killed,
        scenarios.head_killed,
        scenarios.coordinator_killed,
    ],
    ids=lambda fault: fault.__name__,
)
def test_a_fault_ends_as_the_documents_say(fault: Callable[[int], Trial]) -> None:
    fault(7)
