"""Restores sources whose position cannot be saved, by replaying them, and adds positions to their errors."""

import logging
from collections.abc import Callable
from typing import Any

from stratagem._base.errors import InvalidArgumentError

logger = logging.getLogger("stratagem.data")


def replay(draw: Callable[[], Any], count: int, what: str) -> None:
    """Draws the first `count` elements of a new iteration and discards them.

    Raises:
        InvalidArgumentError: the source has fewer elements now.
    """
    if count == 0:
        return
    logger.warning(
        "The saved position of %s is reached by replaying %d of its elements, which are drawn again and thrown away: "
        "it cannot be told where to start. It goes on exactly only if it gives the same elements again.",
        what,
        count,
    )
    for number in range(count):
        try:
            draw()
        except StopIteration:
            raise InvalidArgumentError(
                f"The saved position is behind element {count} of {what}, but now it ended after {number}. "
                "Restore with the data that the position was saved with."
            ) from None


def name_position(error: Exception, number: int, what: str) -> None:
    """Adds to an error from user code which element it belongs to, counted from 0."""
    error.add_note(f"… while drawing element {number} of {what} (counted from 0).")
