"""A job with parameter servers whose workers are lost, and where the chief ends when it has heard of enough.

Arguments: a folder, how often worker:1 is lost, and what the last worker:1 does then: `work`, or `stay` whatever happens. The
chief waits for the works of all workers, or for files: `done` ends it well, `failed` badly.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

folder, losses, last = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
config = json.loads(os.environ["TF_CONFIG"])
kind, index = config["task"]["type"], config["task"]["index"]
print("life of", f"{kind}:{index}", os.environ["STRATAGEM_RESTARTS"], os.environ["TF_CONFIG"], flush=True)
if kind == "ps":
    time.sleep(1000)
if kind == "worker":
    lives = folder / f"lives of {index}"
    lives.open("a").write("x")
    if index == 1:
        if len(lives.read_text()) <= losses:
            os.kill(os.getpid(), signal.SIGKILL)
        if last == "stay":
            time.sleep(1000)
    (folder / f"work of {index}").touch()
    sys.exit(0)
while len(list(folder.glob("work of *"))) < len(config["cluster"]["worker"]) and not (folder / "done").exists():
    if (folder / "failed").exists():
        sys.exit(3)
    time.sleep(0.02)
