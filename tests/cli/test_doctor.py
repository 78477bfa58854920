"""`stratagem doctor`: each check says good, doubtful or bad, with a cure; the tasks of a job examine it together."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement

from stratagem._base.job import ALONE
from stratagem._base.memory import memory_left
from stratagem._cluster import Address, ClusterSpec

# Private: the checks, each of which is tried with machines and jobs that this one is not.
from stratagem.cli import _doctor_job as together
from stratagem.cli import _doctor_machine as machine
from stratagem.cli import _doctor_network as network
from stratagem.cli._doctor_finding import Finding, Judgement, guarded
from stratagem.cli._main import main


def verdicts(findings: list[Finding]) -> list[str]:
    """The verdicts; whatever is not good has a cure."""
    assert all(finding.cure or finding.verdict is Judgement.GOOD for finding in findings)
    return [str(finding.verdict) for finding in findings]


def test_one_machine_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    result = CliRunner().invoke(main, ["doctor", "--json", "--folder", str(tmp_path)])
    report = json.loads(result.stdout)
    (task,) = report["tasks"]
    found = {finding["subject"]: finding for finding in task["findings"]}
    expected = {
        "python",
        "packages",
        "cores",
        "threads",
        "kernels",
        "limits",
        "memory",
        "folder",
        "job",
        "ports",
        "devices",
        "all-reduce",
        "checkpoint",
    }
    assert set(found) == expected, result.output
    assert (report["bad"], result.exit_code) == (0, 0), result.output
    assert "read back and equal" in found["checkpoint"]["found"]
    assert list(tmp_path.iterdir()) == []


def test_what_is_bad_changes_the_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", "{'cluster': {}}")
    result = CliRunner().invoke(main, ["doctor", "--folder", str(tmp_path / "absent")])
    assert result.exit_code == 1
    assert "is not a directory" in result.output
    assert "TF_CONFIG is not JSON: Expecting property name" in result.output
    assert "all-reduce" not in result.output  # nothing is joined that is described so


def test_two_workers_examine_the_job_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PJRT_NPROC", "XLA_FLAGS", "TF_CONFIG", "JAX_NUM_CPU_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    (folder := tmp_path / "checkpoints").mkdir()
    result = CliRunner().invoke(
        main, ["doctor", "--workers", "2", "--json", "--seconds", "240", "--folder", str(folder)]
    )
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert [task["task"] for task in report["tasks"]] == ["worker:0", "worker:1"]
    for rank, task in enumerate(report["tasks"]):
        found = {finding["subject"]: finding["found"] for finding in task["findings"]}
        assert f"rank {rank} of 2" in found["TF_CONFIG"]
        assert "over 2 replicas" in found["all-reduce"]
        assert found["clocks"].startswith("worker:1 is ")
        assert {"names", "token", "ports", "job", "checkpoint"} <= found.keys()
    assert report["bad"] == 0
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("no", "is not JSON"),
        ("[]", "has to be an object"),
        ('{"cluster": {"worker": ["a:1"]}}', "which one this process is, is not said"),
        ('{"cluster": {"worker": "a:1"}, "task": {"type": "worker", "index": 0}}', "have to be a list of addresses"),
        (
            '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 1}}',
            "exceeds the maximum id of worker",
        ),
        ('{"cluster": {"worker": ["a:1", "a:1"]}, "task": {"type": "worker", "index": 0}}', "have the same address"),
        ('{"cluster": {"worker": ["a"]}, "task": {"type": "worker", "index": 0}}', "has no port"),
        ('{"cluster": {"wroker": ["a:1"]}, "task": {"type": "worker", "index": 0}}', "Disallowed task type"),
        ('{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": -1}}', "a number from 0 on"),
    ],
)
def test_a_malformed_tf_config_is_bad(config: str, words: str) -> None:
    resolver, findings = network.described({"TF_CONFIG": config})
    assert resolver is None
    assert verdicts(findings) == ["bad"]
    assert words in findings[0].found


def test_a_tf_config_is_explained() -> None:
    config = {"cluster": {"chief": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]}, "task": {"type": "ps", "index": 0}}
    resolver, findings = network.described({"TF_CONFIG": json.dumps(config | {"clutser": {}})})
    assert resolver is not None
    assert verdicts(findings) == ["good", "doubtful"]
    assert "this is ps:0 of 1 chief, 1 worker, 1 ps; it keeps variables" in findings[0].found
    assert "nothing reads clutser" in findings[1].found
    assert verdicts(network.described({"TF_CONFIG": "{}"})[1]) == ["doubtful"]
    assert verdicts(network.described({"RANK": "2", "WORLD_SIZE": "2"})[1]) == ["bad"]


def test_an_address_in_use_and_one_of_another_machine_are_bad() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        cluster = ClusterSpec({"worker": [f"127.0.0.1:{port}", "192.0.2.1:20111"]})
        (used,) = network.ports(cluster, "worker:0")
        (elsewhere,) = network.ports(cluster, "worker:1")
        assert verdicts([used, elsewhere, network.route(Address("127.0.0.1", port), 1)]) == ["bad", "bad", "good"]
    assert "older job" in used.cure
    assert "another task's index" in elsewhere.cure
    refused = network.route(Address("127.0.0.1", port), 0)
    assert verdicts([refused]) == ["bad"]
    assert "refuses connections" in refused.found


def test_names_that_are_unknown_or_lead_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(host: str, port: object, **kind: object) -> list[Any]:
        if host == "lost":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ({"own": "127.0.1.1", "far": "192.0.2.1"}[host], 0))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    findings = list(network.names(ClusterSpec({"worker": ["own:1", "far:1", "lost:1"]})))
    assert verdicts(findings) == ["bad", "bad", "good"]
    assert "lost (worker:2) is not known here" in findings[0].found
    assert "own is 127.0.1.1 here, which no other machine can reach" in findings[1].found


def test_limits_of_a_container(tmp_path: Path) -> None:
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("400\n")
    (cores,) = machine.cores({}, tmp_path)
    (memory,) = machine.memory(cgroup=tmp_path)
    assert verdicts([cores, memory]) == ["doubtful", "doubtful"]
    assert "PJRT_NPROC=1" in cores.cure
    assert "600 B are left of the container's limit" in memory.found
    (tmp_path / "cpu.max").write_text("max 100000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert (machine.cpu_quota(tmp_path), memory_left(tmp_path)) == (None, None)
    old = tmp_path / "old"
    (old / "cpu").mkdir(parents=True)
    (old / "cpu/cpu.cfs_quota_us").write_text("150000\n")
    (old / "cpu/cpu.cfs_period_us").write_text("100000\n")
    assert machine.cpu_quota(old) == 1.5


def test_versions_outside_of_the_bounds_are_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    required = ["jax>=99", "keras>=1", "not-there>=2", 'ray>=2; extra == "cluster"']
    monkeypatch.setattr(machine.importlib.metadata, "requires", lambda name: required)
    findings = list(machine.versions())
    assert verdicts(findings) == ["good", "bad", "bad"]
    assert (findings[1].subject, findings[1].cure) == ("jax", "pip install 'jax>=99'")
    assert findings[2].found == "is not installed"
    assert Requirement(required[0]).name in findings[1].found


def test_a_folder_in_memory_is_doubtful_and_one_without_permission_bad(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mounts").write_text(f"/dev/vda / ext4 rw 0 0\ntmpfs {tmp_path} tmpfs rw 0 0\n")
    (volatile,) = machine.folder(tmp_path, tmp_path / "mounts")
    assert verdicts([volatile]) == ["doubtful"]
    assert "(tmpfs)" in volatile.found

    def refused(*arguments: object, **options: object) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(
        machine, "atomic_write", refused
    )  # the administrator, who runs tests in containers, may write anywhere
    (denied,) = machine.folder(tmp_path)
    assert verdicts([denied]) == ["bad"]
    assert "Permission denied" in denied.found


def test_a_clock_that_is_ahead_is_doubtful() -> None:
    def agree(what: str, value: Any) -> list[Any]:
        return [value, value + 5.0 if isinstance(value, float) else value]

    (finding,) = together.clocks(SimpleNamespace(workers=2, agree=agree), ["worker:0", "worker:1"])
    assert verdicts([finding]) == ["doubtful"]
    assert "worker:1 is +5.0" in finding.found
    same = SimpleNamespace(workers=2, agree=lambda what, value: [value, value])
    assert verdicts(list(together.clocks(same, ["worker:0", "worker:1"]))) == ["good"]


def test_a_folder_that_is_missing_is_not_made(tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    (finding,) = together.checkpoint(ALONE, str(absent), ["this process"])
    assert verdicts([finding]) == ["bad"]
    assert f"there is no folder {absent}" in finding.found
    assert not absent.exists()


def test_a_folder_of_another_host_is_doubtful(tmp_path: Path) -> None:
    def agree(what: str, value: Any) -> list[Any]:
        return [value, False if what == "who sees the chief's file" else value]

    job: Any = SimpleNamespace(workers=2, worker=0, agree=agree)
    apart, saved = together.checkpoint(job, str(tmp_path), ["worker:0", "worker:1"])
    assert verdicts([apart, saved]) == ["doubtful", "good"]
    assert apart.found.startswith("worker:1: another ")
    assert list(tmp_path.iterdir()) == []


def test_wrong_sums_are_bad() -> None:
    def check() -> Iterator[Finding]:
        raise RuntimeError("first\n  second")
        yield

    (finding,) = guarded("all-reduce", check, "Look.")
    assert finding == Finding(Judgement.BAD, "all-reduce", "RuntimeError: first second", "Look.")
    strategy = SimpleNamespace(num_replicas_in_sync=2, run=lambda step: 1, reduce=lambda *a, axis: [1.0] * (1 << 20))
    assert verdicts(list(together.all_reduce(strategy))) == ["bad"]


def test_a_check_without_an_end_ends_the_process_with_what_is_known() -> None:
    body = "with _doctor._Deadline(0.05, lambda: print('known')): time.sleep(60)"
    program = f"import time; from stratagem.cli import _doctor\n{body}"
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (3, "known\n"), done.stderr
    assert "did not end within 0.05 s" in done.stderr
