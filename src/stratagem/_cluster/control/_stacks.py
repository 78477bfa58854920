"""Prints the stacks of a task's threads on its standard error, also when its supervisor sends a signal."""

import faulthandler
import signal

STACKS = signal.SIGRTMIN + 7  # the signal that makes a task print its stacks
_STDERR = 2  # of the process, since sys.stderr may be no file, as in notebooks


def show() -> None:
    """Prints the stacks of all threads."""
    faulthandler.dump_traceback(file=_STDERR, all_threads=True)


def show_on_signal() -> None:
    """Prints the stacks whenever this process gets the signal STACKS, even while C code lets no thread run."""
    faulthandler.register(STACKS, file=_STDERR, all_threads=True)
