"""A job: ranks, the hub and the addresses, the same as every member sees them."""

import json
from typing import Any

import hypothesis.strategies as some
import pytest
from hypothesis import given

from stratagem._base.errors import ClusterError
from stratagem._cluster import (
    Address,
    ClusterJob,
    ClusterSpec,
    SimpleClusterResolver,
    Task,
    TFConfigClusterResolver,
    UnionResolver,
    job_of,
)

HOSTS = some.sampled_from(["localhost", "127.0.0.1", "10.1.2.3", "worker-0.jobs.svc", "[::1]", "[2001:db8::7]"])


@some.composite
def clusters(draw: some.DrawFn) -> dict[str, list[str]]:
    """Any valid cluster that has a chief or a worker; ports differ, hosts need not."""
    sizes = {"chief": draw(some.integers(0, 1)), "worker": draw(some.integers(0, 5)), "ps": draw(some.integers(0, 3))}
    sizes["evaluator"] = draw(some.integers(0, 1))
    if sizes["chief"] + sizes["worker"] == 0:
        sizes["worker"] = 1
    ports = iter(draw(some.lists(some.integers(1, 65535), min_size=10, max_size=10, unique=True)))
    jobs = draw(some.permutations([job for job, size in sizes.items() if size]))
    return {job: [f"{draw(HOSTS)}:{next(ports)}" for _ in range(sizes[job])] for job in jobs}


def job_in(cluster: Any, job: str, index: Any) -> ClusterJob:
    """The job as the task sees it that TF_CONFIG names."""
    environ = {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})}
    found = job_of(TFConfigClusterResolver(environ=environ))
    assert found is not None
    return found


@given(clusters())
def test_any_valid_cluster_comes_back_as_it_was_written(cluster: dict[str, list[str]]) -> None:
    environ = {"TF_CONFIG": json.dumps({"cluster": cluster})}
    spec = TFConfigClusterResolver(environ=environ).cluster_spec()
    assert spec.as_dict() == cluster
    assert list(spec.as_dict()) == list(cluster)
    assert spec == ClusterSpec(cluster) == ClusterSpec(spec) == ClusterSpec(spec.as_dict())
    assert eval(repr(spec)) == spec
    numbered = {job: {str(i): address for i, address in enumerate(tasks)} for job, tasks in cluster.items()}
    assert ClusterSpec(numbered) == spec
    assert (
        UnionResolver(*(SimpleClusterResolver(ClusterSpec({j: t})) for j, t in cluster.items())).cluster_spec() == spec
    )


@given(clusters())
def test_all_members_see_one_job(cluster: dict[str, list[str]]) -> None:
    members = [(job, i) for job in ("chief", "worker") for i in range(len(cluster.get(job, [])))]
    jobs = [job_in(cluster, job, i) for job, i in members]
    for rank, (job, member) in enumerate(zip(jobs, members, strict=True)):
        assert (job.rank, job.task, job.size) == (rank, Task(*member), len(members))
        assert (job.tasks, job.addresses, job.hub) == (jobs[0].tasks, jobs[0].addresses, jobs[0].address)
        assert str(job.address) == cluster[member[0]][member[1]]
        assert job.is_chief == (rank == 0)
        assert job.cluster == cluster
        assert job.loopback == all(
            a.startswith(("localhost", "127.", "[::1]")) for j in ("chief", "worker") for a in cluster.get(j, [])
        )


def test_a_task_prints_as_its_name() -> None:
    assert str(Task("worker", 1)) == "worker:1"


def test_facts_have_a_hash_and_do_not_change() -> None:
    job = job_in({"worker": ["a:1", "b:2"]}, "worker", "1")
    assert job == job_in({"worker": ["a:1", "b:2"]}, "worker", 1)
    assert len({job, job_in({"worker": ["a:1", "b:2"]}, "worker", 1)}) == 1
    with pytest.raises(AttributeError):
        job.rank = 0  # type: ignore[misc]


