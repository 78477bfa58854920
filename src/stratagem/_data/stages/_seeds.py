"""The seeds of shuffles, which make a run repeatable on any machine."""

import contextlib
import copy
import threading
from collections.abc import Iterator
from typing import Any, Self, final

import numpy as np

from stratagem._base.job import Job
from stratagem._core.context import current, entered
from stratagem._private import latest_seeding


@final
class GlobalSeed:
    """The program's seed and the number of seeds drawn since it was set, here or with `tf.random.set_seed`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seed: int | None = None
        self._common: int | None = None
        self._drawn = 0
        self._seeding_seen = 0

    def set(self, seed: int | None) -> None:
        """Starts a new sequence of seeds; None returns to the machine's entropy."""
        with self._lock:
            self._seed, self._drawn = seed, 0
            self._seeding_seen, _ = latest_seeding()

    def share(self, seed: int) -> None:
        """Sets the seed that is used while the program has set none: workers of one job then shuffle alike."""
        with self._lock:
            self._common = seed

    def draw(self) -> int:
        """Draws a seed for one shuffle, or for one function that uses random numbers."""
        scope: _SeedScope | None = current().shuffle_seeds
        if scope is not None:
            return scope.draw()
        with self._lock:
            number, seed = latest_seeding()
            if number != self._seeding_seen:
                self._seed, self._drawn, self._seeding_seen = seed, 0, number
            seed = self._common if self._seed is None else self._seed
            if seed is None:
                return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
            self._drawn += 1
            return int(np.random.SeedSequence([seed, self._drawn]).generate_state(1, np.uint64)[0])


@final
class _SeedScope:
    """The seeds for everything that one call of a user's function creates."""

    def __init__(self, key: tuple[int, ...]) -> None:
        self._key = key
        self._drawn = 0

    def draw(self) -> int:
        self._drawn += 1
        return int(np.random.SeedSequence([*self._key, self._drawn]).generate_state(1, np.uint64)[0])


_global_seed = GlobalSeed()


@contextlib.contextmanager
def seeded_by(*key: int) -> Iterator[None]:
    """Gives the shuffles created in the body seeds that depend only on the key: a resumed process gets the same ones."""
    with entered(shuffle_seeds=_SeedScope(key)):
        yield


def set_global_seed(seed: int | None) -> None:
    """Makes every later shuffle without a seed of its own repeatable; None undoes this."""
    _global_seed.set(None if seed is None else abs(int(seed)))


def share_seeds(job: Job) -> None:
    """Makes shuffles without a seed alike on all workers of a job, so that their shards are disjoint (in TF they are not).

    Shuffles of a dataset that is one worker's own get seeds of that worker: see `EpochSeeds.of_worker`.
    """
    seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    _global_seed.share(job.agree("the seed of shuffles", seed)[0])


@final
class _EpochCount:
    """The number of the epoch that begins next; shared by the seeds that workers derive from one dataset's."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.next = 0


@final
class EpochSeeds:
    """Gives every epoch of one shuffle its own random generator.

    It belongs to the dataset and not to an iterator: iterating anew is the next epoch, as in TensorFlow.
    """

    def __init__(self, seed: int | None, *, reshuffle: bool) -> None:
        self._drawn = seed is None
        self._seed = _global_seed.draw() if seed is None else abs(int(seed))
        self._reshuffle = reshuffle
        self._count = _EpochCount()

    @property
    def seed(self) -> int:
        """The seed for all epochs."""
        return self._seed

    def of_worker(self, worker: int) -> Self:
        """Returns the seeds of one worker alone: others where the program gave no seed. Worker 0 keeps the job's.

        Both count the same epochs.
        """
        if not self._drawn or worker == 0:
            return self
        own = copy.copy(self)
        own._seed = int(np.random.SeedSequence([self._seed, worker]).generate_state(1, np.uint64)[0])
        return own

    def begin(self) -> dict[str, int]:
        """Starts an epoch and returns its facts, in a form that can be saved."""
        with self._count.lock:
            epoch = self._count.next
            self._count.next += self._reshuffle
            return {"seed": self._seed, "epoch": epoch, "next": self._count.next}

    def now(self, facts: dict[str, int]) -> dict[str, int]:
        """Updates the facts of an earlier epoch for saving, because other epochs may have begun since."""
        with self._count.lock:
            return {**facts, "next": self._count.next}

    def restore(self, facts: dict[str, Any]) -> None:
        """Continues after the epoch that `facts` describe, even if another process began it."""
        with self._count.lock:
            self._seed, self._count.next = facts["seed"], facts["next"]


def generator(facts: dict[str, int], *part: int) -> np.random.Generator:
    """The random generator of one epoch, or of a part of it: equal facts give equal numbers on every machine."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([facts["seed"], facts["epoch"], *part])))
