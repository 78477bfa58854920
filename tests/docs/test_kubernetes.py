"""The files of docs/kubernetes.md are such as Kubernetes takes, fit together, and start a job that this library can read."""

import copy
import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests import prepared
from tests.docs.kubernetes_page import RECORDED, objects

SCHEMAS = json.loads(RECORDED.read_text(encoding="utf-8"))["schemas"]
ROOT = Path(__file__).parents[2]


def faults(found: dict[str, Any]) -> list[str]:
    """What Kubernetes would say about an object."""
    schema = SCHEMAS[f"{found['apiVersion']} {found['kind']}"]
    return [
        f"{error.json_path}: {error.message}" for error in jsonschema.Draft202012Validator(schema).iter_errors(found)
    ]


@pytest.fixture
def kinds() -> dict[str, dict[str, Any]]:
    return {each["kind"]: each for each in objects()}


def test_every_object_fits_kubernetes_own_schema(kinds: dict[str, dict[str, Any]]) -> None:
    assert kinds.keys() == {"Service", "Job", "NetworkPolicy"}
    assert {kind: found for kind, each in kinds.items() if (found := faults(each))} == {}


def test_the_schema_finds_a_name_that_there_is_not_and_a_wrong_type(kinds: dict[str, dict[str, Any]]) -> None:
    job = copy.deepcopy(kinds["Job"])
    job["spec"]["completionmode"] = "Indexed"
    (container,) = job["spec"]["template"]["spec"]["containers"]
    container["ports"][0]["containerPort"] = "2222"
    del container["name"]
    found = "\n".join(faults(job))
    assert "$.spec: Additional properties are not allowed ('completionmode' was unexpected)" in found
    assert "containers[0].ports[0].containerPort: '2222' is not of type" in found
    assert "containers[0]: 'name' is a required property" in found


def test_service_job_and_policy_name_each_other(kinds: dict[str, dict[str, Any]]) -> None:
    service, job, policy = (kinds[kind] for kind in ("Service", "Job", "NetworkPolicy"))
    pods = job["spec"]["template"]["spec"]
    assert pods["subdomain"] == service["metadata"]["name"]
    label = {"job-name": job["metadata"]["name"]}  # Kubernetes gives it to a Job's pods
    assert service["spec"]["selector"] == policy["spec"]["podSelector"]["matchLabels"] == label
    assert policy["spec"]["ingress"][0]["from"] == [{"podSelector": {"matchLabels": label}}]
    assert service["spec"]["clusterIP"] == "None", "pods would have no names"
    (container,) = pods["containers"]
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pods["volumes"]}


# A program that finds its place as MultiWorkerMirroredStrategy does.
TELLS = """
import json, os
import stratagem as tf
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
print(json.dumps([resolver.cluster_spec().as_dict(), resolver.task_type, resolver.task_id]))
"""


def test_each_pod_starts_its_own_task_of_one_cluster(kinds: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    job = kinds["Job"]
    spec, pods = job["spec"], job["spec"]["template"]["spec"]
    (container,) = pods["containers"]
    assert spec["completionMode"] == "Indexed"
    assert spec["completions"] == spec["parallelism"] == 2
    (port,) = container["ports"]
    given = dict(re.fullmatch(r"--([\w-]+)=(.*)", option).groups() for option in container["args"][:-1])  # type: ignore[union-attr]
    assert given["addresses"].split(",") == [
        f"{job['metadata']['name']}-{index}.{pods['subdomain']}:{port['containerPort']}" for index in range(2)
    ]
    (secret,) = (mount for mount in container["volumeMounts"] if mount["name"] == "token")
    assert given["token-file"].startswith(f"{secret['mountPath']}/")
    assert float(given["grace"]) < pods["terminationGracePeriodSeconds"]
    # The pod's own arguments, with addresses and a token of this machine, and the index that Kubernetes would put in.
    (tmp_path / "train.py").write_text(TELLS)
    token = tmp_path / "token"
    token.write_text("ab" * 32)
    token.chmod(0o600)
    told = []
    for index in range(2):
        addresses = (
            given["addresses"].replace(".train", "").replace("train-0", "127.0.0.1").replace("train-1", "127.0.0.2")
        )
        changed = {
            **given,
            "node-rank": given["node-rank"].replace("$(JOB_COMPLETION_INDEX)", str(index)),
            "addresses": addresses,
            "token-file": str(token),
            "log-dir": str(tmp_path / f"logs-{index}"),
        }
        options = [f"--{name}={value}" for name, value in changed.items()]
        command = [*container["command"][1:], *options, str(tmp_path / container["args"][-1])]
        done = prepared.run(
            "from stratagem.cli import main; main()",
            *command,
            directory=tmp_path,
            environment={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        told.append(
            json.loads(
                next(line for line in done.stdout.splitlines() if "[[" in line or "[{" in line).partition("] ")[2]
            )
        )
    cluster = {"worker": addresses.split(",")}
    assert told == [[cluster, "worker", 0], [cluster, "worker", 1]]
