"""What the system tells of a process that is another one's child."""

import os
import select
import subprocess
import sys

import pytest

# Private: what depends on the system, asked before a process is reaped and after, which no job does in this order.
from stratagem._cluster.control._system_calls import _status_of_reaped, describe_exit

UNKNOWN = "Its process ended without a word: it was killed (SIGKILL, out of memory?), crashed or called os._exit."
ENDS = {
    "import os; os._exit(0)": "exit code 0: by os._exit",
    "import os; os._exit(3)": "exit code 3: by os._exit",
    "import os; os.kill(os.getpid(), 9)": "SIGKILL (by hand, or out of memory?)",
    "import os; os.kill(os.getpid(), 11)": "SIGSEGV.",
    "import os; os.kill(os.getpid(), 40)": "signal 40.",
}


@pytest.mark.parametrize("program", ENDS)
def test_how_it_ended_is_known_before_its_parent_asks_and_after(program: str) -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", program]) as process:
        handle = os.pidfd_open(process.pid)
        try:
            select.select([handle], [], [])
            assert ENDS[program] in describe_exit(process.pid, handle)
            process.wait()
            told = _status_of_reaped(handle) is not None  # since Linux 6.15
            assert (ENDS[program] if told else UNKNOWN) in describe_exit(process.pid, handle)
        finally:
            os.close(handle)
    assert describe_exit(process.pid, None) == UNKNOWN
