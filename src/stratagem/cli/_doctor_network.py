"""`stratagem doctor` on the network: the job that TF_CONFIG or a launcher describes, hosts' names, ports, rank 0."""

import errno
import ipaddress
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
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
    if subject == "TF_CONFIG" and (unread := unread_keys(environ)):
        findings.append(doubtful(subject, f"nothing reads {', '.join(unread)}", "Are they misspelt? Else remove them."))
    return resolver, findings


def _without_cluster(subject: str, environ: MutableMapping[str, str]) -> list[Finding]:
    if subject in environ:
        text = f"{subject} is set and has no cluster, so this process works alone"
        return [doubtful(subject, text, 'Add "cluster": {"worker": ["host:port", ...]}, or unset it.')]
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
        yield _bound("ports", Address("127.0.0.1", port))
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
    return good("ports", f"{address} can be listened on")


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
