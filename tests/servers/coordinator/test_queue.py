"""The queue of closures: which are taken together, and their order, by which servers know what is over."""

import random

import pytest

# Private: every order in which closures are taken, lost and ended; and in that order is no chance.
from stratagem._servers.coordinator._queue import Closure, ClosureQueue

SHARED: list[int] = []


def queue_of(closures: list[Closure], workers: int) -> ClosureQueue:
    queue = ClosureQueue(workers)
    for closure in closures:
        queue.put(closure)
    return queue


@pytest.mark.parametrize(
    "other",
    [
        Closure("another function", repr, (SHARED,), {}),
        Closure("an equal argument that is another object", print, ([],), {}),
        Closure("more arguments", print, (SHARED, SHARED), {}),
        Closure("an argument by name", print, (), {"end": SHARED}),
    ],
    ids=lambda closure: closure.name,
)
def test_only_the_very_same_call_is_taken_with_another(other: Closure) -> None:
    same = [Closure(str(i), print, (SHARED,), {}) for i in range(20)]
    queue = queue_of([*same[:3], other, *same[3:]], workers=1)
    assert queue.take(0, 16) == same[:3]
    assert queue.take(0, 16) == [other]


@pytest.mark.parametrize(("waiting", "workers", "most", "taken"), [(100, 3, 8, 8), (100, 3, 64, 16), (5, 3, 8, 1)])
def test_a_worker_leaves_others_their_share(waiting: int, workers: int, most: int, taken: int) -> None:
    queue = queue_of([Closure(str(i), print, (), {}) for i in range(waiting)], workers)
    assert [closure.number for closure in queue.take(0, most)] == list(range(taken))


@pytest.mark.parametrize("seed", range(20))
def test_no_closure_counts_as_over_before_it_is(seed: int) -> None:
    random_, queue = random.Random(seed), ClosureQueue(2)
    alive = [Closure(str(i), print, (), {}) for i in range(12)]
    for closure in alive:
        queue.put(closure)
    running: list[Closure] = []
    while alive:
        assert queue.lowest_unfinished() == min(closure.number for closure in alive)
        what = random_.choice(["take", "lost", "end"])
        if what == "take" and len(running) < len(alive):
            running += queue.take(0, random_.randrange(1, 4)) or pytest.fail("nothing waits")
        elif running and what != "take":
            closure = running.pop(random_.randrange(len(running)))
            if what == "lost":
                queue.requeue(closure)
            else:
                alive.remove(closure)
                queue.finished(closure, None)
    assert queue.done()
