"""The process that holds JAX's coordination service and does nothing else: when it ends, so does the job."""

import os
import sys

from stratagem._cluster.coordination import serve


def main() -> None:
    """Serve at the path in argv[1] for argv[2] tasks until standard input ends."""
    path, tasks = sys.argv[1], int(sys.argv[2])
    held = serve(f"unix:{path}", tasks)
    print("ready", flush=True)  # not for people: `Serving` waits for this line
    sys.stdin.read()
    del held
    os._exit(0)  # its threads wait for peers that are gone
