"""`stratagem launch`: who its tasks are told to be, what is shown and kept of them, and what follows when they fail."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stratagem.testing import free_ports
from tests.cli.launches import PROGRAMS, Done, launch, launcher

TELLING, FAILING = PROGRAMS / "telling.py", PROGRAMS / "failing.py"


def told(done: Done) -> dict[str, Any]:
    """What every task printed, by name, in a launch with `--tee all`."""
    found = re.findall(r"^\[(\w+:\d+)\] told (.*)$", done.out, re.MULTILINE)
    assert done.code == 0, done.whole
    return {task: json.loads(text) for task, text in found}


def configurations(done: Done) -> dict[str, Any]:
    """Their TF_CONFIG."""
    return {task: json.loads(variables["TF_CONFIG"]) for task, variables in told(done).items()}


def test_every_task_finds_its_place_in_tf_config() -> None:
    found = configurations(launch("--workers", 2, "--ps", 2, "--chief", "--evaluator", "--tee", "all", TELLING))
    assert set(found) == {"chief:0", "worker:0", "worker:1", "ps:0", "ps:1", "evaluator:0"}
    cluster = found["chief:0"]["cluster"]
    assert {job: len(tasks) for job, tasks in cluster.items()} == {"chief": 1, "worker": 2, "ps": 2}
    addresses = [address for tasks in cluster.values() for address in tasks]
    assert len(set(addresses)) == 5
    assert all(address.startswith("127.0.0.1:") for address in addresses)
    for task, config in found.items():
        assert config["cluster"] == cluster
        assert f"{config['task']['type']}:{config['task']['index']}" == task


def test_names_and_arguments_pass_through_no_shell(tmp_path: Path) -> None:
    script = tmp_path / "a b;$(touch x) 'q' \"d\" `c` & .py"
    shutil.copy(TELLING, script)
    arguments = [
        "--workers",
        "3",
        "-h",
        "--",
        "a b",
        "$HOME",
        "`id`",
        "$(id)",
        "; rm -rf",
        "'",
        '"',
        "\\",
        "*",
        "",
        "ü\n",
    ]
    found = told(launch(script, *arguments, cwd=tmp_path))
    assert found["worker:0"]["argv"] == [str(script), *arguments]
    assert [path.name for path in tmp_path.iterdir()] == [script.name]


def test_a_module_runs_as_python_runs_it(tmp_path: Path) -> None:
    shutil.copy(TELLING, tmp_path / "some_module.py")
    found = told(launch("-m", "some_module", "-m", "x", cwd=tmp_path))
    assert found["worker:0"]["argv"][1:] == ["-m", "x"]


def test_a_script_may_be_named_like_an_option(tmp_path: Path) -> None:
    shutil.copy(TELLING, tmp_path / "-c.py")
    assert told(launch("--", "-c.py", "x", cwd=tmp_path))["worker:0"]["argv"] == ["./-c.py", "x"]


@pytest.mark.parametrize(
    ("tee", "printed"),
    [
        ([], {"worker:0"}),
        (["--tee", "none"], set()),
        (["--tee", "all"], {"worker:0", "worker:1", "ps:0"}),
        (["--tee", "1,ps:0"], {"worker:1", "ps:0"}),
    ],
)
def test_all_output_is_kept_and_some_is_printed(tmp_path: Path, tee: list[str], printed: set[str]) -> None:
    logs = tmp_path / "logs"
    done = launch("--workers", 2, "--ps", 1, "--log-dir", logs, *tee, TELLING)
    assert set(told(done)) == printed
    assert sorted(path.name for path in (logs / "attempt-0").iterdir()) == ["ps-0.log", "worker-0.log", "worker-1.log"]
    assert all(path.read_text().startswith("told ") for path in (logs / "attempt-0").iterdir())


def test_an_earlier_launchs_logs_are_left_alone(tmp_path: Path) -> None:
    launch("--log-dir", tmp_path, TELLING, "first")
    launch("--log-dir", tmp_path, TELLING, "second")
    assert "first" in (tmp_path / "attempt-0" / "worker-0.log").read_text()
    assert "second" in (tmp_path / "attempt-1" / "worker-0.log").read_text()


def test_without_a_folder_logs_are_kept_after_failures_only() -> None:
    with launcher(TELLING) as started:
        folder = started.folder
        assert started.done().code == 0
        assert not list(folder.glob("stratagem-logs-*"))
    with launcher(FAILING, "worker:0", "raise") as started:
        assert started.done().code == 1
        (log,) = started.folder.glob("stratagem-logs-*/attempt-0/worker-0.log")
        assert str(log) in started.told


def test_a_failed_task_is_named_with_its_error_and_gives_its_exit_code() -> None:
    done = launch("--workers", 4, "--grace", 2, FAILING, "worker:1", "raise", "worker:2", "0", "worker:3", "told")
    assert done.code == 1
    assert "worker:1 failed first: exit code 1" in done.told
    assert re.search(r"^\* +worker:1 .* exit code 1 +root cause", done.told, re.MULTILINE)
    assert re.search(r"^ +worker:0 .* SIGTERM +ended by the launcher", done.told, re.MULTILINE)
    assert re.search(r"^ +worker:2 .* exit code 0 +done", done.told, re.MULTILINE)
    assert re.search(
        r"^ +worker:3 .* exit code 1 +raised PeerFailedError, which names worker:1", done.told, re.MULTILINE
    )
    assert "worker-1.log:\n  Traceback (most recent call last):\n" in done.told
    assert "  ValueError: a bug of the user's\n" in done.told


@pytest.mark.parametrize(("how", "code", "words"), [("7", 7, "exit code 7"), ("kill", 137, "SIGKILL (by hand,")])
def test_its_exit_code_is_that_of_the_root_cause(how: str, code: int, words: str) -> None:
    done = launch(FAILING, "worker:0", how)
    assert done.code == code
    assert f"worker:0 failed first: {words}" in done.told


@pytest.mark.parametrize(("code", "told"), [("2", True), ("3", False)])
def test_options_of_launch_that_a_script_was_given_and_refused_are_named(code: str, *, told: bool) -> None:
    done = launch(FAILING, "worker:0", code, "--max-restarts", 3)
    assert done.code == int(code)
    said = "was given --max-restarts, which launch has, too. Options of launch go before the script: stratagem launch --max"
    assert (said in done.told) is told


def test_who_is_blamed_is_the_root_cause_even_if_it_ends_last() -> None:
    done = launch("--workers", 2, FAILING, "worker:0", "late", "worker:1", "blame")
    assert "worker:0 failed first: exit code 1" in done.told
    assert re.search(r"^ +worker:1 .* could not go on without worker:0", done.told, re.MULTILINE)
    assert "ValueError: the real bug" in done.told


def test_a_blamed_task_that_does_not_end_is_the_root_cause() -> None:
    done = launch("--workers", 2, FAILING, "worker:1", "blame")
    assert done.code == 1
    assert "worker:0 failed first: it did not go on" in done.told


def test_a_task_that_goes_on_alone_is_named_and_not_started_again() -> None:
    done = launch("--workers", 2, "--max-restarts", 2, "--backoff", 0.2, FAILING, "worker:1", "alone", "worker:0", "0")
    assert done.code == 1
    assert "worker:1 failed first: exit code 1, as it went on after the programs of others had ended" in done.told
    assert "no restart: worker:1 called alone what all tasks have to call" in done.told
    assert "restart 1" not in done.told


def test_a_lost_job_starts_again_with_other_ports_and_goes_on(tmp_path: Path) -> None:
    arguments = ("--workers", 2, "--max-restarts", 2, "--backoff", 0.2, "--log-dir", tmp_path / "logs", "--tee", "1")
    counts = tmp_path / "counts"
    counts.mkdir()
    done = launch(*arguments, PROGRAMS / "resuming.py", counts)
    assert done.code == 0, done.whole
    first, second = re.findall(r"^\[worker:1\] from (\d+) (\d+) (.*)$", done.out, re.MULTILINE)
    assert first[:2] == ("0", "0")
    assert second[:2] == ("3", "1")
    assert first[2] != second[2]
    assert done.told.count("worker:1 failed first: exit code 3") == 1
    assert "restart 1 of 2 in 0.2 s" in done.told
    (times,) = re.findall(
        r"2 tasks are done after ([\d.]+) s, ([\d.]+) s of them in .*; restarts: 1 of the job$", done.told, re.M
    )
    assert float(times[0]) > float(times[1]) + 0.2
    assert sorted(path.name for path in (tmp_path / "logs").iterdir()) == ["attempt-0", "attempt-1"]


def test_restarts_have_an_end() -> None:
    done = launch("--max-restarts", 2, "--backoff", 0.1, FAILING, "worker:0", "5")
    assert done.code == 5
    assert done.told.count("worker:0 failed first") == 3
    assert "restart 2 of 2 in 0.2 s" in done.told


def test_parameter_servers_end_with_the_others() -> None:
    done = launch("--workers", 2, "--ps", 2, FAILING, "worker:0", "0", "worker:1", "0")
    assert "--ps without --chief: no task runs the coordinator" in done.told
    assert done.code == 0, done.whole
    assert "4 tasks are done" in done.told


def test_two_machines_form_one_cluster() -> None:
    addresses = ",".join(f"127.0.0.{i}:{port}" for i, port in zip((2, 3), free_ports(2), strict=True))
    options = ("--workers", 2, "--evaluator", "--nnodes", 2, "--addresses", addresses, "--tee", "all")
    with launcher(*options, "--node-rank", 1, TELLING) as second:
        found = configurations(launch(*options, TELLING))
        assert set(found) == {"worker:0", "worker:1", "evaluator:0"}
        others = configurations(second.done())
    assert set(others) == {"worker:2", "worker:3"}
    (cluster,) = {json.dumps(config["cluster"]) for config in (*found.values(), *others.values())}
    assert [address.split(":")[0][-1] for address in json.loads(cluster)["worker"]] == ["2", "2", "3", "3"]


def test_parameter_servers_serve_other_machines_as_well() -> None:
    addresses = ",".join(f"127.0.0.1:{port}" for port in free_ports(4))
    options = ("--nnodes", 2, "--ps", 1, "--addresses", addresses, "--tee", "all")
    with launcher(*options, "--node-rank", 1, "--grace", 1, FAILING, "worker:1", "0") as second:
        second.wait_for("Parameter servers go on")
        assert second.child("failing.py").is_running()
        second.process.terminate()
        second.done()


def test_where_only_the_chiefs_address_is_known_torchruns_variables_tell_it() -> None:
    (port,) = free_ports(1)
    options = ("--workers", 2, "--nnodes", 2, "--chief-address", f"127.0.0.1:{port}", "--tee", "all")
    found = told(launch(*options, "--node-rank", 1, TELLING, TF_CONFIG="{}"))
    assert "TF_CONFIG" not in found["worker:3"]
    places = [(variables["RANK"], variables["LOCAL_RANK"]) for _, variables in sorted(found.items())]
    assert places == [("2", "0"), ("3", "1")]
    for variables in found.values():
        assert (variables["WORLD_SIZE"], variables["LOCAL_WORLD_SIZE"]) == ("4", "2")
        assert (variables["MASTER_ADDR"], variables["MASTER_PORT"]) == ("127.0.0.1", str(port))


def test_jobs_without_a_secret_are_warned_of_in_every_run() -> None:
    options = ("--nnodes", 2, "--node-rank", 1, "--addresses", "10.0.0.1:1,10.0.0.2:1")
    done = launch(*options, "--insecure", TELLING)
    assert told(done)["worker:1"]["STRATAGEM_INSECURE"] == "1"
    assert "WARNING: without a secret" in done.told


def test_tasks_are_told_of_devices_and_of_the_token(tmp_path: Path) -> None:
    token = tmp_path / "token"
    main = [sys.executable, "-c", "from stratagem.cli import main; main()"]
    path = {**os.environ, "PYTHONPATH": str(PROGRAMS.parents[2] / "src")}
    made = subprocess.run([*main, "token", token], capture_output=True, text=True, env=path, check=True)
    again = subprocess.run([*main, "token", token], capture_output=True, text=True, env=path, check=False)
    secret = token.read_text().strip()
    assert len(secret) == 64
    assert secret not in made.stdout + made.stderr
    assert token.stat().st_mode & 0o777 == 0o600
    assert again.returncode == 1
    assert "exists" in again.stderr
    assert token.read_text().strip() == secret
    options = ("--workers", 2, "--tee", "all", "--token-file", token.name, "--devices-per-worker", 3)
    found = told(launch(*options, TELLING, cwd=tmp_path, JAX_PLATFORMS="cpu"))
    for variables in found.values():
        assert variables["STRATAGEM_TOKEN_FILE"] == str(token)
        assert variables["JAX_NUM_CPU_DEVICES"] == "3"


def test_gpus_are_dealt_out() -> None:
    gpus = {"CUDA_VISIBLE_DEVICES": "4,5,6,7,8", "JAX_PLATFORMS": ""}
    options = ("--workers", 2, "--ps", 1, "--evaluator", "--tee", "all", TELLING)
    found = {task: variables["CUDA_VISIBLE_DEVICES"] for task, variables in told(launch(*options, **gpus)).items()}
    assert found == {"worker:0": "4,5", "worker:1": "6,7", "ps:0": "", "evaluator:0": "8"}
    done = launch("--workers", 2, "--devices-per-worker", 3, TELLING, **gpus)
    assert done.code == 1
    assert "2 tasks need 6 GPUs, and this machine has 5" in done.told


def test_a_terminal_gets_a_table() -> None:
    ours, theirs = pty.openpty()
    main = [sys.executable, "-c", "from stratagem.cli import main; main()"]
    variables = {**os.environ, "PYTHONPATH": str(PROGRAMS.parents[2] / "src"), "TERM": "xterm", "COLUMNS": "150"}
    command = [*main, "launch", "--workers", "2", str(TELLING), "the argument"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=variables) as process:
        os.close(theirs)
        shown = bytearray()
        try:
            while data := os.read(ours, 4096):
                shown += data
        except OSError:  # the other side was closed
            pass
    os.close(ours)
    assert process.returncode == 0
    text = re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", shown.decode())
    assert re.search(r"rank +task +pid +state +step +phase +steps/s +last line", text)
    assert re.search(r"1 +worker:1 +\d+ +done +told", text)
    assert re.search(r"\[worker:0\] told .*the argument", text)
