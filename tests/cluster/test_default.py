"""Which description of the cluster wins, and that one log line says so."""

import json
import logging

import pytest

from stratagem._cluster import (
    ClusterResolver,
    OpenMPIClusterResolver,
    SlurmClusterResolver,
    TFConfigClusterResolver,
    TorchrunClusterResolver,
    default_resolver,
    job_of,
)
from tests.cluster.test_launchers import OPEN_MPI, TORCHRUN
from tests.cluster.test_slurm import step

TF_CONFIG = {"TF_CONFIG": json.dumps({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})}
SLURM = step(1)
IS = "The cluster is the one of "


@pytest.mark.parametrize(
    ("environ", "kind", "says"),
    [
        (
            {},
            TFConfigClusterResolver,
            "No cluster: none of TF_CONFIG, torchrun, Open MPI, Slurm has set its variables.",
        ),
        (TF_CONFIG, TFConfigClusterResolver, IS + "TF_CONFIG."),
        (TORCHRUN, TorchrunClusterResolver, IS + "torchrun (RANK='1' WORLD_SIZE='4')."),
        (OPEN_MPI, OpenMPIClusterResolver, IS + "Open MPI (OMPI_COMM_WORLD_RANK='1' OMPI_COMM_WORLD_SIZE='2')."),
        (
            SLURM,
            SlurmClusterResolver,
            IS + "Slurm (SLURM_PROCID='1' SLURM_STEP_NUM_TASKS='3' SLURM_STEP_NODELIST='n[2,10]').",
        ),
        ({**SLURM, **TF_CONFIG}, TFConfigClusterResolver, IS + "TF_CONFIG; passed over: Slurm (SLURM_PROCID='1' "),
        (
            {**SLURM, **OPEN_MPI},
            OpenMPIClusterResolver,
            IS + "Open MPI (OMPI_COMM_WORLD_RANK='1' OMPI_COMM_WORLD_SIZE='2'); passed over: Slurm",
        ),
        (
            {**SLURM, **OPEN_MPI, **TORCHRUN, **TF_CONFIG},
            TFConfigClusterResolver,
            IS + "TF_CONFIG; passed over: torchrun (RANK='1' WORLD_SIZE='4'), Open MPI (",
        ),
        ({"RANK": "1"}, TFConfigClusterResolver, "No cluster: "),
        (
            {"SLURM_PROCID": "0", "SLURM_NTASKS": "4", "SLURM_JOB_NODELIST": "n[1-4]"},
            TFConfigClusterResolver,
            "No cluster: ",
        ),  # a batch script
    ],
)
def test_one_line_says_which_one_wins(
    environ: dict[str, str], kind: type[ClusterResolver], says: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        found = default_resolver(dict(environ))
    assert type(found) is kind
    (record,) = caplog.records
    assert record.getMessage().startswith(says)
    job = job_of(found)
    assert (job is None) == says.startswith("No cluster")
    assert job is None or (job.rank, job.task.type) == (1, "worker")


def test_an_empty_tf_config_wins_too() -> None:
    assert job_of(default_resolver({**TORCHRUN, "TF_CONFIG": "{}"})) is None


def test_it_reads_the_environment_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", TF_CONFIG["TF_CONFIG"])
    job = job_of(default_resolver())
    assert job is not None
    assert str(job.task) == "worker:1"
