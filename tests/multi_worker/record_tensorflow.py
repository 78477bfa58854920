"""Records what TensorFlow's MultiWorkerMirroredStrategy gives for two programs, two workers on this machine.

python -m tests.multi_worker.record_tensorflow /path/to/python-with-tensorflow-2.15.1
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from stratagem.testing import free_ports
from tests.multi_worker.jobs import PROGRAMS, tf_config
from tests.multi_worker.record_files import write_jpegs

RECORD = Path(__file__).parent / "recorded" / "tensorflow.json"
JPEGS = RECORD.with_name("jpegs.json")
ROWS = (96, 89)
WORKERS = 2
PRINTED = ("weights", "losses", "metric", "numbers")


def answers(python: str, name: str, argument: str) -> list[dict[str, Any]]:
    """What every worker printed."""
    text = (PROGRAMS / name).read_text().replace("import stratagem as tf", "import tensorflow as tf")
    ports = free_ports(WORKERS)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(text)
        tasks = [
            subprocess.Popen(
                [python, str(program), argument],
                env={**os.environ, "TF_CONFIG": tf_config(rank, ports), "TF_CPP_MIN_LOG_LEVEL": "2"},
                stdout=subprocess.PIPE,
                text=True,
            )
            for rank in range(WORKERS)
        ]
        outputs = [task.communicate()[0] for task in tasks]
        assert [task.returncode for task in tasks] == [0] * WORKERS, outputs
    lines = [[line.split(" ", 1) for line in output.splitlines()] for output in outputs]
    return [{name: json.loads(value) for name, value in found if name in PRINTED} for found in lines]


if __name__ == "__main__":
    RECORD.parent.mkdir(exist_ok=True)
    record = {str(rows): answers(sys.argv[1], "parity.py", str(rows))[0] for rows in ROWS}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    with tempfile.TemporaryDirectory() as files:
        write_jpegs(Path(files))
        JPEGS.write_text(json.dumps(answers(sys.argv[1], "jpegs.py", files)) + "\n")
