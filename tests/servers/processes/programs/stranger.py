"""Somebody on this machine who tries to take part in a job's Ray: the code is 0 for who gets in, and 1 for who does not.

Arguments: the address, and the names of actors. Who gets in looks until it has seen all of them at a time: meanwhile some
may be lost, and others take their places.
"""

import sys
import time

import ray

address, *wanted = sys.argv[1:]
PATIENCE = 240.0  # seconds

try:
    ray.init(address=address, namespace="stratagem", log_to_driver=False)
    end, names = time.monotonic() + PATIENCE, []
    while not {*wanted} <= {*names} and time.monotonic() < end:
        names = sorted(actor["name"] for actor in ray.util.list_named_actors(all_namespaces=True))
        time.sleep(0.1)
except Exception as error:
    sys.exit(f"refused: {type(error).__name__}: {error}")
print("actors", *names)
