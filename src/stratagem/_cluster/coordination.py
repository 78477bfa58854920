"""JAX's coordination service, by private names of jaxlib: its server, its client, and the way CPUs reach each other."""

from typing import Any

from jaxlib import _jax

_NEVER = 365 * 24 * 3600  # seconds: tasks are watched by our own heartbeat, as JAX's aborts the process


def serve(address: str, tasks: int) -> Any:
    """The service. It lives as long as the returned object; a client whose connection to it ends aborts its process."""
    return _jax.get_distributed_runtime_service(
        address, tasks, heartbeat_timeout=_NEVER, shutdown_timeout=1, recoverable=True
    )


def connect(address: str, rank: int) -> Any:
    """A client of the service, connected. Waits, for ever, until all tasks connect: who gives up here aborts the process.

    No callback for missed heartbeats: called from C++ it aborts the process (std::bad_cast).
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
    """Let collectives between CPUs listen at this address only; JAX asks the system for one otherwise."""
    make = _jax.make_gloo_tcp_collectives

    def made(distributed_client: Any, **options: Any) -> Any:
        return make(distributed_client=distributed_client, **{**options, "hostname": hostname})

    _jax.make_gloo_tcp_collectives = made
