"""The stacks of a task's threads, which it shows on its standard error, also when its supervisor asks for them."""

import faulthandler
import signal

STACKS = signal.SIGRTMIN + 7  # asks the task for them
_STDERR = 2  # of the process: what Python calls sys.stderr may be no file, as in notebooks


def show() -> None:
    """Show them."""
    faulthandler.dump_traceback(file=_STDERR, all_threads=True)


def show_when_asked() -> None:
    """Show them at every STACKS that this process gets, also while C code lets no thread run."""
    faulthandler.register(STACKS, file=_STDERR, all_threads=True)
