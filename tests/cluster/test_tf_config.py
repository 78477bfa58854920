"""TF_CONFIG is read at every access and checked as a whole: what is wrong is said in one line, with what to do."""

import json
import logging
from typing import Any

import pytest

from stratagem._base.errors import ClusterError
from stratagem._cluster import ClusterSpec, TFConfigClusterResolver

TWO = {"worker": ["a:1", "b:2"]}
FIRST = {"type": "worker", "index": 0}


def resolver(**keys: Any) -> TFConfigClusterResolver:
    """One whose TF_CONFIG has these keys."""
    return TFConfigClusterResolver(environ={"TF_CONFIG": json.dumps(keys)})


NOT_JSON = "TF_CONFIG is not JSON: "
BAD_TEXTS = {
    "": NOT_JSON + "Expecting value at line 1, column 1. Write it with json.dumps(",
    "{'cluster': 1}": NOT_JSON
    + "Expecting property name enclosed in double quotes at line 1, column 2, near \"'cluster': 1}\".",
    '{"cluster": {}}}': NOT_JSON + "Extra data at line 1, column 16, near '}'.",
    '{"cluster":\n {"worker": [?]}}': NOT_JSON + "Expecting value at line 2, column 14, near '?]}}'.",
    "[" * 100_000: "TF_CONFIG is nested too deeply.",
    "[1, 2]": 'TF_CONFIG has to be an object, got [1, 2]. TF_CONFIG has the form {"cluster": {"worker": ["host:port", ...',
    "null": "TF_CONFIG has to be an object, got None.",
    '{"task": {}, "task": {}}': "TF_CONFIG has the key 'task' twice in one object. Remove one.",
    '{"cluster": {"worker": ["a:1"], "worker": ["b:2"]}}': "TF_CONFIG has the key 'worker' twice in one object.",
}
BAD_CONFIGS: list[tuple[dict[str, Any], str]] = [
    (
        {"cluster": TWO, "tasks": FIRST},
        "TF_CONFIG has the keys 'cluster', 'tasks', and needs 'cluster' and 'task': rename 'tasks' to 'task'. Write it with "
        "json.dumps({",
    ),
    (
        {"clusters": TWO, "task": FIRST},
        "TF_CONFIG has the keys 'clusters', 'task', and needs 'cluster' and 'task': rename",
    ),
    (
        {"cluster": TWO, "task": {"typ": "worker", "index": 0}},
        "TF_CONFIG has the keys 'task.index', 'task.typ', and needs 'task.type' and 'task.index': rename 'task.typ' to",
    ),
    ({"cluster": ["a:1"]}, "TF_CONFIG: 'cluster' has to be an object, got ['a:1']."),
    ({"cluster": TWO, "task": "worker"}, "TF_CONFIG: 'task' has to be an object, got 'worker'."),
    ({"cluster": {"worker": "a:1"}}, "TF_CONFIG: the tasks of 'worker' have to be a list of addresses, got 'a:1'."),
    (
        {"cluster": {"worker": [["a:1"]]}},
        "TF_CONFIG: the address of task 0 of 'worker' has to be 'host:port', got ['a:1'].",
    ),
    (
        {"cluster": {"worker": ["a:1", None]}},
        "TF_CONFIG: the address of task 1 of 'worker' has to be 'host:port', got None.",
    ),
    (
        {"cluster": {"worker": ["a:1", ""]}},
        "TF_CONFIG: the address of task 1 of 'worker' has to be 'host:port', got ''.",
    ),
    (
        {"cluster": {"worker": {"one": "a:1"}}},
        "TF_CONFIG: The task indices of job 'worker' have to be numbers from 0 on, got 'one'.",
    ),
    (
        {"cluster": {"wroker": ["a:1"]}},
        "TF_CONFIG: Disallowed task type found in cluster spec: 'wroker'. Allowed types are chief, worker, ps, evaluator;",
    ),
    (
        {"cluster": {**TWO, "ps": []}},
        "TF_CONFIG: the job 'ps' has no tasks. List their addresses, or leave the job out.",
    ),
    (
        {"cluster": {"chief": ["a:1", "b:2"]}},
        "TF_CONFIG: There must be at most one 'chief' job. The cluster lists 2; keep one.",
    ),
    (
        {"cluster": {**TWO, "evaluator": ["c:1", "c:2"]}},
        "TF_CONFIG: There must be at most one 'evaluator' job. The cluster lists 2;",
    ),
    (
        {"cluster": TWO, "task": {"type": "wroker", "index": 0}},
        "TF_CONFIG: Unrecognized task_type: 'wroker', valid task types are: chief, worker, ps, evaluator.",
    ),
    ({"cluster": TWO, "task": {"type": 1, "index": 0}}, "TF_CONFIG: Unrecognized task_type: 1, valid"),
    ({"cluster": TWO, "task": {"type": ["worker"]}}, "TF_CONFIG: Unrecognized task_type: ['worker'], valid"),
    (
        {"cluster": TWO, "task": {"type": "chief", "index": 0}},
        "TF_CONFIG: `task_type` 'chief' not found in cluster_spec, which has 2 worker. Set the task to one of these.",
    ),
    (
        {"cluster": TWO, "task": {"type": "worker", "index": 2}},
        "TF_CONFIG: The `task_id` 2 exceeds the maximum id of worker. Set the task's index to a number from 0 to 1.",
    ),
    (
        {"cluster": {"worker": {"0": "a:1", "2": "b:2"}}, "task": {"type": "worker", "index": 1}},
        "TF_CONFIG: The `task_id` 1 is not listed in worker. Set the task's index to one of [0, 2].",
    ),
    (
        {"cluster": TWO, "task": {"type": "evaluator", "index": 1}},
        "TF_CONFIG: The `task_id` 1 exceeds the maximum id of evaluator. Set the task's index to 0.",
    ),
    *(
        (
            {"cluster": TWO, "task": {"type": "worker", "index": index}},
            f"TF_CONFIG: the task's index has to be a number from 0 on, got {index!r}.",
        )
        for index in (-1, "one", "", 1.5, True, [0], "-1")
    ),
    (
        {"task": {"type": "worker", "index": "9" * 5000}},
        "TF_CONFIG: the task's index has to be a number from 0 on, got '9999",
    ),
    (
        {"cluster": {"worker": ["a:1", "b:1", "A:1"]}},
        "TF_CONFIG: worker:0 and worker:2 have the same address 'A:1'. Give each a port of its own.",
    ),
    (
        {"cluster": {"worker": ["localhost:1"], "ps": ["127.0.0.1:1"]}},
        "TF_CONFIG: worker:0 and ps:0 have the same address '127.0.0.1:1'.",
    ),
    *(
        (
            {"cluster": {"worker": [address]}},
            f"TF_CONFIG, worker:0: The address {address!r} {problem}. Write 'host:port', such as",
        )
        for address, problem in {
            "host": "has no port",
            "[::1]": "has no port",
            "10.0.0.1": "has no port",
            "host:": "has the port '', which is no number from 1 to 65535",
            "host:http": "has the port 'http', which is no number from 1 to 65535",
            "host:0": "has the port '0', which is no number from 1 to 65535",
            "host:65536": "has the port '65536', which is no number from 1 to 65535",
            "host:-1": "has the port '-1', which is no number from 1 to 65535",
            "host:\u0662": "has the port '\u0662', which is no number from 1 to 65535",
            " host:1": "contains white space",
            "host: 1": "contains white space",
            "host:1\n": "contains white space",
            "grpc://host:1": "has a protocol, 'grpc'",
            ":1": "has no host name before its port",
            "a/b:1": "has no host name before its port",
            "::1:1": "needs brackets around its IPv6 address",
            "[1.2.3.4]:1": "has no IPv6 address between its brackets",
        }.items()
    ),
    ({"cluster": TWO, "rpc_layer": 1}, "TF_CONFIG: 'rpc_layer' has to be a string, got 1."),
    ({"cluster": TWO, "session_master": ["s"]}, "TF_CONFIG: 'session_master' has to be a string, got ['s']."),
]
BAD = [*BAD_TEXTS.items(), *((json.dumps(config), says) for config, says in BAD_CONFIGS)]


