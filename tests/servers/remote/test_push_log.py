"""A server's record of pushes: what was applied is known again, with or without the variables that came from elsewhere."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from stratagem._servers.remote import Push, PushId

# Private: any history of pushes, at a rate that no server sees.
from stratagem._servers.remote._push_log import PushLog

ONE = np.float32(1)


def sent(log: PushLog, origin: PushId, **push: object) -> Push | None:
    """What is applied of a push with these fields."""
    left = log.remaining(origin, Push(**push))  # type: ignore[arg-type]
    if left is not None:
        log.record(origin, left)
    return left


def keys(push: Push | None) -> list[str]:
    """Of what it changes."""
    return [] if push is None else [*push.added, *push.set]


@given(some.lists(some.tuples(some.integers(0, 3), some.integers(1, 4)), max_size=40))
def test_closures_may_begin_again_at_any_time(runs: list[tuple[int, int]]) -> None:
    """Each run of a closure sends its pushes from the first one to some last one."""
    log, applied = PushLog(), []
    for closure, last in runs:
        for number in range(1, last + 1):
            if sent(log, PushId(closure, number), added={"v": ONE}) is not None:
                applied.append((closure, number))
    wanted = {(closure, number) for closure, last in runs for number in range(1, last + 1)}
    assert sorted(applied) == sorted(wanted)


@given(some.lists(some.tuples(some.booleans(), some.booleans()), min_size=1, max_size=12), some.integers(0, 12))
def test_a_variable_that_comes_from_another_server_brings_along_what_was_applied(
    tries: list[tuple[bool, bool]], move: int
) -> None:
    """One push to two servers, of which each try reaches some; before one of the tries, v moves from `there` to `here`."""
    here, there, counts = PushLog(), PushLog(), {"a": 0, "b": 0, "v": 0}
    origin, moved = PushId(0, 1), False
    for number, (first, second) in enumerate([*tries, (True, True)]):
        if number == move:
            here.inherit("v", there.history("v"))
            there.forget("v")
            moved = True
        found = [sent(here, origin, added={"a": ONE, **({"v": ONE} if moved else {})})] if first else []
        found += [sent(there, origin, added={"b": ONE, **({} if moved else {"v": ONE})})] if second else []
        for push in found:
            for key in keys(push):
                counts[key] += 1
    assert counts == {"a": 1, "b": 1, "v": 1}


def test_a_closure_that_takes_another_way_the_second_time_counts_once() -> None:
    log = PushLog()
    assert keys(sent(log, PushId(1, 1), added={"positive": ONE})) == ["positive"]
    assert sent(log, PushId(1, 1), added={"negative": ONE}) is None


def test_coordinators_have_records_of_their_own() -> None:
    log = PushLog()
    assert sent(log, PushId(5, 1, below=5, coordinator="a"), added={"v": ONE}) is not None
    assert sent(log, PushId(0, 1, coordinator="b"), added={"v": ONE}) is not None
    assert sent(log, PushId(5, 1, below=5, coordinator="a"), added={"v": ONE}) is None
    assert sent(log, PushId(0, 1, coordinator="b"), added={"v": ONE}) is None
    for number in range(100):
        assert sent(log, PushId(0, 1, coordinator=str(number)), added={"v": ONE}) is not None
    assert len(log.history("v")) < 10  # coordinators


def test_a_value_that_was_scheduled_earlier_does_not_replace_a_later_one() -> None:
    """Each server would else end with the one that came last to it."""
    log = PushLog()
    log.inherit("rate", {})
    assert keys(sent(log, PushId(3, 1), set={"rate": ONE})) == ["rate"]
    assert keys(sent(log, PushId(2, 1), added={"v": ONE}, set={"rate": ONE})) == ["v"]
    assert sent(log, PushId(1, 1), set={"rate": ONE}) is None
    assert keys(sent(log, PushId(3, 2), set={"rate": ONE})) == ["rate"]
    assert keys(sent(log, PushId(0, 1, coordinator="another"), set={"rate": ONE})) == ["rate"]


def test_what_is_over_is_forgotten_of_all_variables() -> None:
    log = PushLog()
    log.inherit("v", {"": dict.fromkeys(range(50), 1)})
    assert len(log.history("v")[""]) == 50
    sent(log, PushId(60, 1, below=48), added={"v": ONE})
    assert set(log.history("v")[""]) == {48, 49, 60}
    log.forget("v")
    assert set(log.history("v")[""]) == {60}  # as of any other variable
