"""Settings reach JAX: visible devices, memory, threads, precision, determinism; soft placement; the log of placement."""

import json
import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from tests import prepared

# A machine with two GPUs, as far as the list of devices, JAX's settings and the driver's command go.
PROGRAM = """
import json, os, sys
import jax
import stratagem as tf
from stratagem._devices import _physical
_physical._uses_cuda = lambda: True
jax.devices = jax.local_devices = None  # nothing may start a backend
c = tf.config
found = {}
def tried(name, call):
    try:
        call()
    except (ValueError, RuntimeError) as error:
        found[name] = type(error).__name__
first, second = c.list_physical_devices("GPU")
c.set_visible_devices(second, "GPU")
found["one"] = [len(c.get_visible_devices("GPU")), jax.config.values["jax_cuda_visible_devices"], jax.config.jax_platforms]
c.set_visible_devices([], "GPU")
found["none"] = [len(c.get_visible_devices("GPU")), jax.config.jax_platforms]
found["still listed"] = len(c.list_physical_devices("GPU"))
tried("no CPU", lambda: c.set_visible_devices([], "CPU"))
c.set_visible_devices([first, second], "GPU")
found["both"] = [len(c.get_visible_devices("GPU")), jax.config.values["jax_cuda_visible_devices"], jax.config.jax_platforms]
c.experimental.set_memory_growth(first, True)
found["growth"] = [c.experimental.get_memory_growth(first), os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"]]
tried("unlike growth", lambda: c.experimental.set_memory_growth(second, False))
c.set_logical_device_configuration(second, [c.LogicalDeviceConfiguration(memory_limit=6000)])
found["limit"] = os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"]
tried("too much", lambda: c.set_logical_device_configuration(first, [c.LogicalDeviceConfiguration(memory_limit=9000)]))
tried("divided", lambda: c.set_logical_device_configuration(first, 2 * [c.LogicalDeviceConfiguration()]))
c.threading.set_intra_op_parallelism_threads(3)
found["threads"] = os.environ["PJRT_NPROC"]
c.set_logical_device_configuration(c.list_physical_devices("CPU")[0], 4 * [c.LogicalDeviceConfiguration()])
found["threads of four replicas"] = os.environ["PJRT_NPROC"]
c.experimental.enable_op_determinism()
c.experimental.enable_op_determinism()
found["flags"] = os.environ["XLA_FLAGS"]
print(json.dumps(found))
"""

DRIVER = """#!/bin/sh
case "$1" in
--list-gpus) echo "GPU 0: small"; echo "GPU 1: large"; echo "GPU 2: large";;
--id=1 | --id=2) echo 8000;;
*) echo 4000;;
esac
"""


def test_settings_before_the_start_reach_jax(tmp_path: Path) -> None:
    command = tmp_path / "nvidia-smi"
    command.write_text(DRIVER)
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_", "XLA_", "PJRT_"))}
    environ["PATH"] = f"{tmp_path}{os.pathsep}{environ['PATH']}"
    environ["CUDA_VISIBLE_DEVICES"] = "2,1"  # the two devices of the program, of the driver's three
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environ, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {
        "one": [1, "1", None],
        "none": [0, "cpu"],
        "still listed": 2,
        "no CPU": "ValueError",
        "both": [2, "0,1", None],
        "growth": [True, "false"],
        "unlike growth": "ValueError",
        "limit": "0.750000",
        "too much": "ValueError",
        "divided": "ValueError",
        "threads": "3",
        "threads of four replicas": "8",
        "flags": "--xla_gpu_deterministic_ops=true",
    }


def test_without_soft_placement_a_missing_device_is_an_error() -> None:
    with tf.device("/gpu:0"):
        assert "CPU:0" in str(tf.constant(1.0).device)
    tf.config.set_soft_device_placement(False)
    try:
        with pytest.raises(ValueError, match=r"'/gpu:0' does not exist. Devices here: .*CPU:0"):
            tf.device("/gpu:0")
        with tf.device("/cpu:1"):
            assert "CPU:1" in str(tf.Variable([1.0, 2.0]).value.device)
        with tf.device("/job:localhost/replica:0/task:0/device:CPU:1"):
            assert "CPU:1" in str((tf.ones([2]) + 1.0).device)
    finally:
        tf.config.set_soft_device_placement(True)


def test_the_log_says_where_programs_run(caplog: pytest.LogCaptureFixture) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    def step(x: tf.Tensor) -> tf.Tensor:
        return x + 1.0

    tf.debugging.set_log_device_placement(True)
    try:
        with caplog.at_level(logging.DEBUG, logger="stratagem"):
            strategy.run(step, args=(tf.constant(1.0),))
            tf.function(lambda x: x * 2.0)(tf.constant(3.0))
    finally:
        tf.debugging.set_log_device_placement(False)
    said = [r.getMessage() for r in caplog.records if r.name == "stratagem.device_placement"]
    where = "/job:localhost/replica:0/task:0/device:CPU"
    assert any("step" in line and line.endswith(f"on {where}:0, {where}:1") for line in said)
    assert any("lambda" in line and line.endswith(f"on {where}:0") for line in said)
    caplog.clear()
    strategy.run(lambda x: x - 1.0, args=(tf.constant(1.0),))
    assert [r for r in caplog.records if r.name == "stratagem.device_placement"] == []


def test_tensor_float_32_changes_no_result_of_a_cpu() -> None:
    x = tf.constant(np.random.default_rng(0).normal(size=(8, 8)).astype(np.float32))
    before = (x @ x).numpy()
    tf.config.experimental.enable_tensor_float_32_execution(False)
    try:
        np.testing.assert_array_equal((x @ x).numpy(), before)
    finally:
        tf.config.experimental.enable_tensor_float_32_execution(True)


def test_visible_devices_that_change_nothing_may_be_set_late() -> None:
    tf.config.list_logical_devices()
    tf.config.set_visible_devices([], "GPU")
    tf.config.set_visible_devices(tf.config.list_physical_devices())


COUNTING = """
import os
from stratagem._devices import _physical
_physical._uses_cuda = lambda: True
import stratagem as tf
for visible in (None, "0,-1,1", "", "NoDevFiles", "GPU-a,GPU-b"):
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    if visible is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = visible
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    print(len(tf.config.list_physical_devices("GPU")), resolver.num_accelerators().get("GPU", 0))
"""


def test_physical_devices_are_the_gpus_that_resolvers_count(tmp_path: Path) -> None:
    command = tmp_path / "nvidia-smi"
    command.write_text(DRIVER)
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    environ = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    run = prepared.run(COUNTING, environment=environ)
    assert run.stdout.splitlines() == ["3 3", "1 1", "0 0", "0 0", "2 2"], run.stderr
