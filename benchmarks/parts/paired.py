"""Timing in alternation, and the ratio of two contenders with its bootstrap interval."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Timer = Callable[[int], float]  # runs so many steps, waits for the last, returns the seconds that they took


@dataclass(frozen=True)
class Ratio:
    """The median of ratios, one a round, and the 95 % bootstrap interval of that median."""

    median: float
    low: float
    high: float
    rounds: int

    def __str__(self) -> str:
        return f"{self.median:.3f}  (95 %: {self.low:.3f} to {self.high:.3f}, {self.rounds} pairs)"


def alternate(timers: Mapping[str, Timer], *, rounds: int, steps: int, warm_up: int = 10) -> dict[str, list[float]]:
    """Seconds a step of every contender in every round.

    In a round each contender runs once, right after another: what else the machine does then hits all of them alike. The
    order is reversed from round to round.
    """
    for timer in timers.values():
        timer(warm_up)
    seconds: dict[str, list[float]] = {name: [] for name in timers}
    for number in range(rounds):
        for name in list(timers)[:: -1 if number % 2 else 1]:
            seconds[name].append(timers[name](steps) / steps)
    return seconds


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """The median ratio of two contenders that alternated."""
    ratios = np.array(ours) / np.array(theirs)
    drawn = np.random.default_rng(0).choice(ratios, (10_000, len(ratios)))
    low, high = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    return Ratio(float(np.median(ratios)), float(low), float(high), len(ratios))


def milliseconds(seconds: Mapping[str, Sequence[float]]) -> str:
    """Each contender's median step, to see what the ratios are about; ratios are what can be compared between machines."""
    return ", ".join(f"{name} {np.median(values) * 1000:.3g} ms" for name, values in seconds.items())
