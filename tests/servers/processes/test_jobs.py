"""Jobs with parameter servers as real processes, which find each other through Ray."""

import contextlib
import json
import os
import pickle
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from stratagem._base.processes import ProcessId
from tests.cli.launches import launcher
from tests.conftest import added
from tests.multi_worker.jobs import PATIENCE, Ended, Running, job, printed
from tests.servers.processes import scenarios
from tests.servers.processes.following import PROGRAMS, Following, following
from tests.servers.processes.frames import Gadget, listening
from tests.servers.processes.scenarios import kill_head, kill_server
from tests.thorough import thorough_but

FOLDER = Path(f"/tmp/stratagem-{os.geteuid()}")
ACTORS = ["ps:0", "ps:1", "worker:0", "worker:1"]  # of the job that is followed


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


def left_behind() -> set[str]:
    """Folders of Ray's nodes none of whose tasks runs. (Other jobs of this user may run beside the test.)"""
    return {folder.name for folder in FOLDER.glob("ray-*[0-9]") if not any(map(runs, folder.glob("tasks/*")))}


def runs(task: Path) -> bool:
    """Whether the process that the file stands for still runs."""
    with contextlib.suppress(OSError, ValueError):
        return ProcessId(int(task.name), int(task.read_text())).is_running()
    return False


@pytest.mark.thorough
def test_the_launcher_runs_a_whole_job_and_nothing_is_left(tmp_path: Path) -> None:
    before = left_behind()
    with launcher("--ps", 2, "--workers", 2, "--chief", "--log-dir", tmp_path, PROGRAMS / "tutorial.py") as running:
        done = running.done(PATIENCE)
        assert done.code == 0, done.told
        (log,) = tmp_path.rglob("chief-0.log")
        check_tutorial(Ended(done.code, log.read_text(), 0.0))
        assert "5 tasks are done" in done.told
        assert "killed" not in done.told
        running.wait_until_gone(PATIENCE)
    assert not added(left_behind, before)


@pytest.mark.thorough
def test_the_tasks_of_a_job_may_be_started_by_hand_in_any_order() -> None:
    before = left_behind()
    order = random.Random(4).sample(range(5), 5)
    with job(PROGRAMS / "tutorial.py", 2, ps=2, order=order) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * 5, ended
    check_tutorial(ended[0])
    assert not added(left_behind, before)


@pytest.mark.thorough  # tests/servers/remote/test_equal_weights.py shows it in one process
def test_one_worker_takes_the_steps_that_one_device_would() -> None:
    with job(PROGRAMS / "equal.py", 1, ps=1) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * 3, ended
    for name in ("SGD", "Adam", "Adagrad"):
        assert printed(ended[0], name) <= 1e-9


@pytest.mark.thorough
def test_a_table_is_made_on_its_servers_and_the_coordinator_needs_no_room_for_it() -> None:
    with job(PROGRAMS / "creating.py", 1, ps=2) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * 4, ended
    assert printed(ended[0], "slots") == [[800_000, 64]] * 2
    assert printed(ended[0], "grown") < 40  # MiB; a shard has 195
    assert printed(ended[0], "moved") < 8192  # bytes; five rows of each shard are looked up
    assert printed(ended[0], "equal") == [True, True]


