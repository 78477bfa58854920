"""A Slurm step as a cluster: node lists, ranks, ports and GPUs. What TensorFlow does too is in test_as_tensorflow.py."""

from typing import Any

import pytest

from stratagem._base.errors import ClusterError, FailedPreconditionError
from stratagem._cluster import SlurmClusterResolver, expand_counts, expand_nodes, job_of

STEP = {"SLURM_STEP_NUM_TASKS": "3", "SLURM_STEP_NODELIST": "n[2,10]", "SLURM_STEP_TASKS_PER_NODE": "2,1"}
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}


def step(rank: int, **variables: str) -> dict[str, str]:
    """The environment of one task."""
    return {**STEP, **NO_GPU, "SLURM_PROCID": str(rank), **variables}


@pytest.mark.parametrize(
    ("nodelist", "nodes"),
    [
        ("n[1-3,7],m01", "n1 n2 n3 n7 m01"),
        ("n[098-101]", "n098 n099 n100 n101"),
        ("a[1-2]-ib[3,4].x", "a1-ib3.x a1-ib4.x a2-ib3.x a2-ib4.x"),
        ("login,gpu-[7]", "login gpu-7"),
    ],
)
def test_a_node_list_names_every_node(nodelist: str, nodes: str) -> None:
    assert expand_nodes(nodelist) == nodes.split()


@pytest.mark.parametrize("nodelist", ["", "n[3-1]", "n[]", "n[1-2],", "n 1", "n[1]]", "n[1,]", "n[-1]"])
def test_a_malformed_node_list_is_an_error(nodelist: str) -> None:
    with pytest.raises(ClusterError, match=r"Invalid hostlist format .* looks like"):
        expand_nodes(nodelist)


def test_counts_are_repeated() -> None:
    assert expand_counts("2(x3),1") == [2, 2, 2, 1]


def test_addresses_follow_the_ranks_in_the_order_of_the_nodes() -> None:
    """TensorFlow sorts the nodes as text, so n10 comes before n2 and rank 0 looks for itself on the wrong machine."""
    found = SlurmClusterResolver(environ=step(1))
    assert found.cluster_spec().as_dict() == {"worker": ["n2:8888", "n2:8889", "n10:8888"]}
    job = job_of(found)
    assert job is not None
    assert (str(job.task), str(job.hub), str(job.address), job.local) == ("worker:1", "n2:8888", "n2:8889", (1, 2))
    assert (job.source, job.loopback) == ("Slurm", False)


def test_the_variables_of_the_job_do_where_there_is_no_step() -> None:
    variables = {
        "SLURM_PROCID": "0",
        "SLURM_NTASKS": "2",
        "SLURM_JOB_NODELIST": "n[1-2]",
        "SLURM_TASKS_PER_NODE": "1(x2)",
    }
    found = SlurmClusterResolver(environ={**variables, **NO_GPU})
    assert found.cluster_spec().as_dict() == {"worker": ["n1:8888", "n2:8888"]}


def test_ranks_that_go_round_the_nodes_are_refused() -> None:
    assert SlurmClusterResolver(environ=step(1, SLURM_LOCALID="1")).task_id == 1
    with pytest.raises(ClusterError, match=r"task 1 is number 0 on its node.*--distribution=block"):
        SlurmClusterResolver(environ=step(1, SLURM_LOCALID="0"))


@pytest.mark.parametrize(
    ("variables", "kind", "says"),
    [
        ({"SLURM_PROCID": "3"}, FailedPreconditionError, "SLURM_PROCID is 3 in a step of 3 tasks"),
        ({"SLURM_PROCID": "x"}, ClusterError, "SLURM_PROCID has to be a number, got 'x'"),
        ({"SLURM_STEP_TASKS_PER_NODE": "3"}, ClusterError, "these do not fit"),
        ({"SLURM_STEP_NODELIST": "n1,n1"}, ClusterError, "these do not fit"),
        ({"SLURM_STEP_NUM_TASKS": "2"}, FailedPreconditionError, "Requested 2 tasks but only 3 were assigned"),
    ],
)
def test_what_slurm_says_has_to_fit(variables: dict[str, str], kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        SlurmClusterResolver(environ={**step(0), **variables})


@pytest.mark.parametrize(
    ("variables", "arguments", "each", "shown"),
    [
        ({"CUDA_VISIBLE_DEVICES": "4,5,6,7"}, {}, 2, "6,7"),  # TensorFlow shows 2,3
        ({"CUDA_VISIBLE_DEVICES": "4,5,6,7"}, {"gpus_per_task": 1}, 1, "5"),
        ({"CUDA_VISIBLE_DEVICES": "4,5,6,7"}, {"auto_set_gpu": False}, 2, "4,5,6,7"),
        ({"CUDA_VISIBLE_DEVICES": "0", "SLURM_GPUS_PER_TASK": "1"}, {}, 1, "0"),  # Slurm has dealt them out
        ({"CUDA_VISIBLE_DEVICES": "0"}, {}, 0, "0"),
        ({"CUDA_VISIBLE_DEVICES": "NoDevFiles"}, {}, 0, "NoDevFiles"),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, {}, 0, "-1"),  # TensorFlow counts one
        ({}, {}, 0, ""),  # TensorFlow fails without GPUs
    ],
)
def test_gpus_are_dealt_out(variables: dict[str, str], arguments: dict[str, Any], each: int, shown: str) -> None:
    environ = step(1, **variables)
    for _ in range(2):  # another resolver must not divide this task's part
        found = SlurmClusterResolver(**arguments, environ=environ)
        found.cluster_spec()
        assert (found.num_accelerators(), environ["CUDA_VISIBLE_DEVICES"]) == ({"GPU": each}, shown)
