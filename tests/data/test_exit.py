"""A program may end while its input is being read ahead."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import stratagem as tf

data = tf.data.Dataset.from_tensor_slices(np.ones([640, 600])).map(lambda row: row * 2.0).repeat().batch(64).prefetch(4)
strategy = tf.distribute.MirroredStrategy()
iterator = iter(strategy.experimental_distribute_dataset(data))
next(iterator)
print("ends", flush=True)
"""


@pytest.mark.thorough
def test_the_end_of_a_program_does_not_abort_in_a_thread_that_reads_ahead(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    source = Path(__file__).parents[2] / "src"
    for _ in range(2):
        ended = subprocess.run([sys.executable, str(program), str(source)], capture_output=True, text=True, check=False)
        assert ended.stdout == "ends\n", ended.stderr
        assert ended.returncode == 0, ended.stderr
