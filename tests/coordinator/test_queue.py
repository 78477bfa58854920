"""The order of closures, by which servers know what is over: whatever workers do, none counts as over before it is."""

import random

import pytest

from stratagem.coordinator._queue import Closure, ClosureQueue


@pytest.mark.parametrize("seed", range(20))
def test_no_closure_counts_as_over_before_it_is(seed: int) -> None:
    random_, queue = random.Random(seed), ClosureQueue(2)
    alive = [Closure(str(i), print, (), {}) for i in range(12)]
    for closure in alive:
        queue.put(closure)
    running: list[Closure] = []
    while alive:
        assert queue.lowest() == min(closure.number for closure in alive)
        what = random_.choice(["take", "lost", "end"])
        if what == "take" and len(running) < len(alive):
            running += queue.take(0, random_.randrange(1, 4)) or pytest.fail("nothing waits")
        elif running and what != "take":
            closure = running.pop(random_.randrange(len(running)))
            if what == "lost":
                queue.put_back(closure)
            else:
                alive.remove(closure)
                queue.finished(closure, None)
    assert queue.done()
