"""The exchange of what the workers of a job have learned, which may be longer than one agreement."""

import json
from typing import Any

from stratagem._base.job import Job

_PART = 1 << 18  # characters


def exchanged(job: Job, what: str, state: Any) -> list[Any]:
    """Returns the state of every worker, by its index; waits for all of them.

    what: names what has the state, alike on all workers. Raises what `Job.agree` raises.
    """
    text = json.dumps(state)
    parts = [text[start : start + _PART] for start in range(0, len(text), _PART)]
    received = [""] * job.workers
    for number in range(max(job.agree(f"the length of the state of {what}", len(parts)))):
        part = parts[number] if number < len(parts) else ""
        found = job.agree(f"part {number} of the state of {what}", part)
        received = [before + more for before, more in zip(received, found, strict=True)]
    return [json.loads(each) for each in received]