@pytest.mark.parametrize("address", ["a:1", "[::1]:2"])
def test_an_address_prints_as_it_is_written(address: str) -> None:
    assert str(Address.parse(address)) == address


@pytest.mark.parametrize("cluster", [{"worker": ["a:1"]}, {"worker": ["a:1"], "evaluator": ["localhost:2"]}])
def test_an_evaluator_is_a_job_of_its_own(cluster: dict[str, list[str]]) -> None:
    job = job_in(cluster, "evaluator", 0)
    assert (job.tasks, job.rank, job.is_chief, job.loopback) == ((Task("evaluator", 0),), 0, True, True)
    assert job.hub == job.address == (Address("localhost", 2) if "evaluator" in cluster else None)


def test_without_a_cluster_there_is_no_job() -> None:
    assert job_of(TFConfigClusterResolver(environ={})) is None
    assert job_of(SimpleClusterResolver(ClusterSpec({}), task_type="worker", task_id=0)) is None


def place(cluster: dict[str, Any], task_type: Any = "worker", task_id: Any = 0) -> None:
    """Ask for a job; it is not to be had."""
    resolver = SimpleClusterResolver(ClusterSpec(cluster), task_id=None)
    resolver._task_type, resolver._task_id = task_type, task_id
    job_of(resolver)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ({"worker": ["a:1"]}, None, None),
            "When `cluster_spec` is given, you must also specify `task_type` and `task_id`. They are None and None.",
        ),
        (({"worker": ["a:1"]}, "worker", None), "When `cluster_spec` is given, you must also specify"),
        (({"worker": ["a:1"]}, "worker", "x"), "the task's index has to be a number from 0 on, got 'x'."),
        (
            ({"worker": ["a:1"], "ps": ["b:2"]}, "ps", 0),
            "There is no id for task_type 'ps' in a multi-worker job: its members are chief and worker. Let",
        ),
        (({"worker": {0: "a:1", 2: "b:2"}},), "the cluster lists the tasks [0, 2] of 'worker'. List all from 0 on."),
        (({"chief": {1: "a:1"}}, "chief", 1), "the cluster lists the tasks [1] of 'chief'. List all from 0 on."),
        (({"worker": ["host"]},), "worker:0: The address 'host' has no port."),
        (({"worker": ["a:1", "a:1"]},), "worker:0 and worker:1 have the same address"),
        (({"worker": []},), "the job 'worker' has no tasks."),
    ],
)
def test_a_place_that_is_none_is_refused_in_one_line(arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(ClusterError) as caught:
        place(*arguments)
    assert str(caught.value).startswith((f"SimpleClusterResolver: {says}", f"SimpleClusterResolver, {says}"))
    assert "\n" not in str(caught.value)


def test_only_a_resolver_has_a_job() -> None:
    with pytest.raises(
        ClusterError, match=r"cluster_resolver must be an instance of tf\.distribute\.cluster_resolver\.ClusterResolver"
    ):
        job_of({"worker": ["a:1"]})  # type: ignore[arg-type]


def test_a_cluster_without_a_task_is_refused() -> None:
    with pytest.raises(
        ClusterError, match=r"^TF_CONFIG: When `cluster_spec` is given, you must also specify `task_type` and"
    ):
        job_of(TFConfigClusterResolver(environ={"TF_CONFIG": json.dumps({"cluster": {"worker": ["a:1"]}})}))


def test_errors_of_several_resolvers_name_all_of_them() -> None:
    first = TFConfigClusterResolver(environ={"TF_CONFIG": json.dumps({"cluster": {"worker": ["a:1"]}})})
    with pytest.raises(
        ClusterError, match=r"^TF_CONFIG and SimpleClusterResolver: worker:0 and worker:1 have the same"
    ):
        job_of(
            UnionResolver(first, SimpleClusterResolver(ClusterSpec({"worker": ["a:1"]})), task_type="worker", task_id=0)
        )
