"""`while_slow`: says what blocks of code are doing that take longer than a few seconds."""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def while_slow(say: Callable[[float], None], *, after: float = 3.0, every: float = 10.0) -> Iterator[None]:
    """Calls `say` with the seconds that the body has taken so far: after `after` seconds, then every `every` (math.inf: once).

    Another thread calls it, and never after the body has ended.
    """
    over, began = threading.Event(), time.monotonic()

    def watch() -> None:
        pause: float | None = after
        while not over.wait(pause):
            say(time.monotonic() - began)
            pause = None if every == math.inf else every

    watcher = threading.Thread(target=watch, name="stratagem-while-slow", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
