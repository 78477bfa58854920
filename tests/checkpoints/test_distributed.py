"""Distributed variables are saved as the one value they stand for; processes save without each other."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from stratagem._core.values import Variable, VariableAggregation, VariableSynchronization
from stratagem._strategies import MirroredStrategy
from stratagem.testing import free_ports
from stratagem.train import Checkpoint
from tests.checkpoints.models import read

SUM = {"synchronization": VariableSynchronization.ON_READ, "aggregation": VariableAggregation.SUM}


def placed(replicas: int, value: Any, **options: Any) -> Variable:
    """A variable of a strategy with so many replicas."""
    with MirroredStrategy(jax.devices()[:replicas]).scope():
        return Variable(value, **options)


@pytest.mark.parametrize("replicas", [None, 1, 3])
def test_a_mirrored_variable_and_a_sum_are_restored_on_another_number_of_replicas(
    tmp_path: Path, replicas: int | None
) -> None:
    total = placed(2, 0.0, **SUM)
    total.assign(3.0)
    path = Checkpoint(w=placed(2, [1.0, 2.0]), total=total).save(tmp_path / "ckpt")
    if replicas is None:
        fresh = Checkpoint(w=Variable([0.0, 0.0]), total=Variable(0.0))
    else:
        fresh = Checkpoint(w=placed(replicas, [0.0, 0.0]), total=placed(replicas, 0.0, **SUM))
    fresh.restore(path).assert_consumed()
    assert np.array_equal(read(fresh.w), [1.0, 2.0])
    assert read(fresh.total) == 3.0


def test_the_save_counter_is_each_processs_own_also_in_a_scope(tmp_path: Path) -> None:
    checkpoint = Checkpoint(v=Variable(1.0))
    with MirroredStrategy(jax.devices()[:2]).scope():
        path = checkpoint.save(tmp_path / "ckpt")
    assert path.endswith("ckpt-1")
    assert checkpoint.save_counter._placement is None


SOURCE = Path(__file__).parents[2] / "src"

ALONE = """
import sys, jax
rank, port, directory = int(sys.argv[1]), sys.argv[2], sys.argv[3]
where = f"127.0.0.1:{port}"
jax.distributed.initialize(where, 2, rank, coordinator_bind_address=where)
import numpy as np
from stratagem.train import Checkpoint
from stratagem._core.values import Variable
assert jax.process_count() == 2
checkpoint = Checkpoint(v=Variable(np.arange(5.0) + rank))
for _ in range(1 + rank):  # another number of saves in each process: a barrier would hang
    path = checkpoint.save(f"{directory}/{rank}/ckpt")
again = Checkpoint(v=Variable(np.zeros(5)))
again.restore(path).assert_consumed()
assert np.array_equal(np.array(again.v.value), np.arange(5.0) + rank), again.v
jax.distributed.shutdown()
"""


@pytest.mark.thorough
def test_each_process_of_a_job_writes_its_own_checkpoint_without_the_others(tmp_path: Path) -> None:
    (port,), command = free_ports(1), [sys.executable, "-c", ALONE]
    workers = [
        subprocess.Popen(
            [*command, str(rank), str(port), str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"PYTHONPATH": str(SOURCE)},
        )
        for rank in range(2)
    ]
    try:
        for worker in workers:
            out, _ = worker.communicate(timeout=120)
            assert worker.returncode == 0, out
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
    assert (tmp_path / "0" / "ckpt-1").exists()
    assert (tmp_path / "1" / "ckpt-2").exists()
