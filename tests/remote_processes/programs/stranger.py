"""Somebody on this machine who tries to take part in a job's Ray: the code is 0 for who gets in, and 1 for who does not."""

import sys

import ray

try:
    ray.init(address=sys.argv[1], namespace="stratagem", log_to_driver=False)
    names = sorted(actor["name"] for actor in ray.util.list_named_actors(all_namespaces=True))
except Exception as error:
    sys.exit(f"refused: {type(error).__name__}: {error}")
print("actors", *names)
