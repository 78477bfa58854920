"""`while_slow`: says what a program is doing while that takes longer than a few seconds."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def while_slow(say: Callable[[float], None], *, after: float = 3.0, every: float = 10.0) -> Iterator[None]:
    """Calls `say` with the seconds that the body has taken so far: after `after` seconds, then every `every`.

    Another thread calls it, and never after the body has ended.
    """
    over, began = threading.Event(), time.monotonic()

    def watch() -> None:
        pause = after
        while not over.wait(pause):
            say(time.monotonic() - began)
            pause = every

    watcher = threading.Thread(target=watch, name="stratagem-while-slow", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
