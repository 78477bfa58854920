"""day: the number by which a run of the tests chooses its samples."""

import os
import time


def day() -> int:
    """STRATAGEM_DIFFERENTIAL_SEED, else the date: the samples are others every day, and can be had again."""
    return int(os.environ.get("STRATAGEM_DIFFERENTIAL_SEED") or time.strftime("%Y%m%d"))
