"""The process of JAX's coordination service, which does nothing else. When it ends, so does the job."""

import os
import sys

from stratagem._cluster.coordination import serve


def main() -> None:
    """Serves at the path argv[1] for argv[2] tasks until standard input ends."""
    path, tasks = sys.argv[1], int(sys.argv[2])
    held = serve(f"unix:{path}", tasks)
    print("ready", flush=True)  # `ServiceProcess` waits for this line
    sys.stdin.read()
    del held
    os._exit(0)  # without waiting for its threads, which may wait for tasks that have ended
