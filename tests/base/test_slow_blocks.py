"""What takes long is told, and what does not is not."""

import time

from stratagem._base.slow_blocks import while_slow


def test_a_block_that_takes_long_is_told_again_and_again() -> None:
    told: list[float] = []
    with while_slow(told.append, after=0.01, every=0.01):
        while len(told) < 3:
            time.sleep(0.001)
    before = len(told)
    time.sleep(0.03)
    assert len(told) == before
    assert sorted(told) == told
    assert told[0] >= 0.01


def test_a_short_block_is_not_told() -> None:
    told: list[float] = []
    with while_slow(told.append, after=60.0):
        pass
    assert not told
