"""A task of a job, without JAX: it joins, does what its argument says, and waits for a word on standard input to end."""

import json
import logging
import os
import random
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

# As programs do that were started with -I and -S.
sys.path[:0] = [str(Path(__file__).parents[4] / "src"), *filter(None, [os.environ.get("PACKAGES")])]

from stratagem._base.errors import ClusterError, InvalidArgumentError, PeerFailedError  # noqa: E402
from stratagem._cluster import default_resolver, job_of  # noqa: E402
from stratagem._cluster.control import ConnectedJob, ControlClient, JobInfo, TimeLimits  # noqa: E402

logging.basicConfig(format="%(message)s")
what, rank_of_what = sys.argv[1], int(sys.argv[2])


def joined() -> ConnectedJob:
    """The job."""
    cluster = job_of(default_resolver())
    assert cluster is not None
    facts = JobInfo(
        tasks=tuple(str(task) for task in cluster.tasks),
        rank=cluster.rank,
        hub=str(cluster.hub),
        cluster=cluster.cluster,
        versions={},
        pid=os.getpid(),
        loopback=True,
        limits=TimeLimits.from_environment(os.environ),
    )
    return ConnectedJob(ControlClient.join(facts))


def agreements() -> None:
    """Two threads agree on random values, each in an order of its own."""
    found: dict[str, list[Any]] = {}

    def one(order: str) -> None:
        random_ = random.Random(f"{order} {job.worker}")
        for number in range(100):
            time.sleep(random_.choice([0, 0, 0.003]))
            found[f"{order} {number}"] = job.agree(f"value {number}", random_.random(), order=order)

    threads = [threading.Thread(target=one, args=(order,)) for order in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("agreed", json.dumps(found, sort_keys=True), flush=True)


def differently() -> None:
    """This task asks something else than the others, and something too large."""
    try:
        job.agree("large", "x" * (1 << 20))
    except InvalidArgumentError as error:
        print("too large:", error, flush=True)
    job.agree("apples" if mine else "pears", 1, order="fruits")


def client() -> None:
    """This task connects to JAX's coordination service, the one with the number does not."""
    from stratagem._cluster.coordination import connect  # other tasks run without jaxlib

    limits = job.link.facts.limits
    job.link.facts = replace(job.link.facts, limits=replace(limits, join=float(os.environ["CONNECT_SECONDS"])))
    print("connecting", flush=True)
    job.connect(connect)


def children() -> None:
    """Forked children end as programs do, and raise; others keep all handles open."""
    for ending in (lambda: sys.exit(0), lambda: 1 / 0, lambda: job.agree("from a child", 1)):
        child = os.fork()
        if child == 0:
            ending()
        os.waitpid(child, 0)
    if os.fork() == 0:
        time.sleep(300)
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], close_fds=False)
    print("children have ended", flush=True)
    time.sleep(300)


if os.environ.get("ISOLATED") and not sys.flags.isolated:
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-u", *sys.argv])
try:
    job = joined()
except (ClusterError, PeerFailedError, KeyboardInterrupt) as error:
    print("not joined:", type(error).__name__, error, flush=True)
    if what != "again":
        sys.exit(3)
    job = joined()
mine = job.worker == rank_of_what
print("joined", flush=True)
if what == "agree":
    agreements()
elif what == "fruits":
    differently()
elif what == "connect" and not mine:
    client()
elif mine:
    match what:
        case "fork":
            children()
        case "exec":
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(300)"])
        case "hook":
            sys.excepthook = lambda kind, error, trace: print("a hook of the user's:", error, flush=True)
            raise ValueError("a bug of the user's")
        case "thread":
            threading.Thread(target=sys.exit, args=(1,)).start()
        case "steps":
            for _ in range(1000):  # between two signs of life of its supervisor
                job.begin_step()
            sys.exit(0)
        case "leave":
            os._exit(0)
        case "sleep":
            time.sleep(300)
if what == "steps":
    job.link.agree("at no place in the program", 1)
while not Path(os.environ.get("GO", "/")).exists():
    time.sleep(0.05)
    job.check()
print("together", job.agree("the end", job.worker), flush=True)
