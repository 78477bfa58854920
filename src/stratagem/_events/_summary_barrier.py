"""A barrier after which the summaries that compiled programs had to hand over are written."""

import jax

from stratagem._base.job import process_job
from stratagem._core.context import current


class _TracedSummaryFlags:
    """Records whether programs with summaries exist; without any, there is nothing to wait for."""

    any = False
    live = False  # some were traced by JAX alone; these read the settings while they run


def note(*, live: bool) -> None:
    """Records that a program with summaries is being traced. live: it reads the settings while it runs."""
    _TracedSummaryFlags.any = True
    _TracedSummaryFlags.live |= live


def settle() -> None:
    """Waits until every dispatched program has handed over its summaries. No effect while a program is traced."""
    if _TracedSummaryFlags.any and current().recorder is None:
        with process_job().waiting():
            jax.effects_barrier()


def settle_live() -> None:
    """Calls `settle` before a setting changes that a running program may still read."""
    if _TracedSummaryFlags.live:
        settle()
