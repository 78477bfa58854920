"""`stratagem doctor` on the network: the job that TF_CONFIG or a launcher describes, hosts' names, ports, rank 0."""

import errno
import ipaddress
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path
from typing import TypeVar

from stratagem._base.errors import ClusterError
from stratagem._cluster import (
    Address,
    ClusterResolver,
    ClusterSpec,
    check_cluster,
    default_resolver,
    free_ports,
    unread_keys,
)
from stratagem._cluster.control import read_token
from stratagem.cli._doctor_finding import Finding, bad, doubtful, good

T = TypeVar("T")
_NAME_SECONDS = 10.0  # for the name of a host
_CONNECT_SECONDS = 3.0
_PAUSE_SECONDS = 0.2
_ANY = "any"  # in place of the task whose port is tried
# Variables of which a launcher sets all or none, but for a shell inside of an allocation.
_LAUNCHERS = {
    "torchrun": ("RANK", "WORLD_SIZE"),
    "Open MPI": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    "Slurm": ("SLURM_JOB_ID", "SLURM_PROCID"),
}


def described(environ: MutableMapping[str, str] = os.environ) -> tuple[ClusterResolver | None, list[Finding]]:
    """Reads and explains the job of this process. Returns no resolver if there is none, or its description is wrong."""
    resolver = default_resolver(environ)
    subject = resolver.source
    try:
        spec = resolver.cluster_spec()
        if not spec:
            return None, _without_cluster(subject, environ)
        check_cluster(spec, subject)
        task = f"{resolver.task_type}:{resolver.task_id}"
        if resolver.task_type is None or resolver.task_id is None:
            cure = 'Add it, for example "task": {"type": "worker", "index": 0}, another index in every process.'
            return None, [
                bad(subject, "There is a cluster, and no task: which one this process is, is not said.", cure)
            ]
    except ClusterError as error:
        cure = "Correct it where the job is started; docs/multi_worker.md has the form. `stratagem launch` writes it itself."
        return None, [bad(subject, str(error), cure)]
    findings = [good(subject, f"this is {task} of {_counts(spec)}; {_meaning(task, spec)}")]
    if not {"chief", "worker"} & set(spec.jobs):
        cure = 'Add "worker": ["host:port", ...] to the cluster.'
        findings.append(bad(subject, f"the cluster has {_counts(spec)}, and no worker: nobody computes", cure))
    if subject == "TF_CONFIG" and (unread := unread_keys(environ)):
        findings.append(doubtful(subject, f"nothing reads {', '.join(unread)}", "Are they misspelt? Else remove them."))
    return resolver, findings


def _without_cluster(subject: str, environ: MutableMapping[str, str]) -> list[Finding]:
    if subject in environ:
        text = f"{subject} is set and has no cluster, so this process works alone"
        return [doubtful(subject, text, 'Add "cluster": {"worker": ["host:port", ...]}, or unset it.')]
    for launcher, variables in _LAUNCHERS.items():
        there = [name for name in variables if name in environ]
        if there:
            missing = next(name for name in variables if name not in environ)
            text = f"{there[0]} is set, as by {launcher}, and {missing} is not, so this process works alone"
            return [doubtful("job", text, _STARTED_BY[launcher].format(there=there[0]))]
    return [good("job", "no TF_CONFIG, torchrun, Open MPI or Slurm: this process works alone")]


def _counts(spec: ClusterSpec) -> str:
    return ", ".join(f"{spec.num_tasks(job)} {job}" for job in spec.jobs)


def _meaning(task: str, spec: ClusterSpec) -> str:
    kind = task.partition(":")[0]
    members = [f"{job}:{i}" for job in ("chief", "worker") if job in spec.jobs for i in spec.task_indices(job)]
    if task in members:
        rank = members.index(task)
        return f"rank {rank} of {len(members)}" + (
            "; it saves and logs, and the others connect to it" if not rank else ""
        )
    return {"evaluator": "it is no part of the cluster", "ps": "it keeps variables and computes no step"}[kind]


_STARTED_BY = {
    "torchrun": "Start it by torchrun, which sets both, or unset {there}.",
    "Open MPI": "Start it by mpirun, which sets both, or unset {there}.",
    "Slurm": "For a job of several tasks, start it by `srun` inside of the allocation.",
}


