"""Finds out which task failed first, and which ones only could not go on without it."""

import re
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

# The control channel reports a failure as "worker:1 (rank 1, host, pid 17) was lost in step 3".
# A job with parameter servers ends with "stratagem._base.errors.TaskLostError: ps:1 is gone: ...".
_BLAMES = re.compile(
    r"(?:\b(\w+Error): )?\b((?:chief|worker):\d+) \(rank \d+, \S+, pid \d+\) |\b(Task(?:Lost|Silent)Error): (ps:\d+) is "
)

# The same for a task whose program ended, while another one went on and called alone what all have to call.
_LEFT = re.compile(r"\b(?:chief|worker):\d+ \(rank \d+, \S+, pid \d+\) has ended, and others still need it")


@final
@dataclass(frozen=True)
class EndedTask:
    """The end of a task: its exit code (negative: the signal), and when it ended (monotonic seconds).

    asked: the launcher had told it to end. log: the last part of its output. pid: its process id.
    """

    task: str
    code: int
    at: float
    asked: bool
    log: str
    pid: int = 0

    @property
    def failed(self) -> bool:
        """True if it failed without being told to end."""
        return self.code != 0 and not self.asked

    @property
    def blames(self) -> str | None:
        """The task whose failure this one's log names as the cause of its own."""
        if self.went_on_alone:
            return None  # it called what those that had ended by then did not call
        names = [task or server for _, task, _, server in _BLAMES.findall(self.log)]
        return names[-1] if names and names[-1] != self.task else None

    @property
    def blaming_error(self) -> str | None:
        """The class of the last error in the log that names the task in `blames`."""
        classes = [
            of_task or of_server
            for of_task, task, of_server, server in _BLAMES.findall(self.log)
            if (task or server) == self.blames and (of_task or of_server)
        ]
        return classes[-1] if classes else None

    @property
    def went_on_alone(self) -> bool:
        """True if it failed as another task's program had ended before it. The next attempt would end as this one."""
        return self.failed and _LEFT.search(self.log) is not None

    @property
    def outcome(self) -> str:
        """The exit code or the signal as text."""
        return f"exit code {self.code}" if self.code >= 0 else signal_name(-self.code)


def signal_name(number: int) -> str:
    """The name of a signal: SIGKILL for 9."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def root_cause(ended: Sequence[EndedTask]) -> str:
    """The task that failed first: the earliest failure that does not blame another task, else the task that is blamed most.

    Time alone does not tell: a task that raised an exception may take longer to end than those that depended on it.
    """
    failed = sorted((task for task in ended if task.failed), key=lambda task: task.at)
    own = [task for task in failed if task.blames is None]
    if own:
        return own[0].task
    ((blamed, _),) = Counter(task.blames for task in failed if task.blames).most_common(1)
    return blamed


def exit_code(cause: EndedTask | None) -> int:
    """The launcher's exit code: the root cause's, 128 plus the signal's number as in shells, or 1 if there is no cause."""
    if cause is None or cause.code == 0 or cause.asked:
        return 1
    return cause.code if cause.code > 0 else 128 - cause.code
