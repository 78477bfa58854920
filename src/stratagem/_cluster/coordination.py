"""JAX's coordination service, by private names of jaxlib: its server, its client, and the address of collectives on CPUs."""

from typing import Any

from jaxlib import _jax

_NEVER = 365 * 24 * 3600  # seconds. JAX's own heartbeat, which aborts the process, is not used: supervisors have theirs


def serve(address: str, tasks: int) -> Any:
    """Starts the service, which lives as long as the returned object.

    A client whose connection to it ends aborts its process.
    """
    return _jax.get_distributed_runtime_service(
        address, tasks, heartbeat_timeout=_NEVER, shutdown_timeout=1, recoverable=True
    )


def connect(address: str, rank: int) -> Any:
    """Returns a connected client of the service. Waits without a limit until all tasks connect: a time-out aborts the process.

    There is no callback for missed heartbeats: called from C++ it aborts the process (std::bad_cast).
    """
    client = _jax.get_distributed_runtime_client(
        address,
        rank,
        init_timeout=_NEVER,
        heartbeat_timeout=_NEVER,
        shutdown_timeout=1,
        shutdown_on_destruction=False,
        use_compression=True,
    )
    client.connect()
    return client


def bind_collectives(hostname: str) -> None:
    """Makes collectives between CPUs listen at this address only; by default JAX lets the system choose one."""
    make = _jax.make_gloo_tcp_collectives

    def make_bound(distributed_client: Any, **options: Any) -> Any:
        return make(distributed_client=distributed_client, **{**options, "hostname": hostname})

    _jax.make_gloo_tcp_collectives = make_bound
