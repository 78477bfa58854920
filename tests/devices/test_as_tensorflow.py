"""Configuration, devices, checks: what TensorFlow 2.15.1 answers on a machine with a CPU (recorded by record_tensorflow.py)."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ANSWERS = json.loads(Path(__file__).with_name("tensorflow_answers.json").read_text())


def test_the_same_calls_in_a_fresh_process_have_the_same_answers() -> None:
    command = [sys.executable, "-m", "tests.devices.expressions", "stratagem"]
    environ = {k: v for k, v in os.environ.items() if k not in ("JAX_NUM_CPU_DEVICES", "XLA_FLAGS", "PJRT_NPROC")}
    environ |= {"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    run = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=300, check=True)
    ours = json.loads(run.stdout)
    assert [expression for expression, _ in ours] == [expression for expression, _ in ANSWERS]
    assert [pair for pair, expected in zip(ours, ANSWERS, strict=True) if pair != expected] == []
