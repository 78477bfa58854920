"""A job without a token, on an address that is not this machine's alone. To be run on a network that has nobody else."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.multi_worker.jobs import job  # noqa: E402

environment = {"STRATAGEM_INSECURE": "1", "STRATAGEM_TOKEN_FILE": "/nowhere"}
with job(Path(__file__).with_name("equal.py"), 1, ps=1, host=sys.argv[1], **environment) as running:
    ended = running.ended()
print(json.dumps([[task.code, task.output] for task in ended]))
