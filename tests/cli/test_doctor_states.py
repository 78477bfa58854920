"""`stratagem doctor` where something is wrong: each line that it judges, in a state that is really bad, with the right cure."""

import json
import os
import re
import socket
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stratagem._cluster import ClusterSpec
from stratagem._cluster.control import TOKEN_FILE, make_token

# Private: what the checks are made of, where the state of the whole machine would have to be changed.
from stratagem.cli import _doctor_job as together
from stratagem.cli import _doctor_machine as machine
from stratagem.cli import _doctor_network as network
from stratagem.cli._doctor_finding import Finding, Judgement
from stratagem.testing import free_ports
from tests import prepared

# Setting up a process: Linux' limits, and root without the rights that let it write everywhere and listen on any port.
LIMITS = """
import ctypes, os, resource, sys, time
def limited(what, value): resource.setrlimit(getattr(resource, "RLIMIT_" + what), (value, value))
def without_rights():
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None, use_errno=True).capset(header, data) == 0
"""
RUN = "\nfrom stratagem.cli import main\nmain(['doctor', '--json', *sys.argv[1:]])"

Judged = dict[str, tuple[str, str, str]]  # subject → its verdict, and words of what was found and of the cure


def job(*addresses: str, index: int = 0, **more: Any) -> str:
    """A TF_CONFIG."""
    return json.dumps({"cluster": {"worker": list(addresses)}, "task": {"type": "worker", "index": index}, **more})


def environment(folder: Path, **variables: str) -> dict[str, str]:
    """That of a process of its own, on one CPU device."""
    dropped = ("PJRT_NPROC", "TF_CONFIG", "JAX_NUM_CPU_DEVICES", "XLA_FLAGS")
    return {**{k: v for k, v in os.environ.items() if k not in dropped}, "XDG_CONFIG_HOME": str(folder), **variables}


def examined(setup: str, folder: Path, *options: str, **variables: str) -> tuple[int, list[dict[str, Any]]]:
    """Runs the doctor in such a process; returns its exit status and the findings of each task."""
    run = prepared.run(LIMITS + setup + RUN, "--folder", folder, *options, environment=environment(folder, **variables))
    assert run.stdout, run.stderr
    return run.returncode, [task["findings"] for task in json.loads(run.stdout)["tasks"]]


def compared(findings: Sequence[dict[str, str]], expected: Mapping[str, tuple[str, str, str]]) -> None:
    """Holds the findings against what is expected of some subjects; of each, some finding has to say it."""
    for subject, (verdict, found, cure) in expected.items():
        told = [f for f in findings if f["subject"] == subject]
        fits = [f for f in told if f["verdict"] == verdict and found in f["found"] and cure in f["cure"]]
        assert fits, (subject, told)


def verdicts(findings: Iterator[Finding]) -> list[tuple[str, str, str]]:
    """What findings say, in the form of `Judged`."""
    return [(str(f.verdict), f.found, f.cure) for f in findings]


