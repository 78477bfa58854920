"""Choices that a seed makes: the same on every machine and in every version of Python."""

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar, final

T = TypeVar("T")


@final
class Draw:
    """Draws from one seeded generator."""

    def __init__(self, key: str) -> None:
        self._random = random.Random(key)

    def one(self, items: Sequence[T]) -> T:
        """One of these, each as likely as the others."""
        return items[int(self._random.random() * len(items))]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """One of the keys, as likely as its weight says."""
        point = self._random.random() * sum(weights.values())
        for item, weight in weights.items():
            point -= weight
            if point < 0:
                return item
        return item

    def chance(self, probability: float) -> bool:
        """Whether something of this probability happens."""
        return self._random.random() < probability

    def number(self, least: int, most: int) -> int:
        """A whole number, both ends included."""
        return least + int(self._random.random() * (most - least + 1))