def names(spec: ClusterSpec) -> Iterator[Finding]:
    """Resolves the name of every host, each within a limited time."""
    found: dict[str, str] = {}
    for task, address in _addresses(spec):
        if address.host in found:
            continue
        found[address.host] = ""
        try:
            found[address.host] = within(_NAME_SECONDS, lambda host=address.host: _resolved(host))  # type: ignore[misc]
        except socket.gaierror as error:
            cure = f"Write an IP address, or add {address.host} to the DNS or to /etc/hosts of every machine."
            yield bad("names", f"{address.host} ({task}) is not known here: {error.strerror}", cure)
        except TimeoutError:
            cure = "Is the name server in /etc/resolv.conf alive? An IP address needs none."
            yield bad("names", f"{address.host} ({task}): no answer for {_NAME_SECONDS:g} s", cure)
    known = {host: ip for host, ip in found.items() if ip}
    remote = [host for host, ip in known.items() if not ipaddress.ip_address(ip).is_loopback]
    for host, ip in known.items():
        if ipaddress.ip_address(ip).is_loopback and remote:
            if host in (ip, "localhost"):
                cure = f"Write the address by which other machines reach the task, in place of {host}."
                yield bad("names", f"{host} leads to the machine that asks, and {remote[0]} is another one", cure)
                continue
            cure = f"Debian writes `127.0.1.1 {host}` into /etc/hosts: replace it by the address that others reach."
            yield bad("names", f"{host} is {ip} here, which no other machine can reach, and {remote[0]} is one", cure)
    if known:
        yield good("names", ", ".join(host if host == ip else f"{host} is {ip}" for host, ip in known.items()))


def _resolved(host: str) -> str:
    return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])


def _addresses(spec: ClusterSpec) -> Iterator[tuple[str, Address]]:
    for job in spec.jobs:
        for i in spec.task_indices(job):
            if text := spec.task_address(job, i):
                yield f"{job}:{i}", Address.parse(text)


def ports(spec: ClusterSpec | None, own: str) -> Iterator[Finding]:
    """Binds this task's own address, which others connect to, or a free port of 127.0.0.1 where there is no job."""
    if spec is None:
        port = free_ports(1)[0]
        yield _bound(_ANY, Address("127.0.0.1", port))
        return
    for task, address in _addresses(spec):
        if task == own:
            yield _bound(task, address)


def _bound(task: str, address: Address) -> Finding:
    try:
        place = within(_NAME_SECONDS, lambda: socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM))
    except (OSError, TimeoutError):
        return bad("ports", f"{address}: its host is not known", "See `names`.")
    family, kind, protocol, _, where = place[0]
    with socket.socket(family, kind, protocol) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(where)
            one.listen(1)
        except OSError as error:
            return bad("ports", f"{address} ({task}): {error.strerror}", _port_cure(error.errno, address))
    given = _given_out()
    if task != _ANY and address.port in given:
        text = f"{address} is free now, and one of {given.start} to {given.stop - 1}, which the system gives to connections"
        return doubtful(
            "ports", text, f"Another program may have it when the job starts. Take one below {given.start}."
        )
    return good("ports", f"{address} can be listened on")


def _given_out(setting: Path = Path("/proc/sys/net/ipv4/ip_local_port_range")) -> range:
    """The ports that the system takes for connections that go out."""
    if not setting.exists():
        return range(0)
    first, last = map(int, setting.read_text().split())
    return range(first, last + 1)


def _port_cure(number: int | None, address: Address) -> str:
    match number:
        case errno.EADDRINUSE:
            program = f"`ss -ltnp 'sport = :{address.port}'` names it"
            return f"Another program listens there, perhaps an older job ({program}). End it, or take another port."
        case errno.EADDRNOTAVAIL:
            return f"{address.host} is not an address of this machine. Does this process have another task's index?"
        case errno.EACCES:
            return "Ports below 1024 are the administrator's. Take one from 20000 to 32000."
        case _:
            return "Take another address."


def token(loopback: bool, environ: MutableMapping[str, str] = os.environ) -> Iterator[Finding]:
    """The secret with which the tasks prove to each other that they belong to the job."""
    try:
        read_token(environ, loopback=loopback)
    except ClusterError as error:
        yield bad("token", str(error), "`stratagem token` makes it; copy it to every machine (docs/security.md).")
    else:
        yield good("token", "the secret of the job is there, and only this user can read it")


def route(hub: Address, seconds: float) -> Finding:
    """Tries for so long to connect to rank 0, and tells a port where nobody listens from a firewall."""
    end = time.monotonic() + seconds
    while True:
        try:
            with socket.create_connection((hub.host, hub.port), _CONNECT_SECONDS):
                return good("rank 0", f"{hub} answers")
        except ConnectionRefusedError:
            found = bad(
                "rank 0", f"{hub} refuses connections", "Nobody listens there: is rank 0 started, on this address?"
            )
        except TimeoutError:
            cure = "Is the machine on? Else a firewall drops this: open the port, and those of net.ipv4.ip_local_port_range."
            found = bad("rank 0", f"{hub} does not answer", cure)
        except socket.gaierror as error:
            return bad("rank 0", f"{hub}: {error.strerror}", "See `names`.")
        except OSError as error:
            found = bad(
                "rank 0", f"{hub}: {error.strerror}", "There is no way to this machine. Are both in one network?"
            )
        if time.monotonic() + _PAUSE_SECONDS > end:
            return found
        time.sleep(_PAUSE_SECONDS)


def within(seconds: float, call: Callable[[], T]) -> T:
    """Returns `call()`. Raises TimeoutError when it takes longer; names are looked up in C, which nothing interrupts."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="stratagem doctor", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"no result after {seconds:g} s")
    return results[0]