# States of one process, of which each spoils other lines. Every value of `Judged` was seen to be missing or wrong without
# the code that it is about.
ALONE: list[tuple[str, dict[str, str], Judged]] = [
    (
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); limited('FSIZE', 1 << 20); limited('NOFILE', 200)\n"
        "sys.path.insert(0, os.environ['PACKAGES'])",
        {"PJRT_NPROC": "all", "OMP_NUM_THREADS": "900", "RANK": "0"},
        {
            "jax": ("bad", "jax 0.1; tested are versions", "pip install 'jax<"),
            "numpy": ("bad", "numpy 99", "pip install 'numpy"),
            "cores": ("doubtful", "1 of ", "--cpus-per-task"),
            "threads": ("bad", "PJRT_NPROC='all' is no number", "Unset it, or set it to 1."),
            "limits": ("doubtful", "open files: at most 200", "ulimit -n"),
            "folder": ("bad", "File too large", "`ulimit -f`"),
            "job": ("doubtful", "RANK is set, as by torchrun, and WORLD_SIZE is not", "torchrun"),
            "checkpoint": ("bad", "File too large", "`ulimit -f`"),
        },
    ),
    (
        "os.chmod(sys.argv[2], 0o555); without_rights()",
        {"TF_CONFIG": job("127.0.0.1:80", "192.0.2.7:80", "absent.invalid:80", clutser=1)},
        {
            "folder": ("bad", "Permission denied", "This user may not write there"),
            "TF_CONFIG": ("doubtful", "nothing reads clutser", "misspelt"),
            "names": ("bad", "127.0.0.1 leads to the machine that asks", "in place of 127.0.0.1"),
            "token": ("bad", "", "`stratagem token`"),
            "ports": ("bad", "Permission denied", "Ports below 1024"),
            "job": ("bad", "ClusterError", ""),
        },
    ),
    (
        "",
        {"JAX_PLATFORMS": "none"},
        {"devices": ("bad", "'none' is not in the list of known", "JAX_PLATFORMS=none asks for these: unset it")},
    ),
    (
        "",
        {"XLA_FLAGS": "--xla_of_nobody=1", "SLURM_JOB_ID": "7"},
        {
            "XLA_FLAGS": ("bad", "Unknown flag in XLA_FLAGS: --xla_of_nobody=1", "Remove the flag"),
            "job": ("doubtful", "SLURM_JOB_ID is set", "`srun`"),
        },
    ),
]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder for checkpoints, which a test may write-protect."""
    (made := tmp_path / "checkpoints").mkdir()
    yield made
    made.chmod(stat.S_IRWXU)


@pytest.mark.parametrize(("setup", "variables", "expected"), ALONE, ids=["limits", "rights", "devices", "flags"])
def test_what_is_wrong_with_a_process_is_named_with_its_cure(
    setup: str, variables: dict[str, str], expected: Judged, folder: Path, tmp_path: Path
) -> None:
    for name, version in (("jax", "0.1"), ("numpy", "99")):
        metadata = tmp_path / f"packages/{name}-{version}.dist-info/METADATA"
        metadata.parent.mkdir(parents=True)
        metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    code, (findings,) = examined(setup, folder, "--seconds", "5", PACKAGES=str(tmp_path / "packages"), **variables)
    assert code == 1
    compared(findings, expected)
    assert all(f["cure"] for f in findings if f["verdict"] != "good")


def test_a_peer_that_does_not_answer_is_named(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        absent, taken = f"127.0.0.1:{free_ports(1)[0]}", f"127.0.0.1:{other.getsockname()[1]}"
        place = environment(folder, TF_CONFIG=job(absent, taken, index=1))
        run = prepared.run(LIMITS + RUN, "--folder", folder, "--seconds", "5.5", environment=place)
    assert run.returncode == 1
    (findings,) = [task["findings"] for task in json.loads(run.stdout)["tasks"]]
    assert (
        f"waiting at most 5.5 s (--seconds) for the doctors of the other tasks, 3 s so far: worker:0 at {absent}"
        in run.stderr
    )
    assert f"worker:1 waits for worker:0 at {absent}" in run.stderr
    expected = {
        "ports": ("bad", "Address already in use", "ss -ltnp"),
        "job": ("bad", f"worker:1 waited 6 s for worker:0 at {absent}", "start the doctor on every host"),
        "rank 0": ("bad", f"{absent} refuses connections", "is rank 0 started"),
    }
    compared(findings, expected)


def test_of_two_workers_the_one_in_a_bad_state_is_named_with_it(folder: Path, tmp_path: Path) -> None:
    addresses = [f"127.0.0.1:{port}" for port in free_ports(2)]
    wrong = (
        "limited('FSIZE', 1 << 20); real = time.time; time.time = lambda: real() + 7\n"
        "cores = os.sched_getaffinity\nos.sched_getaffinity = lambda pid: {min(cores(pid))}"
    )
    started = []
    for index, setup in enumerate(("", wrong)):
        variables = {"TF_CONFIG": job(*addresses, index=index), **({"OMP_NUM_THREADS": "many"} if index else {})}
        with (tmp_path / f"{index}.out").open("wb") as out, (tmp_path / f"{index}.err").open("wb") as err:
            text, place = LIMITS + setup + RUN, environment(tmp_path, **variables)
            arguments = ("--folder", folder, "--seconds", "240")
            started.append(prepared.start(text, *arguments, output=out, errors=err, environment=place))
    told = [
        (tmp_path / f"{index}.err").read_text() for index, process in enumerate(started) if process.wait(300) is None
    ]
    assert not told
    tasks = json.loads((tmp_path / "0.out").read_text())["tasks"]
    assert [task["task"] for task in tasks] == ["worker:0", "worker:1"]
    compared(tasks[0]["findings"], {"folder": ("good", "", ""), "threads": ("good", "", "")})
    ahead = next(f for f in tasks[0]["findings"] if f["subject"] == "clocks")
    told_ahead = re.search(r"worker:1 is \+([0-9.]+) s from worker:0, within ([0-9.]+) s", ahead["found"])
    assert told_ahead is not None, ahead
    assert float(told_ahead[1]) == pytest.approx(7, abs=min(float(told_ahead[2]) + 0.001, 0.1))
    compared(tasks[0]["findings"], {"clocks": ("doubtful", told_ahead[0], "timedatectl set-ntp true")})
    compared(
        tasks[0]["findings"], {"checkpoint": ("bad", "worker:1 could not save", "See what the one that it names finds")}
    )
    compared(
        tasks[1]["findings"],
        {
            "cores": ("doubtful", "1 of ", "--cpus-per-task"),
            "threads": ("bad", "OMP_NUM_THREADS='many'", "Unset it"),
            "limits": ("doubtful", "size of files: at most 1.05 MB", "ulimit -f"),
            "folder": ("bad", "File too large", "ulimit -f"),
            "clocks": ("doubtful", told_ahead[0], "timedatectl set-ntp true"),
            "checkpoint": ("bad", "File too large", "ulimit -f"),
        },
    )


# What needs another machine, or all of this one: (check, subject, expected), the checks given what they would read there.
def _memory(folder: Path) -> Iterator[Finding]:
    (folder / "meminfo").write_text("MemTotal: 4000000 kB\nMemAvailable: 500000 kB\n")
    return machine.memory(folder / "meminfo", folder)


def _old_python(folder: Path) -> Iterator[Finding]:
    yield machine._against("python", "3.8.1", machine.Requirement("python>=3.11"))


def _many_tasks(folder: Path) -> Iterator[Finding]:
    here: Any = SimpleNamespace(agree=lambda what, value: [value, value, [*value[:2], 1]])
    return together.shared_cores(here, 2, ["worker:0", "worker:1", "worker:2"])


def _wrong_sum(folder: Path) -> Iterator[Finding]:
    strategy: Any = SimpleNamespace(
        num_replicas_in_sync=2, run=lambda step: 1, reduce=lambda *a, axis: [1.0] * (1 << 20)
    )
    return together.all_reduce(strategy)


def _seen_by_others(folder: Path) -> Iterator[Finding]:
    path = folder / "token"
    make_token(path)
    path.chmod(0o644)
    return network.token(False, {TOKEN_FILE: str(path)})


def _given_out(folder: Path) -> Iterator[Finding]:
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    return network.ports(ClusterSpec({"worker": [f"127.0.0.1:{first + 7}"]}), "worker:0")


def _nobody_computes(folder: Path) -> Iterator[Finding]:
    config = {"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 0}}
    return iter(network.described({"TF_CONFIG": json.dumps(config)})[1][1:])


ELSEWHERE = {
    "memory": (_memory, ("doubtful", "512.00 MB of 4.10 GB available", "SIGKILL")),
    "python": (_old_python, ("bad", "python 3.8.1; tested are versions >=3.11", "Use such a Python")),
    "cores": (_many_tasks, ("doubtful", "worker:0, worker:1, worker:2 share 2 cores", "Start fewer tasks here")),
    "all-reduce": (_wrong_sum, ("bad", "the sum over 2 replicas is 1 to 1, not 3", "Do not train")),
    "token": (_seen_by_others, ("bad", "token", "`stratagem token`")),
    "ports": (_given_out, ("doubtful", "which the system gives to connections", "Take one below")),
    "TF_CONFIG": (_nobody_computes, ("bad", "no worker: nobody computes", 'Add "worker"')),
}


@pytest.mark.parametrize("subject", ELSEWHERE)
def test_what_is_wrong_elsewhere_is_named_with_its_cure(subject: str, tmp_path: Path) -> None:
    check, expected = ELSEWHERE[subject]
    (found,) = check(tmp_path)
    assert found.subject == subject
    compared([found.as_json()], {subject: expected})


@pytest.mark.parametrize(
    ("number", "words"),
    [("ENOSPC", "df -i"), ("EDQUOT", "quota -s"), ("EFBIG", "ulimit -f"), ("EROFS", "findmnt"), ("EACCES", "ls -ld")],
)
def test_each_error_of_a_folder_has_its_own_cure(number: str, words: str) -> None:
    assert words in machine.storage_cure(OSError(getattr(machine.errno, number), "no"))
    assert words not in machine.storage_cure(ValueError("another"))


def test_a_machine_without_kernels_is_told_what_is_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "library_report", lambda: (False, "it is not there: XLA's own kernels compute"))
    ((verdict, found, cure),) = verdicts(machine.kernels())
    assert verdict == "doubtful"
    assert "XLA's own" in found
    assert "docs/kernels.md" in cure


def test_good_limits_and_threads_are_good() -> None:
    endless = machine.resource.RLIM_INFINITY
    (finding,) = machine.limits(lambda number: (endless, endless))
    assert finding.verdict is Judgement.GOOD
    assert verdicts(machine.threads({}))[0][0] == "good"
    assert verdicts(machine.threads({"OMP_NUM_THREADS": "2,1", "PJRT_NPROC": "4"}))[0][0] == "good"


def test_every_line_of_the_documentation_was_seen_in_a_bad_state() -> None:
    page = (Path(__file__).parents[2] / "docs" / "doctor.md").read_text()
    rows = re.findall(r"^\| ([\w, -]+?) \| (?!---)", page, re.MULTILINE)
    named = {name for row in rows[1:] for name in row.split(", ")} - {"Open MPI", "Slurm"}
    tried = {subject for _, _, expected in ALONE for subject in expected} | set(ELSEWHERE)
    tried |= {
        "rank 0",
        "clocks",
        "packages",
        "kernels",
        "torchrun",
    }  # above; `packages` names each one; test_doctor.py has launchers
    assert len(named) > 15
    assert named - tried == set()