@pytest.mark.thorough
def test_a_job_without_a_token_works_and_every_task_warns() -> None:
    """On a network of its own: whoever reaches such a job can run code in it."""
    apart = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && ip address add 192.0.2.1/32 dev lo && exec "$@"', "-"]
    if shutil.which("unshare") is None or subprocess.run([*apart, "true"], capture_output=True).returncode != 0:
        pytest.skip("this machine gives no networks")
    command = [*apart, sys.executable, str(PROGRAMS / "insecure.py"), "192.0.2.1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    tasks = json.loads(done.stdout)
    assert [code for code, _ in tasks] == [0, 0, 0], tasks
    assert [output.count("WARNING: STRATAGEM_INSECURE=1: whoever reaches") for _, output in tasks] == [1, 1, 1]


@pytest.mark.thorough
def test_a_coordinator_may_end_while_a_worker_is_away() -> None:
    """Its thread that waits for the worker asks Ray again and again, also when the program has left Ray."""
    with following(3) as started:
        away = started.running.processes[1]
        away.kill()
        away.wait()
        started.running.wait_for(0, "worker:0 is gone")
        started.applied_exactly()
        chief, _, *others = started.running.ended()
    assert [task.code for task in (chief, *others)] == [0, 0, 0, 0], chief
    assert "Traceback" not in chief.output
    assert "SIGTERM" not in chief.output, "a thread has started another Ray"


@pytest.mark.timeout(900)
def test_a_job_goes_on_whatever_befalls_it_until_a_server_is_lost() -> None:
    random_ = random.Random(5)
    with (
        following(5, PAUSE="0.01", STRATAGEM_HEARTBEAT_SECONDS="15") as started,
        strangers(started.running) as everybody,
    ):
        check_private(started.running)
        check_priority(started)
        scenarios.freeze_a_worker(started, random_, 15)
        lose_a_worker_between_two_rounds(started)
        scenarios.lose_two_workers(started, random_)
        scenarios.lose_a_worker_in_an_evaluation(started, random_)
        scenarios.send_frames(started, 500, 5)
        scenarios.replace_the_coordinator(started)
        check_refused(everybody)
        kill_server(started, random_)


def check_priority(started: Following) -> None:
    """The processes that take steps do not give way to others, as Ray's own tasks do."""
    assert {psutil.Process(pid).nice() for pid in started.all_work()} == {psutil.Process().nice()}


def lose_a_worker_between_two_rounds(started: Following) -> None:
    """P1: the first worker, while nothing runs."""
    before = started.all_work()
    with started.resting():
        started.kill_worker(1)
    started.all_work_again(before)


def test_a_stranger_would_be_noticed_who_gets_something_unpickled(tmp_path: Path) -> None:
    """The control of A4."""
    canary = tmp_path / "canary"
    pickle.loads(pickle.dumps(Gadget(canary)))
    assert canary.exists()


def check_private(running: Running) -> None:
    """A1 and A8: nobody elsewhere can reach the job, and nobody here can read its secrets."""
    everything = running.everything()
    found = listening(running)
    assert len(found) > 5
    assert not [p for p in everything if "ray.util.client.server" in " ".join(p.cmdline())]
    assert {host for host, _ in found} <= {"127.0.0.1", "::1"}, found
    environment = everything[0].environ()
    path, own = token_of(running), Path(environment["XDG_CONFIG_HOME"], "stratagem", "token")
    secrets = [path.read_text(), own.read_text().strip()]
    for file in (path, own):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    told = [text for p in everything for text in (" ".join(p.cmdline()), json.dumps(p.environ()))]
    told += [file.read_text(errors="replace") for file in path.parent.rglob("*") if file.is_file() and file != path]
    told += [running.output(rank) for rank in range(len(running.processes))]
    for secret in secrets:
        assert len(secret) >= 32
        assert not any(secret in text for text in told)


def token_of(running: Running) -> Path:
    """The file that has the secret of the job's Ray."""
    (path,) = [Path(p.environ()["RAY_AUTH_TOKEN_PATH"]) for p in running.everything() if p.name() == "gcs_server"]
    return path


@contextmanager
def strangers(running: Running) -> Iterator[dict[str, "subprocess.Popen[str]"]]:
    """A2 and A3: one without a token, and one with a wrong one, try for a while to take part. A third one has the right one."""
    head = json.loads(running.everything()[0].environ()["TF_CONFIG"])["cluster"]["chief"][0]
    outside = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
    environments = {
        "without": {"RAY_AUTH_MODE": "disabled"},
        "wrong": {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64},
        "right": {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_of(running).read_text()},
    }
    started = {
        name: subprocess.Popen(
            [sys.executable, PROGRAMS / "stranger.py", head, *ACTORS],
            env={**outside, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", **own},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for name, own in environments.items()
    }
    try:
        yield started
    finally:
        for stranger in started.values():
            stranger.kill()
            stranger.communicate()


def check_refused(everybody: "dict[str, subprocess.Popen[str]]") -> None:
    """Who has the token gets in; the others do not, and are told why."""
    said = {name: stranger.communicate(timeout=PATIENCE)[0] for name, stranger in everybody.items()}
    assert everybody["right"].returncode == 0, said["right"]
    assert f"actors {' '.join(ACTORS)}" in said["right"]
    for name in ("without", "wrong"):
        assert everybody[name].returncode == 1, said[name]
        assert "Authentication token is missing or incorrect" in said[name]
        assert "refused: " in said[name]
        assert "actors" not in said[name]


# What their users see: the error, and words of it; or what was returned.
MISTAKES: dict[str, tuple[str, Any]] = {
    "a_function_raises": ("KeyError", "the user's own"),
    "a_data_set_ends": ("OutOfRangeError", "has no more elements"),
    "a_data_set_fails_once": ("", 5),
    "a_data_set_always_fails_on_one_worker": ("FileNotFoundError", "could not make dataset_fn; it has tried twice."),
    "a_data_set_raises_what_cannot_be_made_again": ("UnknownError", "BadRecord: data.csv:3"),
    "a_data_set_ends_its_process": ("RuntimeError", "no data"),
    "a_file_of_the_data_is_missing": ("NotFoundError", "none.csv; No such file"),
    "a_data_set_cannot_travel": ("TypeError", "`lock` cannot travel to worker:"),
    "a_data_set_prints": ("", True),
    "a_step_cannot_travel": ("UnimplementedError", "calls back into Python"),
    "a_step_prints": ("UnimplementedError", "tf.print"),
    "a_gradient_is_no_number": ("InvalidArgumentError", "has NaN or infinity"),
    "an_id_is_out_of_range": ("InvalidArgumentError", "id 12 is not in [0, 12)"),
    "an_id_is_negative": ("InvalidArgumentError", "id -1 is not in [0, 12)"),
    "an_assignment_has_another_shape": ("ValueError", "value.shape=(3,)"),
    "a_push_has_another_shape": ("InvalidArgumentError", "refuses a push, and has changed nothing"),
    "a_step_uses_a_variable_of_another_strategy": ("MixedStrategiesError", "Mixing different tf.distribute.Strategy"),
    "another_strategy_updates_a_variable_of_this_one": ("MixedStrategiesError", "was created under"),
    "a_step_is_scheduled_in_the_scope_of_another": ("", True),
    "a_job_has_a_second_strategy": ("ClusterError", "take its variables away"),
    "another_strategy_has_a_coordinator": ("ValueError", "Only `tf.distribute.ParameterServerStrategy`"),
    "batches_change_their_shapes": ("", [[1, 6], [3, 3], [3, 12]]),
    "many_batches_change_their_shapes": ("", [[1, 6], [3, 3], [3, 12]]),
    "a_data_set_ends_in_the_middle_of_many_functions": ("OutOfRangeError", "has no more elements"),
    "results_are_nested": ("", [[1.0, 0.0, None], [2.0, 2.0, None], [3.0, 4.0, None]]),
    "a_checkpoint_goes_to_other_shards_and_servers": ("", [1, 2, 3]),
}


@pytest.mark.timeout(900)
def test_a_job_goes_on_after_its_users_mistakes_until_the_head_is_lost(tmp_path: Path) -> None:
    with job(PROGRAMS / "mistakes", 2, tmp_path, ps=2) as running:
        running.wait_for(0, "\nwaiting\n")
        chief = Ended(0, running.output(0), 0.0)
        for name, (error, words) in MISTAKES.items():
            found, told = printed(chief, name)
            assert found == error, (name, told)
            assert words in told if error else words == told, (name, told)
        assert chief.output.count("is tried once more") == 4  # one that failed once, and three that always do
        workers = [running.output(rank) for rank in (1, 2)]
        assert any(f"the data of worker {i}\n" in output for i, output in enumerate(workers)), workers
        assert all("UserWarning: careless data" in output for output in workers if "the data of" in output)
        kill_head(running)


@pytest.mark.parametrize("task", thorough_but(["ps"], ["ps", "worker", "chief"]))
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
