"""Records what TensorFlow's MultiWorkerMirroredStrategy gives for `programs/parity.py`, two workers on this machine.

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

RECORD = Path(__file__).parent / "recorded" / "tensorflow.json"
ROWS = (96, 89)
WORKERS = 2


def answers(python: str, rows: int) -> dict[str, Any]:
    """What worker 0 printed."""
    text = (PROGRAMS / "parity.py").read_text().replace("import stratagem as tf", "import tensorflow as tf")
    ports = free_ports(WORKERS)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(text)
        tasks = [
            subprocess.Popen(
                [python, str(program), str(rows)],
                env={**os.environ, "TF_CONFIG": tf_config(rank, ports), "TF_CPP_MIN_LOG_LEVEL": "2"},
                stdout=subprocess.PIPE,
                text=True,
            )
            for rank in range(WORKERS)
        ]
        outputs = [task.communicate()[0] for task in tasks]
        assert [task.returncode for task in tasks] == [0] * WORKERS, outputs
    found = dict(line.split(" ", 1) for line in outputs[0].splitlines())
    return {name: json.loads(found[name]) for name in ("weights", "losses", "metric")}


if __name__ == "__main__":
    RECORD.parent.mkdir(exist_ok=True)
    record = {str(rows): answers(sys.argv[1], rows) for rows in ROWS}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
