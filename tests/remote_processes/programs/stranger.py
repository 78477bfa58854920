"""Somebody else on this machine, who tries to take part in a job's Ray. Ends with code 0 if that is refused."""

import sys

import ray

try:
    ray.init(address=sys.argv[1], namespace="stratagem", log_to_driver=False)
    print("actors", ray.util.list_named_actors(all_namespaces=True))
except Exception as error:
    print("refused", type(error).__name__, str(error)[:200].replace("\n", " "))
else:
    sys.exit(3)
