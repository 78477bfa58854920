"""Summaries that compiled programs still have to hand over: waiting for them."""

import jax

from stratagem._base.job import process_job
from stratagem._core.context import current


class _Traced:
    """Whether programs with summaries exist: waiting for those of a process without any would only cost time."""

    any = False
    live = False  # some were traced by JAX alone: they ask for the settings while they run


def note(*, live: bool) -> None:
    """A program with summaries is being traced."""
    _Traced.any = True
    _Traced.live |= live


def settle() -> None:
    """Wait until every dispatched program has handed its summaries over. No effect while a program is traced."""
    if _Traced.any and current().recorder is None:
        with process_job().waiting():
            jax.effects_barrier()


def settle_live() -> None:
    """As `settle`, before a setting changes that a running program may still ask for."""
    if _Traced.live:
        settle()
