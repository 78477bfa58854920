"""Jobs that torchrun or Open MPI started: every task knows its rank, how many there are, and where rank 0 is."""

import pytest

from stratagem._base.errors import ClusterError
from stratagem._cluster import (
    ClusterResolver,
    ClusterSpec,
    OpenMPIClusterResolver,
    SimpleClusterResolver,
    TorchrunClusterResolver,
    job_of,
)

# What torchrun 2.13 set in the second of two processes.
TORCHRUN = {
    "RANK": "1", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2", "GROUP_RANK": "0",
    "MASTER_ADDR": "10.0.0.7", "MASTER_PORT": "29500", "TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_USE_AGENT_STORE": "True",
}  # fmt: skip
# What mpirun of Open MPI 4.1.4 set in the second of two.
OPEN_MPI = {
    "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2",
    "OMPI_COMM_WORLD_LOCAL_RANK": "1", "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
}  # fmt: skip


def test_a_task_of_torchrun() -> None:
    found = TorchrunClusterResolver(environ=dict(TORCHRUN))
    assert (found.task_type, found.task_id) == ("worker", 1)
    assert found.cluster_spec().num_tasks("worker") == 4
    assert found.cluster_spec().as_dict() == {"worker": ["10.0.0.7:29501", "", "", ""]}
    assert (found.master(), found.master("worker", 2)) == ("10.0.0.7:29501", "")
    job = job_of(found)
    assert job is not None
    assert (job.rank, job.size, job.is_chief, str(job.hub), job.address) == (1, 4, False, "10.0.0.7:29501", None)
    assert (job.source, job.local, job.loopback) == ("torchrun", (1, 2), False)


@pytest.mark.parametrize(
    ("changes", "address"),
    [
        ({}, "10.0.0.7:29501"),  # torchrun's agent listens at 29500
        ({"MASTER_PORT": "65535"}, "10.0.0.7:65534"),
        ({"TORCHELASTIC_USE_AGENT_STORE": "False"}, "10.0.0.7:29500"),
        ({"MASTER_ADDR": "localhost"}, "localhost:29501"),
        ({"MASTER_ADDR": "fe80::1"}, "[fe80::1]:29501"),
    ],
)
def test_rank_0_listens_beside_the_agent_of_torchrun(changes: dict[str, str], address: str) -> None:
    job = job_of(TorchrunClusterResolver(environ={**TORCHRUN, **changes}))
    assert job is not None
    assert (str(job.hub), job.loopback) == (address, address.startswith("localhost"))


def test_a_launcher_is_read_anew_at_every_access() -> None:
    environ = dict(TORCHRUN)
    found = TorchrunClusterResolver(environ=environ)
    environ["RANK"] = "3"  # torchrun deals ranks out again after a restart
    assert found.task_id == 3


def test_ranks_of_open_mpi_on_one_machine_need_no_address() -> None:
    job = job_of(OpenMPIClusterResolver(environ=dict(OPEN_MPI)))
    assert job is not None
    assert (job.rank, job.size, str(job.hub), job.loopback, job.local) == (1, 2, "127.0.0.1:29500", True, (1, 2))


def test_ranks_of_open_mpi_on_several_machines_do() -> None:
    environ = {**OPEN_MPI, "OMPI_COMM_WORLD_SIZE": "4"}
    with pytest.raises(
        ClusterError, match=r"Open MPI: the environment variable MASTER_ADDR is not set.*mpirun -x MASTER_ADDR"
    ):
        job_of(OpenMPIClusterResolver(environ=environ))
    job = job_of(OpenMPIClusterResolver(environ={**environ, "MASTER_ADDR": "host", "MASTER_PORT": "7"}))
    assert job is not None
    assert str(job.hub) == "host:7"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"RANK": "4"}, "torchrun: RANK is 4 and WORLD_SIZE is 4. A rank is below the size."),
        ({"RANK": "-1"}, "torchrun: RANK has to be a number from 0 on, got '-1'."),
        (
            {"RANK": ""},
            "torchrun: the environment variable RANK is not set. Start the program with torchrun, or set TF_CONFIG.",
        ),
        ({"MASTER_ADDR": ""}, "torchrun: the environment variable MASTER_ADDR is not set."),
        ({"MASTER_PORT": "x"}, "torchrun: MASTER_ADDR and MASTER_PORT: The address '10.0.0.7:x' has the port 'x'"),
        (
            {"MASTER_ADDR": "a b"},
            "torchrun: MASTER_ADDR and MASTER_PORT: The address 'a b:29500' contains white space.",
        ),
    ],
)
def test_a_wrong_variable_is_named(changes: dict[str, str], says: str) -> None:
    with pytest.raises(ClusterError) as caught:
        job_of(TorchrunClusterResolver(environ={**TORCHRUN, **changes}))
    assert str(caught.value).startswith(says)


@pytest.mark.parametrize(
    ("seen", "count"),
    [
        ("0,1,2,3", {"GPU": 2}),
        ("0,1,2", {"GPU": 1}),
        ("5", {"GPU": 1}),
        ("", {}),
        ("-1", {}),
        ("NoDevFiles", {}),
        ("3,-1,4", {"GPU": 1}),
    ],
)
def test_the_tasks_of_a_machine_share_its_gpus(seen: str, count: dict[str, int]) -> None:
    assert TorchrunClusterResolver(environ={**TORCHRUN, "CUDA_VISIBLE_DEVICES": seen}).num_accelerators() == count


def test_what_is_assigned_wins() -> None:
    found = TorchrunClusterResolver(environ=dict(TORCHRUN))
    found.task_id = 2
    assert (found.task_type, found.task_id) == ("worker", 2)


def test_a_resolver_of_the_users_own_may_set_its_task_in_tensorflows_way() -> None:
    class Own(ClusterResolver):
        def __init__(self) -> None:
            self._task_type, self._task_id = "worker", 0

        def cluster_spec(self):  # type: ignore[no-untyped-def]
            return TorchrunClusterResolver(environ=dict(TORCHRUN)).cluster_spec()

        def master(self, task_type=None, task_id=None, rpc_layer=None):  # type: ignore[no-untyped-def]
            return ""

    job = job_of(Own())
    assert job is not None
    assert (job.rank, job.source, job.local) == (0, "Own", None)


def test_rank_0_has_to_have_an_address() -> None:
    found = SimpleClusterResolver(ClusterSpec({"worker": ["", "b:2"]}), task_type="worker", task_id=1)
    with pytest.raises(ClusterError, match="the address of worker:0 is not known, and all others connect to it"):
        job_of(found)