@pytest.mark.parametrize(("text", "says"), BAD, ids=[text[:70] for text, _ in BAD])
def test_what_is_wrong_is_said_in_one_line_at_every_access(text: str, says: str) -> None:
    found = TFConfigClusterResolver(environ={"TF_CONFIG": text})
    for access in (
        found.cluster_spec,
        lambda: found.task_type,
        lambda: found.task_id,
        lambda: found.rpc_layer,
        found.master,
    ):
        with pytest.raises(ClusterError) as caught:
            access()
        assert str(caught.value).startswith(says)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 320


def test_it_is_read_anew_at_every_access(monkeypatch: pytest.MonkeyPatch) -> None:
    found = TFConfigClusterResolver()
    for index in (0, 1):
        monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": TWO, "task": {"type": "worker", "index": index}}))
        assert found.task_id == index
    monkeypatch.delenv("TF_CONFIG")
    assert (found.cluster_spec(), found.task_type, found.task_id) == (ClusterSpec({}), None, None)


@pytest.mark.parametrize(
    "address", ["a:1", "worker-0.jobs.svc:65535", "under_score:2", "10.0.0.1:3", "[::1]:4", "[fe80::1%eth0]:5"]
)
def test_addresses_may_be_names_and_ip_addresses(address: str) -> None:
    assert resolver(cluster={"worker": [address]}, task=FIRST).cluster_spec().task_address("worker", 0) == address


def test_what_an_override_replaces_need_not_be_there() -> None:
    environ = {"TF_CONFIG": json.dumps({"cluster": TWO})}
    found = TFConfigClusterResolver("worker", "1", environ=environ)
    assert (found.task_type, found.task_id, found.master()) == ("worker", 1, "b:2")


@pytest.mark.parametrize("index", ["one", -1, True])
def test_an_override_is_checked_when_it_is_given(index: Any) -> None:
    found = resolver(cluster=TWO)
    with pytest.raises(ClusterError, match="the task's index has to be a number from 0 on"):
        found.task_id = index


def test_keys_that_nothing_reads_are_told_about_once(caplog: pytest.LogCaptureFixture) -> None:
    found = resolver(cluster=TWO, task={**FIRST, "idx": 1}, Cluster={}, environment="cloud", job={})
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            found.cluster_spec()
    first, second = (record.getMessage() for record in caplog.records)
    assert first.startswith("TF_CONFIG has keys that nothing reads: 'Cluster'. Known are cluster,")
    assert second.startswith("TF_CONFIG has keys that nothing reads: 'task.idx'. Known are task.cloud, task.index,")
