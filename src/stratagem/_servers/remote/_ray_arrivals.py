"""`find_all`: waits for the arrivals of a job's tasks, and says which are missing and which have come."""

import logging
from collections.abc import Sequence

from stratagem._base.errors import UnavailableError
from stratagem._base.slow_blocks import while_slow
from stratagem._servers.remote._ray_actors import RayActor
from stratagem._servers.remote._ray_node import join_seconds

logger = logging.getLogger("stratagem.remote")

_SAY_SECONDS = 5.0


def find_all(actors: Sequence[RayActor]) -> None:
    """Waits for tasks that other processes start, and drops what an older coordinator has left there.

    Raises UnavailableError if one does not come in time.
    """
    limit, arrived = join_seconds(), list[RayActor]()

    def say(seconds: float) -> None:
        missing = [actor for actor in actors if actor not in arrived]
        if not missing:  # the last one has come since
            return
        states = ", ".join(f"{actor.task} ({_state(actor)})" for actor in missing)
        logger.info(
            "%.0f of at most %g s: %d of %d tasks have joined; waiting for %s.",
            seconds,
            limit,
            len(actors) - len(missing),
            len(actors),
            states,
        )

    with while_slow(say, after=_SAY_SECONDS / 2, every=_SAY_SECONDS):
        for actor in actors:
            actor.find(limit)
            actor.call("reset").result()
            arrived.append(actor)


def _state(actor: RayActor) -> str:
    """Returns how far a task has come that does not answer yet."""
    try:
        return "its process is loading the library" if actor.exists() else "not started, or still connecting to Ray"
    except UnavailableError as error:
        return str(error)
